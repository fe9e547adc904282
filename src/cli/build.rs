//! `warpsmith build`: the text of every kernel in files, and a manifest that says how to launch each.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::class::class;
use super::device::target;
use super::dump::{Language, because_of, resolve};
use super::error::{CliError, Exit, broken_case, message};
use super::output::{Output, SCHEMA};
use super::selection::SelectionArguments;
use super::settings;
use crate::backend::{AbiKind, Emitted};
use crate::corpus::{Instance, SizeLimit, catalog};
use crate::diag::{Severity, count};
use crate::ir::{Kernel, Keyword, LaunchClass, ParamId};
use crate::runtime::compile;
use crate::target::TargetProfile;

#[derive(Debug, Args)]
pub(super) struct BuildArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    /// The language; by default that of the target.
    #[arg(long, value_enum)]
    emit: Option<Language>,
    /// The target; by default sm_121, or apple9 for MSL.
    #[arg(long, env = settings::TARGET.variable, value_parser = target)]
    target: Option<TargetProfile>,
    /// The variable or line of `warpsmith.toml` that names the target.
    #[arg(skip)]
    pub(super) target_origin: Option<String>,
    /// The launches to emit for; by default those of each kernel's first case.
    #[arg(long, value_parser = class)]
    class: Option<LaunchClass>,
    /// The folder to write to; made if it is missing.
    #[arg(short, long = "out", value_name = "DIR")]
    out: PathBuf,
}

#[derive(Serialize)]
struct Manifest {
    schema: u32,
    warpsmith: &'static str,
    language: &'static str,
    /// The target that was asked for.
    target: String,
    kernels: Vec<Entry>,
    /// Instances without text.
    unsupported: Vec<Missing>,
}

#[derive(Serialize)]
struct Missing {
    name: String,
    reason: String,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    dtypes: Vec<&'static str>,
    entry: String,
    file: String,
    /// The chip asked for, without a suffix.
    chip: String,
    /// The target that the text names.
    target: String,
    ptx_version: Option<String>,
    class: String,
    mode: &'static str,
    /// Threads of a CTA, where the class fixes them.
    cta: Option<[u32; 3]>,
    static_shared_bytes: u32,
    dynamic_shared_bytes: u32,
    /// What a launch passes, in binding order.
    parameters: Vec<Parameter>,
    source: Option<String>,
    selection: Vec<String>,
}

#[derive(Serialize)]
struct Parameter {
    binding: usize,
    /// Its name in the text.
    name: String,
    kind: &'static str,
    /// The kernel's parameter that it belongs to.
    parameter: Option<String>,
    /// The axis that it speaks of.
    axis: Option<u8>,
    /// Element type of a buffer, type of a scalar.
    dtype: &'static str,
    /// Whether the kernel writes it; of buffers only.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<bool>,
    size: u32,
}

pub(super) fn run(arguments: &BuildArguments, output: &mut Output) -> Result<Exit, CliError> {
    let (language, target) = resolve(arguments.emit, arguments.target)
        .map_err(|error| because_of(error, arguments.target_origin.as_deref()))?;
    arguments.selection.check()?;
    let folder = arguments.out.as_path();
    prepare(folder)?;
    let (kernels, broken) = catalog(&arguments.selection.filter(SizeLimit::Gpu));
    let mut is_whole = broken.is_empty();
    for error in &broken {
        broken_case(error);
    }
    let mut manifest = Manifest {
        schema: SCHEMA,
        warpsmith: env!("CARGO_PKG_VERSION"),
        language: language.extension(),
        target: target.to_string(),
        kernels: Vec::new(),
        unsupported: Vec::new(),
    };
    for instance in kernels.iter().flat_map(|kernel| &kernel.instances) {
        let class = arguments.class.unwrap_or_else(|| instance.launch.class(16));
        match compile::compile(&instance.kernel, &class, target) {
            Ok(emitted) => {
                let file = format!("{}.{}", emitted.entry, language.extension());
                let path = folder.join(&file);
                fs::write(&path, &emitted.text).map_err(|error| failed(&path, error))?;
                manifest.kernels.push(entry(instance, emitted, class, target, file));
            }
            Err(error) => {
                is_whole &= error.is_unsupported();
                message(Severity::Warning, error.to_string(), None);
                let reason = error.report().messages().first().map(|first| first.text.clone());
                let name = instance.kernel.path();
                manifest.unsupported.push(Missing { name, reason: reason.unwrap_or_default() });
            }
        }
    }
    let path = folder.join("manifest.json");
    let text = serde_json::to_string_pretty(&manifest).expect("a manifest holds text and numbers only");
    fs::write(&path, text + "\n").map_err(|error| failed(&path, error))?;
    let (files, missing) = (count(manifest.kernels.len(), "file"), manifest.unsupported.len());
    output.line(format!("{files} for {target} in {}, {missing} without text", folder.display()))?;
    Ok(if is_whole { Exit::Fine } else { Exit::Finding })
}

