//! Slots of warp-wide matrix operations: fragments, always in braces, and the word that carries block scales.
//!
//! Exit: as [`Slot`] says; a fragment holds registers only. How many of them a form takes is its rule's `lanes`.

use smallvec::SmallVec;

use super::{Place, Role, Rule, Slot};
use crate::ptx::isa::error::{FormError, ParseError};
use crate::ptx::isa::name::Names;
use crate::ptx::isa::reg::Reg;
use crate::ptx::isa::sample::Choice;
use crate::ptx::isa::scan::{self, Cursor};

/// The registers of a fragment. They stand on the heap: four fragments in line would make every instruction large.
type Registers = Box<SmallVec<[Reg; 8]>>;

macro_rules! fragments {
    ($($(#[$meta:meta])* $name:ident = $role:expr;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub Registers);

        impl $name {
            /// A fragment in these registers.
            pub fn of(regs: &[Reg]) -> Self {
                Self(Box::new(SmallVec::from_slice(regs)))
            }
        }

        impl Slot for $name {
            fn print(&self, out: &mut String, names: &dyn Names) {
                for (index, &reg) in self.0.iter().enumerate() {
                    out.push_str(if index == 0 { "{" } else { ", " });
                    out.push_str(names.reg(reg));
                }
                out.push('}');
            }

            fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
                if !cursor.is("{") {
                    return Ok(Self::of(&[cursor.reg()?]));
                }
                Ok(Self(Box::new(cursor.braced(Cursor::reg)?)))
            }

            fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
                let rule = rule.element(self.0.len(), at)?;
                self.0.iter().try_for_each(|&reg| rule.reg(at, reg))
            }

            fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
                self.0.iter().for_each(|&reg| see($role, reg));
            }

            fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
                self.0.iter_mut().for_each(|reg| see($role, reg));
            }

            fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
                Self(Box::new((0..rule.lanes).map(|_| choice.reg(rule.class)).collect()))
            }
        }
    )*};
}

fragments! {
    /// A fragment that is written.
    FragmentDef = Role::Def;
    /// A fragment that is read.
    FragmentUse = Role::Use;
}

/// A word of block scales, and which of its bytes and which lanes of a quad give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScaleWord {
    /// The register; only some lanes' values count.
    pub word: Reg,
    /// The first byte of the scales.
    pub byte: u8,
    /// The lane, or the pair of lanes, of each quad.
    pub thread: u8,
}

/// The scales of a factor, `%r, {byte, thread}`: there if the form is block-scaled. The `lanes` of its rule are the
/// scales of a row or column, 0 for a form without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScaleUse(pub Option<ScaleWord>);

impl Slot for ScaleUse {
    fn separator(&self) -> &'static str {
        if self.0.is_some() { ", " } else { "" }
    }

    fn print(&self, out: &mut String, names: &dyn Names) {
        let Some(ScaleWord { word, byte, thread }) = self.0 else { return };
        out.push_str(names.reg(word));
        out.push_str(", {");
        scan::print_u32(out, byte.into());
        out.push_str(", ");
        scan::print_u32(out, thread.into());
        out.push('}');
    }

    fn parse_next(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if cursor.eat(",") { Self::parse(cursor) } else { Ok(Self(None)) }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let word = cursor.reg()?;
        cursor.sign(",")?;
        let selectors: SmallVec<[u8; 2]> = cursor.braced(|cursor| {
            let before = cursor.clone();
            u8::try_from(cursor.integer()?).map_err(|_| before.expected("a selector from 0 to 3"))
        })?;
        let &[byte, thread] = selectors.as_slice() else {
            return Err(cursor.expected("a byte and a thread selector"));
        };
        Ok(Self(Some(ScaleWord { word, byte, thread })))
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        let Place { form, operand, .. } = at;
        match (self.0, rule.lanes) {
            (None, 0) => Ok(()),
            (Some(scale), 1..) => Rule { lanes: 1, ..rule }.reg(at, scale.word),
            (met, lanes) => {
                let (met, expected) = (usize::from(met.is_some()), lanes.min(1));
                Err(FormError::Lanes { form, operand, met, expected })
            }
        }
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        if let Some(scale) = self.0 {
            see(Role::Use, scale.word);
        }
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        if let Some(scale) = &mut self.0 {
            see(Role::Use, &mut scale.word);
        }
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        if rule.lanes == 0 {
            return Self(None);
        }
        let byte = choice.operand(4 / rule.lanes) * rule.lanes;
        let thread = choice.operand(2);
        Self(Some(ScaleWord { word: choice.reg(rule.class), byte: byte as u8, thread: thread as u8 }))
    }
}
