//! Binds the launch class: short geometry words get their meaning, and what the CTA's shape fixes becomes a constant.
//!
//! On entry: a valid kernel, and a class that `validate_for` took. On exit: no `program_id` or `tid` is left; where
//! the CTA's shape is fixed, `cta_dim`, `warps_per_cta` and the thread index on an axis of one thread are constants;
//! the kernel declares the class's mode and shape, so that running it in another class is a conflict instead of
//! another result. Deliberately not here: folding what follows from the constants.

use crate::diag::{Code, Help, Spanned};
use crate::ir::op::{Const, GeomReg, Geometry};
use crate::ir::{ExtentKind, Kernel, Keyword, LaunchClass, Literal, Mode, Op};

use super::Config;

/// Why a class can't be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecialiseError {
    /// The kernel fixes another mode.
    #[error("the kernel is for mode `{}`, not `{}`", declared.keyword(), class.keyword())]
    Mode {
        /// The kernel's.
        declared: Mode,
        /// The class's.
        class: Mode,
    },
    /// The kernel fixes another CTA shape.
    #[error("the kernel is for CTAs of {declared:?} threads, not {class:?}")]
    Cta {
        /// The kernel's.
        declared: [u32; 3],
        /// The class's.
        class: [u32; 3],
    },
    /// `tid` in a mode that has none.
    #[error("`tid` has no meaning in mode `{}`", mode.keyword())]
    Tid {
        /// The mode.
        mode: Mode,
    },
}

impl Help for SpecialiseError {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Mode { .. } | Self::Cta { .. } => "launch the kernel as it declares".into(),
            Self::Tid { .. } => {
                "use `thread_id::<a>()` for the index in the CTA, `global_id::<a>()` for the one in the grid"
                    .into()
            }
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Mode { .. } | Self::Cta { .. } => Code::ClassConflict,
            Self::Tid { .. } => Code::NoTid,
        }
    }
}

/// Binds `config.class`.
///
/// # Errors
/// The class contradicts the kernel.
pub fn run(kernel: &mut Kernel, config: &Config) -> Result<(), Vec<Spanned<SpecialiseError>>> {
    let class = &config.class;
    let mut errors = Vec::new();
    if let Some(declared) = kernel.mode.filter(|&mode| mode != class.mode) {
        errors.push(Spanned::new(kernel.span, SpecialiseError::Mode { declared, class: class.mode }));
    }
    if let (Some(declared), Some(cta)) = (kernel.cta, class.cta)
        && declared != cta
    {
        errors.push(Spanned::new(kernel.span, SpecialiseError::Cta { declared, class: cta }));
    }
    let class = LaunchClass { cta: class.cta.or(kernel.cta), ..*class };
    for inst in kernel.insts.values_mut() {
        let Op::Geometry(Geometry { reg }) = inst.op else { continue };
        match bind(reg, &class) {
            Ok(Bound::Register(reg)) => inst.op = Geometry { reg }.into(),
            Ok(Bound::Constant(value)) => inst.op = Const { value: Literal::u32(value) }.into(),
            Err(error) => errors.push(Spanned::new(inst.span, error)),
        }
    }
    kernel.mode = Some(class.mode);
    kernel.cta = class.cta;
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// What a geometry register is in a class.
enum Bound {
    Register(GeomReg),
    Constant(u32),
}

fn bind(reg: GeomReg, class: &LaunchClass) -> Result<Bound, SpecialiseError> {
    let meant = reg.resolve(class.mode).ok_or(SpecialiseError::Tid { mode: class.mode })?;
    let Some(meant) = meant else { return Ok(Bound::Constant(0)) };
    let axis_of_one = |axis: u8| {
        // An elementwise launch has one axis, whatever its CTA.
        let flat = class.mode == Mode::Elementwise && axis > 0;
        flat || class.cta.is_some_and(|cta| cta[usize::from(axis)] == 1)
    };
    let flat_grid = |axis: u8| class.mode == Mode::Elementwise && axis > 0;
    Ok(match meant {
        GeomReg::ThreadId(axis) if axis_of_one(axis) => Bound::Constant(0),
        GeomReg::GlobalId(axis) | GeomReg::CtaId(axis) if flat_grid(axis) => Bound::Constant(0),
        GeomReg::GlobalId(axis) if axis_of_one(axis) => Bound::Register(GeomReg::CtaId(axis)),
        GeomReg::GridDim(axis) if flat_grid(axis) => Bound::Constant(1),
        GeomReg::CtaDim(axis) if flat_grid(axis) => Bound::Constant(1),
        GeomReg::CtaDim(axis) => match class.cta {
            Some(cta) => Bound::Constant(cta[usize::from(axis)]),
            None => Bound::Register(meant),
        },
        // Without an extent no warp is beyond it.
        GeomReg::ActiveWarps if class.extent != ExtentKind::Whole => Bound::Register(meant),
        GeomReg::WarpsPerCta | GeomReg::ActiveWarps => match class.threads() {
            Some(threads) => Bound::Constant(threads.div_ceil(32)),
            None => Bound::Register(GeomReg::WarpsPerCta),
        },
        GeomReg::WarpId if class.threads().is_some_and(|threads| threads <= 32) => Bound::Constant(0),
        GeomReg::ThreadId(_)
        | GeomReg::CtaId(_)
        | GeomReg::GridDim(_)
        | GeomReg::GlobalId(_)
        | GeomReg::LaneId
        | GeomReg::WarpId
        | GeomReg::ProgramId(_)
        | GeomReg::Tid => Bound::Register(meant),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print::print;

    fn specialised(text: &str, class: LaunchClass) -> Result<String, Vec<Spanned<SpecialiseError>>> {
        let mut kernel = parse(text).unwrap();
        run(&mut kernel, &Config::new(class))?;
        Ok(print(&kernel))
    }

    const WORDS: &str = "kernel @k(mut out: global u32) {
        v0 = program_id.x v1 = program_id.y v2 = tid v3 = cta_dim.x v4 = warps_per_cta v5 = thread_id.y
    }";

    #[test]
    fn each_mode_gives_the_short_words_their_meaning() {
        let text = specialised(WORDS, LaunchClass::new(Mode::Elementwise, Some([100, 1, 1]))).unwrap();
        for line in [
            "v0 = global_id.x",
            "v1 = const 0u32",
            "v2 = global_id.x",
            "v3 = const 100u32",
            "v4 = const 4u32",
        ] {
            assert!(text.contains(line), "{line} is missing from\n{text}");
        }
        let text = specialised(WORDS, LaunchClass::new(Mode::Reduction, None)).unwrap();
        for line in
            ["v0 = cta_id.x", "v1 = cta_id.y", "v2 = thread_id.x", "v3 = cta_dim.x", "v5 = thread_id.y"]
        {
            assert!(text.contains(line), "{line} is missing from\n{text}");
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let errors = specialised(WORDS, LaunchClass::new(Mode::Grid3D, None)).unwrap_err();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].error, SpecialiseError::Tid { mode: Mode::Grid3D });
        let fixed = "kernel @k() mode(reduction) cta(32) { }";
        let errors = specialised(fixed, LaunchClass::new(Mode::Grid3D, Some([64, 1, 1]))).unwrap_err();
        assert_eq!(errors.len(), 2);
    }
}
