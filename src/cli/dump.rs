//! `warpsmith dump`: the text of one kernel, or its intermediate representation.

use clap::{Args, ValueEnum};

use super::class::class;
use super::device::{DEFAULT_TARGET, target};
use super::error::{CliError, Exit};
use super::output::Output;
use super::selection::dtype;
use super::settings;
use crate::corpus::{Filter, Instance, KernelInfo, SizeLimit, catalog, find};
use crate::ir::print::print;
use crate::ir::{DType, Keyword, LaunchClass};
use crate::passes::{self, Pass};
use crate::runtime::compile;
use crate::target::{MetalFamily, TargetProfile};

#[derive(Debug, Args)]
pub(super) struct DumpArguments {
    /// The kernel: its path, or the end of it.
    kernel: String,
    /// The intermediate representation as the kernel was written.
    #[arg(long, conflicts_with_all = ["emit", "dump_after"])]
    ir: bool,
    /// The language; by default that of the target.
    #[arg(long, value_enum)]
    emit: Option<Language>,
    /// The dtypes of the instance; by default f32 where there is one.
    #[arg(long, value_delimiter = ',', value_parser = dtype)]
    dtype: Vec<DType>,
    /// The target; by default sm_121, or apple9 for MSL.
    #[arg(long, env = settings::TARGET.variable, value_parser = target)]
    target: Option<TargetProfile>,
    /// The launches to emit for; by default those of the kernel's first case.
    #[arg(long, value_parser = class)]
    class: Option<LaunchClass>,
    /// The intermediate representation after this pass.
    #[arg(long, value_name = "PASS", value_parser = pass)]
    dump_after: Option<Pass>,
}

/// A language that kernels are emitted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    Ptx,
    Msl,
}

impl Language {
    /// The extension of its files.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Ptx => "ptx",
            Self::Msl => "metal",
        }
    }
}

fn pass(text: &str) -> Result<Pass, String> {
    Pass::from_keyword(text).ok_or_else(|| {
        let known: Vec<_> = Pass::PIPELINE.iter().map(|pass| pass.name()).collect();
        format!("the passes are {}, in this order", known.join(", "))
    })
}

/// The language and target of a request.
pub(super) fn resolve(
    emit: Option<Language>,
    target: Option<TargetProfile>,
) -> Result<(Language, TargetProfile), CliError> {
    let of_target = |target: TargetProfile| match target {
        TargetProfile::Ptx(_) => Language::Ptx,
        TargetProfile::Metal(_) => Language::Msl,
    };
    match (emit, target) {
        (None, None) | (Some(Language::Ptx), None) => Ok((Language::Ptx, DEFAULT_TARGET.into())),
        (Some(Language::Msl), None) => Ok((Language::Msl, MetalFamily::Apple9.into())),
        (None, Some(target)) => Ok((of_target(target), target)),
        (Some(language), Some(target)) if language == of_target(target) => Ok((language, target)),
        (Some(language), Some(target)) => {
            let what = format!("{target} does not take {}", language.extension());
            Err(CliError::usage(what, "`warpsmith targets` lists the language of each target"))
        }
    }
}

pub(super) fn run(arguments: &DumpArguments, output: &mut Output) -> Result<Exit, CliError> {
    let (_, target) = resolve(arguments.emit, arguments.target)?;
    let (kernels, _) = catalog(&Filter { size: SizeLimit::Gpu, ..Filter::default() });
    let kernel = find(&kernels, &arguments.kernel)?;
    let instance = instance(kernel, &arguments.dtype)?;
    let class = arguments.class.unwrap_or_else(|| instance.launch.class(16));
    if arguments.ir {
        output.text(&print(&instance.kernel))?;
        return Ok(Exit::Fine);
    }
    if let Some(wanted) = arguments.dump_after {
        compile::check(&instance.kernel, &class, target)?;
        output.text(&after(instance, class, wanted)?)?;
        return Ok(Exit::Fine);
    }
    let emitted = compile::compile(&instance.kernel, &class, target)?;
    output.text(&emitted.text)?;
    for chosen in &emitted.selection {
        super::error::notice(chosen.as_str());
    }
    Ok(Exit::Fine)
}

fn instance<'a>(kernel: &'a KernelInfo, dtypes: &[DType]) -> Result<&'a Instance, CliError> {
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

fn after(instance: &Instance, class: LaunchClass, wanted: Pass) -> Result<String, CliError> {
    let mut text = String::new();
    let config = passes::Config::new(class);
    let done = passes::run_observed(&instance.kernel, &config, &mut |pass, kernel| {
        if pass == wanted {
            text = print(kernel);
        }
    });
    done.map_err(|errors| compile::CompileError {
        kernel: instance.kernel.path(),
        sources: instance.kernel.sources.clone(),
        errors: compile::CompileErrors::Pass(errors),
    })
    .map_err(Box::new)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_and_target_go_together() {
        let metal = TargetProfile::Metal(MetalFamily::Apple7);
        assert_eq!(resolve(None, None).unwrap(), (Language::Ptx, DEFAULT_TARGET.into()));
        assert_eq!(resolve(None, Some(metal)).unwrap(), (Language::Msl, metal));
        assert_eq!(resolve(Some(Language::Msl), None).unwrap().1, MetalFamily::Apple9.into());
        assert!(resolve(Some(Language::Ptx), Some(metal)).is_err());
    }
}
