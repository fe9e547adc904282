//! What a row becomes: the [`Instruction`] trait and the `row!` macro that implements it.
//!
//! A row states an instruction once; struct, printer, parser, operand walk, check, version gate and sampling come
//! from it. Entry: none. Exit: `parse` takes exactly what `print` writes. Not here: what an instruction does.

use super::error::{FormError, ParseError};
use super::modifier::Modifier;
use super::name::{Names, Resolve, Symbol};
use super::reg::{Reg, RegClass};
use super::sample::Choice;
use super::scan::Cursor;
use super::slot::{Role, Rule, Slot};
use super::types::ScalarType;
use super::version::Requirement;

/// An instruction that a row defines.
pub trait Instruction: Sized {
    /// The fixed words at the start of the opcode.
    const OPCODE: &'static str;

    /// The section of the PTX ISA manual.
    const MANUAL: &'static str;

    /// Appends the opcode with its modifiers.
    fn print_opcode(&self, out: &mut String);

    /// Appends the operands.
    fn print_operands(&self, out: &mut String, names: &dyn Names);

    /// Reads the modifiers left after [`OPCODE`](Self::OPCODE) and the operands up to the `;`. `None` means that
    /// the modifiers are not those of this row.
    fn parse(rest: &str, cursor: &mut Cursor<'_>) -> Option<Result<Self, ParseError>>;

    /// What takes each modifier and each fixed word off the front of an opcode's rest, in the row's order.
    const TAKERS: &'static [Taker];

    /// The modifiers as a list of accepted forms shows them.
    fn syntax() -> String;

    /// Checks operands, by their declarations too where there are `names`, and the rules that span fields.
    ///
    /// # Errors
    /// The first rule broken.
    fn check(&self, names: Option<&dyn Resolve>) -> Result<(), FormError>;

    /// The version and target that this form needs.
    fn requires(&self) -> Requirement;

    /// Shows each register in the order of the text.
    fn visit(&self, see: &mut dyn FnMut(Role, Reg));

    /// Lends each register in the order of the text.
    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg));

    /// Shows each variable, parameter or function that an operand names.
    fn symbols(&self, see: &mut dyn FnMut(Symbol));

    /// Lends each variable, parameter or function that an operand names.
    fn symbols_mut(&mut self, see: &mut dyn FnMut(&mut Symbol));

    /// An instruction with fields drawn from `choice`; [`check`](Self::check) may refuse it.
    fn sample(choice: &mut dyn Choice) -> Self;
}

/// Takes one modifier or word off the front, if it stands there.
pub(super) type Taker = fn(&mut &str);

/// The modifiers in the order of the row, if they are its own in another order: the assembler takes any. Of two
/// modifiers that could be the same word, as the types of a conversion are, the first one takes the first word.
pub(super) fn reordered(rest: &str, takers: &[Taker]) -> Option<String> {
    let mut left = rest.to_owned();
    let mut ordered = String::with_capacity(rest.len());
    for take in takers {
        let starts = left.char_indices().filter(|&(_, sign)| sign == '.').map(|(at, _)| at);
        for start in starts.collect::<Vec<_>>() {
            let mut tail = &left[start..];
            take(&mut tail);
            let end = left.len() - tail.len();
            if end > start {
                ordered.push_str(&left[start..end]);
                left.replace_range(start..end, "");
                break;
            }
        }
    }
    left.is_empty().then_some(ordered)
}

/// Prints operands with their separators.
pub(super) struct OperandPrinter<'a> {
    out: &'a mut String,
    names: &'a dyn Names,
    first: bool,
}

impl<'a> OperandPrinter<'a> {
    pub(super) fn new(out: &'a mut String, names: &'a dyn Names) -> Self {
        Self { out, names, first: true }
    }

    pub(super) fn item(mut self, slot: &impl Slot) -> Self {
        if !self.first {
            self.out.push_str(slot.separator());
        }
        self.first = false;
        slot.print(self.out, self.names);
        self
    }

    /// Ends the list; takes the printer so that a row without operands uses it too.
    pub(super) fn end(self) {}
}

/// Reads the next operand.
pub(super) fn parse_slot<S: Slot>(cursor: &mut Cursor<'_>) -> Result<S, ParseError> {
    S::parse_next(cursor)
}

