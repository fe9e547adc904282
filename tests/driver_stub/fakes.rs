//! The fake libraries: built, found, copied.
//!
//! On exit: each test has a library of its own, or is ignored with the reason. Not here: what the fakes do; that is
//! `tests/data/stub`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use libtest_mimic::{Completion, Trial};
use warpsmith::driver::Driver;

use crate::Outcome;

/// A test on a copy of one of the fakes.
pub(crate) fn on(fake: &'static str, name: &'static str, test: fn(Driver) -> Outcome) -> Trial {
    Trial::ignorable_test(name, move || {
        let built = match built(fake) {
            Ok(path) => path,
            Err(reason) => return Ok(Completion::ignored_with(reason)),
        };
        let folder = tempfile::tempdir()?;
        let own = folder.path().join(format!("{name}.so"));
        std::fs::copy(built, &own)?;
        test(Driver::load_from(&[&own])?)?;
        Ok(Completion::Completed)
    })
}

/// The folder of what is built here.
static FOLDER: OnceLock<Result<tempfile::TempDir, String>> = OnceLock::new();

/// The fake's library, built at the first call; or why there is none.
pub(crate) fn built(fake: &'static str) -> Result<PathBuf, String> {
    static BUILT: Mutex<BTreeMap<&str, Result<PathBuf, String>>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    built.entry(fake).or_insert_with(|| find_or_build(fake)).clone()
}

fn find_or_build(fake: &str) -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os("WARPSMITH_STUB_DIR") {
        let path = Path::new(&folder).join(format!("{fake}.so"));
        return if path.is_file() { Ok(path) } else { Err(format!("{} is not there", path.display())) };
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stub").join(format!("{fake}.rs"));
    if !source.is_file() {
        return Err("the source tree is not here and WARPSMITH_STUB_DIR is not set".into());
    }
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().map_err(|error| error.to_string()));
    let target = folder.as_ref().map_err(Clone::clone)?.path().join(format!("{fake}.so"));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args([
        "--edition",
        "2024",
        "--crate-type",
        "cdylib",
        "--crate-name",
        "stub",
        "-A",
        "non_snake_case",
    ]);
    command.args(["-C", "panic=abort", "-C", "strip=symbols", "-o"]).arg(&target).arg(&source);
    let output = command.output().map_err(|error| format!("no rustc to build the stub with: {error}"))?;
    // A fake that doesn't build is a fault of the source, not of the machine: no reason to skip.
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} does not build:\n{log}", source.display());
    Ok(target)
}

/// Removes what was built: a static is never dropped.
pub(crate) fn clean_up() {
    if let Some(Ok(folder)) = FOLDER.get() {
        let _ = std::fs::remove_dir_all(folder.path());
    }
}
