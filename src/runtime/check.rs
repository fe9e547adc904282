//! What must hold before a launch, beyond what the validator says of kernel and class.
//!
//! On entry: a kernel, a launch, one view for each buffer parameter. On exit: the views lie in their buffers, are of
//! this device, overlap only where the kernel allows it, and are long enough for what is touched for certain; the grid
//! fits the hardware's registers.

use super::buffer::View;
use super::device::Device;
use super::error::{ArgumentProblem, GeometryProblem};
use super::length::touched;
use crate::entity::SecondaryMap;
use crate::ir::op::{GeomReg, Op};
use crate::ir::{Kernel, Launch, Mode, Param, ParamId, ParamKind};

const AXES: [char; 3] = ['x', 'y', 'z'];

/// The most CTAs along x, which is all of them where a grid is linearised.
const MAX_CTAS: u64 = i32::MAX as u64;

/// The grid against what 32-bit registers and the hardware's x axis hold.
pub(super) fn geometry(kernel: &Kernel, launch: &Launch) -> Result<(), GeometryProblem> {
    let Launch { mode, grid, cta, extent } = *launch;
    if mode == Mode::Elementwise && (grid[1..] != [1, 1] || cta[1..] != [1, 1]) {
        return Err(GeometryProblem::NotLinear { grid, cta });
    }
    let ctas: u128 = grid.iter().fold(1, |ctas: u128, &axis| ctas.saturating_mul(u128::from(axis)));
    let is_linearised = grid[1] > 65_535 || grid[2] > 65_535;
    if grid[0] > MAX_CTAS || (is_linearised && ctas > u128::from(MAX_CTAS)) {
        return Err(GeometryProblem::TooManyCtas { grid, ctas, limit: MAX_CTAS });
    }
    for axis in 0..3 {
        let threads = u128::from(grid[axis]) * u128::from(cta[axis]);
        if threads > 1 << 32 && counts_threads(kernel, launch, axis as u8) {
            return Err(GeometryProblem::TooManyThreads { axis: AXES[axis], threads });
        }
        if let Some(extent) = extent.map(|extent| extent[axis]).filter(|&extent| extent > u64::from(u32::MAX))
        {
            return Err(GeometryProblem::ExtentTooLong { axis: AXES[axis], extent });
        }
    }
    Ok(())
}

/// Whether global thread ids of an axis are formed: by the extent's guard, or by the kernel.
fn counts_threads(kernel: &Kernel, launch: &Launch, axis: u8) -> bool {
    launch.extent.is_some()
        || kernel.any(|op| match op {
            Op::Geometry(geometry) => match (geometry.reg, launch.mode) {
                (GeomReg::GlobalId(used), _) | (GeomReg::ProgramId(used), Mode::Grid3D) => used == axis,
                (GeomReg::ProgramId(0) | GeomReg::Tid, Mode::Elementwise) => true,
                _ => false,
            },
            _ => false,
        })
}

/// The views of all buffer parameters, in order, against their parameters and each other.
pub(super) fn buffers(
    device: &Device,
    kernel: &Kernel,
    views: &SecondaryMap<ParamId, Option<View<'_>>>,
) -> Result<(), ArgumentProblem> {
    let bound = kernel.params.iter().filter_map(|(id, param)| Some((param, views[id].as_ref()?)));
    let bound: Vec<_> = bound.collect();
    for (param, view) in &bound {
        one(device, param, view)?;
    }
    overlaps(&bound)
}

/// The views against what the launch touches for certain; asked once the kernel is known to be valid for it.
pub(super) fn lengths(
    kernel: &Kernel,
    launch: &Launch,
    views: &SecondaryMap<ParamId, Option<View<'_>>>,
) -> Result<(), ArgumentProblem> {
    let touched = touched(kernel, launch);
    for (id, param) in kernel.params.iter() {
        let Some(view) = &views[id] else { continue };
        if let Some(last) = touched[id].filter(|&last| last >= view.len) {
            return Err(ArgumentProblem::TooShort { param: param.name.clone(), len: view.len, last });
        }
    }
    Ok(())
}

fn one(device: &Device, param: &Param, view: &View<'_>) -> Result<(), ArgumentProblem> {
    let name = || param.name.clone();
    if !view.buffer.device().is(device) {
        let (given, expected) = (view.buffer.device().name(), device.name());
        return Err(ArgumentProblem::Foreign { param: name(), given, expected });
    }
    if view.buffer.dtype() != param.dtype {
        let (expected, given) = (param.dtype, view.buffer.dtype());
        return Err(ArgumentProblem::DType { param: name(), expected, given });
    }
    let end = u128::from(view.first) + u128::from(view.len);
    if end > u128::from(view.buffer.len()) {
        return Err(ArgumentProblem::View { param: name(), end, len: view.buffer.len() });
    }
    let expected = param.rank();
    let Some((shape, strides)) = &view.axes else {
        // A flat buffer is a view of one axis.
        return if expected <= 1 {
            Ok(())
        } else {
            Err(ArgumentProblem::Rank { param: name(), expected, given: 1 })
        };
    };
    if expected == 0 && !shape.is_empty() {
        return Err(ArgumentProblem::NotStrided { param: name(), given: shape.len() });
    }
    if shape.len() != usize::from(expected) || strides.len() != shape.len() {
        let given = if shape.len() == usize::from(expected) { strides.len() } else { shape.len() };
        return Err(ArgumentProblem::Rank { param: name(), expected, given });
    }
    if shape.contains(&0) {
        return Ok(());
    }
    let reach = shape.iter().zip(strides).map(|(&axis, &stride)| u128::from(axis - 1) * u128::from(stride));
    // Two axes alone can reach beyond 128 bits.
    let last = reach.fold(0u128, u128::saturating_add);
    if last >= u128::from(view.len) {
        return Err(ArgumentProblem::View { param: name(), end: last.saturating_add(1), len: view.len });
    }
    Ok(())
}

fn overlaps(bound: &[(&Param, &View<'_>)]) -> Result<(), ArgumentProblem> {
    let may_alias = |param: &Param| matches!(param.kind, ParamKind::Buffer { alias: true, .. });
    for (index, (written, view)) in bound.iter().enumerate() {
        if !written.is_written() {
            continue;
        }
        for (other, (param, seen)) in bound.iter().enumerate() {
            let (a, b) = (view.range(), seen.range());
            let both = a.start.max(b.start) < a.end.min(b.end);
            if other != index && both && !may_alias(written) && !may_alias(param) {
                let (written, other) = (written.name.clone(), param.name.clone());
                return Err(ArgumentProblem::Overlap { written, other });
            }
        }
    }
    Ok(())
}
