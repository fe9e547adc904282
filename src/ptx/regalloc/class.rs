//! What a class of register costs in the register file, and how registers of it are called.
//!
//! A thread's registers are slots of 32 bits; a wider value takes an aligned run of them, and a predicate lives in a
//! file of its own. Entry: none. Exit: numbers and spellings that the other parts read. Not here: how many
//! slots a device has (`target`).

use crate::ptx::isa::RegClass;

/// Slots of 32 bits that a register takes; none for a predicate. A run of so many is aligned to its own length.
///
/// Narrow values take a whole slot: the hardware addresses registers of 32 bits only, and the assembler packs two
/// halves into one only where a packed instruction wants them so.
pub const fn slots(class: RegClass) -> u32 {
    match class {
        RegClass::Pred => 0,
        RegClass::B8 | RegClass::B16 | RegClass::B32 => 1,
        RegClass::B64 => 2,
        RegClass::B128 => 4,
    }
}

/// The letters that a register's name starts with: they tell a reader the type that PTX's untyped declarations hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prefix {
    /// `%f`: a 32-bit float.
    F32,
    /// `%fd`: a 64-bit float.
    F64,
    /// `%h`: 16 bits, float or integer.
    Half,
    /// `%r`: a 32-bit integer or packed value.
    Int,
    /// `%rd`: a 64-bit integer or address.
    Wide,
    /// `%p`: a predicate.
    Pred,
    /// `%b`: 8 bits.
    Byte,
    /// `%rq`: 128 bits.
    Quad,
}

impl Prefix {
    /// Number of prefixes.
    pub(super) const COUNT: usize = 8;

    /// The letters, without the `%`.
    pub const fn spelling(self) -> &'static str {
        match self {
            Self::F32 => "f",
            Self::F64 => "fd",
            Self::Half => "h",
            Self::Int => "r",
            Self::Wide => "rd",
            Self::Pred => "p",
            Self::Byte => "b",
            Self::Quad => "rq",
        }
    }

    /// The prefix of a register about which nothing is known but its class.
    pub const fn of(class: RegClass) -> Self {
        match class {
            RegClass::Pred => Self::Pred,
            RegClass::B8 => Self::Byte,
            RegClass::B16 => Self::Half,
            RegClass::B32 => Self::Int,
            RegClass::B64 => Self::Wide,
            RegClass::B128 => Self::Quad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_slots_is_a_power_of_two_and_holds_the_class() {
        for class in RegClass::ALL {
            let slots = slots(class);
            assert_eq!(slots == 0, class == RegClass::Pred);
            assert!(slots == 0 || (slots.is_power_of_two() && slots * 32 >= class.bits()));
        }
    }

    #[test]
    fn no_two_prefixes_share_their_letters() {
        let mut spellings: Vec<_> = RegClass::ALL.into_iter().map(Prefix::of).collect();
        spellings.extend([Prefix::F32, Prefix::F64]);
        assert_eq!(spellings.len(), Prefix::COUNT);
        let mut letters: Vec<_> = spellings.iter().map(|prefix| prefix.spelling()).collect();
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), Prefix::COUNT);
    }
}
