//! NVIDIA's own assembler and disassembler, where a machine has them: found, run, and what they said.
//!
//! Nothing of this crate needs them: they judge and measure text that it emits. On entry: a text, and the environment.
//! On exit: machine code, its listing or the assembler's figures, or an error that says what is missing and how to get
//! it. A tool is named by its variable ([`Tool::variable`]), else it is the first of its name on `PATH`. Scratch files
//! are gone on return. Deliberately not here: what the figures mean (`inspect`), and downloads.

mod error;
mod find;
mod run;
mod scratch;
#[cfg(test)]
mod tests;
mod usage;

pub use error::{ToolError, ToolMissing};
pub use find::{FoundTool, Origin, Tool};
pub use run::{
    Assembled, assemble, assemble_for_lines, assemble_with, disassemble, disassemble_with,
    disassemble_with_lines,
};
pub use usage::{Usage, usages};
