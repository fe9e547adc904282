//! Which values and which control flow are the same for all threads that meet.
//!
//! # Definitions
//!
//! Two threads *meet* at an instruction when both run it in the same iteration of every loop around it. A value is
//! - [`Cta`](Level::Cta): any two threads of a CTA that meet at its definition get the same bits;
//! - [`Warp`](Level::Warp): the same for any two threads of a warp;
//! - [`Varying`](Level::Varying): there is a CTA shape (the one assumed, where one is) in which two threads of a
//!   CTA that meet there get different values: it is a thread's own index, or an injective function of one;
//! - [`Unknown`](Level::Unknown): anything.
//!
//! `Cta` implies `Warp`; the join of two levels is the weaker one, and `Varying` joined with anything else is
//! `Unknown`, since a sum of two indices may cancel. The control of a region has the level at which all threads that
//! exist take the same way to it: `Cta` means that all or none of a CTA run each iteration of it.
//!
//! A local has the join of what is written to it and of the control under which that happens; loops are repeated until
//! nothing changes, and levels only weaken, so that ends. A `break` or `continue` gives its control to the whole body
//! of its loop. Behind a construct control is what it was before it, since control flow is structured.
//!
//! Threads beyond the extent load 0, so that a load from one address does not give all *existing* threads one value;
//! [`Assumptions::existing`] asks about those, [`Assumptions::active`] about the threads within the extent alone.
//!
//! On entry: a kernel whose structure is valid. Deliberately not here: following values through shared memory or
//! per-thread arrays, and relating two conditions to each other, except where [`ThreadValues`] computes both.

#[cfg(test)]
mod tests;
mod threads;

use crate::entity::SecondaryMap;
use crate::ir::constant::Constants;
use crate::ir::kernel::{InstId, Kernel, LocalId, ParamKind, RegionId, ValueId};
use crate::ir::launch::{ExtentKind, LaunchClass, Mode};
use crate::ir::op::{BinaryOp, For, GeomReg, If, Loop, MemBase, Op, ShuffleMode};

pub use threads::ThreadValues;

/// For which threads a value or a way through the kernel is the same; see the module for the exact meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Level {
    /// For all threads of a CTA.
    Cta,
    /// For all threads of a warp.
    Warp,
    /// Not known to be for any.
    Unknown,
    /// Proven not to be for all threads of a CTA, in some CTA shape.
    Varying,
}

impl Level {
    /// What holds where both do.
    pub fn join(self, other: Self) -> Self {
        if self == other { self } else { self.max(other).min(Self::Unknown) }
    }

    /// Whether all threads of a warp agree.
    pub fn is_warp_uniform(self) -> bool {
        self <= Self::Warp
    }

    /// Whether all threads of a CTA agree.
    pub fn is_cta_uniform(self) -> bool {
        self == Self::Cta
    }
}

/// What the analysis may assume of the launches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assumptions {
    /// What the short geometry words mean, or anything.
    pub mode: Option<Mode>,
    /// The CTA's shape, or any.
    pub cta: Option<[u32; 3]>,
    /// Whether every thread asked about is within the extent.
    pub whole: bool,
}

impl Assumptions {
    /// About every thread that exists in launches of `class`: what barriers ask.
    pub fn existing(class: &LaunchClass) -> Self {
        Self { mode: Some(class.mode), cta: class.cta, whole: class.extent == ExtentKind::Whole }
    }

    /// About the threads within the extent: what warp operations ask.
    pub fn active(class: &LaunchClass) -> Self {
        Self { whole: true, ..Self::existing(class) }
    }

    /// What a register means; `None` where the mode leaves that open, `Some(None)` for the constant 0.
    fn resolve(self, reg: GeomReg) -> Option<Option<GeomReg>> {
        match self.mode {
            Some(mode) => reg.resolve(mode),
            // Without a mode only the long words mean something, and they mean the same in each.
            None if matches!(reg, GeomReg::ProgramId(_) | GeomReg::Tid) => None,
            None => Some(Some(reg)),
        }
    }

