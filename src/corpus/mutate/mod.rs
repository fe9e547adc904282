//! Breaks a kernel's PTX in one place at a time and looks whether a case notices.
//!
//! On entry: kernels and a device that runs PTX text. On exit: for each operator how many mutants there were and how
//! many some case killed, and each survivor with its line. Some survivors mean the same as the original (an address
//! moved in a lane that is masked off); they are listed like the others, since only a reader can tell. A mutant that
//! faults, hangs or is refused is killed. Not here: mutants of the IR or of the oracle.

mod operators;

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::catalog::KernelInfo;
use super::execute::execute;
use super::judge::judge;
use super::prepare::{Expected, prepare};
use super::runner::ALIGN;
use super::selection::catch;
use crate::backend::{DeviceBackend, Emitted};
use crate::case::{Case, SizeClass};
use crate::ir::LaunchClass;
use crate::ptx::module::{self, Module, StatementKind};
use crate::runtime::{Device, compile};

pub use operators::Operator;
use operators::{Mutant, mutants};

/// What to break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The ways.
    pub operators: Vec<Operator>,
    /// At most so many mutants of each text and operator, evenly spread; `None` means all.
    pub most: Option<usize>,
    /// Chooses the inputs.
    pub seed: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { operators: Operator::ALL.to_vec(), most: None, seed: 0 }
    }
}

/// How the mutants of one operator fared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Mutants tried.
    pub mutants: usize,
    /// Those that a case noticed.
    pub killed: usize,
}

/// A mutant that no case noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// The operator.
    pub operator: Operator,
    /// Path of the kernel, with dtypes.
    pub kernel: String,
    /// The class of launches that the text is for.
    pub class: String,
    /// What was done.
    pub change: &'static str,
    /// Line of the emitted text.
    pub line: u32,
    /// That line.
    pub text: String,
    /// Where in the kernel's source it comes from, if the text says.
    pub source: Option<String>,
}

/// How all mutants fared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By operator.
    pub tallies: BTreeMap<Operator, Tally>,
    /// Those that no case noticed.
    pub survivors: Vec<Survivor>,
    /// Kernels or cases that could not be used, with the reason: they pass no judgement.
    pub skipped: Vec<String>,
}

impl Summary {
    /// Mutants of all operators.
    pub fn total(&self) -> Tally {
        let add = |sum: Tally, tally: &Tally| Tally {
            mutants: sum.mutants + tally.mutants,
            killed: sum.killed + tally.killed,
        };
        self.tallies.values().fold(Tally::default(), add)
    }
}

/// Hears of a run as it goes. Called from several threads.
pub trait Observer: Sync {
    /// So many mutants more will be tried.
    fn found(&self, mutants: usize);

    /// One was.
    fn tried(&self);
}

impl Observer for () {
    fn found(&self, _: usize) {}

    fn tried(&self) {}
}

/// Tries the mutants of kernels on the cases of each.
pub fn run(kernels: &[&KernelInfo], device: &Device, config: &Config, observer: &dyn Observer) -> Summary {
    let mut summary = Summary::default();
    for operator in &config.operators {
        summary.tallies.insert(*operator, Tally::default());
    }
    for kernel in kernels {
        for text in texts(kernel, device, config, &mut summary.skipped) {
            try_text(&text, device.backend(), config, observer, &mut summary);
        }
    }
    summary
}

/// One emitted text, for CTAs of any shape where there is such a text, with the cases that launch it.
struct Text {
    kernel: String,
    class: LaunchClass,
    emitted: Emitted,
    module: Module,
    cases: Vec<(Case, Expected)>,
}

