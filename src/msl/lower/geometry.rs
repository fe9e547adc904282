//! The place of a thread, the exact extent, and what the launch passes by value.

use super::Lowering;
use super::signature::Beside;
use crate::backend::EmitError;
use crate::entity::EntityId;
use crate::ir::op::{Const, GeomReg, Geometry, Keyword, Scalar as ScalarParam, Shape, Stride};
use crate::ir::{ExtentKind, GridForm, Inst, Mode};
use crate::msl::ast::{Axis3, BinaryOp, Expr, Position, Scalar, Stmt};

/// Lanes of a warp, which is a SIMD-group in every family here.
const WARP: u64 = 32;

fn uint(value: u64) -> Expr {
    Expr::Literal(Scalar::Uint, value)
}

impl Lowering<'_> {
    /// Whether the class is one that the kernel admits.
    pub(super) fn check_class(&mut self) {
        let class = self.class;
        if let Some(mode) = self.kernel.mode
            && mode != class.mode
        {
            let (own, asked) = (mode.keyword(), class.mode.keyword());
            self.error(EmitError::Class { why: format!("its mode is {own}, not {asked}") });
        }
        if let (Some(own), Some(asked)) = (self.kernel.cta, class.cta)
            && own != asked
        {
            self.error(EmitError::Class { why: format!("its CTA is {own:?}, not {asked:?}") });
        }
        if let (Mode::Elementwise, Some([_, y, z])) = (class.mode, class.cta)
            && (y, z) != (1, 1)
        {
            self.error(EmitError::Class {
                why: format!("an elementwise CTA has one axis, not {y} by {z} more"),
            });
        }
        let limit = self.family.limits().threads_per_cta;
        let threads = class
            .cta
            .map_or(0, |cta| cta.iter().fold(1u64, |product, &axis| product.saturating_mul(u64::from(axis))));
        if threads > u64::from(limit) {
            self.error(EmitError::Class { why: format!("{threads} threads in a CTA; the limit is {limit}") });
        }
    }

    /// Threads beyond the extent leave at once: without barriers and warp operations nobody waits for them, and their
    /// loads and stores would have no effect. In 64 bits, since the grid's overhang can pass 2³².
    pub(super) fn guard_extent(&mut self) {
        let axes = match self.class.extent {
            ExtentKind::Whole => return,
            ExtentKind::Linear => &Axis3::ALL[..1],
            ExtentKind::Axes => &Axis3::ALL[..],
        };
        let mut beyond: Option<Expr> = None;
        for (number, &axis) in (0u8..).zip(axes) {
            let id = self.global_id(axis, Scalar::Ulong);
            let extent = self.signature.beside(Beside::Extent(number)).cast(Scalar::Uint, Scalar::Ulong);
            let test = Expr::binary(BinaryOp::Ge, id, extent);
            beyond = Some(match beyond {
                None => test,
                Some(others) => Expr::binary(BinaryOp::LogicalOr, others, test),
            });
        }
        if let Some(cond) = beyond {
            self.block.push(Stmt::If { cond, then: vec![Stmt::Return], els: Vec::new() });
        }
    }

    pub(super) fn constant(&mut self, op: &Const, inst: &Inst) {
        if let Some(scalar) = Scalar::of(op.value.dtype) {
            self.result(inst, Expr::Literal(scalar, op.value.bits));
        }
    }

    pub(super) fn scalar_param(&mut self, op: &ScalarParam, inst: &Inst) {
        let name = self.signature.param(op.param);
        self.result(inst, Expr::Name(name));
    }

    pub(super) fn shape(&mut self, op: &Shape, inst: &Inst) {
        let expr = self.signature.beside(Beside::Shape(op.param.index(), op.axis.0));
        self.result(inst, expr);
    }

    pub(super) fn stride(&mut self, op: &Stride, inst: &Inst) {
        let expr = self.signature.beside(Beside::Stride(op.param.index(), op.axis.0));
        self.result(inst, expr);
    }

    pub(super) fn geometry(&mut self, op: &Geometry, inst: &Inst) {
        let Some(reg) = self.long_word(op.reg) else { return self.result(inst, uint(0)) };
        let expr = match reg {
            GeomReg::ThreadId(axis) => self.component(Position::ThreadInThreadgroup, Axis3::of(axis)),
            GeomReg::CtaId(axis) => self.cta_id(Axis3::of(axis)),
            GeomReg::CtaDim(axis) => self.cta_dim(Axis3::of(axis)),
            GeomReg::GridDim(axis) => self.grid_dim(Axis3::of(axis)),
            GeomReg::GlobalId(axis) => self.global_id(Axis3::of(axis), Scalar::Uint),
            GeomReg::LaneId => {
                let index = Expr::Name(self.signature.position(Position::ThreadIndexInThreadgroup));
                Expr::binary(BinaryOp::Rem, index, uint(WARP))
            }
            GeomReg::WarpId => {
                let index = Expr::Name(self.signature.position(Position::ThreadIndexInThreadgroup));
                Expr::binary(BinaryOp::Div, index, uint(WARP))
            }
            GeomReg::WarpsPerCta => self.warps_per_cta(),
            GeomReg::ActiveWarps => {
                let why = "MSL has no form of the warps within an extent yet";
                self.error(EmitError::Class { why: why.into() });
                uint(0)
            }
            // long_word() never gives these two back.
            GeomReg::ProgramId(_) | GeomReg::Tid => uint(0),
        };
        self.result(inst, expr);
    }

    /// What a register means in the class's mode, said with the words that mean the same in every mode; `None` for 0.
    fn long_word(&mut self, reg: GeomReg) -> Option<GeomReg> {
        match (reg, self.class.mode) {
            (GeomReg::ProgramId(0) | GeomReg::Tid, Mode::Elementwise) => Some(GeomReg::GlobalId(0)),
            (GeomReg::ProgramId(_), Mode::Elementwise) => None,
            (GeomReg::ProgramId(axis), Mode::Grid3D) => Some(GeomReg::GlobalId(axis)),
            (GeomReg::ProgramId(axis), Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D) => {
                Some(GeomReg::CtaId(axis))
            }
            (GeomReg::Tid, Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D) => Some(GeomReg::ThreadId(0)),
            (GeomReg::Tid, Mode::Grid3D) => {
                self.error(EmitError::Class { why: "`tid` has no meaning in mode grid3d".into() });
                None
            }
            (
                GeomReg::ThreadId(_)
                | GeomReg::CtaId(_)
                | GeomReg::CtaDim(_)
                | GeomReg::GridDim(_)
                | GeomReg::GlobalId(_)
                | GeomReg::LaneId
                | GeomReg::WarpId
                | GeomReg::WarpsPerCta
                | GeomReg::ActiveWarps,
                Mode::Elementwise | Mode::Grid3D | Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D,
            ) => Some(reg),
        }
    }

    fn component(&mut self, position: Position, axis: Axis3) -> Expr {
        Expr::Component(self.signature.position(position), axis)
    }

    fn cta_dim(&mut self, axis: Axis3) -> Expr {
        match (self.class.cta, axis) {
            (None, _) => self.component(Position::ThreadsPerThreadgroup, axis),
            (Some([x, ..]), Axis3::X) => uint(u64::from(x)),
            (Some([_, y, _]), Axis3::Y) => uint(u64::from(y)),
            (Some([.., z]), Axis3::Z) => uint(u64::from(z)),
        }
    }

    fn grid_dim(&mut self, axis: Axis3) -> Expr {
        match (self.class.grid, axis) {
            (GridForm::Native, _) => self.component(Position::ThreadgroupsPerGrid, axis),
            (GridForm::Linear, Axis3::X) => self.signature.beside(Beside::GridDim(0)),
            (GridForm::Linear, Axis3::Y) => self.signature.beside(Beside::GridDim(1)),
            (GridForm::Linear, Axis3::Z) => self.signature.beside(Beside::GridDim(2)),
        }
    }

    /// The CTA's index, unpacked where the launch put all of them along x.
    fn cta_id(&mut self, axis: Axis3) -> Expr {
        match self.class.grid {
            GridForm::Native => self.component(Position::ThreadgroupInGrid, axis),
            GridForm::Linear => {
                let linear = self.component(Position::ThreadgroupInGrid, Axis3::X);
                let (x, y) = (self.grid_dim(Axis3::X), self.grid_dim(Axis3::Y));
                match axis {
                    Axis3::X => Expr::binary(BinaryOp::Rem, linear, x),
                    Axis3::Y => Expr::binary(BinaryOp::Rem, Expr::binary(BinaryOp::Div, linear, x), y),
                    Axis3::Z => Expr::binary(BinaryOp::Div, Expr::binary(BinaryOp::Div, linear, x), y),
                }
            }
        }
    }

    fn global_id(&mut self, axis: Axis3, scalar: Scalar) -> Expr {
        let cta = self.cta_id(axis).cast(Scalar::Uint, scalar);
        let dim = self.cta_dim(axis).cast(Scalar::Uint, scalar);
        let thread = self.component(Position::ThreadInThreadgroup, axis).cast(Scalar::Uint, scalar);
        Expr::binary(BinaryOp::Add, Expr::binary(BinaryOp::Mul, cta, dim), thread)
    }

    fn warps_per_cta(&mut self) -> Expr {
        let [x, y, z] = Axis3::ALL.map(|axis| self.cta_dim(axis));
        let threads = Expr::binary(BinaryOp::Mul, Expr::binary(BinaryOp::Mul, x, y), z);
        let raised = Expr::binary(BinaryOp::Add, threads, uint(WARP - 1));
        Expr::binary(BinaryOp::Div, raised, uint(WARP))
    }
}
