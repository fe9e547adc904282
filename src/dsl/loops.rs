//! `for`, `while`, `loop`, `break` and `continue`: iterators whose body is run once to build a traced loop, or as often
//! as the host says to unroll one.

use super::build::{Context, with};
use super::error::BuildError;
use super::promote::{common_of, numeric};
use super::val::{HostInt, Int, IntoVal, Val, host_size};
use crate::diag::Span;
use crate::ir::op::{Break, Continue, Unary, UnaryOp};
use crate::ir::{DType, RegionId, ValueId};

/// A traced counted loop; iterating it builds the loop around one run of the body.
#[derive(Debug)]
pub struct Traced {
    bounds: [Val; 3],
    unroll: u32,
    open: Option<Opened>,
    started: bool,
}

#[derive(Debug)]
struct Opened {
    body: (RegionId, ValueId),
    bounds: [ValueId; 3],
    span: Span,
}

impl Traced {
    fn new(start: Val, end: Val, step: Val) -> Self {
        Self { bounds: [start, end, step], unroll: 1, open: None, started: false }
    }
}

/// `range(start, end)`: a traced loop.
pub fn range_2(start: impl IntoVal, end: impl IntoVal) -> Traced {
    Traced::new(start.val(), end.val(), Int(1).val())
}

/// `range(start, end, step)`: a traced loop.
pub fn range_3(start: impl IntoVal, end: impl IntoVal, step: impl IntoVal) -> Traced {
    let step = step.val();
    if step.as_int() == Some(0) {
        with(|build| build.error(BuildError::ZeroStep));
    }
    Traced::new(start.val(), end.val(), step)
}

/// A traced loop whose code is spelled out `times` times.
pub fn unroll(traced: Traced, times: impl HostInt) -> Traced {
    Traced { unroll: host_size(times), ..traced }
}

impl Iterator for Traced {
    type Item = Val;

    fn next(&mut self) -> Option<Val> {
        if let Some(Opened { body, bounds, span }) = self.open.take() {
            with(|build| {
                build.note_closed();
                build.contexts.pop();
                let after = build.ir.span();
                build.ir.set_span(span);
                build.ir.end_for(body, bounds, self.unroll);
                build.ir.set_span(after);
            });
            return None;
        }
        if std::mem::replace(&mut self.started, true) {
            return None;
        }
        with(|build| {
            let [start, end, step] = self.bounds;
            let both = common_of(start, end);
            let joint = if step.is_strong() { super::promote::common(both, step.dtype()) } else { both };
            let dtype = loop_type(numeric(joint));
            let bounds = [start, end, step].map(|bound| {
                let bound = build.adopt(bound, dtype);
                build.id(bound)
            });
            let span = build.ir.span();
            let body = build.ir.begin_for(bounds[0]);
            build.note_opened();
            build.contexts.push(Context::TracedLoop);
            self.open = Some(Opened { body, bounds, span });
            Some(build.val(body.1))
        })
    }
}

/// Counters have 32 or 64 bits.
fn loop_type(dtype: DType) -> DType {
    match dtype {
        DType::I8 | DType::I16 => DType::I32,
        DType::U8 | DType::U16 | DType::Bool => DType::U32,
        other => other,
    }
}

/// `a..b` in a `for`.
#[derive(Debug)]
pub struct Rng<A, B>(pub A, pub B);

impl<B: IntoVal> Rng<Val, B> {
    /// A traced loop: a bound is traced.
    pub fn rng(self) -> Traced {
        range_2(self.0, self.1)
    }
}

macro_rules! host_ranges {
    ($($ty:ty),*) => {$(
        impl Rng<$ty, Val> {
            /// A traced loop: a bound is traced.
            pub fn rng(self) -> Traced {
                range_2(self.0, self.1)
            }
        }

        impl Rng<$ty, $ty> {
            /// A host loop.
            pub fn rng(self) -> HostLoop<std::ops::Range<$ty>> {
                HostLoop::new(self.0..self.1)
            }
        }

        impl Rng<Int, $ty> {
            /// A host loop.
            pub fn rng(self) -> HostLoop<std::ops::Range<$ty>> {
                HostLoop::new(self.0.0 as $ty..self.1)
            }
        }

        impl Rng<$ty, Int> {
            /// A host loop.
            pub fn rng(self) -> HostLoop<std::ops::Range<$ty>> {
                HostLoop::new(self.0..self.1.0 as $ty)
            }
        }

        impl RngClosed<$ty, $ty> {
            /// A host loop.
            pub fn rng(self) -> HostLoop<std::ops::RangeInclusive<$ty>> {
                HostLoop::new(self.0..=self.1)
            }
        }

        impl RngClosed<Int, $ty> {
            /// A host loop.
            pub fn rng(self) -> HostLoop<std::ops::RangeInclusive<$ty>> {
                HostLoop::new(self.0.0 as $ty..=self.1)
            }
        }
    )*};
}

