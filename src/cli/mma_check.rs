//! `warpsmith mma-check`: recorded results of matrix units against the model of a chip's.
//!
//! On entry: a file of the layout in `docs/tensor-cores.md`. On exit: how many results of each form agree, bit by bit. A
//! form that nothing computes is listed with the reason and is never counted as agreeing, so it is a finding too.
//! Deliberately not here: how results are computed; what compares them takes any two sources (`tensor::check`), of which a
//! device is one (`runtime::MatrixUnit`).

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::error::{CliError, Exit, notice};
use super::output::{Output, SCHEMA};
use super::selection::with_help;
use crate::numerics::tensor::{
    Checked, Difference, Evidence, Golden, Operation, Recorded, Source, TensorModel, check,
};
use crate::runtime::{Device, EmuSettings, MatrixUnit};
use crate::target::Target;

#[derive(Debug, Args)]
pub(super) struct MmaCheckArguments {
    /// A file of recorded results.
    file: PathBuf,
    /// The chip whose model is compared, sm_90 where nothing is said; a GPU has its own.
    #[arg(long, value_name = "TARGET", value_parser = target)]
    arch: Option<Target>,
    /// Runs the file's operands through the real instruction on `cuda:N`, or the emulated one on `emu`, and compares that
    /// with the model; the file's own results are left alone.
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// One JSON object with the counts of each form.
    #[arg(long)]
    json: bool,
}

/// Whose results are compared, in words, and the model whose evidence is shown.
struct Sides<'a> {
    expected: (&'a dyn Source, &'a str),
    given: (&'a dyn Source, &'a str),
    model: TensorModel,
}

pub(super) fn run(arguments: &MmaCheckArguments, output: &mut Output) -> Result<Exit, CliError> {
    let path = arguments.file.display();
    let bytes = std::fs::read(&arguments.file).map_err(|error| {
        CliError::usage(format!("can't read {path}: {error}"), "name a file of recorded results")
    })?;
    let file =
        Golden::read(&bytes).map_err(|error| CliError::usage(format!("{path}: {error}"), error.help()))?;
    let Some(device) = &arguments.device else {
        let model = model_of(arguments.arch.unwrap_or(Target::SM_90))?;
        let name = model.to_string();
        let sides = Sides { expected: (&Recorded, "the file"), given: (&model, &name), model };
        return report(&file, &sides, arguments.json, output);
    };
    let device = open(device, arguments.arch)?;
    device.notices().iter().for_each(|text| notice(text.as_str()));
    let Some(target) = device.target().as_ptx() else {
        return Err(CliError::usage("the device runs no PTX", "name `emu` or `cuda:N`"));
    };
    let model = model_of(target)?;
    let (name, unit) = (model.to_string(), device.name());
    let sides = Sides { expected: (&model, &name), given: (&MatrixUnit(&device), &unit), model };
    report(&file, &sides, arguments.json, output)
}

/// Compares two sides and shows what came of it.
fn report(file: &Golden<'_>, sides: &Sides<'_>, json: bool, output: &mut Output) -> Result<Exit, CliError> {
    let checked = check(file, sides.expected.0, sides.given.0);
    if checked.is_empty() {
        notice("the file has no forms, so nothing was compared");
    }
    if json {
        let forms = checked.iter().map(FormCounts::of).collect();
        output.json(&Counts { schema: SCHEMA, forms })?;
    } else {
        plain(&checked, sides, output)?;
    }
    Ok(if checked.iter().all(Checked::is_match) { Exit::Fine } else { Exit::Finding })
}

#[derive(Serialize)]
struct Counts<'a> {
    schema: u32,
    forms: Vec<FormCounts<'a>>,
}

#[derive(Serialize)]
struct FormCounts<'a> {
    name: &'a str,
    matched: usize,
    total: usize,
}

impl<'a> FormCounts<'a> {
    fn of(checked: &'a Checked) -> Self {
        Self { name: &checked.name, matched: checked.matched, total: checked.total }
    }
}

fn plain(checked: &[Checked], sides: &Sides<'_>, output: &mut Output) -> Result<(), CliError> {
    // Names are foreign bytes, and not for the terminal to act on.
    let names: Vec<String> = checked.iter().map(|form| form.name.escape_debug().to_string()).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("form".len());
    output.line(format!("{:<width$}  {:>8}  {:>8}  {}", "form", "matched", "total", "evidence"))?;
    for (form, name) in checked.iter().zip(&names) {
        let known = match &form.reason {
            Some(reason) => format!("not computed: {reason}"),
            None => evidence(&sides.model, form.operation).map(Evidence::name).unwrap_or_default().to_owned(),
        };
        output.line(format!("{name:<width$}  {:>8}  {:>8}  {known}", form.matched, form.total))?;
        if let Some(first) = form.first {
            output.line(format!("  first: {}", described(&first, sides)))?;
        }
    }
    let sum = |count: fn(&Checked) -> usize| checked.iter().map(count).sum::<usize>();
    let (matched, total) = (sum(|form| form.matched), sum(|form| form.total));
    output.line(format!("{:<width$}  {matched:>8}  {total:>8}  {}", "all", sides.model))
}

fn evidence(model: &TensorModel, operation: Option<Operation>) -> Option<Evidence> {
    Some(match operation? {
        Operation::Mma(form) => model.evidence(&form),
        Operation::Wgmma(form) => model.wgmma_evidence(&form),
    })
}

fn described(first: &Difference, sides: &Sides<'_>) -> String {
    let Difference { tile, row, column, expected, given } = first;
    format!(
        "tile {tile}, row {row}, column {column}: {} has {expected:08X}, {} {given:08X}",
        sides.expected.1, sides.given.1
    )
}

fn target(text: &str) -> Result<Target, String> {
    Target::parse(text).map_err(|error| with_help(&error))
}

fn model_of(target: Target) -> Result<TensorModel, CliError> {
    TensorModel::of(target.chip().number()).ok_or_else(|| {
        let help = "there are models of sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_120 and sm_121";
        CliError::usage(format!("there is no model of {target}"), help)
    })
}

/// The device; an emulator stands for the chip that is asked for.
fn open(name: &str, arch: Option<Target>) -> Result<Device, CliError> {
    if name == "emu" {
        let target = arch.unwrap_or(Target::SM_90);
        return Ok(Device::emulator(EmuSettings { target, ..EmuSettings::default() }));
    }
    if arch.is_some() {
        return Err(CliError::usage(
            format!("`{name}` has a chip of its own"),
            "leave out `--arch`, or ask for `--device emu`",
        ));
    }
    Ok(Device::open(name)?)
}
