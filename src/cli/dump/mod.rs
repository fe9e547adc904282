//! `warpsmith dump`: what becomes of one kernel, stage by stage, down to machine code.
//!
//! On entry: a kernel's name, targets, and the stages that are asked for. On exit: a section for each, on standard
//! output or in files of a folder; one section alone comes without a header, so that it can be fed on. Where one of
//! several can't be made, its place says why, and the others come all the same. Not here: what the stages do.

mod request;
mod sass;
mod section;
mod source;
mod stages;
mod text;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::class::class;
use super::device::target;
use super::error::{CliError, Exit, notice, say};
use super::output::Output;
use super::selection::dtype;
use crate::corpus::{Instance, KernelInfo, locate_instance};
use crate::ir::{DType, Keyword, LaunchClass};
use crate::passes::Pass;
use crate::target::TargetProfile;

use request::{Emit, Work, work};
pub(super) use request::{Language, because_of, resolve};
use section::{Section, Sink};

/// The stages of a kernel: its IR around each pass, PTX, MSL, machine code.
#[derive(Debug, Args)]
pub(super) struct DumpArguments {
    /// The kernel: its path, or the end of it.
    kernel: String,
    /// The intermediate representation as the kernel was written: `--emit ir`.
    #[arg(long, conflicts_with_all = ["emit", "dump_before", "dump_after", "dump_all"])]
    ir: bool,
    /// What to show; by default the language of each target.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    emit: Vec<Emit>,
    /// The dtypes of the instance, in the order of its name; by default f32 where there is one.
    #[arg(long, value_name = "DTYPE,…", value_delimiter = ',', value_parser = dtype)]
    dtype: Vec<DType>,
    /// The targets (`warpsmith targets` lists them); by default sm_121, or apple9 for MSL.
    #[arg(long, value_name = "TARGET,…", env = crate::cli::settings::TARGET.variable, value_delimiter = ',', value_parser = target)]
    target: Vec<TargetProfile>,
    /// The variable or line of `warpsmith.toml` that names the target.
    #[arg(skip)]
    pub(super) target_origin: Option<String>,
    /// The launches to emit for, as `reduction cta=256 extent=whole align=16`; by default those of the kernel's first case.
    #[arg(long, value_parser = class)]
    class: Option<LaunchClass>,
    /// The intermediate representation before these passes.
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = pass)]
    dump_before: Vec<Pass>,
    /// The intermediate representation after these passes.
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = pass)]
    dump_after: Vec<Pass>,
    /// The intermediate representation as written, then what each pass changed: a diff, or with `=whole` the text.
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "diff")]
    dump_all: Option<Changes>,
    /// What PTX and machine code say beside the instructions.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Remarks::Values)]
    comments: Remarks,
    /// PTX with registers and labels numbered in order of appearance, without comments and places: it diffs well.
    #[arg(long, conflicts_with_all = ["coloured", "comments"])]
    canonical: bool,
    /// PTX with registers called by the physical slots that colouring gives them, and what is in use at each line.
    #[arg(long, visible_alias = "colored")]
    coloured: bool,
    /// Write each section to a file of this folder.
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object a section.
    #[arg(long)]
    json: bool,
}

/// How `--dump-all` shows a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Changes {
    /// What it changed, as a unified diff.
    Diff,
    /// All that it left.
    Whole,
}

/// What is said beside instructions; each says more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Remarks {
    /// Nothing.
    None,
    /// The value that an instruction begins to compute.
    Values,
    /// Its line of the source and its operation.
    Source,
    /// And above them the text of that line, where its file is here.
    Full,
}

fn pass(text: &str) -> Result<Pass, String> {
    Pass::from_keyword(text).ok_or_else(|| {
        let known: Vec<_> = Pass::PIPELINE.iter().map(|pass| pass.name()).collect();
        format!("the passes are {}, in this order", known.join(", "))
    })
}

impl DumpArguments {
    fn shows_passes(&self) -> bool {
        !(self.dump_before.is_empty() && self.dump_after.is_empty()) || self.dump_all.is_some()
    }

    fn work(&self) -> Result<Vec<Work>, CliError> {
        let emits = if self.ir { &[Emit::Ir][..] } else { &self.emit };
        let works = work(emits, &self.target, self.shows_passes())
            .map_err(|error| because_of(error, self.target_origin.as_deref()))?;
        let has_ptx = works.iter().any(|work| matches!(work, Work::Text(Emit::Ptx, _)));
        if (self.canonical || self.coloured) && !has_ptx {
            let flag = if self.canonical { "canonical" } else { "coloured" };
            return Err(CliError::usage(
                format!("`--{flag}` is a form of PTX, which is not asked for"),
                "add `--emit ptx`, or leave it out",
            ));
        }
        Ok(works)
    }
}

pub(super) fn run(arguments: &DumpArguments, output: &mut Output) -> Result<Exit, CliError> {
    let works = arguments.work()?;
    let kernel = locate_instance(&arguments.kernel, &arguments.dtype)?;
    let instance = instance(&kernel, &arguments.dtype)?;
    let class = arguments.class.unwrap_or_else(|| instance.launch.class(16));
    let dump = text::Dump::new(instance, class, arguments);
    let mut sink = Sink::new(arguments, instance, class)?;
    let (mut exit, mut told) = (Exit::Fine, Vec::new());
    let is_alone = works.len() + usize::from(arguments.shows_passes()) == 1;
    let mut miss = |section: Section, error: CliError, sink: &mut Sink| {
        if is_alone {
            return Err(error);
        }
        say(&format!("{}\n", error.rendered(&format!("no {}: ", section.title))));
        exit = exit.max(error.exit());
        sink.take(section.missing(&error));
        Ok(())
    };
    if arguments.shows_passes()
        && let Err(missed) = dump.passes(&works, &mut sink)
    {
        let (section, error) = *missed;
        miss(section, error, &mut sink)?;
    }
    for &work in &works {
        match dump.section(work) {
            Ok((section, selection)) => {
                sink.take(section);
                told.extend(selection);
            }
            Err(error) => miss(dump.empty(work), error, &mut sink)?,
        }
    }
    sink.finish(output)?;
    told.dedup();
    told.into_iter().for_each(notice);
    Ok(exit)
}

pub(super) fn instance<'a>(kernel: &'a KernelInfo, dtypes: &[DType]) -> Result<&'a Instance, CliError> {
    let named = |wanted: &[DType]| kernel.instances.iter().find(|instance| instance.kernel.dtypes == wanted);
    if dtypes.is_empty() {
        let all_f32 = |instance: &&Instance| instance.kernel.dtypes.iter().all(|dtype| *dtype == DType::F32);
        let found = kernel.instances.iter().find(all_f32).or(kernel.instances.first());
        return Ok(found.expect("a kernel is listed for its instances"));
    }
    named(dtypes).ok_or_else(|| {
        let known: Vec<_> = kernel.instances.iter().map(|instance| instance.kernel.path()).collect();
        let what = format!("no case of `{}` has these dtypes", kernel.path);
        CliError::usage(what, format!("there are {}", known.join(", ")))
    })
}