host_ranges!(usize, isize, u8, u16, u32, u64, i8, i16, i32, i64);

impl Rng<Int, Val> {
    /// A traced loop: a bound is traced.
    pub fn rng(self) -> Traced {
        range_2(self.0, self.1)
    }
}

impl Rng<Int, Int> {
    /// A host loop; its counter is a `usize`, which fits helpers and array indices.
    pub fn rng(self) -> HostLoop<std::ops::Range<usize>> {
        HostLoop::new(index(self.0)..index(self.1))
    }
}

/// `a..=b` in a `for`: the host's only, since a traced end + 1 could wrap.
#[derive(Debug)]
pub struct RngClosed<A, B>(pub A, pub B);

impl RngClosed<Int, Int> {
    /// A host loop.
    pub fn rng(self) -> HostLoop<std::ops::RangeInclusive<usize>> {
        HostLoop::new(index(self.0)..=index(self.1))
    }
}

fn index(bound: Int) -> usize {
    usize::try_from(bound.0).unwrap_or_else(|_| {
        with(|build| {
            build.error(BuildError::Refused {
                what: format!("a host loop's bound is {}", bound.0),
                help: "count from 0, or loop over `range(…)` with `i32` bounds",
            });
        });
        0
    })
}

/// A loop that unrolls while building.
#[derive(Debug)]
pub struct HostLoop<I> {
    items: I,
    open: bool,
}

impl<I> HostLoop<I> {
    fn new(items: I) -> Self {
        Self { items, open: false }
    }

    fn close(&mut self) {
        if std::mem::replace(&mut self.open, false) {
            with(|build| build.contexts.pop());
        }
    }
}

impl<I: Iterator> Iterator for HostLoop<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let item = self.items.next();
        if item.is_none() {
            self.close();
        } else if !std::mem::replace(&mut self.open, true) {
            with(|build| build.contexts.push(Context::HostLoop));
        }
        item
    }
}

impl<I> Drop for HostLoop<I> {
    fn drop(&mut self) {
        // Left by a real `break`; after a panic of the body there may be no build any more.
        if !std::thread::panicking() {
            self.close();
        }
    }
}

/// What a `for` goes over.
#[derive(Debug)]
pub struct Lp<T>(pub T);

impl Lp<Traced> {
    /// A traced loop.
    pub fn lp(self) -> Traced {
        self.0
    }
}

/// A `for` over a host iterator.
pub trait HostItems {
    /// The iterator.
    type Items;
    /// A loop that unrolls.
    fn lp(self) -> HostLoop<Self::Items>;
}

impl<T: IntoIterator> HostItems for Lp<T> {
    type Items = T::IntoIter;
    fn lp(self) -> HostLoop<T::IntoIter> {
        HostLoop::new(self.0.into_iter())
    }
}

/// A phase of a `while`.
#[derive(Debug)]
pub enum Phase {
    /// The condition is to be evaluated.
    Cond(Judge),
    /// The body is to be run.
    Body,
}

/// Takes the condition of a `while`.
#[derive(Debug)]
pub struct Judge(());

/// What can be the condition of a `while`.
pub trait Condition {
    /// `Ok` for the host's, `Err` for a traced one.
    fn decided(self) -> Result<bool, Val>;
}

impl Condition for bool {
    fn decided(self) -> Result<bool, Val> {
        Ok(self)
    }
}

impl Condition for Val {
    fn decided(self) -> Result<bool, Val> {
        Err(self)
    }
}

impl Judge {
    /// Ends a traced loop where the condition does not hold; tells a host loop whether to go on.
    pub fn cond(self, cond: impl Condition) {
        let decided = cond.decided();
        with(|build| {
            if let Err(cond) = decided {
                let cond = build.condition(cond);
                if cond.as_int() != Some(1) {
                    let a = build.id(cond);
                    let stop = build.ir.value(Unary { op: UnaryOp::Not, a });
                    let then = build.open();
                    build.ir.push(Break {});
                    build.close();
                    let els = build.open();
                    build.close();
                    build.ir.push_if(stop, then, els);
                }
            }
            build.judged = Some(decided.ok());
        });
    }
}

