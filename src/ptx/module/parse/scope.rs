//! Where the names of a body lead, and how nested scopes become one.
//!
//! Exit: whatever a body declares has a name that nothing else in it has: the first to come keeps its own.

use std::collections::{HashMap, HashSet};

use crate::ptx::isa::{LabelId, Reg, Resolve, ScalarType, Symbol, TableId};
use crate::ptx::module::Entry;

/// What a name stands for.
#[derive(Clone, Copy)]
enum Item {
    Reg(Reg),
    Symbol(Symbol),
    Label(LabelId),
    Table(TableId),
}

/// One pair of braces.
#[derive(Default)]
struct Frame<'a> {
    items: HashMap<&'a str, Item>,
    /// Names made from ranges such as `%r<4>`, which the text doesn't hold.
    ranges: HashMap<String, Reg>,
}

impl Frame<'_> {
    fn find(&self, name: &str) -> Option<Item> {
        self.items.get(name).copied().or_else(|| self.ranges.get(name).copied().map(Item::Reg))
    }
}

/// The names that a statement sees.
pub(super) struct Scope<'a, 'm> {
    module: &'m HashMap<&'a str, Symbol>,
    frames: Vec<Frame<'a>>,
    /// All names of the body so far.
    taken: HashSet<String>,
    /// How registers are declared that are more than bits.
    types: HashMap<Reg, ScalarType>,
}

/// A name that its pair of braces has already.
pub(super) struct Taken;

impl<'a, 'm> Scope<'a, 'm> {
    pub(super) fn new(module: &'m HashMap<&'a str, Symbol>) -> Self {
        Self { module, frames: vec![Frame::default()], taken: HashSet::new(), types: HashMap::new() }
    }

    pub(super) fn open(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Whether a pair of braces other than the body's own is left.
    pub(super) fn close(&mut self) -> bool {
        self.frames.pop();
        !self.frames.is_empty()
    }

    /// A name for what the text calls `name`. What the module declares keeps its name to itself: a statement above may
    /// mean it.
    fn unique(&mut self, name: &str) -> String {
        if !self.module.contains_key(name) && self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let mut number = 1_u32;
        loop {
            let tried = format!("{name}${number}");
            if !self.module.contains_key(tried.as_str()) && self.taken.insert(tried.clone()) {
                return tried;
            }
            number += 1;
        }
    }

    fn declare(&mut self, name: &'a str, item: Item) -> Result<(), Taken> {
        let Some(frame) = self.frames.last_mut() else { return Err(Taken) };
        if frame.find(name).is_some() {
            return Err(Taken);
        }
        frame.items.insert(name, item);
        Ok(())
    }

    /// A parameter, which keeps its name.
    pub(super) fn param(&mut self, name: &'a str, symbol: Symbol) -> Result<(), Taken> {
        self.taken.insert(name.to_owned());
        self.declare(name, Item::Symbol(symbol))
    }

    pub(super) fn reg(&mut self, entry: &mut Entry, ty: ScalarType, name: &'a str) -> Result<Reg, Taken> {
        let unique = self.unique(name);
        let reg = self.new_reg(entry, ty, unique);
        self.declare(name, Item::Reg(reg))?;
        Ok(reg)
    }

    fn new_reg(&mut self, entry: &mut Entry, ty: ScalarType, name: String) -> Reg {
        let reg = entry.regs.new_reg(ty.class(), name);
        if ty != ty.class().bit_type() {
            self.types.insert(reg, ty);
        }
        reg
    }

    /// One register of a range.
    pub(super) fn range_reg(
        &mut self,
        entry: &mut Entry,
        ty: ScalarType,
        name: String,
    ) -> Result<(), String> {
        let unique = self.unique(&name);
        let reg = self.new_reg(entry, ty, unique);
        match self.frames.last_mut() {
            Some(frame) if frame.find(&name).is_none() => {
                frame.ranges.insert(name, reg);
                Ok(())
            }
            _ => Err(name),
        }
    }

    /// Declares what `make` makes under the name that it is given.
    pub(super) fn symbol(&mut self, name: &'a str, make: impl FnOnce(String) -> Symbol) -> Result<(), Taken> {
        let unique = self.unique(name);
        self.declare(name, Item::Symbol(make(unique)))
    }

    pub(super) fn label(&mut self, name: &'a str, make: impl FnOnce(String) -> LabelId) -> Result<(), Taken> {
        let unique = self.unique(name);
        self.declare(name, Item::Label(make(unique)))
    }

    pub(super) fn table(&mut self, name: &'a str, make: impl FnOnce(String) -> TableId) -> Result<(), Taken> {
        let unique = self.unique(name);
        self.declare(name, Item::Table(make(unique)))
    }

    /// What the innermost declaration of a name stands for.
    fn find(&self, name: &str) -> Option<Item> {
        let inner = self.frames.iter().rev().find_map(|frame| frame.find(name));
        inner.or_else(|| self.module.get(name).copied().map(Item::Symbol))
    }
}

impl Resolve for Scope<'_, '_> {
    fn reg(&self, name: &str) -> Option<Reg> {
        if let Some(Item::Reg(reg)) = self.find(name) { Some(reg) } else { None }
    }

    fn declared(&self, reg: Reg) -> Option<ScalarType> {
        Some(self.types.get(&reg).copied().unwrap_or_else(|| reg.class().bit_type()))
    }

    fn symbol(&self, name: &str) -> Option<Symbol> {
        if let Some(Item::Symbol(symbol)) = self.find(name) { Some(symbol) } else { None }
    }

    fn label(&self, name: &str) -> Option<LabelId> {
        if let Some(Item::Label(label)) = self.find(name) { Some(label) } else { None }
    }

    fn table(&self, name: &str) -> Option<TableId> {
        if let Some(Item::Table(table)) = self.find(name) { Some(table) } else { None }
    }
}
