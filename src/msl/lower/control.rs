//! Structured control flow.

use super::Lowering;
use crate::ir::op::{For, If, Loop};
use crate::msl::ast::{BinaryOp, Expr, Routine, Stmt, TemplateArg};

impl Lowering<'_> {
    pub(super) fn branch(&mut self, op: &If) {
        let cond = self.value(op.cond);
        let then = self.region(op.then);
        // The next line shown may be the same as the last one of the other arm.
        self.shown = None;
        let els = self.region(op.els);
        self.shown = None;
        self.block.push(Stmt::If { cond, then, els });
    }

    /// A hidden index counts rounds up to a number computed once; the counter is start + index × step, which never
    /// passes the bound and so never wraps. A `continue` then needs no care, since C++ still counts.
    pub(super) fn count(&mut self, op: &For) {
        let scalar = self.scalar(op.start);
        let unsigned = scalar.wrapping();
        let bounds = [op.start, op.end, op.step].map(|bound| self.value(bound));
        let [start, _, step] = bounds.clone();
        let template = vec![TemplateArg::Type(scalar), TemplateArg::Type(unsigned)];
        let trips_value = self.call(Routine::Trips, template, bounds.into());

        let counter_name = match &self.kernel.values[op.counter.0].name {
            Some(name) => name.to_string(),
            None => op.counter.0.to_string(),
        };
        let trips = self.names.claim(&format!("{counter_name}_trips"));
        let index = self.names.claim(&format!("{counter_name}_round"));
        self.block.push(Stmt::Constant { scalar: unsigned, name: trips.clone(), value: trips_value });

        let outer = std::mem::take(&mut self.block);
        let walked = Expr::binary(BinaryOp::Mul, Expr::Name(index.clone()), step.cast(scalar, unsigned));
        let place = Expr::binary(BinaryOp::Add, start.cast(scalar, unsigned), walked);
        self.define(op.counter.0, place.cast(unsigned, scalar));
        self.instructions(op.body);
        let body = std::mem::replace(&mut self.block, outer);
        self.shown = None;
        let trips = Expr::Name(trips);
        self.block.push(Stmt::Count { scalar: unsigned, index, trips, unroll: op.unroll, body });
    }

    pub(super) fn forever(&mut self, op: &Loop) {
        let body = self.region(op.body);
        self.shown = None;
        self.block.push(Stmt::Forever { body });
    }
}