/// Yields the phases of a `while`, or the one body of a `loop`.
#[derive(Debug)]
pub struct WhileLoop {
    state: WhileState,
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WhileState {
    Start,
    Judging(RegionId),
    TracedBody(RegionId),
    HostBody,
    Done,
}

/// Begins a `while`.
pub fn while_begin() -> WhileLoop {
    WhileLoop { state: WhileState::Start, span: with(|build| build.ir.span()) }
}

impl WhileLoop {
    fn judge(&mut self) -> Option<Phase> {
        with(|build| {
            build.contexts.push(Context::TracedLoop);
            self.state = WhileState::Judging(build.open());
        });
        Some(Phase::Cond(Judge(())))
    }

    /// Whether the condition was the host's, and what it said.
    fn judged(&mut self, region: RegionId) -> Option<Phase> {
        with(|build| match build.judged.take().flatten() {
            Some(goes_on) => {
                // The host decided: what the condition built belongs to the code around.
                build.contexts.pop();
                build.close();
                build.ir.splice(region);
                self.state = if goes_on { WhileState::HostBody } else { WhileState::Done };
                if goes_on {
                    build.contexts.push(Context::HostLoop);
                }
                goes_on.then_some(Phase::Body)
            }
            None => {
                self.state = WhileState::TracedBody(region);
                Some(Phase::Body)
            }
        })
    }
}

impl Iterator for WhileLoop {
    type Item = Phase;

    fn next(&mut self) -> Option<Phase> {
        match self.state {
            WhileState::Start => self.judge(),
            WhileState::Judging(region) => self.judged(region),
            WhileState::HostBody => {
                with(|build| build.contexts.pop());
                self.judge()
            }
            WhileState::TracedBody(region) => {
                end_loop(region, self.span);
                self.state = WhileState::Done;
                None
            }
            WhileState::Done => None,
        }
    }
}

impl Drop for WhileLoop {
    fn drop(&mut self) {
        // A host `while` left by a real `break`.
        if self.state == WhileState::HostBody && !std::thread::panicking() {
            with(|build| build.contexts.pop());
        }
    }
}

/// A traced endless loop: one run of the body.
#[derive(Debug)]
pub struct EndlessLoop {
    region: Option<RegionId>,
    started: bool,
    span: Span,
}

/// Begins a `loop`.
pub fn loop_begin() -> EndlessLoop {
    EndlessLoop { region: None, started: false, span: with(|build| build.ir.span()) }
}

impl Iterator for EndlessLoop {
    type Item = ();

    fn next(&mut self) -> Option<()> {
        if let Some(region) = self.region.take() {
            end_loop(region, self.span);
            return None;
        }
        (!std::mem::replace(&mut self.started, true)).then(|| {
            with(|build| {
                build.contexts.push(Context::TracedLoop);
                self.region = Some(build.open());
            });
        })
    }
}

fn end_loop(region: RegionId, span: Span) {
    with(|build| {
        build.note_closed();
        build.contexts.pop();
        let after = build.ir.span();
        build.ir.set_span(span);
        build.ir.end_loop(region);
        build.ir.set_span(after);
    });
}

/// `break` (or `continue`) of the loop that is `crossed` loops further out. True where a host loop is really left.
pub fn leave(is_break: bool, crossed: usize) -> bool {
    with(|build| {
        let mut crossed = crossed;
        for position in (0..build.contexts.len()).rev() {
            match build.contexts[position] {
                Context::TracedIf => {}
                Context::TracedLoop if crossed > 0 => {
                    build.error(BuildError::CrossesLoop);
                    return false;
                }
                Context::HostLoop if crossed > 0 => crossed -= 1,
                Context::TracedLoop if build.contexts[position + 1..].contains(&Context::HostLoop) => {
                    build.error(BuildError::CrossesLoop);
                    return false;
                }
                Context::TracedLoop => {
                    if is_break {
                        build.ir.push(Break {});
                    } else {
                        build.ir.push(Continue {});
                    }
                    return false;
                }
                Context::HostLoop => {
                    let inner = &build.contexts[position + 1..];
                    if inner.contains(&Context::TracedIf) {
                        build.error(BuildError::HostLoopLeft);
                        return false;
                    }
                    return true;
                }
            }
        }
        false
    })
}
