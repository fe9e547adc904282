//! Inline PTX: the text becomes the same typed instructions that lowering makes, read by the rows of `ptx::isa`.
//!
//! A text is statements that end in `;`: instructions, and `.reg` declarations of registers of its own. Operands stand in
//! it as registers. What is refused, with the statement as the kernel writes it: what no row reads, registers of the wrong
//! width, labels and branches (control flow is the kernel's), writes to an input, an output that is never written, what the
//! target lacks, and an effect where the text says that it has none. Text of another language is its model.

use std::collections::HashMap;

use super::state::Lowering;
use crate::backend::EmitError;
use crate::diag::Spanned;
use crate::ir::Inst as IrInst;
use crate::ir::op::{Inline, InlineEffect, InlineTarget, Piece, pieces, yielded};
use crate::ptx::isa::lex::{Token, TokenKind, lex};
use crate::ptx::isa::{Inst, LabelId, Op, ParseError, ParseErrorKind, Reg, Resolve, ScalarType, Symbol};

/// What a statement of a text has wrong, and what to do about it.
struct Wrong {
    why: String,
    help: String,
}

impl Wrong {
    fn new(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { why: why.into(), help: help.into() }
    }
}

impl From<ParseError> for Wrong {
    fn from(error: ParseError) -> Self {
        // The place is in the statement with its operands filled in, which nobody wrote.
        Self::new(error.kind.to_string(), error.help())
    }
}

/// The registers that a text's names lead to.
#[derive(Default)]
struct Scope {
    regs: HashMap<String, Reg>,
}

impl Resolve for Scope {
    fn reg(&self, name: &str) -> Option<Reg> {
        self.regs.get(name).copied()
    }

    fn symbol(&self, _name: &str) -> Option<Symbol> {
        None
    }

    fn label(&self, _name: &str) -> Option<LabelId> {
        None
    }
}

/// A statement: as the kernel writes it, and with its operands as register names.
struct Statement {
    written: String,
    filled: String,
}

/// How an operand is called where its name is filled in: no register of a text can be called so.
fn stand_in(name: &str) -> String {
    format!("%$operand_{name}")
}

impl Lowering<'_> {
    /// The text, or its model where it is not PTX.
    pub(super) fn inline(&mut self, op: &Inline, inst: &IrInst) {
        match (op.target, op.model.0) {
            (InlineTarget::Ptx, _) => self.inline_ptx(op, inst),
            (InlineTarget::Msl, Some(model)) => {
                self.choose("inline MSL: its model".into());
                self.region(model);
                for (&from, &to) in yielded(self.kernel, model).iter().zip(&inst.results) {
                    let reg = self.reg(from);
                    self.alias(to, reg);
                }
            }
            (InlineTarget::Msl, None) => {
                inst.results.iter().for_each(|&result| {
                    self.define(result);
                });
                let what = "inline MSL without a model".into();
                self.errors.push(Spanned::new(inst.span, EmitError::NoForm { backend: "PTX", what }));
            }
        }
    }

    fn inline_ptx(&mut self, op: &Inline, inst: &IrInst) {
        let mut scope = Scope::default();
        let inputs: Vec<Reg> = op.inputs.0.iter().map(|(_, value)| self.reg(*value)).collect();
        let outputs: Vec<Reg> = inst.results.iter().map(|&result| self.define(result)).collect();
        for ((name, _), &reg) in op.inputs.0.iter().zip(&inputs) {
            scope.regs.insert(stand_in(name), reg);
        }
        for ((name, _), &reg) in op.outputs.0.iter().zip(&outputs) {
            scope.regs.insert(stand_in(name), reg);
        }
        let mut written = Vec::new();
        for statement in statements(&op.text) {
            let result = self.statement(&statement, &mut scope);
            let checked = result.and_then(|found| match found {
                Some(found) => self.check(&found, op, &inputs).map(|()| Some(found)),
                None => Ok(None),
            });
            match checked {
                Ok(None) => {}
                Ok(Some(found)) => {
                    found.visit(|role, reg| written.extend(role.is_def().then_some(reg)));
                    self.emit(found);
                }
                Err(wrong) => return self.refuse(inst, statement.written, wrong),
            }
        }
        let missing = outputs.iter().position(|output| !written.contains(output));
        if let Some(position) = missing {
            let why = format!("the output `{}` is never written", op.outputs.0[position].0);
            let wrong = Wrong::new(why, "write each output, or remove it");
            self.refuse(inst, op.text.trim().to_owned(), wrong);
        }
    }

    fn refuse(&mut self, inst: &IrInst, text: String, Wrong { why, help }: Wrong) {
        self.errors.push(Spanned::new(inst.span, EmitError::Inline { backend: "PTX", text, why, help }));
    }

    /// Reads a statement; a declaration, a remark or an empty one gives no instruction.
    fn statement(&mut self, statement: &Statement, scope: &mut Scope) -> Result<Option<Inst>, Wrong> {
        let tokens = lex(&statement.filled)?;
        let tokens: Vec<Token<'_>> =
            tokens.into_iter().filter(|token| token.kind != TokenKind::Comment).collect();
        match tokens.as_slice() {
            [] => Ok(None),
            [only] if only.is(";") => Ok(None),
            [first, rest @ ..] if first.text == ".reg" => self.registers(rest, scope).map(|()| None),
            [first, ..] if first.text.starts_with('.') || first.is("{") || first.is("}") => {
                let why = format!("`{}` is not supported in a text", first.text);
                Err(Wrong::new(why, "a text is instructions and `.reg` declarations, each ending in `;`"))
            }
            [_, colon, ..] if colon.is(":") => Err(Wrong::new("a text has no labels", NO_FLOW)),
            _ => {
                let (inst, taken) = Inst::parse(&tokens, scope)?;
                match tokens.get(taken) {
                    None => Ok(Some(inst)),
                    Some(next) => {
                        let kind = ParseErrorKind::Expected { expected: ";", met: next.text.to_owned() };
                        Err(next.error(kind).into())
                    }
                }
            }
        }
    }

    /// `.reg .pred p, q;` without the first word.
    fn registers(&mut self, tokens: &[Token<'_>], scope: &mut Scope) -> Result<(), Wrong> {
        let wrong = || Wrong::new("a declaration is `.reg .type name, name;`", "write one name or several");
        let [ty, names @ ..] = tokens else { return Err(wrong()) };
        let class = ScalarType::parse(ty.text).ok_or_else(wrong)?.class();
        for pair in names.chunks(2) {
            let [name, end] = pair else { return Err(wrong()) };
            let ends = end.is(",") || end.is(";");
            if name.kind != TokenKind::Word || !ends {
                return Err(wrong());
            }
            let reg = self.temp(class);
            if scope.regs.insert(name.text.to_owned(), reg).is_some() {
                let why = format!("`{}` is declared twice", name.text);
                return Err(Wrong::new(why, "give one of the two another name"));
            }
        }
        Ok(())
    }

    fn check(&self, inst: &Inst, op: &Inline, inputs: &[Reg]) -> Result<(), Wrong> {
        if matches!(inst.op, Op::Bra(_) | Op::Ret(_) | Op::Exit(_)) {
            return Err(Wrong::new("a text stays where it is", NO_FLOW));
        }
        if op.effect == InlineEffect::Pure && has_effect(&inst.op) {
            return Err(Wrong::new("the text has an effect, but does not say so", "add `effect` to it"));
        }
        let mut clobbered = None;
        inst.visit(|role, reg| {
            let at = inputs.iter().position(|&input| input == reg).filter(|_| role.is_def());
            clobbered = clobbered.or(at);
        });
        if let Some(position) = clobbered {
            let why = format!("the input `{}` is written", op.inputs.0[position].0);
            return Err(Wrong::new(why, "write to an output, or to a register of the text's own"));
        }
        let (need, have) = (inst.op.requires(), self.target.into());
        if need.admits(have) {
            return Ok(());
        }
        let error = need.refusal(inst.op.opcode(), have);
        Err(Wrong::new(error.to_string(), error.help()))
    }
}

