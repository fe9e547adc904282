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
        let comment = comment.map(plain);
        self.entry.body.push(Statement { kind: StatementKind::Inst(inst.into()), comment, line: 0 });
    }

    /// A remark on a line of its own.
    pub(super) fn remark(&mut self, text: impl Into<Box<str>>) {
        if self.notes.comments != Comments::None {
            self.locate();
            self.entry.body.push(StatementKind::Comment(plain(text.into())).into());
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
            self.entry.body.push(StatementKind::Loc { file, line, column, inlined: None }.into());
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

/// A comment as the assembler takes it: it refuses other letters than those of ASCII even there.
fn plain(text: Box<str>) -> Box<str> {
    let is_plain = |c: char| c == ' ' || c.is_ascii_graphic();
    if text.chars().all(is_plain) {
        return text;
    }
    text.chars()
        .map(|c| {
            if is_plain(c) {
                c
            } else if c.is_whitespace() {
                ' '
            } else {
                '?'
            }
        })
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{LaunchClass, Mode, parse};
    use crate::ptx::lower::lower_with;
    use crate::ptx::module::Module;
    use crate::target::Target;

    const SUM: &str = "kernel @demo::sum(x: global u32, mut out: global u32, n: u32) mode(reduction) @2:8 {
        source s0 \"src/demo.rs\"
        local l0:sum: u32
        v0 = const 0u32
        v1 = const 1u32
        v2:n = scalar n @3:5
        set l0, v0 @3:5
        for v3:i: u32 = v0 to v2 step v1 unroll 1 {
            v4 = load x[v3] @5:9
            v5 = get l0 @6:9
            v6 = add v5, v4 @6:9
            set l0, v6 @6:9
        } @4:5
        v7 = get l0 @8:5
        store out[v0], v7 @8:5
    }";

    fn module(comments: Comments) -> Module {
        let kernel = parse::parse(SUM).unwrap();
        let class = LaunchClass::new(Mode::Reduction, Some([32, 1, 1]));
        lower_with(&kernel, &class, Target::SM_121, comments).unwrap().module
    }

    fn lines(module: &Module) -> Vec<u32> {
        let body = module.entries[0].body.iter();
        let line = |statement: &Statement| match statement.kind {
            StatementKind::Loc { line, .. } => Some(line),
            _ => None,
        };
        body.filter_map(line).collect()
    }

    #[test]
    fn the_end_of_a_loop_is_its_head_again() {
        assert_eq!(lines(&module(Comments::Values)), [2, 3, 4, 5, 6, 4, 8, 2]);
    }

    #[test]
    fn an_operation_is_told_once_where_its_instructions_stand_together() {
        let text = module(Comments::Operations).print();
        assert_eq!(text.matches("demo.rs:5  v4 = load x[v3]").count(), 1, "{text}");
        // Before the body and behind it.
        assert_eq!(text.matches("demo.rs:4  for v3:i").count(), 2, "{text}");
        assert!(text.contains("unroll 1 {...}"), "{text}");
        assert!(!module(Comments::None).print().lines().skip(2).any(|line| line.contains("//")));
    }

    #[test]
    fn comments_are_of_ascii() {
        assert_eq!(&*plain("v5:\u{e9}\t= get".into()), "v5:? = get");
        assert!(module(Comments::Operations).print().is_ascii());
    }
}
