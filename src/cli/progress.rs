//! A bar on standard error while cases run; nothing where that is no terminal.

use indicatif::{ProgressBar, ProgressStyle};

use crate::corpus::{self, CaseReport, mutate};

/// A bar.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new() -> Self {
        // Without a length it draws nothing yet; where standard error is no terminal it never does.
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}");
        bar.set_style(style.expect("the template is a constant that parses"));
        Self(bar)
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl corpus::Observer for Progress {
    fn begin(&self, cases: usize) {
        self.0.set_length(cases as u64);
    }

    fn end(&self, report: &CaseReport) {
        if report.is_finding() {
            self.0.println(format!("{} {}", report.verdict, report.id));
        }
        self.0.set_message(report.id.path.clone());
        self.0.inc(1);
    }
}

impl mutate::Observer for Progress {
    fn found(&self, mutants: usize) {
        self.0.inc_length(mutants as u64);
    }

    fn tried(&self) {
        self.0.inc(1);
    }
}
