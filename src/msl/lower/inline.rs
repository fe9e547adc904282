//! Inline text: MSL as it is, another language's by its model.
//!
//! What stands in a text is not read here: an output is a variable that the text assigns, an input a constant, and the
//! text stands in a block of its own, so that its names meet nobody's.

use super::Lowering;
use crate::ir::Inst;
use crate::ir::op::{Inline, InlineTarget, Piece, pieces, yielded};
use crate::msl::ast::{Expr, Stmt};

impl Lowering<'_> {
    pub(super) fn inline(&mut self, op: &Inline, inst: &Inst) {
        match (op.target, op.model.0) {
            (InlineTarget::Msl, _) => self.inline_msl(op, inst),
            (InlineTarget::Ptx, Some(model)) => {
                self.selection.insert("inline PTX: its model".into());
                self.instructions(model);
                for (&from, &to) in yielded(self.kernel, model).iter().zip(&inst.results) {
                    let value = self.value(from);
                    self.define(to, value);
                }
            }
            (InlineTarget::Ptx, None) => self.no_form("inline PTX without a model"),
        }
    }

    fn inline_msl(&mut self, op: &Inline, inst: &Inst) {
        let mut operands: Vec<(&str, Expr)> = Vec::new();
        for (name, value) in &op.inputs.0 {
            operands.push((name, self.value(*value)));
        }
        for ((name, _), &result) in op.outputs.0.iter().zip(&inst.results) {
            let scalar = self.scalar(result);
            let variable = self.names.claim(self.kernel.values[result].name.as_deref().unwrap_or(name));
            let value = Expr::Literal(scalar, 0);
            self.block.push(Stmt::Variable { scalar, name: variable.clone(), value });
            self.values[result] = Some(Expr::Name(variable.clone()));
            operands.push((name, Expr::Name(variable)));
        }
        let pieces = pieces(&op.text).expect("validate() checked the text's braces");
        let of = |piece: &Piece<'_>| match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Operand(name) => {
                let found = operands.iter().find(|(operand, _)| operand == name);
                found.expect("validate() checked the text's names").1.to_string()
            }
        };
        let text: String = pieces.iter().map(of).collect();
        self.block.push(Stmt::Text(text.lines().map(|line| line.trim().to_owned()).collect()));
    }
}
