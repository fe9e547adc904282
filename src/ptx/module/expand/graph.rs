//! Who calls whom: what a call through a register may reach, and which functions call themselves.
//!
//! Entry: a module that passes its check. Exit: for each call the functions that it may reach, and whether two functions
//! are in one cycle of calls. A pointer with a prototype may lead to every function of its signature whose address the
//! module takes anywhere; with a list, to those of the list.

use std::collections::BTreeSet;

use super::super::{Entry, Function, FunctionParam, Initial, Module, PrototypeParam, TableKind};
use crate::entity::{Arena, SecondaryMap};
use crate::ptx::isa::{CallSite, Callee, FunctionId, Op, Symbol};

/// The calls of a module.
pub(super) struct Graph<'a> {
    module: &'a Module,
    /// Functions whose address is a value somewhere.
    taken: BTreeSet<FunctionId>,
    /// What each function may reach by one call or more.
    reached: SecondaryMap<FunctionId, BTreeSet<FunctionId>>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(module: &'a Module) -> Self {
        let reached = SecondaryMap::with_len(BTreeSet::new(), module.functions.len());
        let mut graph = Self { module, taken: taken(module), reached };
        let next: Arena<FunctionId, BTreeSet<FunctionId>> =
            module.functions.values().map(|function| graph.callees(&function.code)).collect();
        for id in module.functions.ids() {
            let mut open: Vec<FunctionId> = next[id].iter().copied().collect();
            while let Some(callee) = open.pop() {
                if graph.reached[id].insert(callee) {
                    open.extend(&next[callee]);
                }
            }
        }
        graph
    }

    /// Whether a function calls itself, perhaps through others.
    pub(super) fn is_recursive(&self, id: FunctionId) -> bool {
        self.reached[id].contains(&id)
    }

    /// Whether each of two functions calls the other, perhaps through others.
    pub(super) fn in_one_cycle(&self, a: FunctionId, b: FunctionId) -> bool {
        self.reached[a].contains(&b) && self.reached[b].contains(&a)
    }

    /// The functions with a body that a call of this code may reach.
    pub(super) fn targets(&self, code: &Entry, site: &CallSite) -> Vec<FunctionId> {
        let is_defined = |&id: &FunctionId| self.module.functions[id].defined;
        match (site.callee, site.table.map(|table| &code.tables[table].kind)) {
            (Callee::Function(id), _) => Some(id).into_iter().filter(is_defined).collect(),
            (Callee::Pointer(_), Some(TableKind::Callees(listed))) => {
                let listed: BTreeSet<FunctionId> = listed.iter().copied().filter(is_defined).collect();
                listed.into_iter().collect()
            }
            (Callee::Pointer(_), Some(TableKind::Prototype { results, arguments, .. })) => {
                let agrees = |&id: &FunctionId| {
                    let function = &self.module.functions[id];
                    agree(results, &function.results, function)
                        && agree(arguments, &function.arguments, function)
                };
                self.taken.iter().copied().filter(is_defined).filter(agrees).collect()
            }
            (Callee::Pointer(_), Some(TableKind::Branches(_)) | None) => Vec::new(),
        }
    }

    fn callees(&self, code: &Entry) -> BTreeSet<FunctionId> {
        let sites = code.insts().filter_map(|(_, inst)| match &inst.op {
            Op::Call(call) => Some(&call.site),
            _ => None,
        });
        sites.flat_map(|site| self.targets(code, site)).collect()
    }
}

/// The functions whose address an instruction or an initial value takes.
fn taken(module: &Module) -> BTreeSet<FunctionId> {
    let mut taken = BTreeSet::new();
    let mut see = |symbol| {
        if let Symbol::Function(id) = symbol {
            taken.insert(id);
        }
    };
    for (_, inst) in module.codes().flat_map(Entry::insts).filter(|(_, inst)| !matches!(inst.op, Op::Call(_)))
    {
        inst.op.symbols(&mut see);
    }
    for initial in module.globals.values().flat_map(|variable| &variable.initial) {
        if let Initial::Address { symbol, .. } = *initial {
            see(symbol);
        }
    }
    taken
}

fn agree(wanted: &[PrototypeParam], declared: &[FunctionParam], function: &Function) -> bool {
    let same = |(wanted, declared): (&PrototypeParam, &FunctionParam)| match (wanted, declared) {
        (PrototypeParam::Param(wanted), FunctionParam::Param(id)) => {
            wanted.bytes() == function.code.params[*id].bytes()
        }
        (PrototypeParam::Reg(ty, _), FunctionParam::Reg(reg)) => ty.class() == reg.class(),
        (PrototypeParam::Param(_), FunctionParam::Reg(_))
        | (PrototypeParam::Reg(..), FunctionParam::Param(_)) => false,
    };
    wanted.len() == declared.len() && wanted.iter().zip(declared).all(same)
}
