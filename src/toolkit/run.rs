//! Runs the tools.

use std::process::Command;
use std::{fs, io};

use super::error::ToolError;
use super::find::{FoundTool, Tool};
use super::scratch::Scratch;

/// What the assembler made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// The machine code, as a CUDA binary.
    pub cubin: Vec<u8>,
    /// What it said: warnings, and, if verbose, the registers and memory of each function.
    pub log: String,
}

/// Assembles a text for a target such as `sm_121a`; verbose, it tells of registers and memory.
///
/// # Errors
/// Returns how to get the assembler where there is none, and what it said where it refuses the text.
pub fn assemble(ptx: &str, target: &str, verbose: bool) -> Result<Assembled, ToolError> {
    assemble_with(&Tool::Ptxas.find()?, ptx, target, verbose)
}

/// [`assemble`] by an assembler that was found before.
///
/// # Errors
/// Returns what it said where it refuses the text, or why it does not run.
pub fn assemble_with(
    ptxas: &FoundTool,
    ptx: &str,
    target: &str,
    verbose: bool,
) -> Result<Assembled, ToolError> {
    assemble_by(ptxas, ptx, target, verbose.then_some("-v"))
}

/// Assembles a text so that [`disassemble_with_lines`] can say which `.loc` an instruction belongs to.
///
/// # Errors
/// As [`assemble_with`].
pub fn assemble_for_lines(ptxas: &FoundTool, ptx: &str, target: &str) -> Result<Assembled, ToolError> {
    assemble_by(ptxas, ptx, target, Some("-lineinfo"))
}

fn assemble_by(
    ptxas: &FoundTool,
    ptx: &str,
    target: &str,
    flag: Option<&str>,
) -> Result<Assembled, ToolError> {
    let scratch = scratch(ptxas.tool)?;
    let [source, binary] = ["module.ptx", "module.cubin"].map(|name| scratch.join(name));
    fs::write(&source, ptx).map_err(|error| ToolError::Scratch {
        tool: ptxas.tool,
        path: source.clone(),
        error,
    })?;
    let mut command = Command::new(&ptxas.path);
    command.args(flag).arg(format!("-arch={target}")).arg("-o").args([&binary, &source]);
    let said = said(ptxas, command)?;
    let cubin = match fs::read(&binary) {
        Ok(cubin) if !cubin.is_empty() => cubin,
        Ok(_) => return Err(no_output(ptxas)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(no_output(ptxas)),
        Err(error) => return Err(ToolError::Scratch { tool: ptxas.tool, path: binary, error }),
    };
    Ok(Assembled { cubin, log: said.stdout + &said.stderr })
}

/// The listing of machine code, as the disassembler writes it.
///
/// # Errors
/// Returns how to get the disassembler where there is none, and what it said where it refuses the code.
pub fn disassemble(cubin: &[u8]) -> Result<String, ToolError> {
    disassemble_with(&Tool::Nvdisasm.find()?, cubin)
}

/// [`disassemble`] by a disassembler that was found before.
///
/// # Errors
/// Returns what it said where it refuses the code, or why it does not run.
pub fn disassemble_with(nvdisasm: &FoundTool, cubin: &[u8]) -> Result<String, ToolError> {
    disassemble_by(nvdisasm, cubin, None)
}

/// The listing with the places of the source between the instructions, of code that [`assemble_for_lines`] made.
///
/// # Errors
/// As [`disassemble_with`].
pub fn disassemble_with_lines(nvdisasm: &FoundTool, cubin: &[u8]) -> Result<String, ToolError> {
    disassemble_by(nvdisasm, cubin, Some("-g"))
}

fn disassemble_by(nvdisasm: &FoundTool, cubin: &[u8], flag: Option<&str>) -> Result<String, ToolError> {
    let scratch = scratch(nvdisasm.tool)?;
    let binary = scratch.join("module.cubin");
    fs::write(&binary, cubin).map_err(|error| ToolError::Scratch {
        tool: nvdisasm.tool,
        path: binary.clone(),
        error,
    })?;
    let mut command = Command::new(&nvdisasm.path);
    command.args(flag).arg("-c").arg(&binary);
    let listing = said(nvdisasm, command)?.stdout;
    if listing.trim().is_empty() { Err(no_output(nvdisasm)) } else { Ok(listing) }
}

fn no_output(found: &FoundTool) -> ToolError {
    ToolError::NoOutput { tool: found.tool, path: found.path.clone(), named_by: found.named_by() }
}

/// What a tool says of itself; one that refuses to says nothing.
pub(super) fn version(tool: &FoundTool) -> Result<String, ToolError> {
    let mut command = Command::new(&tool.path);
    command.arg("--version");
    match said(tool, command) {
        Ok(said) => Ok(said.stdout),
        Err(ToolError::Refused { log, .. }) => Ok(log),
        Err(error) => Err(error),
    }
}

fn scratch(tool: Tool) -> Result<Scratch, ToolError> {
    Scratch::new().map_err(|(path, error)| ToolError::Scratch { tool, path, error })
}

struct Said {
    stdout: String,
    stderr: String,
}

fn said(found: &FoundTool, mut command: Command) -> Result<Said, ToolError> {
    let output = command.output().map_err(|error| ToolError::NotRun {
        tool: found.tool,
        path: found.path.clone(),
        error,
    })?;
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if output.status.success() {
        return Ok(Said { stdout, stderr });
    }
    Err(ToolError::Refused { tool: found.tool, status: output.status, log: stdout + &stderr })
}
