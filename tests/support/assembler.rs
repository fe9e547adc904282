//! The real assembler, where there is one: `WARPSMITH_PTXAS`, else `ptxas` on the path.

use std::path::{Path, PathBuf};
use std::process::Command;

/// An assembler that runs.
#[derive(Clone, Debug)]
pub(crate) struct Assembler {
    path: PathBuf,
}

impl Assembler {
    /// The assembler of this machine, or why there is none. `WARPSMITH_REQUIRE_PTXAS=1` asks for one: see
    /// [`is_required`](Self::is_required).
    pub(crate) fn find() -> Result<Self, String> {
        let path = std::env::var_os("WARPSMITH_PTXAS").unwrap_or_else(|| "ptxas".into());
        let path = PathBuf::from(path);
        match Command::new(&path).arg("--version").output() {
            Ok(output) if output.status.success() => Ok(Self { path }),
            Ok(output) => Err(format!("`{} --version` gives {}", path.display(), output.status)),
            Err(error) => Err(format!(
                "`{}` does not run ({error}); set WARPSMITH_PTXAS or put ptxas on the path",
                path.display()
            )),
        }
    }

    /// Whether a missing assembler is a failure and not a reason to skip.
    pub(crate) fn is_required() -> bool {
        std::env::var("WARPSMITH_REQUIRE_PTXAS").is_ok_and(|value| value == "1")
    }

    /// The assembler, or `None` where it is missing and may be.
    pub(crate) fn find_or_skip() -> Result<Option<Self>, String> {
        match Self::find() {
            Ok(found) => Ok(Some(found)),
            Err(why) if Self::is_required() => Err(format!("WARPSMITH_REQUIRE_PTXAS=1, but {why}")),
            Err(why) => {
                eprintln!("skipped: {why}");
                Ok(None)
            }
        }
    }

    /// Assembles a file. `Err` is what the assembler said, if it said anything at all, or refused.
    pub(crate) fn assemble(&self, file: &Path, architecture: &str, flags: &[&str]) -> Result<(), String> {
        let output = Command::new(&self.path)
            .args(flags)
            .args([&format!("-arch={architecture}"), "-o", "/dev/null"])
            .arg(file)
            .output()
            .map_err(|error| format!("`{}` ran before, but now: {error}", self.path.display()))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(said.trim_ascii()).into_owned();
        match (output.status.success(), said.is_empty()) {
            (true, true) => Ok(()),
            (false, true) => Err(output.status.to_string()),
            (_, false) => Err(said),
        }
    }
}
