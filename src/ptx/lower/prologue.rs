//! The head of an entry: parameters, geometry, the extent, and the members of warp operations.
//!
//! What a kernel uses of its launch is computed here once, where it dominates every use. Threads beyond the extent
//! leave before the body where the kernel has no CTA barrier, behind the ballot that leaves them out of the warp's masks;
//! else they run on with their memory accesses predicated off, and are no members of warp operations.

use super::arith::yes;
use super::state::{Lowering, Members};
use crate::backend::{AbiKind, AbiParam};
use crate::ir::op::{GeomReg, InlineEffect, Op};
use crate::ir::{DType, ExtentKind, GridForm, ParamId, ParamKind, ValueId};
use crate::ptx::isa::modifier::{CmpOp, MulHalf, Nc, Sat, Space};
use crate::ptx::isa::types::WordType;
use crate::ptx::isa::types::{
    BitType, IntType, MemType, PointerType, ScalarType, SetpType, ShrType, SpecialType,
};
use crate::ptx::isa::{
    self, Address, And, Ballot, CvtaTo, Def, Ld, Mad, MovSpecial, Popc, Reg, RegClass, Shr, SpecialReg,
    Symbol, Use, VecDef,
};
use crate::ptx::module::{Param, PointerAttr, PointerSpace};
use crate::ptx::regalloc::Prefix;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Geometry and parameters once they are in registers.
#[derive(Default)]
pub(super) struct Prologue {
    geometry: Vec<(GeomReg, Reg)>,
    linear: Option<Reg>,
    threads: Option<Use>,
    params: Vec<(AbiKind, isa::ParamId)>,
    loaded: Vec<(AbiKind, Reg)>,
}

impl Prologue {
    fn symbol(&self, kind: AbiKind) -> Symbol {
        let found = self.params.iter().find(|(declared, _)| *declared == kind);
        Symbol::Param(found.expect("declare_params() declares what the class passes").1)
    }
}

fn scalar_type(dtype: DType) -> ScalarType {
    match dtype {
        DType::Bool | DType::U8 => ScalarType::U8,
        DType::I8 => ScalarType::S8,
        DType::U16 => ScalarType::U16,
        DType::I16 => ScalarType::S16,
        DType::F16 | DType::BF16 => ScalarType::B16,
        DType::U32 => ScalarType::U32,
        DType::I32 => ScalarType::S32,
        DType::F32 => ScalarType::F32,
        DType::U64 => ScalarType::U64,
        DType::I64 => ScalarType::S64,
        DType::F64 => ScalarType::F64,
        DType::Storage(storage) => {
            if storage.bits() <= 8 {
                ScalarType::U8
            } else {
                ScalarType::U32
            }
        }
    }
}

