//! What depends on the launch class and the target.

use super::divergence;
use super::{Errors, ValidateError};
use crate::diag::Spanned;
use crate::ir::kernel::{Kernel, ParamKind};
use crate::ir::launch::{ExtentKind, GridForm, LaunchClass, Mode};
use crate::ir::op::{GeomReg, Op};
use crate::ir::types::DType;
use crate::target::{PtxVersion, TargetProfile};

pub(super) fn check(kernel: &Kernel, class: &LaunchClass, target: TargetProfile, errors: &mut Errors) {
    launch(kernel, class, target, errors);
    resources(kernel, class, target, errors);
    words(kernel, class, errors);
    types(kernel, target, errors);
    // An empty CTA has no thread to ask, and one too large more than the analysis should walk.
    let class = LaunchClass { cta: class.cta.or(kernel.cta), ..*class };
    let threads = class.cta.map(|cta| cta.iter().fold(1u32, |product, &axis| product.saturating_mul(axis)));
    if threads.is_none_or(|threads| (1..=1024).contains(&threads)) {
        divergence::check_class(kernel, &class, errors);
    }
}

/// Bytes of parameters that an entry point for `class` has, each at its own alignment.
pub fn param_bytes(kernel: &Kernel, class: &LaunchClass) -> u64 {
    let mut bytes = 0u64;
    let mut add = |count: u64, size: u64| {
        // Nothing needs no alignment: 32,764 is no multiple of 8.
        if count > 0 {
            bytes = bytes.next_multiple_of(size) + count * size;
        }
    };
    for param in kernel.params.values() {
        match param.kind {
            // The shape and the strides of a view follow its address.
            ParamKind::Buffer { rank, .. } => add(1 + 2 * u64::from(rank), 8),
            ParamKind::Scalar => add(1, u64::from(param.dtype.size())),
        }
    }
    add(class.extent.axes() as u64, 4);
    match class.grid {
        GridForm::Native => {}
        GridForm::Linear => add(3, 4),
    }
    bytes
}

fn launch(kernel: &Kernel, class: &LaunchClass, target: TargetProfile, errors: &mut Errors) {
    let mut error = |error| errors.push(Spanned::new(kernel.span, error));
    if let Some(declared) = kernel.mode.filter(|&mode| mode != class.mode) {
        error(ValidateError::ModeConflict { declared, class: class.mode });
    }
    let Some(cta) = class.cta.or(kernel.cta) else { return };
    if let Some(declared) = kernel.cta.filter(|&declared| declared != cta) {
        error(ValidateError::CtaConflict { declared, class: cta });
    }
    if class.mode == Mode::Elementwise && (cta[1] > 1 || cta[2] > 1) {
        error(ValidateError::ElementwiseCta { cta });
    }
    let limits = target.limits();
    let threads: u64 = cta.iter().map(|&axis| u64::from(axis)).fold(1, u64::saturating_mul);
    if threads == 0 {
        error(ValidateError::CtaEmpty { cta });
    }
    for (axis, (&threads, &most)) in cta.iter().zip(&limits.cta_dims).enumerate() {
        if threads > most {
            error(ValidateError::CtaTooLong { axis, threads, most, target });
        }
    }
    // One cause, one message: a CTA that is too long is not also called too large.
    let fits_each_axis = cta.iter().zip(&limits.cta_dims).all(|(threads, most)| threads <= most);
    if fits_each_axis && threads > u64::from(limits.threads_per_cta) {
        error(ValidateError::CtaTooLarge { cta, threads, most: limits.threads_per_cta, target });
    }
}

fn resources(kernel: &Kernel, class: &LaunchClass, target: TargetProfile, errors: &mut Errors) {
    let mut error = |error| errors.push(Spanned::new(kernel.span, error));
    // What is over the static limit becomes dynamic, so the limit is the one that a kernel can opt in to.
    let (bytes, most) = (kernel.shared_bytes(), target.limits().shared_max_bytes);
    if bytes > u64::from(most) {
        error(ValidateError::SharedTooLarge { kernel: kernel.path(), bytes, most, target });
    }
    // Metal has no such limit short of its argument tables, which `msl` knows. A module declares the lowest version
    // it needs, so the target's floor is what there is.
    let version = target.as_ptx().map_or(PtxVersion::CEILING, |target| target.ptx_floor());
    let (bytes, most) = (param_bytes(kernel, class), version.param_bytes());
    if bytes > u64::from(most) {
        error(ValidateError::ParamsTooLarge { bytes, most, target });
    }
}

/// Words that the mode lacks.
fn words(kernel: &Kernel, class: &LaunchClass, errors: &mut Errors) {
    kernel.walk(kernel.body, &mut |_, inst| {
        if let Op::Geometry(geometry) = &inst.op
            && geometry.reg == GeomReg::Tid
            && class.mode == Mode::Grid3D
        {
            errors.push(Spanned::new(inst.span, ValidateError::NoTid { mode: class.mode }));
        }
        if let (Op::Geometry(geometry), ExtentKind::Axes) = (&inst.op, class.extent)
            && geometry.reg == GeomReg::ActiveWarps
            && !class.cta.or(kernel.cta).is_some_and(|[_, y, z]| y == 1 && z == 1)
        {
            errors.push(Spanned::new(inst.span, ValidateError::CtaOpExtent));
        }
    });
}

fn types(kernel: &Kernel, target: TargetProfile, errors: &mut Errors) {
    // Every PTX target has every type, by conversion where there is no instruction.
    let TargetProfile::Metal(family) = target else { return };
    let lacks = |dtype: DType| match dtype {
        DType::F64 => !family.has_f64(),
        DType::BF16 => !family.has_bfloat(),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::F16
        | DType::F32
        | DType::Storage(_) => false,
    };
    let mut error = |span, dtype| errors.push(Spanned::new(span, ValidateError::NoType { dtype, target }));
    kernel
        .params
        .values()
        .filter(|param| lacks(param.dtype))
        .for_each(|param| error(param.span, param.dtype));
    kernel
        .arrays
        .values()
        .filter(|array| lacks(array.dtype))
        .for_each(|array| error(array.span, array.dtype));
    kernel.walk(kernel.body, &mut |_, inst| {
        let missing = inst.results.iter().map(|&result| kernel.dtype(result)).find(|&dtype| lacks(dtype));
        missing.into_iter().for_each(|dtype| error(inst.span, dtype));
    });
}