    fn threads(self) -> Option<u64> {
        self.cta.map(|cta| cta.iter().fold(1u64, |product, &axis| product.saturating_mul(u64::from(axis))))
    }

    /// Whether each warp lies in one row of the CTA, so that its lanes differ on the first axis only.
    fn rows_hold_warps(self) -> bool {
        self.cta.is_some_and(|[x, y, z]| x % 32 == 0 || (y == 1 && z == 1))
            || self.mode == Some(Mode::Elementwise)
    }
}

/// How control reaches a region.
#[derive(Clone, Copy, PartialEq, Debug)]
struct RegionFlow {
    /// The join of everything that decides over it.
    control: Level,
    /// What its holder alone adds to that.
    own: Level,
    /// The operation that holds it, and the region that one stands in; none for the body.
    holder: Option<(InstId, RegionId)>,
}

/// The uniformity of every value and region of a kernel.
#[derive(Clone, Debug)]
pub struct Uniformity {
    values: SecondaryMap<ValueId, Level>,
    locals: SecondaryMap<LocalId, Level>,
    regions: SecondaryMap<RegionId, RegionFlow>,
}

impl Uniformity {
    /// Of all threads that exist in launches of a class, or in any launch.
    pub fn of(kernel: &Kernel, class: Option<&LaunchClass>) -> Self {
        let any = Assumptions { mode: kernel.mode, cta: kernel.cta, whole: false };
        Self::analyse(kernel, class.map_or(any, Assumptions::existing))
    }

    /// Under given assumptions.
    pub fn analyse(kernel: &Kernel, assumptions: Assumptions) -> Self {
        // The exact evaluation costs a walk per condition, so only kernels that can profit pay for it.
        let synchronises = kernel.any(|op| op.is_warp_op() || op.is_cta_barrier());
        let exact = assumptions.cta.filter(|_| synchronises && assumptions.threads() <= Some(1024));
        let start = RegionFlow { control: Level::Cta, own: Level::Cta, holder: None };
        let mut analysis = Analysis {
            kernel,
            assumptions,
            constants: Constants::of(kernel),
            registers: registers(kernel),
            readable: readable_params(kernel),
            exact: exact.map(|cta| ThreadValues::of_any_cta(kernel, assumptions.mode, cta)),
            flow: Self {
                values: SecondaryMap::with_len(Level::Cta, kernel.values.len()),
                locals: SecondaryMap::with_len(Level::Cta, kernel.locals.len()),
                regions: SecondaryMap::with_len(start, kernel.regions.len()),
            },
            exits: SecondaryMap::with_len(Level::Cta, kernel.regions.len()),
            changed: true,
        };
        while std::mem::take(&mut analysis.changed) {
            analysis.region(kernel.body, None);
        }
        analysis.flow
    }

    /// Whether all threads of a warp that meet at its definition get the same value.
    pub fn is_warp_uniform(&self, value: ValueId) -> bool {
        self.value(value).is_warp_uniform()
    }

    /// Whether all threads of a CTA that meet at its definition get the same value.
    pub fn is_cta_uniform(&self, value: ValueId) -> bool {
        self.value(value).is_cta_uniform()
    }

    /// The level of a value.
    pub fn value(&self, value: ValueId) -> Level {
        self.values[value]
    }

    /// The level of the control under which a region runs.
    pub fn control(&self, region: RegionId) -> Level {
        self.regions[region].control
    }

    /// Whether what holds a region sends all lanes of a warp that come to it the same way: an arm taken by all or none,
    /// a body run equally often.
    pub fn is_own_uniform(&self, region: RegionId) -> bool {
        self.regions[region].own.is_warp_uniform()
    }

    /// The operations that hold a region, innermost first, each with the region of its own that leads there.
    pub fn holders(&self, region: RegionId) -> impl Iterator<Item = (InstId, RegionId)> {
        let mut at = region;
        std::iter::from_fn(move || {
            let (holder, outer) = self.regions[at].holder?;
            Some((holder, std::mem::replace(&mut at, outer)))
        })
    }

