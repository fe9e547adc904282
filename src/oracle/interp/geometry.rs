//! Where a thread stands in its launch, and the values that are the same for a whole launch.

use super::Interp;
use crate::ir::op::{GeomReg, Op};
use crate::ir::{Launch, Mode};
use crate::oracle::arguments::Bound;

/// The index in the CTA of a thread, x fastest.
pub(super) fn thread_of(lane: usize, cta: [u32; 3]) -> [u32; 3] {
    let lane = lane as u32;
    [lane % cta[0], lane / cta[0] % cta[1], lane / cta[0] / cta[1]]
}

/// A geometry register of one thread.
fn register(reg: GeomReg, launch: &Launch, cta: [u64; 3], lane: usize, active_warps: u32) -> u32 {
    let thread = thread_of(lane, launch.cta);
    let global = |axis: usize| global_id(launch, cta, thread, axis) as u32;
    match reg {
        GeomReg::ProgramId(axis) => match launch.mode {
            Mode::Elementwise if axis == 0 => global(0),
            Mode::Elementwise => 0,
            Mode::Grid3D => global(axis.into()),
            Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D => cta[usize::from(axis)] as u32,
        },
        GeomReg::Tid => match launch.mode {
            Mode::Elementwise => global(0),
            // check_launch() refused it for Grid3D.
            Mode::Grid3D | Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D => thread[0],
        },
        GeomReg::ThreadId(axis) => thread[usize::from(axis)],
        GeomReg::CtaId(axis) => cta[usize::from(axis)] as u32,
        GeomReg::CtaDim(axis) => launch.cta[usize::from(axis)],
        GeomReg::GridDim(axis) => launch.grid[usize::from(axis)] as u32,
        GeomReg::GlobalId(axis) => global(axis.into()),
        GeomReg::LaneId => lane as u32 % 32,
        GeomReg::WarpId => lane as u32 / 32,
        GeomReg::WarpsPerCta => launch.cta_threads().div_ceil(32) as u32,
        GeomReg::ActiveWarps => active_warps,
    }
}

fn global_id(launch: &Launch, cta: [u64; 3], thread: [u32; 3], axis: usize) -> u64 {
    cta[axis] * u64::from(launch.cta[axis]) + u64::from(thread[axis])
}

impl Interp<'_> {
    /// Constants, scalars, shapes and strides, in every thread.
    pub(super) fn fill_launch_wide(&mut self) {
        for &id in &self.plan.launch_wide {
            let inst = &self.kernel.insts[id];
            let bits = match &inst.op {
                Op::Const(op) => op.value.bits,
                Op::Scalar(op) => match self.args.bound(op.param) {
                    Bound::Scalar(value) => value.bits,
                    Bound::Buffer { .. } => {
                        unreachable!("check() saw a scalar bound to each scalar parameter")
                    }
                },
                Op::Shape(op) => match self.args.bound(op.param) {
                    Bound::Buffer { shape, .. } => shape[usize::from(op.axis.0)],
                    Bound::Scalar(_) => unreachable!("check() saw a view bound to each strided parameter"),
                },
                Op::Stride(op) => match self.args.bound(op.param) {
                    Bound::Buffer { strides, .. } => strides[usize::from(op.axis.0)],
                    Bound::Scalar(_) => unreachable!("check() saw a view bound to each strided parameter"),
                },
                op => unreachable!("the plan lists no other operation here: {op:?}"),
            };
            self.regs.lanes_mut(inst.results[0]).fill(bits);
        }
    }

    /// Geometry registers and the mask of threads inside the extent, for the current CTA.
    pub(super) fn fill_geometry(&mut self) {
        self.fill_live();
        let (launch, cta) = (self.launch, self.cta);
        let active_warps = self.live.range().end.div_ceil(32) as u32;
        for &(value, reg) in &self.plan.geometry {
            for (lane, word) in self.regs.words_mut::<u32>(value).iter_mut().enumerate() {
                *word = register(reg, launch, cta, lane, active_warps);
            }
        }
    }

    fn fill_live(&mut self) {
        let (launch, cta) = (self.launch, self.cta);
        let Some(extent) = launch.extent else { return };
        self.live.set_each(|lane| {
            let thread = thread_of(lane, launch.cta);
            match launch.mode {
                Mode::Elementwise => {
                    let elements = extent.iter().fold(1u64, |product, &axis| product.saturating_mul(axis));
                    global_id(launch, cta, thread, 0) < elements
                }
                Mode::Grid3D | Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D => {
                    (0..3).all(|axis| global_id(launch, cta, thread, axis) < extent[axis])
                }
            }
        });
    }
}
