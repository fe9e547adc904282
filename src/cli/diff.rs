//! `warpsmith diff`: two PTX files, a kernel's texts for two targets, or two results.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use super::class::class;
use super::device::target;
use super::error::{CliError, Exit};
use super::launch::{given, quoted};
use super::output::{Output, SCHEMA};
use super::result_diff::{FileLine, compare_files, show};
use super::selection::dtype;
use crate::corpus::{Instance, KernelInfo, is_kernel, locate_instance};
use crate::diag::count;
use crate::ir::{DType, LaunchClass};
use crate::ptx::module::{canonical, parse};
use crate::runfile::{RunError, load_module};
use crate::runtime::compile;
use crate::target::TargetProfile;

/// Two PTX files, one kernel with `--targets sm_80,sm_120`, or two `.npy` files or folders of them.
#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// A PTX file, a `.npy` file or a folder of them; with `--targets` a kernel: its path, or the end of it.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The other one; left out with `--targets`.
    #[arg(value_name = "B")]
    b: Option<PathBuf>,
    /// Compare the texts of the kernel A for these two targets.
    #[arg(long, value_name = "TARGET,TARGET", value_delimiter = ',', value_parser = target)]
    targets: Vec<TargetProfile>,
    /// The dtypes of the kernel's instance; by default f32 where there is one.
    #[arg(long, value_delimiter = ',', value_parser = dtype)]
    dtype: Vec<DType>,
    /// The launches to emit the kernel for; by default those of its first case.
    #[arg(long, value_parser = class)]
    class: Option<LaunchClass>,
    /// What the elements of results are, where the files hold raw bits: bf16, f16, e4m3 …
    #[arg(long = "as", value_name = "DTYPE", value_parser = dtype)]
    interpretation: Option<DType>,
    /// Compare texts as they are, with the names of registers and labels, comments and `.loc`.
    #[arg(long)]
    verbatim: bool,
    /// Lines of text around each difference; 3 by default.
    #[arg(long, value_name = "N")]
    context: Option<usize>,
    /// Show so many elements that differ of each pair of results; 10 by default.
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

/// What is compared.
enum Kind {
    Texts,
    Arrays,
    Folders,
}

pub(super) fn run(arguments: &DiffArguments, output: &mut Output) -> Result<Exit, CliError> {
    let DiffArguments { a, b, targets, .. } = arguments;
    let with_targets = [("--dtype", !arguments.dtype.is_empty()), ("--class", arguments.class.is_some())];
    if targets.is_empty() {
        refuse(&given(with_targets), "the kernel of `--targets`")?;
    }
    match (b, targets.as_slice()) {
        (None, &[first, second]) => {
            refuse(&for_results(arguments), "results")?;
            kernels(arguments, first, second, output)
        }
        (Some(_), [_, ..]) => {
            Err(CliError::usage("`--targets` compares one kernel with itself", "leave out B, or `--targets`"))
        }
        (None, []) => {
            let help = "give a second file, or two targets for a kernel: `--targets sm_80,sm_120`";
            Err(CliError::usage(format!("{} alone has nothing to differ from", a.display()), help))
        }
        (None, _) => Err(CliError::usage("two targets are compared", "write `--targets sm_80,sm_120`")),
        (Some(b), []) => match (kind(a), kind(b)) {
            (_, _) if [a, b].into_iter().any(|path| names_kernel(path)) => Err(kernel_for_file(a, b)),
            (Kind::Texts, Kind::Texts) => {
                refuse(&for_results(arguments), "results")?;
                let texts = [text(a, arguments.verbatim)?, text(b, arguments.verbatim)?];
                let names = [a, b].map(|path| path.display().to_string());
                ptx(arguments, &names, &texts, output)
            }
            (Kind::Arrays, Kind::Arrays) => {
                refuse(&for_texts(arguments), "texts")?;
                results(arguments, &[(a.clone(), b.clone())], &[], output)
            }
            (Kind::Folders, Kind::Folders) => {
                refuse(&for_texts(arguments), "texts")?;
                let (pairs, missing) = pairs(a, b)?;
                results(arguments, &pairs, &missing, output)
            }
            (_, _) => {
                // What is not there is of no kind.
                for path in [a, b] {
                    let found = fs::metadata(path);
                    found.map_err(|error| RunError::Read { path: path.clone(), error })?;
                }
                let what = format!("{} and {} are not of one kind", a.display(), b.display());
                Err(CliError::usage(what, "give two PTX files, two `.npy` files, or two folders of them"))
            }
        },
    }
}

