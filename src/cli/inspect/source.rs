//! What is inspected: a kernel that is compiled here, or a file; and its emulated run.

use std::path::Path;

use super::super::device::DEFAULT_TARGET;
use super::super::dump::instance;
use super::super::error::{CliError, notice};
use super::super::sanitize::is_file;
use super::{Given, InspectArguments};
use crate::corpus::{Instance, largest, locate, locate_instance, measure};
use crate::ir::LaunchClass;
use crate::ptx::module::parse;
use crate::runfile::{EmuOptions, RunError, cta_of, device_target, load_partly, not_read};
use crate::runtime::compile;
use crate::target::Target;

/// Alignment of a case's buffers.
const ALIGN: u32 = 16;

/// Reads what the arguments name.
pub(super) fn read(arguments: &InspectArguments, asked: Option<Target>) -> Result<Given, CliError> {
    if is_file(&arguments.subject) {
        return file(arguments, asked);
    }
    if Path::new(&arguments.subject).is_dir() {
        let what = format!("{} is a folder", arguments.subject);
        return Err(CliError::usage(what, "name a kernel, or a file of PTX text"));
    }
    kernel(arguments, asked)
}

fn kernel(arguments: &InspectArguments, asked: Option<Target>) -> Result<Given, CliError> {
    if !arguments.launch.is_only_a_block() {
        let help =
            "a kernel's cases say how it is launched: leave out `--entry`, `--grid`, `--shared` and `--arg`";
        return Err(CliError::usage("these options are for a PTX file", help));
    }
    let target = asked.unwrap_or(DEFAULT_TARGET);
    // A run may be of any case of the instance.
    let info = match &arguments.run {
        None => locate_instance(&arguments.subject, &arguments.dtype)?,
        Some(_) => locate(&arguments.subject)?,
    };
    let instance = instance(&info, &arguments.dtype)?;
    let case = match arguments.run.as_deref() {
        None => None,
        Some(name) => Some(case_of(instance, name)?),
    };
    let (kernel, launch) =
        case.as_ref().map_or((&instance.kernel, &instance.launch), |(_, case)| (&case.kernel, &case.launch));
    let asked_block = block(arguments, target)?;
    let class = arguments.class.unwrap_or_else(|| {
        let class = launch.class(ALIGN);
        // A text for one shape of CTA is emitted for the one that is asked for, unless a case runs in its own.
        match asked_block.filter(|_| class.cta.is_some() && case.is_none()) {
            Some(_) => LaunchClass { cta: asked_block, ..class },
            None => class,
        }
    });
    let emitted = compile::compile(kernel, &class, target.into())?;
    let module = parse(&emitted.text).expect("text that was emitted here parses");
    let run = match &case {
        None => None,
        Some((selected, case)) => {
            let [x, y, z] = case.launch.grid;
            let what = format!("case {}, {x}x{y}x{z} CTAs", selected.id());
            Some((what, measure(case, &emitted, target)?))
        }
    };
    let block = match asked_block {
        Some(block) => Some(block),
        // A class for any shape is inspected for the shape of the case.
        None => class.cta.or(Some(launch.cta)),
    };
    Ok(Given {
        title: format!("{} for {target}, {class}", kernel.path()),
        text: emitted.text,
        module,
        entry: None,
        target,
        architecture: emitted.target,
        block,
        dynamic_shared: Some(emitted.dynamic_shared.into()),
        run,
        unsound: None,
    })
}

fn case_of(
    instance: &Instance,
    name: &str,
) -> Result<(crate::corpus::Selected, crate::case::Case), CliError> {
    let wanted = Some(name).filter(|name| !name.is_empty());
    largest(instance, wanted).ok_or_else(|| {
        let known: Vec<_> = instance.cases.iter().map(|case| case.id().to_string()).collect();
        let what = match wanted {
            Some(name) => format!("`{}` has no case `{name}` that writes anything", instance.kernel.path()),
            None => format!("`{}` has no case that is quick to emulate", instance.kernel.path()),
        };
        CliError::usage(what, format!("name one with `--run=CASE`: {}", known.join(", ")))
    })
}

fn file(arguments: &InspectArguments, asked: Option<Target>) -> Result<Given, CliError> {
    let path = Path::new(&arguments.subject);
    if !arguments.dtype.is_empty() || arguments.class.is_some() {
        let help = "leave out `--dtype` and `--class`: a file is what it is";
        return Err(CliError::usage("these options are for a kernel of this crate", help));
    }
    let (text, module) = load_partly(path)?;
    let target = device_target(module.target, asked)?;
    let names: Vec<&str> = module.entries.iter().map(|entry| entry.name.as_str()).collect();
    let known = || match names.as_slice() {
        [] => "it has none at all".to_owned(),
        names => format!("there are {}", names.join(", ")),
    };
    if let Some(name) = arguments.launch.entry().filter(|name| !names.contains(name)) {
        return Err(CliError::usage(format!("{} has no entry `{name}`", path.display()), known()));
    }
    if names.is_empty() {
        let help = "give a module with a `.entry`";
        return Err(CliError::usage(format!("{} has no entry", path.display()), help));
    }
    if arguments.run.is_none() && arguments.launch.has_arguments() {
        let help = "add `--run`, or leave out `--grid` and `--arg`";
        return Err(CliError::usage("nothing is launched that could take arguments", help));
    }
    let mut entry = arguments.launch.entry().map(str::to_owned);
    let mut unsound = None;
    let run = match arguments.run.as_deref() {
        None => None,
        Some("") => {
            if arguments.launch.names_output() {
                notice("inspect writes no file: `warpsmith run` with the same arguments does");
            }
            let job = arguments.launch.request(path, asked)?.prepare()?;
            let outcome = job.emulate(&EmuOptions { profile: true, ..EmuOptions::default() })?;
            unsound = outcome.met.first().map(|met| (met.finding.kind.code(), met.finding.to_string()));
            entry = Some(job.entry().to_owned());
            let [x, y, z] = job.grid();
            let profile = outcome.profile.filter(|_| unsound.is_none());
            profile.map(|profile| (format!("{x}x{y}x{z} CTAs"), profile))
        }
        Some(name) => {
            let help = "say `--run` alone, with `--grid`, `--block` and `--arg` as for `warpsmith run`";
            return Err(CliError::usage(format!("a file has no case `{name}`"), help));
        }
    };
    let mut shown = module.entries.iter().filter(|met| entry.as_ref().is_none_or(|name| met.name == *name));
    if let Some(error) = shown.find_map(|entry| entry.lacking.as_deref()) {
        return Err(not_read(path, &text, error.clone()).into());
    }
    // A run without the option has none.
    let dynamic_shared = arguments.launch.shared().or(arguments.run.as_ref().map(|_| 0));
    let declared = module.target.to_string();
    let limits = if asked.is_none() && declared != target.to_string() {
        notice(format!("{declared} is not known here: the limits are those of {target}"));
        format!("{declared}, with the limits of {target}")
    } else {
        target.to_string()
    };
    Ok(Given {
        title: format!("{} for {limits}", path.display()),
        architecture: asked.map_or_else(|| module.target.to_string(), |target| target.to_string()),
        text,
        module,
        entry,
        target,
        block: block(arguments, target)?,
        dynamic_shared,
        run,
        unsound,
    })
}

/// `--block`, if it is given and can be one.
fn block(arguments: &InspectArguments, target: Target) -> Result<Option<[u32; 3]>, RunError> {
    arguments.launch.block().map(|block| cta_of(None, block, target)).transpose()
}
