//! Renumbering: drops what is unreachable, and numbers the rest in text order.

use super::kernel::{Inst, Kernel, Region, RegionId, ValueId};
use super::op::{Counter, For, If, Inline, Loop, Model, Op};
use crate::entity::{Arena, SecondaryMap};

struct Compactor<'k> {
    from: &'k Kernel,
    values: SecondaryMap<ValueId, Option<ValueId>>,
    to: Kernel,
}

impl Kernel {
    /// The same kernel with values, instructions and regions numbered as the parser would number its text.
    pub fn compact(&self) -> Self {
        // Written out, since `..self.clone()` would copy the arenas that are rebuilt.
        let mut to = Self {
            module: self.module.clone(),
            name: self.name.clone(),
            dtypes: self.dtypes.clone(),
            mode: self.mode,
            cta: self.cta,
            sources: self.sources.clone(),
            span: self.span,
            params: self.params.clone(),
            locals: self.locals.clone(),
            arrays: self.arrays.clone(),
            values: Arena::new(),
            insts: Arena::new(),
            regions: Arena::new(),
            body: self.body,
        };
        to.body = to.regions.push(Region::default());
        let body = to.body;
        let mut compactor =
            Compactor { from: self, values: SecondaryMap::with_len(None, self.values.len()), to };
        compactor.region(self.body, body);
        compactor.to
    }
}

impl Compactor<'_> {
    fn define(&mut self, value: ValueId) -> ValueId {
        let new = self.to.values.push(self.from.values[value].clone());
        self.values[value] = Some(new);
        new
    }

    fn inner(&mut self, region: RegionId) -> RegionId {
        let new = self.to.regions.push(Region::default());
        self.region(region, new);
        new
    }

    fn region(&mut self, region: RegionId, new: RegionId) {
        let from = self.from;
        for &id in &from.regions[region].insts {
            let inst = &from.insts[id];
            let mut op = inst.op.clone();
            let values = &self.values;
            // A use before its definition is the validator's to report; here it only has to survive.
            op.map_uses(&mut |value| values[value].unwrap_or(value));
            match &mut op {
                Op::If(If { then, els, .. }) => {
                    *then = self.inner(*then);
                    *els = self.inner(*els);
                }
                Op::For(For { counter: Counter(counter), body, .. }) => {
                    *counter = self.define(*counter);
                    *body = self.inner(*body);
                }
                Op::Loop(Loop { body }) => *body = self.inner(*body),
                Op::Inline(Inline { model: Model(Some(model)), .. }) => *model = self.inner(*model),
                _ => {}
            }
            let results = inst.results.iter().map(|&result| self.define(result)).collect();
            let new_id = self.to.insts.push(Inst { op, results, span: inst.span });
            self.to.regions[new].insts.push(new_id);
        }
    }
}