/// Makes the folder, and sees that files can be made there before any text is.
fn prepare(folder: &Path) -> Result<(), CliError> {
    let made = fs::create_dir_all(folder).and_then(|()| {
        let probe = folder.join("manifest.json");
        fs::OpenOptions::new().create(true).append(true).open(probe).map(drop)
    });
    made.map_err(|error| {
        let what = format!("can't write to {}: {error}", folder.display());
        CliError::usage(what, "give a folder that can be written")
    })
}

fn failed(path: &Path, error: std::io::Error) -> CliError {
    CliError::Io { what: format!("can't write {}", path.display()), error }
}

fn entry(
    instance: &Instance,
    emitted: Emitted,
    class: LaunchClass,
    target: TargetProfile,
    file: String,
) -> Entry {
    let kernel = &instance.kernel;
    let parameters = emitted.params.iter().enumerate();
    let parameters = parameters
        .map(|(binding, param)| {
            let described = describe(kernel, param.kind);
            let (kind, of, axis, dtype) = described;
            let parameter = of.map(|id| kernel.params[id].name.clone());
            let written = match param.kind {
                AbiKind::Buffer(id) => Some(kernel.params[id].is_written()),
                AbiKind::Scalar(_)
                | AbiKind::Shape(..)
                | AbiKind::Stride(..)
                | AbiKind::Extent(_)
                | AbiKind::GridDim(_) => None,
            };
            let (name, size) = (param.name.clone(), param.size);
            Parameter { binding, name, kind, parameter, axis, dtype, written, size }
        })
        .collect();
    let bare = Kernel { dtypes: Vec::new(), ..kernel.clone() };
    Entry {
        name: bare.path(),
        dtypes: kernel.dtypes.iter().map(|dtype| dtype.name()).collect(),
        entry: emitted.entry,
        file,
        chip: match target {
            TargetProfile::Ptx(target) => format!("sm_{}", target.chip().number()),
            TargetProfile::Metal(family) => family.to_string(),
        },
        target: emitted.target,
        ptx_version: emitted.ptx_version.map(|version| version.to_string()),
        class: class.to_string(),
        mode: class.mode.keyword(),
        cta: class.cta,
        static_shared_bytes: emitted.static_shared,
        dynamic_shared_bytes: emitted.dynamic_shared,
        parameters,
        source: kernel.sources.locate(kernel.span),
        selection: emitted.selection,
    }
}

/// Kind, the kernel's parameter, axis and dtype.
fn describe(kernel: &Kernel, kind: AbiKind) -> (&'static str, Option<ParamId>, Option<u8>, &'static str) {
    let dtype = |id: ParamId| kernel.params[id].dtype.name();
    match kind {
        AbiKind::Buffer(id) => ("buffer", Some(id), None, dtype(id)),
        AbiKind::Scalar(id) => ("scalar", Some(id), None, dtype(id)),
        AbiKind::Shape(id, axis) => ("shape", Some(id), Some(axis), "u64"),
        AbiKind::Stride(id, axis) => ("stride", Some(id), Some(axis), "u64"),
        AbiKind::Extent(axis) => ("extent", None, Some(axis), "u32"),
        AbiKind::GridDim(axis) => ("grid", None, Some(axis), "u32"),
    }
}
