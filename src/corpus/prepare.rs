//! Makes the oracle's bits of a case, and refuses a case that no wrong device could fail.
//!
//! On entry: a case that its own check took. On exit: the bytes that every device has to leave, for which holds that
//! - something changes from the initial bytes, and not only to NaN (a guard case: nothing changes);
//! - there is a reference;
//! - the comparator of the case rejects each corruption that `self_test` lists.
//!
//! Not here: running a device.

use std::ops::Range;

use super::regions::{bytes_of, initial, regions};
use super::self_test::{self, Corruption};
use crate::case::Case;
use crate::diag::{Code, Help, Message, Report, Severity, Span};
use crate::ir::{Kernel, Literal, host};
use crate::numerics::tensor::TensorModel;
use crate::oracle::{self, Arguments, Failure};

/// A buffer before the launch and as the oracle leaves it.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedBuffer {
    /// The ranges of elements that are compared.
    pub(crate) regions: Vec<Range<u64>>,
    /// Their bytes before.
    pub(crate) before: Vec<Vec<u8>>,
    /// Their bytes after.
    pub(crate) after: Vec<Vec<u8>>,
}

/// The buffers of a case, in the order of its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) buffers: Vec<ExpectedBuffer>,
    pub(crate) lane_operations: u64,
}

/// Why a case is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The oracle gives no result.
    #[error("the oracle gives no result: {0}")]
    Oracle(String),
    /// A text that the oracle can't run.
    #[error("the `{op}` text at {place} has no model, so nothing says what it must give")]
    Opaque {
        /// The operation.
        op: &'static str,
        /// Where it stands.
        place: String,
    },
    /// The launch changes nothing.
    #[error("the launch changes no byte, so a device that does nothing would pass")]
    NothingChanges,
    /// Whatever is written is NaN, or all ones.
    #[error(
        "everything that the launch writes is NaN or all ones, which a device that writes only that would pass"
    )]
    OnlyNan,
    /// A guard case that writes.
    #[error("a guard case, but the launch writes `{name}`")]
    GuardWrites {
        /// The buffer.
        name: String,
    },
    /// No reference.
    #[error("the case has no reference, so nothing says that the oracle is right")]
    NoReference,
    /// A comparator that lets a wrong result pass.
    #[error("the comparator of `{name}` accepts a wrong result: {corruption}")]
    Lenient {
        /// The buffer.
        name: String,
        /// What it accepts.
        corruption: Corruption,
    },
}

impl Help for Refusal {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Oracle(_) => return None,
            Self::Opaque { .. } => "give it one: `model = |a, b| …`, over the inputs".into(),
            Self::NothingChanges => {
                "give it work, or declare it with `guard()` if writing nothing is the point".into()
            }
            Self::OnlyNan => "give inputs that lead to other numbers".into(),
            Self::GuardWrites { .. } => "remove `guard()`, and say with `expect` what is written".into(),
            Self::NoReference => "add `expect(name, values)`, computed without the kernel".into(),
            Self::Lenient { .. } => "tighten the tolerance, or give inputs whose results differ more".into(),
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Oracle(_) => Code::OracleGivesNothing,
            Self::Opaque { .. } => Code::OpaqueText,
            Self::NothingChanges => Code::NothingChanges,
            Self::OnlyNan => Code::OnlyNan,
            Self::GuardWrites { .. } => Code::GuardWrites,
            Self::NoReference => Code::NoReference,
            Self::Lenient { .. } => Code::LenientComparator,
        }
    }
}

/// Runs the oracle and checks that the case can fail.
pub(crate) fn prepare(case: &Case, model: TensorModel) -> Result<Expected, Refusal> {
    if let Some((op, span)) = case.kernel.opaque() {
        let place = case.kernel.sources.locate(span).unwrap_or_else(|| case.kernel.path());
        return Err(Refusal::Opaque { op, place });
    }
    let expected = run_oracle(case, model)?;
    if case.guard {
        let changed =
            case.buffers.iter().zip(&expected.buffers).find(|(_, buffer)| buffer.before != buffer.after);
        return match changed {
            Some((bound, _)) => Err(Refusal::GuardWrites { name: bound.buffer.name().to_owned() }),
            None => Ok(expected),
        };
    }
    check_change(case, &expected)?;
    if case.expectations.iter().all(crate::case::Expectation::is_empty) {
        return Err(Refusal::NoReference);
    }
    self_test::check(case, &expected)?;
    Ok(expected)
}

fn run_oracle(case: &Case, tensor_model: TensorModel) -> Result<Expected, Refusal> {
    let refuse = |failure: &Failure| Refusal::Oracle(render(&case.kernel, failure));
    let argument = |error: oracle::ArgumentError| refuse(&error.into());
    let mut args = Arguments::new(&case.kernel);
    let mut buffers = Vec::new();
    for bound in &case.buffers {
        let (buffer, regions) = (initial(bound), regions(case, bound));
        let before = regions.iter().map(|range| bytes_of(&buffer, range)).collect();
        buffers.push(ExpectedBuffer { regions, before, after: Vec::new() });
        let is_view = case.kernel.params[bound.param].rank() > 0;
        let (shape, strides) = if is_view {
            (bound.buffer.shape().to_vec(), bound.buffer.strides())
        } else {
            (Vec::new(), Vec::new())
        };
        args.bind_buffer(bound.param, buffer, &shape, &strides).map_err(argument)?;
    }
    for &(param, value) in &case.scalars {
        args.bind_scalar(param, value).map_err(argument)?;
    }
    let config = oracle::Config { tensor_model, ..oracle::Config::default() };
    let stats =
        oracle::run(&case.kernel, &case.launch, &mut args, &config).map_err(|failure| refuse(&failure))?;
    for (bound, buffer) in case.buffers.iter().zip(&mut buffers) {
        let left = args.get(bound.buffer.name()).expect("every buffer of the case was bound above");
        buffer.after = buffer.regions.iter().map(|range| bytes_of(left, range)).collect();
    }
    Ok(Expected { buffers, lane_operations: stats.lane_operations })
}

/// A failure under its source line, where it has one.
fn render(kernel: &Kernel, failure: &Failure) -> String {
    let span = match failure {
        Failure::Fault(fault) => fault.span,
        Failure::Argument(_) | Failure::Launch(_) => Span::NONE,
    };
    let (text, help) = (failure.to_string(), failure.help());
    if !span.is_known() {
        let help = help.map(|help| format!("; {help}")).unwrap_or_default();
        return format!("{text}{help}");
    }
    let mut report = Report::new();
    let code = Some(failure.code());
    report.push(Message { severity: Severity::Error, span, code, text, help });
    report.render(&kernel.sources).trim_end().to_owned()
}

fn check_change(case: &Case, expected: &Expected) -> Result<(), Refusal> {
    let mut changes = false;
    for (bound, buffer) in case.buffers.iter().zip(&expected.buffers) {
        let dtype = bound.buffer.dtype();
        let size = dtype.size() as usize;
        for (before, after) in buffer.before.iter().zip(&buffer.after) {
            for (old, new) in before.chunks_exact(size).zip(after.chunks_exact(size)) {
                if old == new {
                    continue;
                }
                changes = true;
                let new = Literal::from_bits(dtype, host::element_bits(new));
                let ones = dtype.is_int() && new.bits == dtype.mask();
                if !ones && !new.as_f64().is_some_and(f64::is_nan) {
                    return Ok(());
                }
            }
        }
    }
    Err(if changes { Refusal::OnlyNan } else { Refusal::NothingChanges })
}
