//! What is said about instructions: the line of the source that they come from, and the operation that they do.
//!
//! `.loc` stands in every text, so that profilers, `compute-sanitizer` and the emulator's findings show lines of Rust. It
//! is written where the next instruction comes from another line than the one before, and the instructions that end a
//! loop are its `for`'s again. How much comments say is [`Comments`]'s. Not here: the text of the source, which
//! lowering does not read.

use crate::diag::Span;
use crate::entity::EntityId;
use crate::ir::op::Op;
use crate::ir::{Inst, InstId, Kernel, print};
use crate::ptx::isa;
use crate::ptx::module::{Entry, Statement, StatementKind};

use super::state::Lowering;

/// Between what an operation is and what else there is to say of an instruction.
const BESIDE: &str = "  | ";

/// How much is said about the instructions of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Comments {
    /// Nothing.
    None,
    /// The value that an instruction begins to compute: `v7:mean`.
    #[default]
    Values,
    /// The place and the operation that it begins: `kernel.rs:17  v7:mean = div v5, v6`.
    Operations,
}

/// What the next instructions are for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    op: Option<InstId>,
    span: Span,
}

/// What is said so far.
#[derive(Debug)]
pub(super) struct Notes {
    comments: Comments,
    around: Around,
    /// The place that the last `.loc` names.
    written: Span,
    /// A remark for the next instruction.
    remark: Option<Box<str>>,
}

impl Notes {
    pub(super) fn new(kernel: &Kernel, comments: Comments) -> Self {
        let around = Around { op: None, span: kernel.span };
        Self { comments, around, written: Span::NONE, remark: None }
    }
}

impl Lowering<'_> {
    /// The instructions from here on are an operation's; gives what they were before.
    pub(super) fn enter(&mut self, id: InstId, inst: &Inst) -> Around {
        let span = inst.span.or(self.notes.around.span);
        let around = std::mem::replace(&mut self.notes.around, Around { op: Some(id), span });
        if self.notes.comments == Comments::Values
            && let [result] = inst.results[..]
            && !matches!(inst.op, Op::Const(_))
        {
            let value = &self.kernel.values[result];
            self.note(match &value.name {
                Some(name) => format!("{result}:{name}"),
                None => result.to_string(),
            });
        }
        around
    }

    /// The instructions from here on are again what they were before the operation. What it had to say of an instruction
    /// that it did not need is not the next one's.
    pub(super) fn leave_op(&mut self, around: Around) {
        self.notes.around = around;
        self.notes.remark = None;
    }

    pub(super) fn emit<I: Into<isa::Inst>>(&mut self, inst: I) {
        self.locate();
        let remark = self.notes.remark.take();
        let comment = match self.notes.comments {
            Comments::None => None,
            Comments::Values => remark,
            Comments::Operations => match (self.operation_text(), remark) {
                (Some(text), Some(remark)) => Some(format!("{text}{BESIDE}{remark}").into()),
                (Some(text), None) => Some(text.into()),
                (None, remark) => remark,
            },
        };
        self.entry.body.push(Statement { kind: StatementKind::Inst(inst.into()), comment, line: 0 });
    }

    /// A remark on a line of its own.
    pub(super) fn remark(&mut self, text: impl Into<Box<str>>) {
        if self.notes.comments != Comments::None {
            self.locate();
            self.entry.body.push(StatementKind::Comment(text.into()).into());
        }
    }

    /// A remark beside the next instruction.
    pub(super) fn note(&mut self, text: impl Into<Box<str>>) {
        self.notes.remark = Some(text.into());
    }

    /// Says where the next instruction comes from, if the one before comes from elsewhere.
    fn locate(&mut self) {
        let (span, written) = (self.notes.around.span, self.notes.written);
        if span.is_known() && (span.source, span.line) != (written.source, written.line) {
            let file = span.source.index() as u32 + 1;
            let (line, column) = (span.line, span.column.max(1));
            self.entry.body.push(StatementKind::Loc { file, line, column }.into());
            self.notes.written = span;
        }
    }

    fn operation_text(&self) -> Option<String> {
        let Around { op, span } = self.notes.around;
        let text = print::line(self.kernel, &self.kernel.insts[op?]);
        Some(match self.file(span) {
            Some(file) => format!("{file}:{}  {text}", span.line),
            None => text,
        })
    }

    /// The name of a file without its folders, unless another file has the same.
    fn file(&self, span: Span) -> Option<&str> {
        let sources = &self.kernel.sources;
        let last = |path: &str| path.rfind(['/', '\\']).map_or(0, |at| at + 1);
        let path = span.is_known().then(|| sources.name(span.source))?;
        let name = &path[last(path)..];
        let namesakes = sources.iter().filter(|(_, other)| other[last(other)..] == *name).count();
        Some(if namesakes > 1 { path } else { name })
    }
}

/// Leaves what an operation is with the first of its instructions that stand together. They all have it until copies
/// are gone, because which of them stays first is not known before.
pub(super) fn tell_once(entry: &mut Entry) {
    let mut told: Option<Box<str>> = None;
    for statement in &mut entry.body {
        if !matches!(statement.kind, StatementKind::Inst(_)) {
            continue;
        }
        let comment = statement.comment.take();
        let (text, remark) = match comment.as_deref() {
            Some(comment) => match comment.split_once(BESIDE) {
                Some((text, remark)) => (Some(text), Some(remark)),
                None => (Some(comment), None),
            },
            None => (None, None),
        };
        statement.comment = if text == told.as_deref() { remark.map(Into::into) } else { comment.clone() };
        told = text.map(Into::into);
    }
}