fn for_results(arguments: &DiffArguments) -> Vec<&'static str> {
    given([("--as", arguments.interpretation.is_some()), ("--first", arguments.first.is_some())])
}

fn for_texts(arguments: &DiffArguments) -> Vec<&'static str> {
    given([("--verbatim", arguments.verbatim), ("--context", arguments.context.is_some())])
}

/// Refuses options that say nothing to what is compared.
fn refuse(options: &[&str], subject: &str) -> Result<(), CliError> {
    if options.is_empty() {
        return Ok(());
    }
    let (verb, them) = if options.len() == 1 { ("goes", "it") } else { ("go", "them") };
    let what = format!("{} {verb} with {subject} only", quoted(options));
    Err(CliError::usage(what, format!("leave {them} out")))
}

/// Whether there is no such file, but a kernel of that name.
fn names_kernel(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err() && path.to_str().is_some_and(is_kernel)
}

fn kernel_for_file(a: &Path, b: &Path) -> CliError {
    let kernels: Vec<_> = [a, b].into_iter().filter(|path| names_kernel(path)).collect();
    let name = kernels[0].display();
    let help = format!(
        "one kernel is compared for two targets: `warpsmith diff {name} --targets sm_80,sm_120`\n\
         two texts are compared as files: `warpsmith dump {name} > a.ptx`, then `warpsmith diff a.ptx b.ptx`"
    );
    CliError::usage(format!("`{name}` is a kernel, not a file"), help)
}

fn kind(path: &Path) -> Kind {
    if path.is_dir() {
        Kind::Folders
    } else if path.extension().is_some_and(|extension| extension == "npy") {
        Kind::Arrays
    } else {
        Kind::Texts
    }
}

/// The text of a file, in canonical form unless it is wanted as it is.
fn text(path: &Path, verbatim: bool) -> Result<String, CliError> {
    let (text, module) = load_module(path)?;
    Ok(if verbatim { text } else { canonical(&module).print() })
}

fn kernels(
    arguments: &DiffArguments,
    first: TargetProfile,
    second: TargetProfile,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let kernel = locate_instance(&arguments.a.to_string_lossy(), &arguments.dtype)?;
    let instance = instance(&kernel, &arguments.dtype)?;
    let class = arguments.class.unwrap_or_else(|| instance.launch.class(16));
    let of = |target: TargetProfile| -> Result<String, CliError> {
        let text = compile::compile(&instance.kernel, &class, target)?.text;
        // What is not PTX has no canonical form.
        match parse(&text).ok().filter(|_| !arguments.verbatim && target.as_ptx().is_some()) {
            Some(module) => Ok(canonical(&module).print()),
            None => Ok(text),
        }
    };
    let names = [first, second].map(|target| format!("{} for {target}", instance.kernel.path()));
    ptx(arguments, &names, &[of(first)?, of(second)?], output)
}

fn instance<'a>(kernel: &'a KernelInfo, dtypes: &[DType]) -> Result<&'a Instance, CliError> {
    let instances = &kernel.instances;
    let found = if dtypes.is_empty() {
        let all_f32 = |instance: &&Instance| instance.kernel.dtypes.iter().all(|dtype| *dtype == DType::F32);
        instances.iter().find(all_f32).or(instances.first())
    } else {
        instances.iter().find(|instance| instance.kernel.dtypes == dtypes)
    };
    found.ok_or_else(|| {
        let known: Vec<_> = instances.iter().map(|instance| instance.kernel.path()).collect();
        let what = format!("no case of `{}` has these dtypes", kernel.path);
        CliError::usage(what, format!("there are {}", known.join(", ")))
    })
}