const NO_FLOW: &str = "branch and loop in the kernel, around the text";

/// Whether an instruction does more than write registers.
fn has_effect(op: &Op) -> bool {
    matches!(
        op,
        Op::St(_)
            | Op::StMatrix(_)
            | Op::Trap(_)
            | Op::BarSync(_)
            | Op::BarrierSync(_)
            | Op::BarArrive(_)
            | Op::BarrierArrive(_)
            | Op::BarWarpSync(_)
            | Op::Membar(_)
            | Op::Fence(_)
            | Op::StHint(_)
            | Op::CpAsync(_)
            | Op::CpAsyncHint(_)
            | Op::CpAsyncIgnore(_)
            | Op::CpAsyncIgnoreHint(_)
            | Op::CpAsyncCommit(_)
            | Op::CpAsyncWait(_)
            | Op::CpAsyncWaitAll(_)
            | Op::CpAsyncArrive(_)
            | Op::MbarrierInit(_)
            | Op::MbarrierInval(_)
            | Op::MbarrierArrive(_)
            | Op::MbarrierArriveExpect(_)
            | Op::MbarrierExpect(_)
            | Op::MbarrierComplete(_)
            | Op::MbarrierTest(_)
            | Op::MbarrierTestParity(_)
            | Op::MbarrierTry(_)
            | Op::MbarrierTryParity(_)
            | Op::FenceMbarrierInit(_)
            | Op::FenceProxyAsync(_)
            | Op::BulkLoad(_)
            | Op::BulkLoadHint(_)
            | Op::BulkStore(_)
            | Op::BulkStoreHint(_)
            | Op::BulkCommit(_)
            | Op::BulkWait(_)
            | Op::TensorLoad(_)
            | Op::TensorLoadHint(_)
            | Op::TensorStore(_)
    )
}

/// Cuts a text into statements, each with its `;`.
fn statements(text: &str) -> Vec<Statement> {
    let mut statements = Vec::new();
    let (mut written, mut filled) = (String::new(), String::new());
    let pieces = pieces(text).expect("validate() checked the text's braces");
    for piece in pieces {
        match piece {
            Piece::Operand(name) => {
                written.push_str(&format!("{{{name}}}"));
                filled.push_str(&stand_in(name));
            }
            Piece::Text(text) => {
                for part in text.split_inclusive(';') {
                    written.push_str(part);
                    filled.push_str(part);
                    if part.ends_with(';') {
                        let written = std::mem::take(&mut written).trim().to_owned();
                        statements.push(Statement { written, filled: std::mem::take(&mut filled) });
                    }
                }
            }
        }
    }
    statements.push(Statement { written: written.trim().to_owned(), filled });
    statements
}
