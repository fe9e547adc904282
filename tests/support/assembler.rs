//! The real assembler, where there is one: `WARPSMITH_PTXAS`, else `ptxas` on the path. The disassembler is found the
//! same way.

use std::path::Path;
use std::process::Command;

use warpsmith::diag::Help;
use warpsmith::toolkit::{self, FoundTool, Tool};

/// An assembler that runs.
#[derive(Clone, Debug)]
pub(crate) struct Assembler {
    tool: FoundTool,
}

impl Assembler {
    /// The assembler of this machine, or why there is none. `WARPSMITH_REQUIRE_PTXAS=1` asks for one: see
    /// [`is_required`](Self::is_required).
    pub(crate) fn find() -> Result<Self, String> {
        find(Tool::Ptxas).map(|tool| Self { tool })
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
        let disassembler = match find(Tool::Nvdisasm) {
            Ok(found) => found,
            Err(why) if is_set("WARPSMITH_REQUIRE_NVDISASM") => {
                return Err(format!("WARPSMITH_REQUIRE_NVDISASM=1, but {why}"));
            }
            Err(why) => {
                eprintln!("skipped: {why}");
                return Ok(None);
            }
        };
        let assembled = toolkit::assemble_with(&assembler.tool, text, architecture, false)
            .map_err(|error| error.to_string())?;
        toolkit::disassemble_with(&disassembler, &assembled.cubin)
            .map(Some)
            .map_err(|error| error.to_string())
    }

    /// Assembles a file. `Err` is what the assembler said, if it said anything at all, or refused.
    pub(crate) fn assemble(&self, file: &Path, architecture: &str, flags: &[&str]) -> Result<(), String> {
        let output = Command::new(&self.tool.path)
            .args(flags)
            .args([&format!("-arch={architecture}"), "-o", "/dev/null"])
            .arg(file)
            .output()
            .map_err(|error| format!("`{}` ran before, but now: {error}", self.tool.path.display()))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(said.trim_ascii()).into_owned();
        match (output.status.success(), said.is_empty()) {
            (true, true) => Ok(()),
            (false, true) => Err(output.status.to_string()),
            (_, false) => Err(said),
        }
    }
}

/// A tool that is here and runs.
fn find(tool: Tool) -> Result<FoundTool, String> {
    let found =
        tool.find().map_err(|missing| format!("{missing}; {}", missing.help().unwrap_or_default()))?;
    found.version().map_err(|error| error.to_string())?;
    Ok(found)
}

fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| value == "1")
}