    /// The outermost operation around a region whose own decision is weaker than `limit`.
    pub fn branch_beyond(&self, region: RegionId, limit: Level) -> Option<InstId> {
        let beyond = self.holders(region).filter(|&(_, inner)| self.regions[inner].own > limit);
        beyond.map(|(holder, _)| holder).last()
    }
}

fn registers(kernel: &Kernel) -> SecondaryMap<ValueId, Option<GeomReg>> {
    let mut registers = SecondaryMap::with_len(None, kernel.values.len());
    for inst in kernel.insts.values() {
        if let (Op::Geometry(geometry), &[result]) = (&inst.op, &inst.results[..]) {
            registers[result] = Some(geometry.reg);
        }
    }
    registers
}

/// Whether parameters that are not written can be read as if nothing changed them.
fn readable_params(kernel: &Kernel) -> bool {
    !kernel
        .params
        .values()
        .any(|param| matches!(param.kind, ParamKind::Buffer { written: true, alias: true, .. }))
}

struct Analysis<'k> {
    kernel: &'k Kernel,
    assumptions: Assumptions,
    constants: Constants,
    /// By the values that are one: the geometry register.
    registers: SecondaryMap<ValueId, Option<GeomReg>>,
    readable: bool,
    exact: Option<ThreadValues<'k>>,
    flow: Uniformity,
    /// By the body of a loop: the join of the control of everything that leaves it or cuts an iteration short.
    exits: SecondaryMap<RegionId, Level>,
    changed: bool,
}