fn texts(kernel: &KernelInfo, device: &Device, config: &Config, skipped: &mut Vec<String>) -> Vec<Text> {
    let mut texts: Vec<Text> = Vec::new();
    for selected in kernel.instances.iter().flat_map(|instance| &instance.cases) {
        let mut skip = |why: String| skipped.push(format!("{}: {why}", selected.id()));
        let case = match selected.make(config.seed) {
            Ok(case) if case.size == SizeClass::Ci => case,
            Ok(_) => continue,
            Err(error) => {
                skip(error);
                continue;
            }
        };
        let expected = match catch(|| prepare(&case, device.tensor_model())) {
            Ok(Ok(expected)) => expected,
            Ok(Err(refusal)) => {
                skip(refusal.to_string());
                continue;
            }
            Err(panic) => {
                skip(panic);
                continue;
            }
        };
        let path = case.kernel.path();
        let own = case.launch.class(ALIGN);
        // For any CTA shape, so that every case of the kernel judges the one text.
        let classes = [LaunchClass { cta: None, ..own }, own];
        let is_for = |text: &Text| text.kernel == path && classes.contains(&text.class);
        if let Some(text) = texts.iter_mut().find(|text| is_for(text)) {
            text.cases.push((case, expected));
            continue;
        }
        // Some kernels have no such text: that their warps are whole only follows from the shape of the CTA.
        let compiled = |class: LaunchClass| {
            compile(&case.kernel, &class, device.target()).map(|emitted| (class, emitted))
        };
        let (class, emitted) = match compiled(classes[0]).or_else(|_| compiled(classes[1])) {
            Ok(found) => found,
            Err(error) => {
                skip(error.to_string());
                continue;
            }
        };
        match module::parse(&emitted.text) {
            Ok(module) => {
                texts.push(Text { kernel: path, class, emitted, module, cases: vec![(case, expected)] });
            }
            Err(error) => skip(format!("its text is not PTX that can be broken: {error}")),
        }
    }
    // A text that fails unbroken kills every mutant and proves nothing.
    texts.retain(|text| {
        let sound = !is_killed(text, &text.emitted, device.backend());
        if !sound {
            skipped.push(format!("{} ({}): a case fails without any change", text.kernel, text.class));
        }
        sound
    });
    texts
}

fn try_text(
    text: &Text,
    device: &dyn DeviceBackend,
    config: &Config,
    observer: &dyn Observer,
    summary: &mut Summary,
) {
    for &operator in &config.operators {
        let all = spread(mutants(&text.module, &[operator]), config.most);
        observer.found(all.len());
        let survivors: Vec<_> = all
            .par_iter()
            .filter(|mutant| {
                let emitted = Emitted { text: mutant.module.print(), ..text.emitted.clone() };
                let survives = !is_killed(text, &emitted, device);
                observer.tried();
                survives
            })
            .map(|mutant| survivor(text, mutant))
            .collect();
        let tally = summary.tallies.entry(operator).or_default();
        tally.mutants += all.len();
        tally.killed += all.len() - survivors.len();
        summary.survivors.extend(survivors);
    }
}

/// At most `most` of them, evenly spread.
fn spread(all: Vec<Mutant>, most: Option<usize>) -> Vec<Mutant> {
    let Some(most) = most.filter(|&most| most < all.len()) else { return all };
    let count = all.len();
    let taken = |index: usize| (index + 1) * most / count != index * most / count;
    all.into_iter().enumerate().filter(|(index, _)| taken(*index)).map(|(_, mutant)| mutant).collect()
}

fn is_killed(text: &Text, emitted: &Emitted, device: &dyn DeviceBackend) -> bool {
    let survives = catch(|| {
        let own = device.independent();
        let device = own.as_deref().unwrap_or(device);
        let Ok(module) = device.load(&text.cases[0].0.kernel, emitted) else { return false };
        text.cases.iter().all(|(case, expected)| {
            let outcome = execute(device, &*module, &emitted.params, case, expected);
            outcome.is_ok_and(|outcome| judge(case, expected, &outcome.left).faults.is_empty())
        })
    });
    !survives.unwrap_or(false)
}

fn survivor(text: &Text, mutant: &Mutant) -> Survivor {
    let body = &text.module.entries[0].body;
    let line = body[mutant.at].line;
    let source = body[..mutant.at].iter().rev().find_map(|statement| match statement.kind {
        StatementKind::Loc { file, line, column, .. } => {
            let file = text.module.files.iter().find(|known| known.index == file)?;
            Some(format!("{}:{line}:{column}", file.path))
        }
        StatementKind::Inst(_)
        | StatementKind::Label(_)
        | StatementKind::Comment(_)
        | StatementKind::Pragma(_) => None,
    });
    let shown = text.emitted.text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
    Survivor {
        operator: mutant.operator,
        kernel: text.kernel.clone(),
        class: text.class.to_string(),
        change: mutant.change,
        line,
        text: shown.trim().to_owned(),
        source,
    }
}
