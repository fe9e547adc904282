//! `warpsmith targets`: what can be emitted for, and the limits there.

use clap::Args;
use serde::Serialize;

use super::error::{CliError, Exit};
use super::output::{Output, SCHEMA};
use crate::target::TargetProfile;

#[derive(Debug, Args)]
pub(super) struct TargetsArguments {
    /// Name what each target can do, too.
    #[arg(long)]
    features: bool,
    /// One JSON object a target.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    schema: u32,
    target: String,
    language: &'static str,
    /// The lowest PTX version that knows it.
    ptx_version: Option<String>,
    shared_static_bytes: u32,
    shared_max_bytes: u32,
    registers_per_thread: Option<u32>,
    threads_per_cta: u32,
    features: Vec<&'static str>,
}

impl Row {
    fn of(target: TargetProfile) -> Self {
        let limits = target.limits();
        let ptx = target.as_ptx();
        Self {
            schema: SCHEMA,
            target: target.to_string(),
            language: if ptx.is_some() { "ptx" } else { "msl" },
            ptx_version: ptx.map(|target| target.ptx_floor().to_string()),
            shared_static_bytes: limits.shared_static_bytes,
            shared_max_bytes: limits.shared_max_bytes,
            registers_per_thread: limits.registers_per_thread,
            threads_per_cta: limits.threads_per_cta,
            features: ptx.map(|target| target.features().names().collect()).unwrap_or_default(),
        }
    }
}

pub(super) fn run(arguments: &TargetsArguments, output: &mut Output) -> Result<Exit, CliError> {
    let rows: Vec<_> = TargetProfile::all().map(Row::of).collect();
    if arguments.json {
        rows.iter().try_for_each(|row| output.json(row))?;
        return Ok(Exit::Fine);
    }
    output.line(format!(
        "{:<9} {:<4} {:>5} {:>14} {:>11} {:>9}  {}",
        "target",
        "text",
        "PTX ≥",
        "static shared",
        "max shared",
        "registers",
        if arguments.features { "features" } else { "" }
    ))?;
    for row in rows {
        let registers = row.registers_per_thread.map_or_else(|| "-".into(), |count| count.to_string());
        let line = format!(
            "{:<9} {:<4} {:>5} {:>14} {:>11} {:>9}  {}",
            row.target,
            row.language,
            row.ptx_version.as_deref().unwrap_or("-"),
            row.shared_static_bytes,
            row.shared_max_bytes,
            registers,
            if arguments.features { row.features.join(", ") } else { String::new() }
        );
        output.line(line.trim_end())?;
    }
    Ok(Exit::Fine)
}
