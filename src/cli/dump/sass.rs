//! Machine code: what ptxas makes of a text, as nvdisasm writes it, with the lines of the source between.

use std::fmt::Write as _;

use super::super::error::CliError;
use super::Remarks;
use super::section::ToolUsed;
use super::source::SourceLines;
use crate::ptx::module::Module;
use crate::toolkit::{FoundTool, Tool, ToolError, assemble_for_lines, disassemble_with_lines};

/// Both tools, found and asked for their versions.
pub(super) struct Tools {
    ptxas: (FoundTool, String),
    nvdisasm: (FoundTool, String),
}

impl Tools {
    pub(super) fn find() -> Result<Self, CliError> {
        let asked = |found: FoundTool| -> Result<(FoundTool, String), ToolError> {
            let version = found.version()?;
            Ok((found, version))
        };
        let [ptxas, nvdisasm] = Tool::find_both().map_err(ToolError::from)?;
        Ok(Self { ptxas: asked(ptxas)?, nvdisasm: asked(nvdisasm)? })
    }

    pub(super) fn used(&self) -> Vec<ToolUsed> {
        let used = |(found, version): &(FoundTool, String)| ToolUsed {
            name: found.tool.name(),
            version: version.clone(),
            path: found.path.display().to_string(),
            named_by: found.named_by(),
        };
        [&self.ptxas, &self.nvdisasm].map(used).into()
    }

    /// The listing of a module's machine code.
    pub(super) fn listing(&self, module: &Module, comments: Remarks) -> Result<String, CliError> {
        let target = module.target.to_string();
        let assembled = assemble_for_lines(&self.ptxas.0, &module.print(), &target)?;
        let raw = disassemble_with_lines(&self.nvdisasm.0, &assembled.cubin)?;
        let mut text = String::new();
        for line in module.comments.iter().take(1) {
            writeln!(text, "// {line}").expect("writing to a String does not fail");
        }
        let named = self.used();
        let named: Vec<_> =
            named.iter().map(|tool| format!("{} {} ({})", tool.name, tool.version, tool.named_by)).collect();
        writeln!(text, "// {}", named.join("; ")).expect("writing to a String does not fail");
        let mut lines = SourceLines::default();
        for entry in &module.entries {
            writeln!(text, "{}:", entry.name).expect("writing to a String does not fail");
            code(&raw, &entry.name, comments, &mut lines, &mut text);
        }
        Ok(text)
    }
}

/// The code of one entry, without what the disassembler says of sections; a listing of an unknown form as it is.
fn code(raw: &str, entry: &str, comments: Remarks, lines: &mut SourceLines, text: &mut String) {
    let begin = format!(".text.{entry}:");
    let mut rest = raw.lines().skip_while(|line| line.trim() != begin).skip(1).peekable();
    if rest.peek().is_none() {
        return text.push_str(raw);
    }
    for line in rest.take_while(|line| !line.starts_with("//-") && !line.trim_start().starts_with(".section"))
    {
        let trimmed = line.trim();
        if let Some((path, number)) = place(trimmed) {
            match comments {
                Remarks::None => {}
                Remarks::Values | Remarks::Source => text.push_str(&format!("    // {path}:{number}\n")),
                Remarks::Full => text.push_str(&format!("    // {}\n", lines.quote(path, number))),
            }
        } else if let Some((address, instruction)) = instruction(trimmed) {
            let (guard, operation) = match instruction.split_once(' ') {
                Some((guard, operation)) if guard.starts_with('@') => (guard, operation.trim_start()),
                Some(_) | None => ("", instruction),
            };
            text.push_str(&format!("    {address} {guard:>5} {operation}\n"));
        } else if !trimmed.is_empty() {
            text.push_str(trimmed);
            text.push('\n');
        }
    }
}

/// The place that `//## File "src/x.rs", line 14` names.
fn place(line: &str) -> Option<(&str, u32)> {
    let rest = line.strip_prefix("//## File \"")?;
    let (path, rest) = rest.split_once("\", line ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((path, rest[..digits].parse().ok()?))
}

/// The address and the instruction of `/*0040*/   MOV R2, R6 ;`.
fn instruction(line: &str) -> Option<(&str, &str)> {
    let end = line.strip_prefix("/*")?.find("*/")? + 4;
    let (address, rest) = line.split_at(end);
    let is_address = address[2..end - 2].bytes().all(|byte| byte.is_ascii_hexdigit());
    Some((address, rest.trim())).filter(|(_, rest)| is_address && !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "\t.target\tsm_121\n\n//------ .text.k ------\n\t.section\t.text.k,\"ax\"\n\
        k:\n.text.k:\n\t//## File \"src/none.rs\", line 11\n        /*0000*/                   LDC R1, c[0x0][0x37c] ;\n\
        .L_x_1:\n        /*0010*/              @!P0 BRA `(.L_x_1) ;\n\n\t.section\t.nv.info\n        /*0000*/ NOT ;\n";

    #[test]
    fn only_the_code_is_left_with_its_lines() {
        let of = |raw: &str, comments| {
            let mut text = String::new();
            code(raw, "k", comments, &mut SourceLines::default(), &mut text);
            text
        };
        let plain =
            "    /*0000*/       LDC R1, c[0x0][0x37c] ;\n.L_x_1:\n    /*0010*/  @!P0 BRA `(.L_x_1) ;\n";
        assert_eq!(of(RAW, Remarks::None), plain);
        let with_lines = format!("    // src/none.rs:11\n{plain}");
        assert_eq!(of(RAW, Remarks::Values), with_lines);
        assert_eq!(of(RAW, Remarks::Full), with_lines, "the file is not here");
        assert_eq!(of("something else\n", Remarks::None), "something else\n");
    }
}
