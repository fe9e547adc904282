//! Makes instructions from rows: at random for round-trip properties, exhaustively to list every form.
//!
//! A row draws its modifiers and operands from a [`Choice`]; a new row is thereby covered by every test that
//! samples. Entry: none. Exit: registers drawn are among the first [`POOL`] of their class.

use super::name::{FunctionId, LabelId, Symbol, VarId};
use super::reg::{Reg, RegClass};
use crate::entity::EntityId as _;

/// Registers of each class that samples use; also the number of labels, variables and functions.
pub const POOL: usize = 4;

/// A source of decisions.
pub trait Choice {
    /// A number below `count`, for a modifier.
    fn modifier(&mut self, count: usize) -> usize;

    /// A number below `count`, for an operand.
    fn operand(&mut self, count: usize) -> usize;

    /// 64 bits.
    fn bits(&mut self) -> u64;

    /// A register.
    fn reg(&mut self, class: RegClass) -> Reg {
        Reg::new(class, self.operand(POOL))
    }

    /// A variable.
    fn symbol(&mut self) -> Symbol {
        Symbol::Var(VarId::from_index(self.operand(POOL)))
    }

    /// A function without parameters or result.
    fn function(&mut self) -> FunctionId {
        FunctionId::from_index(self.operand(POOL))
    }

    /// A label.
    fn label(&mut self) -> LabelId {
        LabelId::from_index(self.operand(POOL))
    }
}

/// Decides at random, the same way for one seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }
}

impl Choice for Random {
    fn modifier(&mut self, count: usize) -> usize {
        self.operand(count)
    }

    fn operand(&mut self, count: usize) -> usize {
        (self.bits() % count.max(1) as u64) as usize
    }

    /// One step of SplitMix64 (Steele, Lea, Flood 2014).
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Walks through all combinations of modifiers, with operands at random.
#[derive(Clone, Debug)]
pub struct Odometer {
    digits: Vec<(usize, usize)>,
    at: usize,
    random: Random,
}

impl Odometer {
    /// Starts at the first value of every modifier.
    pub const fn new(seed: u64) -> Self {
        Self { digits: Vec::new(), at: 0, random: Random::new(seed) }
    }

    /// Starts the same combination again, with other operands.
    pub const fn rewind(&mut self) {
        self.at = 0;
    }

    /// Goes on to the next combination; false after the last.
    pub fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((digit, count)) = self.digits.pop() {
            if digit + 1 < count {
                self.digits.push((digit + 1, count));
                return true;
            }
        }
        false
    }
}

impl Choice for Odometer {
    fn modifier(&mut self, count: usize) -> usize {
        if self.at == self.digits.len() {
            self.digits.push((0, count));
        }
        self.at += 1;
        self.digits[self.at - 1].0
    }

    fn operand(&mut self, count: usize) -> usize {
        self.random.operand(count)
    }

    fn bits(&mut self) -> u64 {
        self.random.bits()
    }
}