impl Lowering<'_> {
    /// Declares what the launcher passes: buffers and scalars in source order with the shape and strides of each
    /// strided one, then extents, then the grid where it is linearised.
    pub(super) fn declare_params(&mut self) -> Vec<AbiParam> {
        let kernel = self.kernel;
        let mut abi = Vec::new();
        for (id, param) in kernel.params.iter() {
            let name = &param.name;
            match param.kind {
                ParamKind::Buffer { rank, .. } => {
                    let pointer = PointerAttr { space: PointerSpace::Global, align: Some(self.class.align) };
                    let mut declared = Param::scalar(format!("p_{name}"), ScalarType::U64);
                    declared.pointer = Some(pointer);
                    self.declare(&mut abi, AbiKind::Buffer(id), declared);
                    for axis in 0..rank {
                        let shape = Param::scalar(format!("p_{name}_shape{axis}"), ScalarType::U64);
                        self.declare(&mut abi, AbiKind::Shape(id, axis), shape);
                    }
                    for axis in 0..rank {
                        let stride = Param::scalar(format!("p_{name}_stride{axis}"), ScalarType::U64);
                        self.declare(&mut abi, AbiKind::Stride(id, axis), stride);
                    }
                }
                ParamKind::Scalar => {
                    let declared = Param::scalar(format!("p_{name}"), scalar_type(param.dtype));
                    self.declare(&mut abi, AbiKind::Scalar(id), declared);
                }
            }
        }
        for (axis, name) in AXES.iter().enumerate().take(self.class.extent.axes()) {
            let declared = Param::scalar(format!("p_extent_{name}"), ScalarType::U32);
            self.declare(&mut abi, AbiKind::Extent(axis as u8), declared);
        }
        if self.class.grid == GridForm::Linear {
            for (axis, name) in AXES.iter().enumerate() {
                let declared = Param::scalar(format!("p_grid_{name}"), ScalarType::U32);
                self.declare(&mut abi, AbiKind::GridDim(axis as u8), declared);
            }
        }
        abi
    }

    fn declare(&mut self, abi: &mut Vec<AbiParam>, kind: AbiKind, param: Param) {
        abi.push(AbiParam { name: param.name.clone(), kind, size: param.ty.bytes() });
        let id = self.entry.params.push(param);
        self.head.params.push((kind, id));
    }

    fn load_param(&mut self, kind: AbiKind, dst: Reg, ty: MemType) {
        let addr = Address::symbol(self.head.symbol(kind), 0);
        self.emit(Ld {
            order: None,
            scope: None,
            space: Some(Space::Param),
            cache: None,
            nc: Nc(false),
            l1: None,
            l2: None,
            vec: None,
            ty,
            dst: VecDef::one(dst),
            addr,
        });
    }

    /// Everything before the body. Returns where threads beyond the extent go, if they leave.
    pub(super) fn prologue(&mut self) -> Option<isa::LabelId> {
        let waits = self.kernel.any(|op| {
            // A text with an effect may be one that all threads have to reach.
            let effect = matches!(op, Op::Inline(inline) if inline.effect == InlineEffect::Effect);
            op.is_cta_barrier() || effect
        });
        let synchronises = waits || self.kernel.any(Op::is_warp_op);
        let exit = self.extent(synchronises);
        self.declare_arrays();
        self.load_used();
        if self.kernel.any(Op::is_warp_op) {
            self.compute_members();
        }
        let Some(active) = self.active.filter(|_| !waits) else { return exit };
        // A loop that asks the warp when to end would never end for them.
        (self.active, self.predicate) = (None, None);
        Some(self.leave_beyond(active))
    }

    /// Sends threads beyond the extent to the end.
    fn leave_beyond(&mut self, inside: Reg) -> isa::LabelId {
        let exit = self.label("exit");
        let mut leave: isa::Inst = isa::Bra { uni: isa::modifier::Uni(false), target: exit }.into();
        leave.guard = Some(isa::Guard { pred: inside, negated: true });
        self.emit(leave);
        exit
    }

    fn extent(&mut self, synchronises: bool) -> Option<isa::LabelId> {
        if self.class.extent == ExtentKind::Whole {
            return None;
        }
        let mut inside = None;
        for axis in 0..self.class.extent.axes() as u8 {
            let extent =
                self.named(RegClass::B32, Prefix::Int, Some(&format!("extent_{}", AXES[axis as usize])));
            self.load_param(AbiKind::Extent(axis), extent, MemType::U32);
            let id = self.geom(GeomReg::GlobalId(axis));
            let within = self.named(RegClass::Pred, Prefix::Pred, Some("guard"));
            self.emit(isa::Setp {
                cmp: CmpOp::Lt,
                ftz: isa::modifier::Ftz(false),
                ty: SetpType::U32,
                dst: Def(within),
                complement: isa::PairedDef::Absent,
                a: id.into(),
                b: extent.into(),
            });
            inside = self.both(Some(within), inside);
        }
        if synchronises {
            self.active = inside;
            self.predicate = inside;
            // Threads beyond the extent have no defined values to branch on, so warps may part anywhere.
            self.converged = false;
            return None;
        }
        inside.map(|inside| self.leave_beyond(inside))
    }

    /// Loads the parameters and geometry that the body uses.
    fn load_used(&mut self) {
        let kernel = self.kernel;
        let mut buffers = Vec::new();
        let mut others = Vec::new();
        kernel.walk(kernel.body, &mut |_, inst| {
            buffers.extend(inst.op.accesses().iter().map(|(place, _)| place.base))
        });
        kernel.walk(kernel.body, &mut |_, inst| match &inst.op {
            Op::Geometry(geometry) => others.push(Used::Geometry(geometry.reg)),
            Op::Scalar(scalar) => others.push(Used::Param(AbiKind::Scalar(scalar.param))),
            Op::Shape(shape) => others.push(Used::Param(AbiKind::Shape(shape.param, shape.axis.0))),
            Op::Stride(stride) => others.push(Used::Param(AbiKind::Stride(stride.param, stride.axis.0))),
            _ => {}
        });
        for id in kernel.params.ids() {
            if buffers.contains(&crate::ir::op::MemBase::Param(id)) {
                self.load_base(id);
            }
        }
        for used in others {
            match used {
                Used::Geometry(reg) => {
                    self.geom(reg);
                }
                Used::Param(kind) => {
                    self.param(kind);
                }
            }
        }
    }

    fn load_base(&mut self, id: ParamId) {
        let name = self.kernel.params[id].name.clone();
        let base = self.named(RegClass::B64, Prefix::Wide, Some(&name));
        self.load_param(AbiKind::Buffer(id), base, MemType::U64);
        self.emit(CvtaTo { space: Space::Global, ty: PointerType::U64, dst: Def(base), src: base.into() });
        self.bases[id] = Some(base);
    }

    /// The register of a parameter that is not a buffer.
    fn param(&mut self, kind: AbiKind) -> Reg {
        if let Some(&(_, reg)) = self.head.loaded.iter().find(|(loaded, _)| *loaded == kind) {
            return reg;
        }
        let reg = match kind {
            AbiKind::Scalar(id) => self.load_scalar(id),
            AbiKind::Shape(id, axis) => self.load_axis(kind, id, &format!("shape{axis}")),
            AbiKind::Stride(id, axis) => self.load_axis(kind, id, &format!("stride{axis}")),
            AbiKind::Buffer(_) | AbiKind::Extent(_) | AbiKind::GridDim(_) => {
                let reg = self.temp(RegClass::B32);
                self.load_param(kind, reg, MemType::U32);
                reg
            }
        };
        self.head.loaded.push((kind, reg));
        reg
    }

    fn load_axis(&mut self, kind: AbiKind, id: ParamId, what: &str) -> Reg {
        let name = format!("{}_{what}", self.kernel.params[id].name);
        let reg = self.named(RegClass::B64, Prefix::Wide, Some(&name));
        self.load_param(kind, reg, MemType::U64);
        reg
    }

    fn load_scalar(&mut self, id: ParamId) -> Reg {
        let param = &self.kernel.params[id];
        let (dtype, name) = (param.dtype, param.name.clone());
        if dtype == DType::Bool {
            let byte = self.temp(RegClass::B32);
            self.load_param(AbiKind::Scalar(id), byte, MemType::U8);
            return self.setp(CmpOp::Ne, SetpType::U32, byte, Use::Int(0));
        }
        let reg = self.named(self.class_of(dtype), super::state::prefix(dtype), Some(&name));
        self.load_param(AbiKind::Scalar(id), reg, super::memory::mem_type(dtype));
        reg
    }

    pub(super) fn scalar(&mut self, id: ParamId, result: ValueId) {
        let reg = self.param(AbiKind::Scalar(id));
        self.alias(result, reg);
    }

    pub(super) fn shape(&mut self, id: ParamId, axis: u8, result: ValueId) {
        let reg = self.param(AbiKind::Shape(id, axis));
        self.alias(result, reg);
    }

    pub(super) fn stride(&mut self, id: ParamId, axis: u8, result: ValueId) {
        let reg = self.param(AbiKind::Stride(id, axis));
        self.alias(result, reg);
    }

    pub(super) fn geometry(&mut self, reg: GeomReg, result: ValueId) {
        let reg = self.geom(reg);
        self.alias(result, reg);
    }

    fn special(&mut self, src: SpecialReg, name: &str) -> Reg {
        let dst = self.named(RegClass::B32, Prefix::Int, Some(name));
        self.emit(MovSpecial { ty: SpecialType::U32, dst: Def(dst), src });
        dst
    }

    /// The own lane.
    pub(super) fn lane(&mut self) -> Reg {
        self.geom(GeomReg::LaneId)
    }

    /// A geometry register, computed once.
    fn geom(&mut self, reg: GeomReg) -> Reg {
        if let Some(&(_, known)) = self.head.geometry.iter().find(|(known, _)| *known == reg) {
            return known;
        }
        let computed = match reg {
            GeomReg::ThreadId(axis) => {
                let special = [SpecialReg::TidX, SpecialReg::TidY, SpecialReg::TidZ][axis as usize];
                self.special(special, &format!("tid_{}", AXES[axis as usize]))
            }
            GeomReg::CtaDim(axis) => {
                let special = [SpecialReg::NtidX, SpecialReg::NtidY, SpecialReg::NtidZ][axis as usize];
                self.special(special, &format!("ntid_{}", AXES[axis as usize]))
            }
            GeomReg::CtaId(axis) => self.cta_id(axis),
            GeomReg::GridDim(axis) if self.class.grid == GridForm::Linear => {
                self.param(AbiKind::GridDim(axis))
            }
            GeomReg::GridDim(axis) => {
                let special = [SpecialReg::NctaidX, SpecialReg::NctaidY, SpecialReg::NctaidZ][axis as usize];
                self.special(special, &format!("nctaid_{}", AXES[axis as usize]))
            }
            GeomReg::GlobalId(axis) => {
                let (cta, thread) = (self.geom(GeomReg::CtaId(axis)), self.geom(GeomReg::ThreadId(axis)));
                let dim = self.cta_dim(axis);
                let name = format!("gid_{}", AXES[axis as usize]);
                self.mad(&name, cta, dim, thread)
            }
            GeomReg::LaneId => {
                let linear = self.linear_thread();
                let dst = self.named(RegClass::B32, Prefix::Int, Some("lane"));
                self.emit(And { ty: BitType::B32, dst: Def(dst), a: linear.into(), b: Use::Int(31) });
                dst
            }
            GeomReg::WarpId => {
                let linear = self.linear_thread();
                let dst = self.named(RegClass::B32, Prefix::Int, Some("warp"));
                self.emit(Shr { ty: ShrType::U32, dst: Def(dst), a: linear.into(), count: Use::Int(5) });
                dst
            }
            GeomReg::WarpsPerCta => {
                let threads = self.threads();
                self.warps_of("warps", threads)
            }
            GeomReg::ActiveWarps => self.active_warps(),
            GeomReg::ProgramId(_) | GeomReg::Tid => {
                unreachable!("emit() refuses a kernel whose mode is not bound")
            }
        };
        self.head.geometry.push((reg, computed));
        computed
    }

    /// The warps of that many threads.
    fn warps_of(&mut self, name: &str, threads: Use) -> Reg {
        let (sum, dst) = (self.temp(RegClass::B32), self.named(RegClass::B32, Prefix::Int, Some(name)));
        let (sat, ty) = (Sat(false), IntType::U32);
        self.emit(isa::Add { sat, ty, dst: Def(sum), a: threads, b: Use::Int(31) });
        self.emit(Shr { ty: ShrType::U32, dst: Def(dst), a: sum.into(), count: Use::Int(5) });
        dst
    }

    /// Warps with a thread within the extent, of a CTA with one axis: what the CTAs before leave of it, at most a CTA.
    fn active_warps(&mut self) -> Reg {
        let (cta, dim) = (self.geom(GeomReg::CtaId(0)), self.cta_dim(0));
        let extent = self.named(RegClass::B32, Prefix::Int, Some("extent"));
        self.load_param(AbiKind::Extent(0), extent, MemType::U32);
        let [before, taken, left, threads] = std::array::from_fn(|_| self.temp(RegClass::B32));
        let (sat, ty, half) = (Sat(false), IntType::U32, MulHalf::Lo);
        self.emit(isa::Mul { half, ty, dst: Def(before), a: cta.into(), b: dim });
        self.emit(isa::Min { ty, dst: Def(taken), a: before.into(), b: extent.into() });
        self.emit(isa::Sub { sat, ty, dst: Def(left), a: extent.into(), b: taken.into() });
        self.emit(isa::Min { ty, dst: Def(threads), a: left.into(), b: dim });
        self.warps_of("active_warps", threads.into())
    }

    fn mad(&mut self, name: &str, a: Reg, b: Use, c: Reg) -> Reg {
        let dst = self.named(RegClass::B32, Prefix::Int, Some(name));
        let (half, sat, ty) = (MulHalf::Lo, Sat(false), IntType::U32);
        self.emit(Mad { half, sat, ty, dst: Def(dst), a: a.into(), b, c: c.into() });
        dst
    }

    /// A CTA index; where the grid is linear, unpacked from x.
    fn cta_id(&mut self, axis: u8) -> Reg {
        let special = [SpecialReg::CtaidX, SpecialReg::CtaidY, SpecialReg::CtaidZ][axis as usize];
        let name = format!("ctaid_{}", AXES[axis as usize]);
        if self.class.grid == GridForm::Native {
            return self.special(special, &name);
        }
        let mut rest = self.special(SpecialReg::CtaidX, "ctaid");
        let ty = IntType::U32;
        for inner in 0..axis {
            let dim = self.param(AbiKind::GridDim(inner));
            let quotient = self.temp(RegClass::B32);
            self.emit(isa::Div { ty, dst: Def(quotient), a: rest.into(), b: dim.into() });
            rest = quotient;
        }
        if axis == 2 {
            return rest;
        }
        let dim = self.param(AbiKind::GridDim(axis));
        let dst = self.named(RegClass::B32, Prefix::Int, Some(&name));
        self.emit(isa::Rem { ty, dst: Def(dst), a: rest.into(), b: dim.into() });
        dst
    }

    fn cta_dim(&mut self, axis: u8) -> Use {
        match self.class.cta {
            Some(cta) => Use::Int(i64::from(cta[axis as usize])),
            None => self.geom(GeomReg::CtaDim(axis)).into(),
        }
    }

    /// Whether the CTA is known to have one axis only.
    fn is_one_dimensional(&self) -> bool {
        self.class.cta.is_some_and(|[_, y, z]| y == 1 && z == 1) || self.class.extent == ExtentKind::Linear
    }

    /// The thread's linear index in its CTA, x fastest.
    fn linear_thread(&mut self) -> Reg {
        let x = self.geom(GeomReg::ThreadId(0));
        if self.is_one_dimensional() {
            return x;
        }
        if let Some(linear) = self.head.linear {
            return linear;
        }
        let (y, z) = (self.geom(GeomReg::ThreadId(1)), self.geom(GeomReg::ThreadId(2)));
        let (dim_y, dim_x) = (self.cta_dim(1), self.cta_dim(0));
        let plane = self.mad("plane", z, dim_y, y);
        let linear = self.mad("linear", plane, dim_x, x);
        self.head.linear = Some(linear);
        linear
    }

    /// Threads of a CTA.
    fn threads(&mut self) -> Use {
        if let Some(threads) = self.class.threads() {
            return Use::Int(i64::from(threads));
        }
        if self.is_one_dimensional() {
            return self.geom(GeomReg::CtaDim(0)).into();
        }
        if let Some(threads) = self.head.threads {
            return threads;
        }
        let dims: Vec<Reg> = (0..3).map(|axis| self.geom(GeomReg::CtaDim(axis))).collect();
        let (plane, all) = (self.temp(RegClass::B32), self.temp(RegClass::B32));
        let (half, ty) = (MulHalf::Lo, IntType::U32);
        self.emit(isa::Mul { half, ty, dst: Def(plane), a: dims[0].into(), b: dims[1].into() });
        self.emit(isa::Mul { half, ty, dst: Def(all), a: plane.into(), b: dims[2].into() });
        self.head.threads = Some(all.into());
        all.into()
    }

    fn compute_members(&mut self) {
        // Ranks are counted from it, wherever the first use stands.
        self.geom(GeomReg::LaneId);
        let whole = self.class.threads().is_some_and(|threads| threads % 32 == 0);
        if whole && self.active.is_none() {
            self.members = Members::Full;
            return self.remark("mask: every warp is full, by the launch class");
        }
        let existing: Use = if whole { Use::Int(0xffff_ffff) } else { self.existing_lanes().into() };
        let mask = match self.active {
            Some(active) => {
                let mask = self.mask_reg("members");
                self.note("mask: the lanes within the extent");
                self.emit(Ballot { dst: Def(mask), src: yes(active), members: existing });
                mask
            }
            None => existing.reg().expect("a mask that is not full was computed into a register"),
        };
        if !self.class.keeps_lanes_in_front() {
            self.members = Members::Any(mask);
            return;
        }
        let count = self.named(RegClass::B32, Prefix::Int, Some("member_count"));
        self.emit(Popc { ty: WordType::B32, dst: Def(count), a: mask.into() });
        self.members = Members::Prefix { mask, count };
    }

    /// A bit for each lane of the warp inside the CTA: 32, or what is left for the last warp.
    fn existing_lanes(&mut self) -> Reg {
        let warp = self.geom(GeomReg::WarpId);
        let threads = self.threads();
        let (before, left, count, absent) = (
            self.temp(RegClass::B32),
            self.temp(RegClass::B32),
            self.temp(RegClass::B32),
            self.temp(RegClass::B32),
        );
        let (sat, ty) = (Sat(false), IntType::U32);
        self.emit(isa::Shl { ty: BitType::B32, dst: Def(before), a: warp.into(), count: Use::Int(5) });
        self.emit(isa::Sub { sat, ty, dst: Def(left), a: threads, b: before.into() });
        self.emit(isa::Min { ty, dst: Def(count), a: left.into(), b: Use::Int(32) });
        self.emit(isa::Sub { sat, ty, dst: Def(absent), a: Use::Int(32), b: count.into() });
        let mask = self.named(RegClass::B32, Prefix::Int, Some("existing"));
        self.note("mask: the lanes that exist; the last warp may be partial");
        self.emit(Shr { ty: ShrType::U32, dst: Def(mask), a: Use::Int(0xffff_ffff), count: absent.into() });
        mask
    }
}

/// What a body uses of its launch.
enum Used {
    Geometry(GeomReg),
    Param(AbiKind),
}
