//! `; test round-trip`: printed and read again, the kernel is the same; so is its text.

use libtest_mimic::Failed;
use warpsmith::ir::parse::parse;
use warpsmith::ir::print::print;

use super::Found;
use crate::File;

pub(crate) fn run(file: &File, _arguments: &str) -> Result<Found, Failed> {
    let kernel = parse(&file.source)?;
    let text = print(&kernel);
    let again = parse(&text).map_err(|error| format!("{error} in\n{text}"))?;
    if again != kernel || print(&again) != text || kernel.compact() != kernel {
        return Err(format!("this does not come back as it is:\n{text}").into());
    }
    Ok(Found { output: file_prints(file).then_some(text), ..Found::default() })
}

/// With `; show text` the printed text is the file's output.
fn file_prints(file: &File) -> bool {
    file.setting("show") == Some("text")
}
