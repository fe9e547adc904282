//! What became of a case, and of all of them.
//!
//! There is no list of excused failures: whatever is neither a pass nor refused by the target with a reason is a
//! finding. On exit of a run every case has exactly one verdict. Not here: how verdicts are shown.

use std::fmt;
use std::time::Duration;

use crate::case::ShapeClass;
use crate::diag::Code;
use crate::ir::DType;

/// Which case: the function that makes it, and the dtype it was made for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseId {
    /// `module::name`, the variant's suffix included.
    pub path: String,
    /// The dtype.
    pub dtype: DType,
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}<{}>", self.path, self.dtype)
    }
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The device's bits are the oracle's, and the reference agrees within its tolerance.
    Pass,
    /// They aren't, or it doesn't.
    Mismatch,
    /// The target or the backend lacks something that the kernel asks for.
    Unsupported,
    /// There is no result to compare, or the case itself is not one that could fail.
    Error,
}

impl Verdict {
    /// As reports show it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Mismatch => "MISMATCH",
            Self::Unsupported => "UNSUPPORTED",
            Self::Error => "ERROR",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One case after it was run.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseReport {
    /// Which case.
    pub id: CaseId,
    /// Path of its kernel, with dtypes; empty where the kernel could not even be built.
    pub kernel: String,
    /// Its shape in words.
    pub shape: String,
    /// The kind of its shape, where it has one.
    pub class: Option<ShapeClass>,
    /// Whether it asserts that nothing is written; counted apart.
    pub guard: bool,
    /// Why its bits are not compared, where they aren't.
    pub inexact: Option<String>,
    /// What became of it.
    pub verdict: Verdict,
    /// What kind of mistake it is, for anything but a pass.
    pub code: Option<Code>,
    /// Why, for anything but a pass.
    pub detail: String,
    /// The greatest distance from the reference, in steps of the type, where one was measured.
    pub worst_ulps: Option<u64>,
    /// Paths that code generation chose, with the reason.
    pub selection: Vec<String>,
    /// PTX instructions × active lanes, where the device counts them.
    pub lane_instructions: Option<u64>,
    /// Operations × active lanes that the oracle ran.
    pub lane_operations: u64,
    /// Time for everything: building, oracle, device, comparison.
    pub wall: Duration,
}

impl CaseReport {
    /// A case of which nothing is known yet: an error until it is judged.
    pub(crate) fn of(id: CaseId) -> Self {
        Self {
            id,
            kernel: String::new(),
            shape: String::new(),
            class: None,
            guard: false,
            inexact: None,
            verdict: Verdict::Error,
            code: None,
            detail: String::new(),
            worst_ulps: None,
            selection: Vec::new(),
            lane_instructions: None,
            lane_operations: 0,
            wall: Duration::ZERO,
        }
    }

    /// Whether somebody has to look at it. A guard case passes or is one.
    pub fn is_finding(&self) -> bool {
        match self.verdict {
            Verdict::Pass => false,
            Verdict::Mismatch | Verdict::Error => true,
            Verdict::Unsupported => self.guard,
        }
    }
}

/// All cases of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Cases that passed, guard cases aside.
    pub pass: usize,
    /// Cases with other results.
    pub mismatch: usize,
    /// Cases that the target can't run.
    pub unsupported: usize,
    /// Cases without a result.
    pub error: usize,
    /// Guard cases that passed.
    pub guard: usize,
    /// Guard cases that did not.
    pub guard_failed: usize,
    /// Passed cases whose bits were compared.
    pub bit_equal: usize,
    /// The device, in words.
    pub device: String,
    /// Time for the whole run.
    pub wall: Duration,
    /// The cases, in their order.
    pub reports: Vec<CaseReport>,
}

/// How many of the most expensive cases a report names.
pub const DEAREST: usize = 10;

impl Summary {
    /// The sum of reports.
    pub fn of(reports: Vec<CaseReport>, device: String, wall: Duration) -> Self {
        let mut summary = Self { device, wall, ..Self::default() };
        for report in &reports {
            summary.count(report);
        }
        summary.reports = reports;
        summary
    }

    fn count(&mut self, report: &CaseReport) {
        if report.guard {
            let passed = report.verdict == Verdict::Pass;
            *(if passed { &mut self.guard } else { &mut self.guard_failed }) += 1;
            return;
        }
        match report.verdict {
            Verdict::Pass => {
                self.pass += 1;
                self.bit_equal += usize::from(report.inexact.is_none());
            }
            Verdict::Mismatch => self.mismatch += 1,
            Verdict::Unsupported => self.unsupported += 1,
            Verdict::Error => self.error += 1,
        }
    }

    /// All cases but guard cases.
    pub fn cases(&self) -> usize {
        self.pass + self.mismatch + self.unsupported + self.error
    }

    /// Cases that somebody has to look at.
    pub fn findings(&self) -> usize {
        self.mismatch + self.error + self.guard_failed
    }

    /// The cases that took longest, the longest first.
    pub fn dearest(&self) -> Vec<&CaseReport> {
        let mut all: Vec<_> = self.reports.iter().collect();
        all.sort_by(|a, b| b.wall.cmp(&a.wall).then_with(|| a.id.cmp(&b.id)));
        all.truncate(DEAREST);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(verdict: Verdict, guard: bool, inexact: Option<&str>) -> CaseReport {
        let id = CaseId { path: "m::c".into(), dtype: DType::F32 };
        CaseReport { guard, inexact: inexact.map(str::to_owned), verdict, ..CaseReport::of(id) }
    }

    #[test]
    fn guard_cases_are_counted_apart_and_never_skipped() {
        let reports = vec![
            report(Verdict::Pass, false, None),
            report(Verdict::Pass, false, Some("ex2.approx")),
            report(Verdict::Unsupported, false, None),
            report(Verdict::Mismatch, false, None),
            report(Verdict::Error, false, None),
            report(Verdict::Pass, true, None),
            report(Verdict::Unsupported, true, None),
        ];
        let summary = Summary::of(reports, "emu".into(), Duration::ZERO);
        assert_eq!((summary.cases(), summary.pass, summary.bit_equal), (5, 2, 1));
        assert_eq!((summary.guard, summary.guard_failed, summary.findings()), (1, 1, 3));
        assert_eq!(summary.dearest().len(), 7);
    }
}
