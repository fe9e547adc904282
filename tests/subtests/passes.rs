//! `; test passes fold,dce`: the kernel's text after these passes; it must be valid before and after.

use libtest_mimic::Failed;
use warpsmith::ir::parse::parse;
use warpsmith::ir::print::print;
use warpsmith::ir::validate::validate;
use warpsmith::ir::{Keyword, LaunchClass, Mode};
use warpsmith::passes::{self, Config, Pass};

use super::{Found, settings};
use crate::File;

pub(crate) fn run(file: &File, arguments: &str) -> Result<Found, Failed> {
    let named = |name: &str| Pass::from_keyword(name).ok_or_else(|| format!("no pass is named `{name}`"));
    let passes = arguments.split(',').map(named).collect::<Result<_, _>>()?;
    let class = settings::class(file)?.unwrap_or(LaunchClass::new(Mode::Elementwise, None));
    let kernel = parse(&file.source)?;
    validate(&kernel).map_err(|errors| format!("before the passes: {errors:?}"))?;
    let after = passes::run(&kernel, &Config { class, passes }).map_err(|errors| format!("{errors:?}"))?;
    validate(&after).map_err(|errors| format!("after the passes: {errors:?}"))?;
    Ok(Found { output: Some(print(&after)), ..Found::default() })
}