/// Defines an instruction; see `docs/add-an-instruction.md`.
///
/// `Name = "opcode" [modifier: Type] ".literal" … { field: Slot(rule), … }`, then `since` the lowest PTX version and
/// target, the section of the `manual`, and perhaps a `check` of rules that span fields and a `needs` for forms with
/// a higher requirement. A rule is a register class, a type modifier, or an expression of type `Rule`.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $name:ident = $opcode:literal $([$modifier:ident: $modifier_ty:ty] $($word:literal)?)* {
            $($field:ident: $slot:ident $(($rule:expr))?),* $(,)?
        }
        since ptx($major:literal, $minor:literal), sm($sm:literal); manual $manual:literal
        $(; check $check:path)? $(; needs $needs:path)?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "fields are named after the operands in the manual")]
        pub struct $name {
            $(pub $modifier: $modifier_ty,)*
            $(pub $field: $slot,)*
        }

        #[allow(unused_variables, unused_mut, reason = "a row may lack modifiers or operands, and few rules use all")]
        impl $crate::ptx::isa::row::Instruction for $name {
            const OPCODE: &'static str = $opcode;
            const MANUAL: &'static str = $manual;

            const TAKERS: &'static [$crate::ptx::isa::row::Taker] = &[$(
                |rest| {
                    let _ = <$modifier_ty as $crate::ptx::isa::modifier::Modifier>::parse(rest);
                },
                $(|rest| {
                    let _ = $crate::ptx::isa::modifier::strip_word(rest, $word);
                },)?
            )*];

            fn print_opcode(&self, out: &mut String) {
                out.push_str($opcode);
                $($crate::ptx::isa::modifier::Modifier::print(self.$modifier, out); $(out.push_str($word);)?)*
            }

            fn print_operands(&self, out: &mut String, names: &dyn $crate::ptx::isa::name::Names) {
                $crate::ptx::isa::row::OperandPrinter::new(out, names)$(.item(&self.$field))*.end();
            }

            fn parse(
                rest: &str,
                cursor: &mut $crate::ptx::isa::scan::Cursor<'_>,
            ) -> Option<Result<Self, $crate::ptx::isa::error::ParseError>> {
                let mut rest = rest;
                $(
                    let $modifier = <$modifier_ty as $crate::ptx::isa::modifier::Modifier>::parse(&mut rest)?;
                    $($crate::ptx::isa::modifier::strip_word(&mut rest, $word)?;)?
                )*
                if !rest.is_empty() {
                    return None;
                }
                let mut operands = || {
                    $(let $field = $crate::ptx::isa::row::parse_slot(cursor)?;)*
                    cursor.end()?;
                    Ok(Self { $($modifier,)* $($field,)* })
                };
                Some(operands())
            }

            fn syntax() -> String {
                let mut out = String::from($opcode);
                $(
                    <$modifier_ty as $crate::ptx::isa::modifier::Modifier>::syntax(&mut out);
                    $(out.push_str($word);)?
                )*
                $(out.push_str(concat!(" ", stringify!($field)));)*
                out
            }

            fn check(
                &self,
                names: Option<&dyn $crate::ptx::isa::name::Resolve>,
            ) -> Result<(), $crate::ptx::isa::error::FormError> {
                $(let $modifier = self.$modifier;)*
                $({
                    let rule = $crate::ptx::isa::row::rule!($($rule)?);
                    let place = $crate::ptx::isa::slot::Place { form: $opcode, operand: stringify!($field), names };
                    $crate::ptx::isa::slot::Slot::check(&self.$field, rule, place)?;
                })*
                $($check(self).map_err(|rule| $crate::ptx::isa::error::FormError::Rule { form: $opcode, rule })?;)?
                Ok(())
            }

            fn requires(&self) -> $crate::ptx::isa::version::Requirement {
                let need = $crate::ptx::isa::version::Requirement::new($major, $minor, $sm);
                $(let need = need.and($needs(self));)?
                need
            }

            fn visit(&self, see: &mut dyn FnMut($crate::ptx::isa::slot::Role, $crate::ptx::isa::reg::Reg)) {
                $($crate::ptx::isa::slot::Slot::visit(&self.$field, see);)*
            }

            fn visit_mut(
                &mut self,
                see: &mut dyn FnMut($crate::ptx::isa::slot::Role, &mut $crate::ptx::isa::reg::Reg),
            ) {
                $($crate::ptx::isa::slot::Slot::visit_mut(&mut self.$field, see);)*
            }

            fn symbols(&self, see: &mut dyn FnMut($crate::ptx::isa::name::Symbol)) {
                $($crate::ptx::isa::slot::Slot::symbols(&self.$field, see);)*
            }

            fn symbols_mut(&mut self, see: &mut dyn FnMut(&mut $crate::ptx::isa::name::Symbol)) {
                $($crate::ptx::isa::slot::Slot::symbols_mut(&mut self.$field, see);)*
            }

            fn sample(choice: &mut dyn $crate::ptx::isa::sample::Choice) -> Self {
                $(let $modifier: $modifier_ty = $crate::ptx::isa::row::pick(choice);)*
                $(
                    let rule = $crate::ptx::isa::row::rule!($($rule)?);
                    let $field = $crate::ptx::isa::slot::Slot::sample(choice, rule);
                )*
                Self { $($modifier,)* $($field,)* }
            }
        }
    };
}

/// The rule of a slot; a slot without one holds no register.
macro_rules! rule {
    () => {
        $crate::ptx::isa::slot::Rule::NONE
    };
    ($rule:expr) => {
        $crate::ptx::isa::row::into_rule($rule)
    };
}

/// Draws a modifier.
pub(super) fn pick<M: Modifier>(choice: &mut dyn Choice) -> M {
    let choices = M::choices();
    choices[choice.modifier(choices.len())]
}

/// Turns what a row writes in parentheses into a rule.
pub(super) fn into_rule(rule: impl IntoRule) -> Rule {
    rule.into_rule()
}

/// A register class, a type, or a rule.
pub(super) trait IntoRule {
    fn into_rule(self) -> Rule;
}

impl IntoRule for Rule {
    fn into_rule(self) -> Rule {
        self
    }
}

impl IntoRule for RegClass {
    fn into_rule(self) -> Rule {
        self.into()
    }
}

impl<T: Into<ScalarType>> IntoRule for T {
    fn into_rule(self) -> Rule {
        self.into().into()
    }
}

pub(super) use {row, rule};
