//! How long a buffer must be for certain.
//!
//! On entry: a valid kernel and its launch. On exit: for each parameter the last element that the kernel touches
//! whatever its inputs are. Only accesses that every thread makes count: those outside all branches and loops, without
//! a guard, at a constant or at a geometry register whose largest value the launch tells. Everything else is found
//! while running, by the emulator's sanitizer.

use crate::entity::SecondaryMap;
use crate::ir::op::{GeomReg, Guard, Load, MemBase, Op, Place};
use crate::ir::{Kernel, Launch, Mode, ParamId, ValueId};

/// For each parameter the last element that is touched for certain.
pub(super) fn touched(kernel: &Kernel, launch: &Launch) -> SecondaryMap<ParamId, Option<u64>> {
    let mut last = SecondaryMap::with_len(None, kernel.params.len());
    let mut highest: SecondaryMap<ValueId, Option<u64>> = SecondaryMap::with_len(None, kernel.values.len());
    for &id in &kernel.regions[kernel.body].insts {
        let inst = &kernel.insts[id];
        let value = match &inst.op {
            Op::Const(constant) => constant.value.as_int().and_then(|int| u64::try_from(int).ok()),
            Op::Geometry(geometry) => count(geometry.reg, launch).and_then(|count| count.checked_sub(1)),
            // Other conversions may wrap; these keep every u32.
            Op::Convert(convert) if convert.to.is_int() && convert.to.bits() == 64 => highest[convert.a],
            _ => None,
        };
        if let (Some(value), &[result]) = (value, &inst.results[..]) {
            highest[result] = Some(value);
        }
        if matches!(&inst.op, Op::Load(Load { guard: Guard(Some(_)), .. }) | Op::CpAsync(_)) {
            // It may read less.
            continue;
        }
        for (place, width) in inst.op.accesses() {
            if let Place { base: MemBase::Param(param), index } = place
                && let Some(first) = highest[index]
            {
                last[param] = last[param].max(Some(first.saturating_add(u64::from(width) - 1)));
            }
        }
    }
    last
}

/// How many values from 0 on a register takes, where some thread within the extent has the largest.
fn count(reg: GeomReg, launch: &Launch) -> Option<u64> {
    let threads = |axis: u8| {
        let axis = usize::from(axis);
        let whole = launch.grid[axis].checked_mul(u64::from(launch.cta[axis]))?;
        Some(launch.extent.map_or(whole, |extent| extent[axis].min(whole)))
    };
    let linear = || match launch.extent {
        Some(extent) => extent.iter().try_fold(1u64, |product, &axis| product.checked_mul(axis)),
        None => launch.cta_count().checked_mul(launch.cta_threads()),
    };
    match (reg, launch.mode) {
        (GeomReg::ProgramId(0) | GeomReg::Tid, Mode::Elementwise) => linear(),
        (GeomReg::ProgramId(_), Mode::Elementwise) => Some(1),
        (GeomReg::ProgramId(axis) | GeomReg::GlobalId(axis), Mode::Grid3D) => threads(axis),
        (
            GeomReg::ProgramId(axis) | GeomReg::CtaId(axis),
            Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D,
        ) => Some(launch.grid[usize::from(axis)]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    fn last(text: &str, launch: &Launch) -> Vec<Option<u64>> {
        let kernel = parse::parse(text).expect("the text is a kernel");
        let touched = touched(&kernel, launch);
        kernel.params.ids().map(|id| touched[id]).collect()
    }

    #[test]
    fn what_every_thread_touches_is_known() {
        let text = "kernel @k(x: global u32, y: global u32, mut out: global u32) {
            v0 = program_id.x
            v1 = const 7u32
            v2 = load x[v1]
            v3 = cvt.u64 v0
            v4 = load y[v3]
            v5 = add v2, v4
            store out[v0], v5
        }";
        assert_eq!(last(text, &Launch::linear(100, 32)), [Some(7), Some(99), Some(99)]);
        let rows = Launch::ctas(Mode::Reduction, [5, 1, 1], [32, 1, 1]);
        assert_eq!(last(text, &rows), [Some(7), Some(4), Some(4)]);
    }

    #[test]
    fn what_a_branch_or_arithmetic_decides_is_not() {
        let text = "kernel @k(x: global u32, mut out: global u32) {
            v0 = program_id.x
            v1 = const 1u32
            v2 = add v0, v1
            v3 = load x[v2]
            v4 = lt v0, v3
            if v4 {
                store out[v0], v3
            } else {
            }
        }";
        assert_eq!(last(text, &Launch::linear(100, 32)), [None, None]);
    }
}
