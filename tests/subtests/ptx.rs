//! `; test ptx`: the PTX of the kernel after the passes. `; test assemble`: the real assembler takes that text for each
//! architecture that users have, without a warning.

use libtest_mimic::Failed;
use warpsmith::backend::{CodegenBackend as _, Emitted};
use warpsmith::ir::parse::parse;
use warpsmith::ir::validate::{validate, validate_for};
use warpsmith::ir::{Kernel, LaunchClass};
use warpsmith::passes::{self, Config};
use warpsmith::ptx::lower::Ptx;
use warpsmith::target::TargetProfile;

use super::{Found, settings};
use crate::File;
use crate::assembler::Assembler;

/// The architectures for which every text is assembled.
const ARCHITECTURES: [&str; 4] = ["sm_80", "sm_90", "sm_120", "sm_121"];

pub(crate) fn class(file: &File, kernel: &Kernel) -> Result<LaunchClass, Failed> {
    let declared = LaunchClass::new(kernel.mode.unwrap_or_default(), kernel.cta);
    Ok(settings::class(file)?.unwrap_or(declared))
}

fn emit(file: &File, target: TargetProfile) -> Result<Emitted, Failed> {
    let kernel = parse(&file.source)?;
    let class = class(file, &kernel)?;
    validate(&kernel).map_err(|errors| format!("{errors:?}"))?;
    validate_for(&kernel, &class, target).map_err(|errors| format!("{errors:?}"))?;
    let kernel = passes::run(&kernel, &Config::new(class)).map_err(|errors| format!("{errors:?}"))?;
    Ok(Ptx.emit(&kernel, &class, target).map_err(|errors| format!("{errors:?}"))?)
}

pub(crate) fn run(file: &File, _arguments: &str) -> Result<Found, Failed> {
    let emitted = emit(file, settings::target(file)?)?;
    let version = concat!("// warpsmith ", env!("CARGO_PKG_VERSION"), "\n");
    Ok(Found { output: Some(emitted.text.replace(version, "")), ..Found::default() })
}

/// `; test assemble sm_90 sm_120` names other architectures, for what not every one has.
pub(crate) fn assemble(file: &File, arguments: &str) -> Result<Found, Failed> {
    let Some(assembler) = Assembler::find_or_skip()? else { return Ok(Found::default()) };
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("module.ptx");
    let named: Vec<&str> = arguments.split_whitespace().collect();
    for &architecture in if named.is_empty() { &ARCHITECTURES[..] } else { &named[..] } {
        let emitted = emit(file, TargetProfile::parse(architecture)?)?;
        std::fs::write(&path, &emitted.text)?;
        assembler
            .assemble(&path, &emitted.target, &[])
            .map_err(|said| format!("{architecture}: {said}\n{}", emitted.text))?;
    }
    Ok(Found::default())
}
