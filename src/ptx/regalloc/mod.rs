//! stub
use crate::ptx::isa::{Reg, RegClass};
use crate::ptx::module::Entry;
/// p
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Prefix {
    F32,
    F64,
    Half,
    Int,
    Wide,
    Pred,
}
/// h
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Hint {
    pub prefix: Prefix,
    pub name: Option<Box<str>>,
}
/// hs
#[derive(Default, Debug)]
pub struct Hints(std::collections::HashMap<Reg, Hint>);
impl Hints {
    /// s
    pub fn set(&mut self, reg: Reg, hint: Hint) {
        self.0.insert(reg, hint);
    }
}
/// a
pub fn allocate(entry: &mut Entry, hints: &Hints) {
    for class in RegClass::ALL {
        for reg in entry.regs.regs(class).collect::<Vec<_>>() {
            let hint = &hints.0[&reg];
            let p = match hint.prefix {
                Prefix::F32 => "f",
                Prefix::F64 => "fd",
                Prefix::Half => "h",
                Prefix::Int => "r",
                Prefix::Wide => "rd",
                Prefix::Pred => "p",
            };
            let name = match &hint.name {
                Some(n) => format!("%{p}_{n}{}", reg.index()),
                None => format!("%{p}{}", reg.index()),
            };
            entry.regs.rename(reg, name);
        }
    }
}
