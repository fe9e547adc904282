//! `; test validate`: the errors of parser and validator, each under the line it speaks of. With a `; class`, also
//! what depends on that class and the `; target`.

use libtest_mimic::Failed;
use warpsmith::diag::Help;
use warpsmith::ir::parse::parse_located;
use warpsmith::ir::validate::{validate, validate_for};

use super::{Found, settings};
use crate::File;

pub(crate) fn run(file: &File, _arguments: &str) -> Result<Found, Failed> {
    let mut found = Found::default();
    let kernel = match parse_located(&file.source, &file.name) {
        Ok(kernel) => kernel,
        Err(error) => {
            found.errors.push((error.line as usize, error.kind.to_string()));
            return Ok(found);
        }
    };
    let mut errors = validate(&kernel).err().unwrap_or_default();
    if let Some(class) = settings::class(file)?
        && errors.is_empty()
    {
        errors = validate_for(&kernel, &class, settings::target(file)?).err().unwrap_or_default();
    }
    for error in errors {
        if error.help().is_none() {
            return Err(format!("`{error}` says nothing about what to do").into());
        }
        found.errors.push((error.span.line as usize, error.error.to_string()));
    }
    Ok(found)
}
