//! Lowering: IR to PTX instructions.
//!
//! On entry a kernel has passed `ir::validate` and the passes, its mode bound. On exit there is a checked module of
//! typed instructions with one register per web, or an error that says what PTX or the target lacks. Instructions are
//! chosen here and nowhere else; what they look like is `ptx::isa`'s. Each op family has a file.
//!
//! Deliberately not here: anything the assembler does well (common subexpressions, scheduling, physical registers).

mod arith;
mod arrays;
mod atomic;
mod control;
mod cvt;
mod cvt_narrow;
mod float;
mod inline;
mod mask;
mod matrix;
mod memory;
mod notes;
mod prologue;
mod rank;
mod state;
mod warp;

use super::isa::mma::form_needs;
use super::module::{LaunchBounds, Module, SourceFile};
use super::regalloc;
use crate::backend::{AbiParam, CodegenBackend, EmitError, Emitted};
use crate::diag::Spanned;
use crate::entity::EntityId;
use crate::ir::expand::expand;
use crate::ir::op::{GeomReg, Mma, Numerics, Op};
use crate::ir::{Kernel, LaunchClass};
use crate::target::{Feature, Target, TargetProfile};
use state::Lowering;

pub use notes::Comments;

/// The PTX backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ptx;

/// A kernel lowered to a module, before it is text.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The module with its one entry.
    pub module: Module,
    /// What the launcher passes, in order.
    pub params: Vec<AbiParam>,
    /// Bytes of dynamic shared memory that a launch must ask for.
    pub dynamic_shared: u32,
    /// Paths that were chosen, with the reason.
    pub selection: Vec<String>,
    /// The kernel with storage conversions and products in IEEE order written out, where it has some: comments name its
    /// values, which are numbered anew.
    pub expanded: Option<Kernel>,
}

/// Lowers a validated kernel whose mode is bound.
///
/// # Errors
/// The kernel's mode is not bound, or an inline text is not one that PTX and the target have.
pub fn lower(
    kernel: &Kernel,
    class: &LaunchClass,
    target: Target,
) -> Result<Lowered, Vec<Spanned<EmitError>>> {
    lower_with(kernel, class, target, Comments::default())
}

/// [`lower`], saying so much about the instructions.
///
/// # Errors
/// As [`lower`].
pub fn lower_with(
    kernel: &Kernel,
    class: &LaunchClass,
    target: Target,
    comments: Comments,
) -> Result<Lowered, Vec<Spanned<EmitError>>> {
    let unbound = |op: &Op| matches!(op, Op::Geometry(geometry) if matches!(geometry.reg, GeomReg::ProgramId(_) | GeomReg::Tid));
    if kernel.any(unbound) {
        let why = "`program_id` and `tid` mean nothing until the mode is bound".into();
        return Err(vec![Spanned::new(kernel.span, EmitError::Class { why })]);
    }
    let needs = std::cell::Cell::new(Feature::empty());
    let expanded = expand(kernel, &|step| {
        let feature = cvt_narrow::feature(step).filter(|&feature| target.can(feature));
        needs.set(needs.get() | feature.unwrap_or_default());
        feature.is_some()
    });
    let mut span = kernel.span;
    kernel.walk(kernel.body, &mut |_, inst| {
        if let Op::Mma(Mma { numerics: Numerics::TensorCore, form, .. }) = &inst.op {
            needs.set(needs.get() | form_needs(form).feature);
            span = inst.span.or(span);
        }
    });
    // A name without a suffix takes the one that its instructions ask for.
    let target = target.resolve(needs.get()).map_err(|lacks| vec![Spanned::new(span, lacks.into())])?;
    let kernel = expanded.as_ref().unwrap_or(kernel);
    let mut lowering = Lowering::new(kernel, class, target, comments);
    let params = lowering.declare_params();
    lowering.entry.bounds = match class.cta {
        Some(cta) => LaunchBounds { required_threads: Some(cta), ..LaunchBounds::default() },
        None => LaunchBounds { max_threads: Some([1024, 1, 1]), ..LaunchBounds::default() },
    };
    let exit = lowering.prologue();
    lowering.region(kernel.body);
    if let Some(exit) = exit {
        lowering.entry.place(exit);
    }
    lowering.emit(super::isa::Ret { uni: super::isa::modifier::Uni(false) });
    if !lowering.errors.is_empty() {
        return Err(lowering.errors);
    }
    let Lowering { mut entry, globals, hints, selection, .. } = lowering;
    regalloc::allocate(&mut entry, &hints);
    if comments == Comments::Operations {
        notes::tell_once(&mut entry);
    }
    entry.renumber_labels();
    let mut module = Module::new(target.into());
    module.comments = vec![
        format!("{} for {target}, {class}", kernel.path()),
        format!("warpsmith {}", env!("CARGO_PKG_VERSION")),
    ];
    module.files =
        kernel.sources.iter().map(|(id, path)| SourceFile::new(id.index() as u32 + 1, path)).collect();
    module.globals = globals;
    module.entries.push(entry);
    module.version = module.needed_version();
    debug_assert_eq!(module.check(), Ok(()), "lowering makes modules that pass their check");
    let dynamic_shared = arrays::dynamic_shared(kernel, target.limits().shared_static_bytes);
    Ok(Lowered { module, params, dynamic_shared, selection, expanded })
}

impl CodegenBackend for Ptx {
    fn name(&self) -> &'static str {
        "ptx"
    }

    fn emit(
        &self,
        kernel: &Kernel,
        class: &LaunchClass,
        target: TargetProfile,
    ) -> Result<Emitted, Vec<Spanned<EmitError>>> {
        let Some(target) = target.as_ptx() else {
            let error = EmitError::WrongTarget { backend: "PTX", target: target.to_string() };
            return Err(vec![Spanned::new(kernel.span, error)]);
        };
        let lowered = lower(kernel, class, target)?;
        let version = lowered.module.version;
        Ok(Emitted {
            text: lowered.module.print(),
            entry: kernel.entry(),
            target: lowered.module.target.to_string(),
            ptx_version: Some(version),
            params: lowered.params,
            static_shared: if lowered.dynamic_shared == 0 { kernel.shared_bytes() as u32 } else { 0 },
            dynamic_shared: lowered.dynamic_shared,
            selection: lowered.selection,
        })
    }
}
