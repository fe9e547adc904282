//! The real assembler takes every module of the corpus, without a warning: one trial a target.
//!
//! Each distinct text is one run of the assembler. While there are fewer than [`ALL_BELOW`] of them for each target,
//! all are assembled; later all for sm_121 and, of each other target, the third whose hash agrees with the count of
//! commits, so that three commits see everything. Without an assembler the trials are ignored with the reason, or fail
//! with `WARPSMITH_REQUIRE_PTXAS=1`.

#[path = "support/assembler.rs"]
#[allow(dead_code, reason = "each test binary uses its part")]
mod assembler;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use assembler::Assembler;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpsmith::corpus::{self, Filter, Selected};
use warpsmith::runtime::compile;
use warpsmith::target::TargetProfile;

/// The architectures that users have; the last is always assembled in full.
const TARGETS: [&str; 4] = ["sm_80", "sm_90", "sm_120", "sm_121"];

/// The target for which every text is assembled, however many there are.
const ALWAYS: &str = "sm_121";

/// With so many texts a target, only a part of those for the other targets is assembled.
const ALL_BELOW: usize = 300;

/// Processes at a time.
const PARALLEL: usize = 2;

/// What buffers of cases are aligned to.
const ALIGN: u32 = 16;

fn main() {
    let arguments = Arguments::from_args();
    let found = Assembler::find();
    let trials = TARGETS.map(|target| {
        let found = found.clone();
        Trial::ignorable_test(format!("the_corpus_assembles_for_{target}"), move || match found {
            Ok(assembler) => run(&assembler, target),
            Err(why) if Assembler::is_required() => {
                Err(format!("WARPSMITH_REQUIRE_PTXAS=1, but {why}").into())
            }
            Err(why) => Ok(Completion::ignored_with(why)),
        })
    });
    let mut trials = Vec::from(trials);
    trials.push(Trial::test("three_commits_see_every_text", three_commits_see_every_text));
    // Trials of different targets one after the other: each runs as many processes as there should be.
    let arguments = Arguments { test_threads: Some(1), ..arguments };
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(assembler: &Assembler, target: &str) -> Result<Completion, Failed> {
    let texts = texts(TargetProfile::parse(target)?)?;
    let all = texts.len();
    let commits = commits();
    let taken: Vec<(&String, &String)> =
        texts.iter().filter(|(text, _)| is_taken(text, target, all, commits)).collect();
    let folder = tempfile::tempdir()?;
    let next = AtomicUsize::new(0);
    let refused = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..PARALLEL {
            let file = folder.path().join(format!("{worker}.ptx"));
            let (next, refused, taken) = (&next, &refused, &taken);
            scope.spawn(move || {
                while let Some((text, case)) = taken.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(said) = assemble(assembler, &file, text, target) {
                        let mut refused = refused.lock().expect("no worker panics while it holds the list");
                        refused.push(format!("{case}:\n{said}"));
                    }
                }
            });
        }
    });
    let refused = refused.into_inner().expect("every worker ended");
    eprintln!("{target}: {} of {all} distinct texts assembled", taken.len());
    if refused.is_empty() {
        Ok(Completion::Completed)
    } else {
        Err(format!("{} of {} texts are refused\n{}", refused.len(), taken.len(), refused.join("\n")).into())
    }
}

fn assemble(assembler: &Assembler, file: &Path, text: &str, target: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| error.to_string())?;
    assembler.assemble(file, target, &[])
}

/// The distinct texts of all cases for a target, each with the first case that needs it. What the target can't have is
/// left out; any other failure to compile is one.
fn texts(target: TargetProfile) -> Result<BTreeMap<String, String>, Failed> {
    let mut seen = std::collections::HashSet::new();
    let mut texts = BTreeMap::new();
    for selected in corpus::select(&Filter::default()) {
        let case = Selected::make(&selected, 0)?;
        let class = case.launch.class(ALIGN);
        if !seen.insert((case.kernel.path(), class)) {
            continue;
        }
        match compile(&case.kernel, &class, target) {
            Ok(emitted) => {
                texts.entry(emitted.text).or_insert_with(|| selected.id().to_string());
            }
            Err(error) if error.is_unsupported() => {}
            Err(error) => return Err(format!("{}: {error}", selected.id()).into()),
        }
    }
    if texts.is_empty() { Err("no case is registered".into()) } else { Ok(texts) }
}

/// Whether a text is assembled for a target that has `all` texts.
fn is_taken(text: &str, target: &str, all: usize, commits: u64) -> bool {
    if all < ALL_BELOW || target == ALWAYS {
        return true;
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish() % 3 == commits % 3
}

/// How many commits the tree has; 0 outside a repository.
fn commits() -> u64 {
    let output = Command::new("git")
        .args(["rev-list", "--count", "HEAD"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    let count = output.ok().filter(|output| output.status.success());
    count.and_then(|output| String::from_utf8(output.stdout).ok()?.trim().parse().ok()).unwrap_or(0)
}

fn three_commits_see_every_text() -> Result<(), Failed> {
    for number in 0..100 {
        let text = format!("text {number}");
        let taken = |target, all, commits| is_taken(&text, target, all, commits);
        let times = (7..10).filter(|&commits| taken("sm_80", ALL_BELOW, commits)).count();
        if times != 1 {
            return Err(format!("{times} of three commits take text {number}").into());
        }
        if !taken(ALWAYS, ALL_BELOW, 0) || !taken("sm_80", ALL_BELOW - 1, 0) {
            return Err(format!("text {number} has to be taken").into());
        }
    }
    Ok(())
}
