//! The real assembler takes every module of the corpus, without a warning: one trial a target.
//!
//! Each distinct text is one run of the assembler: all of them for sm_121, a third for the others, another third with each
//! commit. Without an assembler the trials are ignored with the reason, or fail
//! with `WARPSMITH_REQUIRE_PTXAS=1`.

#[path = "support/assembler.rs"]
#[allow(dead_code, reason = "each test binary uses its part")]
mod assembler;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use assembler::Assembler;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpsmith::corpus::{self, Filter, Selected};
use warpsmith::runtime::compile;
use warpsmith::target::TargetProfile;

/// The architectures that users have.
const TARGETS: [&str; 4] = ["sm_80", "sm_90", "sm_120", "sm_121"];

/// The one that every text is assembled for.
const WHOLE: &str = "sm_121";

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
    // Trials of different targets one after the other: each runs as many processes as there should be.
    let arguments = Arguments { test_threads: Some(1), ..arguments };
    libtest_mimic::run(&arguments, trials.into()).exit();
}

fn run(assembler: &Assembler, target: &str) -> Result<Completion, Failed> {
    let texts = texts(TargetProfile::parse(target)?)?;
    let third = commits() % 3;
    let is_chosen = |text: &String| target == WHOLE || hash(text) % 3 == third;
    let texts: Vec<(&String, &String)> = texts.iter().filter(|(text, _)| is_chosen(text)).collect();
    let folder = tempfile::tempdir()?;
    let next = AtomicUsize::new(0);
    let refused = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..PARALLEL {
            let file = folder.path().join(format!("{worker}.ptx"));
            let (next, refused, texts) = (&next, &refused, &texts);
            scope.spawn(move || {
                while let Some((text, case)) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(said) = assemble(assembler, &file, text, target) {
                        let mut refused = refused.lock().expect("no worker panics while it holds the list");
                        refused.push(format!("{case}:\n{said}"));
                    }
                }
            });
        }
    });
    let refused = refused.into_inner().expect("every worker ended");
    eprintln!("{target}: {} distinct texts assembled", texts.len());
    if refused.is_empty() {
        Ok(Completion::Completed)
    } else {
        Err(format!("{} of {} texts are refused\n{}", refused.len(), texts.len(), refused.join("\n")).into())
    }
}

/// Commits so far; 0 where there is no repository.
fn commits() -> u64 {
    let mut git = std::process::Command::new("git");
    git.args(["rev-list", "--count", "HEAD"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let counted = git.output().ok().and_then(|output| String::from_utf8(output.stdout).ok());
    counted.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn assemble(assembler: &Assembler, file: &Path, text: &str, target: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| error.to_string())?;
    // A name without a suffix takes the one that the text's instructions ask for.
    let declared = text.lines().find_map(|line| line.strip_prefix(".target "));
    assembler.assemble(file, declared.map_or(target, str::trim), &[])
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