impl Analysis<'_> {
    fn region(&mut self, region: RegionId, in_loop: Option<RegionId>) {
        let kernel = self.kernel;
        let control = self.flow.control(region);
        for &id in &kernel.regions[region].insts {
            let inst = &kernel.insts[id];
            if let Op::If(If { cond, then, els }) = &inst.op {
                let own = self.decision(&[*cond]);
                for arm in [*then, *els] {
                    self.enter(arm, (id, region), control, own);
                    self.region(arm, in_loop);
                }
            } else if let Op::For(For { counter, start, end, step, body, .. }) = &inst.op {
                let own = self.decision(&[*start, *end, *step]).join(self.exits[*body]);
                let first = self.flow.value(*start).join(self.flow.value(*step));
                self.flow.values[counter.0] = self.normal(first.min(Level::Unknown));
                self.enter(*body, (id, region), control, own);
                self.region(*body, Some(*body));
            } else if let Op::Loop(Loop { body }) = &inst.op {
                let own = self.exits[*body];
                self.enter(*body, (id, region), control, own);
                self.region(*body, Some(*body));
            } else if let Op::Inline(inline) = &inst.op {
                if let Some(model) = inline.model.0 {
                    self.enter(model, (id, region), control, Level::Cta);
                    self.region(model, None);
                }
                // The text may ask who it is run by.
                for &result in &inst.results {
                    self.flow.values[result] = self.normal(Level::Unknown);
                }
            } else if let Op::LocalSet(set) = &inst.op {
                let level = self.flow.value(set.value).join(control).min(Level::Unknown);
                let weaker = self.flow.locals[set.local].join(level);
                self.changed |= weaker != self.flow.locals[set.local];
                self.flow.locals[set.local] = weaker;
            } else if let (Op::Break(_) | Op::Continue(_), Some(body)) = (&inst.op, in_loop) {
                let weaker = self.exits[body].join(control).min(Level::Unknown);
                self.changed |= weaker != self.exits[body];
                self.exits[body] = weaker;
            } else {
                let level = self.result(&inst.op, control);
                for &result in &inst.results {
                    self.flow.values[result] = level;
                }
            }
        }
    }

    fn enter(&mut self, region: RegionId, holder: (InstId, RegionId), control: Level, own: Level) {
        let control = control.join(own);
        self.flow.regions[region] = RegionFlow { control, own, holder: Some(holder) };
    }

    /// The level at which a construct decides by these values.
    fn decision(&mut self, values: &[ValueId]) -> Level {
        values.iter().fold(Level::Cta, |level, &value| {
            let mut own = self.flow.value(value);
            if !own.is_warp_uniform()
                && let Some(exact) = self.exact.as_mut().and_then(|threads| threads.uniformity(value))
            {
                own = exact;
                self.flow.values[value] = self.normal(exact);
            }
            level.join(own)
        })
    }

    /// In a CTA of one warp what the warp agrees on the CTA does; one thread always agrees with itself.
    fn normal(&self, level: Level) -> Level {
        match self.assumptions.threads() {
            Some(1) => Level::Cta,
            Some(..=32) if level == Level::Warp => Level::Cta,
            Some(_) | None => level,
        }
    }

    fn result(&self, op: &Op, control: Level) -> Level {
        let mut joined = Level::Cta;
        op.uses(&mut |value| joined = joined.join(self.flow.value(value)));
        // A join of one varying operand with uniform ones is unknown, unless the operation keeps them apart.
        let plain = joined.min(Level::Unknown);
        let level = match op {
            Op::Const(_) | Op::Scalar(_) | Op::Shape(_) | Op::Stride(_) => Level::Cta,
            Op::Geometry(geometry) => self.geometry(geometry.reg),
            Op::Unary(unary) if unary.op.is_injective() => self.flow.value(unary.a),
            Op::Unary(_) => plain,
            Op::Binary(binary) => self.binary(binary.op, binary.a, binary.b).unwrap_or(plain),
            Op::Convert(convert) => {
                let from = self.kernel.dtype(convert.a);
                let keeps = from.is_int() && convert.to.is_int() && convert.to.bits() >= from.bits();
                if keeps { self.flow.value(convert.a) } else { plain }
            }
            Op::Bitcast(bitcast) => self.flow.value(bitcast.a),
            Op::Fma(_) | Op::Compare(_) | Op::Select(_) | Op::Approx(_) => plain,
            Op::LocalGet(get) => self.flow.locals[get.local],
            Op::Load(load) => match load.place.base {
                MemBase::Param(id) if self.assumptions.whole && self.readable => {
                    let param = &self.kernel.params[id];
                    let fixed = matches!(param.kind, ParamKind::Buffer { written: false, alias: false, .. });
                    if fixed { plain } else { Level::Unknown }
                }
                MemBase::Param(_) | MemBase::Array(_) => Level::Unknown,
            },
            // Lanes beyond the extent are absent from a warp operation, so nothing is known of what they hold then.
            Op::Shuffle(_)
            | Op::WarpReduce(_)
            | Op::WarpScan(_)
            | Op::Vote(_)
            | Op::Ballot(_)
            | Op::Match(_)
                if !self.assumptions.whole =>
            {
                Level::Unknown
            }
            // One answer for the lanes that take part, which are those that meet here.
            Op::WarpReduce(_) | Op::Vote(_) | Op::Ballot(_) => Level::Warp,
            Op::WarpScan(_) => Level::Unknown,
            // Lanes that all hold one value all match.
            Op::Match(op) if self.flow.value(op.value).is_warp_uniform() => Level::Warp,
            Op::Match(_) => Level::Unknown,
            // A lane past the warp, or one that is not active, gives a lane its own value or an error.
            Op::Shuffle(_) if !control.is_warp_uniform() => Level::Unknown,
            Op::Shuffle(shuffle) => {
                let value = self.flow.value(shuffle.value);
                if value.is_warp_uniform() {
                    value
                } else if shuffle.mode == ShuffleMode::Idx && self.flow.value(shuffle.lane).is_warp_uniform()
                {
                    Level::Warp
                } else {
                    Level::Unknown
                }
            }
            Op::LocalSet(_)
            | Op::Store(_)
            // The lanes come one after another, and each finds what the one before left.
            | Op::Atomic(_)
            | Op::AtomicCas(_)
            | Op::AtomicLoad(_)
            | Op::AtomicStore(_)
            | Op::Fence(_)
            | Op::WarpBarrier(_)
            | Op::CtaBarrier(_)
            | Op::NamedBarrier(_)
            | Op::Mma(_)
            | Op::LdMatrix(_)
            | Op::CpAsync(_)
            | Op::CpAsyncCommit(_)
            | Op::CpAsyncWait(_)
            | Op::Inline(_)
            | Op::Yield(_)
            | Op::If(_)
            | Op::For(_)
            | Op::Loop(_)
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Comment(_) => Level::Unknown,
        };
        self.normal(level)
    }

    fn geometry(&self, reg: GeomReg) -> Level {
        let Some(meant) = self.assumptions.resolve(reg) else { return Level::Unknown };
        match meant {
            None => Level::Cta,
            Some(
                GeomReg::CtaId(_)
                | GeomReg::CtaDim(_)
                | GeomReg::GridDim(_)
                | GeomReg::WarpsPerCta
                | GeomReg::ActiveWarps,
            ) => Level::Cta,
            Some(GeomReg::WarpId) => Level::Warp,
            Some(GeomReg::LaneId | GeomReg::ProgramId(_) | GeomReg::Tid) => Level::Varying,
            Some(GeomReg::ThreadId(axis) | GeomReg::GlobalId(axis)) => {
                let axis = usize::from(axis);
                if self.assumptions.mode == Some(Mode::Elementwise) && axis > 0 {
                    return Level::Cta;
                }
                let Some(cta) = self.assumptions.cta else { return Level::Varying };
                // The axes before this one hold whole warps, so that a warp lies at one place of this axis.
                let before = cta[..axis].iter().fold(1u32, |product, &axis| product.saturating_mul(axis));
                match cta[axis] {
                    1 => Level::Cta,
                    _ if axis > 0 && before % 32 == 0 => Level::Warp,
                    _ => Level::Varying,
                }
            }
        }
    }

    fn binary(&self, op: BinaryOp, a: ValueId, b: ValueId) -> Option<Level> {
        let (left, right) = (self.flow.value(a), self.flow.value(b));
        let integer = self.kernel.dtype(a).is_int();
        if integer && op.is_injective() {
            return match (left, right) {
                (Level::Varying, Level::Cta) | (Level::Cta, Level::Varying) => Some(Level::Varying),
                (_, _) => None,
            };
        }
        if !(integer && self.is_row_index(a)) {
            return None;
        }
        let constant = self.constants.get(b)?.as_int()?;
        let drops_the_lane = (op == BinaryOp::Div && constant > 0 && constant % 32 == 0)
            || (op == BinaryOp::Shr && constant >= 5)
            || (op == BinaryOp::And && constant & 31 == 0);
        drops_the_lane.then_some(Level::Warp)
    }

    /// Whether the value counts threads along the first axis, and a warp's 32 begin at a multiple of 32.
    fn is_row_index(&self, value: ValueId) -> bool {
        match self.registers[value].and_then(|reg| self.assumptions.resolve(reg).flatten()) {
            Some(GeomReg::ThreadId(0)) => self.assumptions.rows_hold_warps(),
            Some(GeomReg::GlobalId(0)) => self.assumptions.cta.is_some_and(|[x, ..]| x % 32 == 0),
            Some(
                GeomReg::ThreadId(_)
                | GeomReg::GlobalId(_)
                | GeomReg::CtaId(_)
                | GeomReg::CtaDim(_)
                | GeomReg::GridDim(_)
                | GeomReg::LaneId
                | GeomReg::WarpId
                | GeomReg::WarpsPerCta
                | GeomReg::ActiveWarps
                | GeomReg::ProgramId(_)
                | GeomReg::Tid,
            )
            | None => false,
        }
    }
}