#[derive(Serialize)]
struct TextLine<'a> {
    schema: u32,
    kind: &'static str,
    a: &'a str,
    b: &'a str,
    equal: bool,
    added: usize,
    removed: usize,
    diff: &'a str,
}

fn ptx(
    arguments: &DiffArguments,
    names: &[String; 2],
    texts: &[String; 2],
    output: &mut Output,
) -> Result<Exit, CliError> {
    let diff = TextDiff::from_lines(&texts[0], &texts[1]);
    let changes = |tag: ChangeTag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let (added, removed) = (changes(ChangeTag::Insert), changes(ChangeTag::Delete));
    let equal = texts[0] == texts[1];
    let unified = diff
        .unified_diff()
        .context_radius(arguments.context.unwrap_or(3))
        .header(&names[0], &names[1])
        .to_string();
    if arguments.json {
        let [a, b] = names;
        let kind = "text";
        output.json(&TextLine { schema: SCHEMA, kind, a, b, equal, added, removed, diff: &unified })?;
    } else if equal {
        output.line("equal")?;
    } else {
        output.text(&unified)?;
        output.line(format!("{} removed, {added} added", count(removed, "line")))?;
    }
    Ok(if equal { Exit::Fine } else { Exit::Finding })
}

/// Files of one name in both folders, and those that only one has.
type Pairs = (Vec<(PathBuf, PathBuf)>, Vec<PathBuf>);

fn pairs(a: &Path, b: &Path) -> Result<Pairs, CliError> {
    let (of_a, of_b) = (arrays(a)?, arrays(b)?);
    if of_a.is_empty() && of_b.is_empty() {
        let what = format!("neither {} nor {} holds a `.npy` file", a.display(), b.display());
        return Err(CliError::usage(
            what,
            "give folders that `warpsmith run` or `numpy.save` wrote results to",
        ));
    }
    let both = of_a.intersection(&of_b).map(|name| (a.join(name), b.join(name))).collect();
    let only = |folder: &Path, mine: &BTreeSet<PathBuf>, other: &BTreeSet<PathBuf>| -> Vec<PathBuf> {
        mine.difference(other).map(|name| folder.join(name)).collect()
    };
    let missing = [only(a, &of_a, &of_b), only(b, &of_b, &of_a)].concat();
    Ok((both, missing))
}

/// The results in a folder by name, without the files that say who wrote them.
fn arrays(folder: &Path) -> Result<BTreeSet<PathBuf>, CliError> {
    let failed = |error| CliError::Io { what: format!("can't read {}", folder.display()), error };
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = PathBuf::from(entry.map_err(failed)?.file_name());
        let text = name.to_string_lossy();
        if text.ends_with(".npy") && !text.ends_with(".writers.npy") {
            names.insert(name);
        }
    }
    Ok(names)
}

#[derive(Serialize)]
struct ResultsLine {
    schema: u32,
    kind: &'static str,
    equal: bool,
    files: Vec<FileLine>,
    /// Files that only one side has.
    missing: Vec<String>,
}

fn results(
    arguments: &DiffArguments,
    pairs: &[(PathBuf, PathBuf)],
    missing: &[PathBuf],
    output: &mut Output,
) -> Result<Exit, CliError> {
    let compared = pairs
        .iter()
        .map(|(a, b)| compare_files(a, b, arguments.interpretation, arguments.first.unwrap_or(10)));
    let files = compared.collect::<Result<Vec<FileLine>, CliError>>()?;
    let equal = missing.is_empty() && files.iter().all(FileLine::is_equal);
    if arguments.json {
        let missing = missing.iter().map(|path| path.display().to_string()).collect();
        output.json(&ResultsLine { schema: SCHEMA, kind: "results", equal, files, missing })?;
    } else {
        for path in missing {
            output.line(format!("only {} is there", path.display()))?;
        }
        for file in &files {
            show(file, output)?;
        }
    }
    Ok(if equal { Exit::Fine } else { Exit::Finding })
}
