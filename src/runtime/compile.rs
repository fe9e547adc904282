//! From a kernel to text: validate, run the passes, emit.
//!
//! On entry: any kernel, the class of its launches, a target. On exit: text with what a launcher must know, or every
//! error of the first stage that found any, each with its place. The target chooses the backend.

use std::error::Error;
use std::fmt;

use crate::backend::{CodegenBackend, EmitError, Emitted};
use crate::diag::{Code, Help, Report, Sources, Spanned};
use crate::ir::validate::{ValidateError, validate, validate_for};
use crate::ir::{Kernel, LaunchClass};
use crate::msl::Msl;
use crate::passes::{self, PassError};
use crate::ptx::lower::Ptx;
use crate::target::TargetProfile;

/// The text of a kernel for launches of `class` on `target`.
///
/// # Errors
/// The kernel is not valid, not for that class, or asks for what the backend or the target lacks.
pub fn compile(
    kernel: &Kernel,
    class: &LaunchClass,
    target: TargetProfile,
) -> Result<Emitted, Box<CompileError>> {
    check(kernel, class, target)?;
    let lowered = passes::run(kernel, &passes::Config::new(*class))
        .map_err(|errors| CompileError::boxed(kernel, target, CompileErrors::Pass(errors)))?;
    emit(&lowered, class, target)
}

/// Whether a kernel is valid, for that class and target too.
///
/// # Errors
/// Every rule that it breaks.
pub fn check(kernel: &Kernel, class: &LaunchClass, target: TargetProfile) -> Result<(), Box<CompileError>> {
    let checked = validate(kernel).and_then(|()| validate_for(kernel, class, target));
    checked.map_err(|errors| CompileError::boxed(kernel, target, CompileErrors::Invalid(errors)))
}

/// The text of a kernel that was checked and went through the passes.
///
/// # Errors
/// It asks for what the backend or the target lacks.
pub fn emit(
    kernel: &Kernel,
    class: &LaunchClass,
    target: TargetProfile,
) -> Result<Emitted, Box<CompileError>> {
    let backend: &dyn CodegenBackend = match target {
        TargetProfile::Ptx(_) => &Ptx,
        TargetProfile::Metal(_) => &Msl,
    };
    let emitted = backend.emit(kernel, class, target);
    emitted.map_err(|errors| CompileError::boxed(kernel, target, CompileErrors::Emit(errors)))
}

/// What one stage found.
#[derive(Clone, Debug)]
pub enum CompileErrors {
    /// The kernel is not valid, or not for these launches.
    Invalid(Vec<Spanned<ValidateError>>),
    /// A pass can't bind the launch class.
    Pass(Vec<Spanned<PassError>>),
    /// Backend or target lack something.
    Emit(Vec<Spanned<EmitError>>),
}

/// Why a kernel has no text. Displays as a report under the kernel's source lines.
#[derive(Clone)]
pub struct CompileError {
    /// The kernel's path.
    pub kernel: String,
    /// What it was compiled for.
    pub target: TargetProfile,
    /// Files that the places refer to.
    pub sources: Sources,
    /// What was found.
    pub errors: CompileErrors,
}

impl CompileError {
    fn boxed(kernel: &Kernel, target: TargetProfile, errors: CompileErrors) -> Box<Self> {
        Box::new(Self { kernel: kernel.path(), target, sources: kernel.sources.clone(), errors })
    }

    /// The errors as messages; where the target lacks something, it is named.
    pub fn report(&self) -> Report {
        let found = match &self.errors {
            CompileErrors::Invalid(errors) => Report::of(errors),
            CompileErrors::Pass(errors) => Report::of(errors),
            CompileErrors::Emit(errors) => Report::of(errors),
        };
        if !self.is_unsupported() {
            return found;
        }
        let target = self.target.to_string();
        let mut report = Report::new();
        for message in found.messages() {
            let mut message = message.clone();
            // A backend speaks of what it lacks on every target; which one was asked for is known here.
            if !message.text.contains(&target) {
                message.text.push_str("; target is ");
                message.text.push_str(&target);
            }
            report.push(message);
        }
        report
    }

    /// The code of the first error.
    pub fn code(&self) -> Code {
        let first = match &self.errors {
            CompileErrors::Invalid(errors) => errors.first().map(Help::code),
            CompileErrors::Pass(errors) => errors.first().map(Help::code),
            CompileErrors::Emit(errors) => errors.first().map(Help::code),
        };
        // A stage that refuses a kernel says why; without a word it is the kernel's own form that is wrong.
        first.unwrap_or(Code::IrStructure)
    }

    /// Whether the kernel is sound and only this backend or target can't have it.
    pub fn is_unsupported(&self) -> bool {
        match &self.errors {
            CompileErrors::Invalid(errors) => errors.iter().all(|found| lacks(&found.error)),
            CompileErrors::Pass(_) => false,
            CompileErrors::Emit(errors) => errors.iter().all(|found| match &found.error {
                EmitError::NoForm { .. } | EmitError::Target(_) => true,
                EmitError::WrongTarget { .. }
                | EmitError::PartialWarp { .. }
                | EmitError::Inline { .. }
                | EmitError::Class { .. } => false,
            }),
        }
    }
}

/// Whether a rule speaks of the target and not of the kernel.
fn lacks(error: &ValidateError) -> bool {
    matches!(
        error,
        ValidateError::SharedTooLarge { .. }
            | ValidateError::ParamsTooLarge { .. }
            | ValidateError::NoType { .. }
    )
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` can't be compiled\n{}", self.kernel, self.report().render(&self.sources).trim_end())
    }
}

impl fmt::Debug for CompileError {
    /// In words: `main` shows an error that it returns by `Debug`. The report has the help already.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for CompileError {}
