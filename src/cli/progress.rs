//! A bar on standard error while cases or the CTAs of a grid run; nothing where that is no terminal.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

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

/// What takes less needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time from one drawing to the next.
const TICK: Duration = Duration::from_millis(100);

/// Does work that counts CTAs in `done`, out of `ctas`, and shows the count where the work takes longer than a second.
pub(super) fn counting<T>(ctas: u64, done: &AtomicU64, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    thread::scope(|scope| {
        let (working, has_ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            let is_working = |time| has_ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !is_working(PATIENCE) {
                return;
            }
            let bar = ProgressBar::new(ctas).with_elapsed(PATIENCE);
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} CTAs {elapsed}");
            bar.set_style(style.expect("the template is a constant that parses"));
            while is_working(TICK) {
                bar.set_position(done.load(Relaxed));
                // The time is drawn anew also while one CTA runs on.
                bar.tick();
            }
            bar.finish_and_clear();
        });
        let made = work();
        drop(working);
        made
    })
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
