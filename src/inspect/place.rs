//! Where an instruction comes from.

use crate::ptx::isa::Inst;
use crate::ptx::module::{Entry, Module, StatementKind};

/// A line of the kernel's source, as `.loc` says, or of the PTX text where it says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Place {
    /// The source file; `None` for the PTX text itself.
    pub file: Option<String>,
    /// Line from 1; 0 for an instruction of no line.
    pub line: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.file {
            Some(file) => f.pad(&format!("{file}:{}", self.line)),
            None => f.pad(&format!("PTX:{}", self.line)),
        }
    }
}

/// An instruction, the PTX line that it stands in, and where it comes from.
pub(super) struct Located<'a> {
    pub(super) inst: &'a Inst,
    pub(super) ptx_line: u32,
    pub(super) place: Place,
}

/// The instructions of an entry in order.
pub(super) fn located<'a>(module: &'a Module, entry: &'a Entry) -> Vec<Located<'a>> {
    let mut source: Option<Place> = None;
    let mut found = Vec::with_capacity(entry.body.len());
    for statement in &entry.body {
        if let StatementKind::Loc { file, line, .. } = statement.kind {
            let named = module.files.iter().find(|candidate| candidate.index == file);
            source = named.map(|named| Place { file: Some(named.path.clone()), line });
        }
        if let StatementKind::Inst(inst) = &statement.kind {
            let own = || Place { file: None, line: statement.line };
            let place = source.clone().unwrap_or_else(own);
            found.push(Located { inst, ptx_line: statement.line, place });
        }
    }
    found
}

/// An opcode with its modifiers.
pub(super) fn opcode(inst: &Inst) -> String {
    let mut text = String::new();
    inst.op.print_opcode(&mut text);
    text
}
