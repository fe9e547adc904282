//! `if`: an iterator that yields the arms to be run while building.
//!
//! For a traced condition both arms are yielded, each in its own region; for a host or constant condition only the one
//! taken, so that it leaves no trace.

use super::build::{Build, Context, with};
use super::error::BuildError;
use super::promote::common_of;
use super::val::{Flt, Int, IntoVal, Val};
use crate::diag::Span;
use crate::ir::op::{Const, LocalGet, LocalSet};
use crate::ir::{DType, RegionId, ValueId};

/// An arm of an `if`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arm {
    /// The condition holds.
    Then,
    /// It doesn't.
    Else,
}

/// Yields the arms of an `if`.
#[derive(Debug)]
pub struct IfArms {
    cond: Option<ValueId>,
    state: State,
    has_else: bool,
    regions: [Option<RegionId>; 2],
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Host(Arm),
    Start,
    Then,
    Else,
    Done,
}

/// Begins an `if`.
pub fn if_begin(cond: impl IntoVal, has_else: bool) -> IfArms {
    let cond = cond.val();
    with(|build| {
        let cond = build.condition(cond);
        let span = build.ir.span();
        let (state, id) = match cond.as_int() {
            Some(0) if has_else => (State::Host(Arm::Else), None),
            Some(0) => (State::Done, None),
            Some(_) => (State::Host(Arm::Then), None),
            None => (State::Start, Some(build.id(cond))),
        };
        IfArms { cond: id, state, has_else, regions: [None; 2], span }
    })
}

impl Iterator for IfArms {
    type Item = Arm;

    fn next(&mut self) -> Option<Arm> {
        match self.state {
            State::Host(arm) => {
                self.state = State::Done;
                Some(arm)
            }
            State::Start => with(|build| {
                build.contexts.push(Context::TracedIf);
                self.regions[0] = Some(build.open());
                self.state = State::Then;
                Some(Arm::Then)
            }),
            State::Then => with(|build| {
                build.close();
                self.regions[1] = Some(build.open());
                self.state = State::Else;
                if self.has_else {
                    return Some(Arm::Else);
                }
                self.finish(build);
                None
            }),
            State::Else => with(|build| {
                self.finish(build);
                None
            }),
            State::Done => None,
        }
    }
}

impl IfArms {
    fn finish(&mut self, build: &mut Build) {
        build.close();
        build.contexts.pop();
        self.state = State::Done;
        let after = build.ir.span();
        build.ir.set_span(self.span);
        if let (Some(cond), [Some(then), Some(els)]) = (self.cond, self.regions) {
            build.last_if = Some([then, els]);
            build.ir.push_if(cond, then, els);
        }
        build.ir.set_span(after);
    }
}

/// The value of an `if`: collects what the arms give and joins it.
#[derive(Debug)]
pub struct IfVal<T> {
    values: Vec<T>,
}

impl<T> IfVal<T> {
    /// Before any arm.
    #[expect(clippy::new_without_default, reason = "only rewritten code makes one")]
    pub fn new() -> Self {
        Self { values: Vec::with_capacity(2) }
    }

    /// What an arm gives.
    pub fn put(&mut self, value: T) {
        self.values.push(value);
    }
}

impl<T: Join> IfVal<T> {
    /// The value; a traced one is read back from a variable that both arms write.
    pub fn take(self) -> T {
        let mut values = self.values.into_iter();
        match (values.next(), values.next()) {
            (Some(a), Some(b)) => T::join(a, b),
            (Some(value), None) | (None, Some(value)) => value,
            (None, None) => T::nothing(),
        }
    }
}

/// The value of an `if` that the host gives.
pub trait HostTake<T> {
    /// The value.
    fn take(self) -> T;
}

impl<T: PartialEq> HostTake<T> for IfVal<T> {
    fn take(self) -> T {
        let mut values = self.values.into_iter();
        let first = values.next().expect("an `if` with an `else` yields an arm");
        if values.next().is_some_and(|second| second != first) {
            with(|build| build.error(BuildError::HostDiffers));
        }
        first
    }
}

/// What the arms of a traced `if` can join.
pub trait Join: Sized {
    /// One value for both.
    fn join(then: Self, els: Self) -> Self;
    /// Something, where no arm was built because of an earlier mistake.
    fn nothing() -> Self;
}

impl Join for () {
    fn join((): Self, (): Self) -> Self {}
    fn nothing() -> Self {}
}

impl Join for Val {
    fn join(then: Self, els: Self) -> Self {
        with(|build| build.join(then, els))
    }
    fn nothing() -> Self {
        Int(0).val()
    }
}

macro_rules! join_tuple {
    ($($name:ident $a:ident $b:ident),*) => {
        impl<$($name: Join),*> Join for ($($name,)*) {
            fn join(($($a,)*): Self, ($($b,)*): Self) -> Self {
                ($(Join::join($a, $b),)*)
            }
            fn nothing() -> Self {
                ($($name::nothing(),)*)
            }
        }
    };
}

join_tuple!(A a1 a2);
join_tuple!(A a1 a2, B b1 b2);
join_tuple!(A a1 a2, B b1 b2, C c1 c2);
join_tuple!(A a1 a2, B b1 b2, C c1 c2, D d1 d2);

impl<T: Join, const N: usize> Join for [T; N] {
    fn join(then: Self, els: Self) -> Self {
        let mut els = els.into_iter();
        then.map(|a| T::join(a, els.next().expect("arrays of one length")))
    }
    fn nothing() -> Self {
        std::array::from_fn(|_| T::nothing())
    }
}

impl Build {
    /// A variable that each arm of the `if` just closed writes, read after it.
    fn join(&mut self, then: Val, els: Val) -> Val {
        let Some(regions) = self.last_if else { return then };
        let dtype = common_of(then, els);
        let local = self.ir.local(None, dtype);
        for (region, value) in regions.into_iter().zip([then, els]) {
            // The arm is closed already: what it still needs is built aside and appended.
            let aside = self.open();
            let value = self.adopt_here(value, dtype);
            self.ir.push(LocalSet { local, value });
            self.close();
            let kernel = self.ir.kernel_mut();
            let insts = std::mem::take(&mut kernel.regions[aside].insts);
            let ends = kernel.regions[region].insts.last().is_some_and(|last| {
                matches!(kernel.insts[*last].op, crate::ir::Op::Break(_) | crate::ir::Op::Continue(_))
            });
            if !ends {
                kernel.regions[region].insts.extend(insts);
            }
        }
        self.value(LocalGet { local })
    }

    /// A value as an operand, its constant emitted here: one emitted inside the closed arm is fine too, but an outer one
    /// may stand after the `if`.
    fn adopt_here(&mut self, value: Val, dtype: DType) -> ValueId {
        let value = self.adopt(value, dtype);
        match value.strong_literal() {
            Some(literal) => self.ir.value(Const { value: literal }),
            None => self.id(value),
        }
    }
}

/// The tail of an arm.
#[derive(Debug)]
pub struct Lf<T>(pub T);

impl Lf<Int> {
    /// As a value, still weak.
    pub fn lift(self) -> Val {
        self.0.val()
    }
}

impl Lf<Flt> {
    /// As a value, still weak.
    pub fn lift(self) -> Val {
        self.0.val()
    }
}

/// The tail of an arm that needs no lifting.
pub trait HostLift<T> {
    /// The value itself.
    fn lift(self) -> T;
}

impl<T> HostLift<T> for Lf<T> {
    fn lift(self) -> T {
        self.0
    }
}
