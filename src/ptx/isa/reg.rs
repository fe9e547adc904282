//! Registers: a class and an index, packed, and the table that names them.
//!
//! A register's index is dense within its class, so that a register file per class can be indexed directly.
//! Entry: none. Exit: a `Reg` made by a [`RegTable`] has a name in that table. Float and integer registers of one
//! width share a class: PTX types an operation, not a register, when registers are declared `.b16`, `.b32`, `.b64`.
//! Not here: who lives in which register; that is `ptx::regalloc`.

use std::fmt;
use std::num::NonZeroU32;

use super::types::ScalarType;

const CLASS_SHIFT: u32 = 28;
const INDEX_MASK: u32 = (1 << CLASS_SHIFT) - 1;

/// The width of a register, and whether it is a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegClass {
    /// One bit per lane.
    Pred,
    /// 8 bits: only `ld`, `st`, `mov` and `cvt` take such a register.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
    /// 128 bits.
    B128,
}

impl RegClass {
    /// All classes, in the order in which they are declared in a body.
    pub const ALL: [Self; 6] = [Self::Pred, Self::B8, Self::B16, Self::B32, Self::B64, Self::B128];

    /// The type that declares a register of this class, with its dot.
    pub const fn spelling(self) -> &'static str {
        match self {
            Self::Pred => ".pred",
            Self::B8 => ".b8",
            Self::B16 => ".b16",
            Self::B32 => ".b32",
            Self::B64 => ".b64",
            Self::B128 => ".b128",
        }
    }

    /// That type.
    pub const fn bit_type(self) -> ScalarType {
        match self {
            Self::Pred => ScalarType::Pred,
            Self::B8 => ScalarType::B8,
            Self::B16 => ScalarType::B16,
            Self::B32 => ScalarType::B32,
            Self::B64 => ScalarType::B64,
            Self::B128 => ScalarType::B128,
        }
    }

    /// The width in bits; 1 for a predicate.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Pred => 1,
            Self::B8 => 8,
            Self::B16 => 16,
            Self::B32 => 32,
            Self::B64 => 64,
            Self::B128 => 128,
        }
    }

    const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for RegClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spelling())
    }
}

/// A register of one function: class and index within the class in 32 bits; `Option<Reg>` is no larger.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(NonZeroU32);

impl Reg {
    /// The `index`-th register of a class.
    ///
    /// # Panics
    /// Panics from 2²⁸ registers of one class on.
    pub fn new(class: RegClass, index: usize) -> Self {
        let low = u32::try_from(index).ok().filter(|&low| low <= INDEX_MASK);
        let low = low.expect("a function has fewer than 2^28 registers of a class");
        let raw = ((class as u32 + 1) << CLASS_SHIFT) | low;
        Self(NonZeroU32::new(raw).expect("the class tag is never zero"))
    }

    /// The class.
    pub fn class(self) -> RegClass {
        RegClass::ALL[(self.0.get() >> CLASS_SHIFT) as usize - 1]
    }

    /// The position within the class.
    pub const fn index(self) -> usize {
        (self.0.get() & INDEX_MASK) as usize
    }
}

impl fmt::Debug for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.class(), self.index())
    }
}

/// The registers of one function with their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegTable {
    names: [Vec<Box<str>>; 6],
}

impl RegTable {
    /// A table without registers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a register. The name is taken as it is, with its `%`; the check of the function refuses a second
    /// register of the same name.
    pub fn new_reg(&mut self, class: RegClass, name: impl Into<Box<str>>) -> Reg {
        let names = &mut self.names[class.index()];
        names.push(name.into());
        Reg::new(class, names.len() - 1)
    }

    /// The name of a register of this table.
    ///
    /// # Panics
    /// Panics for a register that this table did not make.
    pub fn name(&self, reg: Reg) -> &str {
        &self.names[reg.class().index()][reg.index()]
    }

    /// Gives a register another name.
    ///
    /// # Panics
    /// Panics for a register that this table did not make.
    pub fn rename(&mut self, reg: Reg, name: impl Into<Box<str>>) {
        self.names[reg.class().index()][reg.index()] = name.into();
    }

    /// Whether the register is one of this table.
    pub fn contains(&self, reg: Reg) -> bool {
        reg.index() < self.len(reg.class())
    }

    /// How many registers a class has.
    pub fn len(&self, class: RegClass) -> usize {
        self.names[class.index()].len()
    }

    /// Whether there is no register at all.
    pub fn is_empty(&self) -> bool {
        self.names.iter().all(Vec::is_empty)
    }

    /// The registers of a class in order.
    pub fn regs(&self, class: RegClass) -> impl Iterator<Item = Reg> + use<> {
        (0..self.len(class)).map(move |index| Reg::new(class, index))
    }

    /// All registers, class by class.
    pub fn iter(&self) -> impl Iterator<Item = (Reg, &str)> {
        RegClass::ALL.into_iter().flat_map(|class| self.regs(class)).map(|reg| (reg, self.name(reg)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_keeps_its_class_and_index_in_four_bytes() {
        assert_eq!(size_of::<Option<Reg>>(), 4);
        for class in RegClass::ALL {
            let reg = Reg::new(class, 12_345);
            assert_eq!((reg.class(), reg.index()), (class, 12_345));
        }
    }

    #[test]
    fn indices_are_dense_within_a_class() {
        let mut table = RegTable::new();
        let a = table.new_reg(RegClass::B32, "%r_a");
        let p = table.new_reg(RegClass::Pred, "%p_a");
        let b = table.new_reg(RegClass::B32, "%r_b");
        assert_eq!((a.index(), p.index(), b.index()), (0, 0, 1));
        assert_eq!((table.name(b), table.name(p)), ("%r_b", "%p_a"));
    }
}
