//! Renumbering: drops what is unreachable, and numbers the rest in text order.

use std::collections::HashMap;

use super::kernel::{Inst, Kernel, Region, RegionId, ValueId};
use super::op::{Counter, For, If, Loop, Op};
use crate::entity::Arena;

struct Compactor<'k> {
    from: &'k Kernel,
    values: HashMap<ValueId, ValueId>,
    to: Kernel,
}

impl Kernel {
    /// The same kernel with values, instructions and regions numbered as the parser would number its text.
    pub fn compact(&self) -> Self {
        let mut to =
            Self { values: Arena::new(), insts: Arena::new(), regions: Arena::new(), ..self.clone() };
        to.body = to.regions.push(Region::default());
        let body = to.body;
        let mut compactor = Compactor { from: self, values: HashMap::new(), to };
        compactor.region(self.body, body);
        compactor.to
    }
}

impl Compactor<'_> {
    fn define(&mut self, value: ValueId) -> ValueId {
        let new = self.to.values.push(self.from.values[value].clone());
        self.values.insert(value, new);
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
            op.map_uses(&mut |value| values.get(&value).copied().unwrap_or(value));
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
                _ => {}
            }
            let results = inst.results.iter().map(|&result| self.define(result)).collect();
            let new_id = self.to.insts.push(Inst { op, results, span: inst.span });
            self.to.regions[new].insts.push(new_id);
        }
    }
}
