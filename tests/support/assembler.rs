//! The real assembler, where there is one: `WARPSMITH_PTXAS`, else `ptxas` on the path. The disassembler is found the
//! same way.

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
        find("WARPSMITH_PTXAS", "ptxas").map(|path| Self { path })
    }

    /// Whether a missing assembler is a failure and not a reason to skip.
    pub(crate) fn is_required() -> bool {
        is_set("WARPSMITH_REQUIRE_PTXAS")
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

    /// The machine code of a text, as the disassembler writes it; `None` where a tool is missing and may be.
    #[allow(dead_code, reason = "not every test reads machine code")]
    pub(crate) fn machine_code(text: &str, architecture: &str) -> Result<Option<String>, String> {
        let Some(assembler) = Self::find_or_skip()? else { return Ok(None) };
        let disassembler = match find("WARPSMITH_NVDISASM", "nvdisasm") {
            Ok(path) => path,
            Err(why) if is_set("WARPSMITH_REQUIRE_NVDISASM") => {
                return Err(format!("WARPSMITH_REQUIRE_NVDISASM=1, but {why}"));
            }
            Err(why) => {
                eprintln!("skipped: {why}");
                return Ok(None);
            }
        };
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let [source, binary] = ["module.ptx", "module.cubin"].map(|name| folder.path().join(name));
        std::fs::write(&source, text).map_err(|error| error.to_string())?;
        let mut assemble = Command::new(&assembler.path);
        assemble.arg(format!("-arch={architecture}")).arg("-o").arg(&binary).arg(&source);
        said(assemble)?;
        let mut disassemble = Command::new(disassembler);
        disassemble.arg("-c").arg(&binary);
        said(disassemble).map(Some)
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

/// The tool that a variable names, else the one on the path, if it runs.
fn find(variable: &str, name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(std::env::var_os(variable).unwrap_or_else(|| name.into()));
    match Command::new(&path).arg("--version").output() {
        Ok(output) if output.status.success() => Ok(path),
        Ok(output) => Err(format!("`{} --version` gives {}", path.display(), output.status)),
        Err(error) => Err(format!(
            "`{}` does not run ({error}); set {variable} or put {name} on the path",
            path.display()
        )),
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| value == "1")
}

/// What a command prints; `Err` is what it complains.
#[allow(dead_code, reason = "not every test reads machine code")]
fn said(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}
