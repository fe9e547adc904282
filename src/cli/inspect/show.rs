//! An entry as tables.

use super::super::error::CliError;
use super::super::output::Output;
use super::Shown;
use crate::diag;
use crate::inspect::{LineRun, Resources, Run};

pub(super) fn show(shown: &Shown<'_>, output: &mut Output) -> Result<(), CliError> {
    output.line(&shown.given.title)?;
    row(output, "entry", &shown.entry.name)?;
    resources(shown, output)?;
    let mix = shown.inspection.mix.iter();
    let mix: Vec<_> = mix
        .map(|share| format!("{} {} ({:.0} %)", share.family.name(), share.instructions, 100.0 * share.share))
        .collect();
    row(output, "mix", mix.join(", "))?;
    accesses(shown, output)?;
    lines(shown, output)?;
    if let Some((what, found)) = &shown.run {
        run(what, found, output)?;
    }
    Ok(())
}

fn row(output: &mut Output, what: &str, text: impl AsRef<str>) -> Result<(), CliError> {
    output.line(format!("{what:<10} {}", text.as_ref()))
}

fn resources(shown: &Shown<'_>, output: &mut Output) -> Result<(), CliError> {
    let Resources { registers, shared, occupancy } = &shown.inspection.resources;
    let estimate = registers.estimate;
    let (count, spills) = match registers.assembler {
        Some(count) => {
            let version = shown.tool.version.as_deref().unwrap_or("of an unknown version");
            let spills = format!(
                "{} stored, {} loaded; stack {}",
                diag::count(registers.spill_store_bytes.unwrap_or(0), "byte"),
                registers.spill_load_bytes.unwrap_or(0),
                diag::count(registers.stack_bytes.unwrap_or(0), "byte")
            );
            (format!("{count} a thread (ptxas {version}; estimate {estimate})"), spills)
        }
        None => {
            let spills = match (&shown.tool.failed, &shown.tool.missing) {
                (Some(_), _) => "unknown: ptxas failed",
                (None, Some(_)) => "unknown without ptxas",
                (None, None) => "unknown: ptxas says nothing of this entry",
            };
            (format!("about {estimate} a thread (estimate)"), spills.to_owned())
        }
    };
    row(output, "registers", count)?;
    row(output, "spills", spills)?;
    let own = match shared.dynamic_bytes {
        Some(dynamic) => {
            let total = diag::count(shared.static_bytes.saturating_add(dynamic), "byte");
            format!("{total}: {} static, {dynamic} dynamic", shared.static_bytes)
        }
        None => {
            let fixed = diag::count(shared.static_bytes, "byte");
            format!("{fixed} static, dynamic unknown: `--shared BYTES` says how many")
        }
    };
    row(output, "shared", format!("{own}; {} more are the system's", shared.reserved_bytes))?;
    let text = match occupancy {
        None => "unknown: `--block X,Y,Z` says how many threads a CTA has".to_owned(),
        Some(found) => {
            let [x, y, z] = found.block;
            let registers = if found.estimated { ", with the estimate" } else { "" };
            let (most, bound) =
                if found.upper_bound { ("at most ", ", without dynamic shared memory") } else { ("", "") };
            format!(
                "{most}{} of {x}x{y}x{z} {} on an SM, {} of {} warps ({:.1} %), limited by {}{registers}{bound}",
                diag::count(found.ctas, "CTA"),
                if found.block == [1; 3] { "thread" } else { "threads" },
                found.warps,
                found.max_warps,
                found.percent,
                found.limit
            )
        }
    };
    row(output, "occupancy", text)
}

fn accesses(shown: &Shown<'_>, output: &mut Output) -> Result<(), CliError> {
    let accesses = &shown.inspection.accesses;
    if accesses.is_empty() {
        return row(output, "accesses", "none");
    }
    output.line("")?;
    output.line(format!(
        "{:>5}  {:<6} {:<7} {:>3} {:>5}  {:<40} opcode",
        "PTX", "what", "space", "vec", "bytes", "source"
    ))?;
    for access in accesses {
        output.line(format!(
            "{:>5}  {:<6} {:<7} {:>3} {:>5}  {:<40} {}",
            access.ptx_line,
            access.direction.name(),
            access.space,
            access.vector,
            access.bytes,
            access.place,
            access.opcode
        ))?;
    }
    Ok(())
}

fn lines(shown: &Shown<'_>, output: &mut Output) -> Result<(), CliError> {
    output.line("")?;
    output.line("one thread, each instruction once:")?;
    output.line(format!(
        "{:<40} {:>12} {:>9} {:>9} {:>9} {:>10}",
        "source", "instructions", "FLOPs", "global B", "shared B", "FLOPs/byte"
    ))?;
    let total = &shown.inspection.total;
    let lines = shown.inspection.lines.iter().map(|line| (line.place.to_string(), &line.work));
    for (place, work) in lines.chain([("all".to_owned(), total)]) {
        output.line(format!(
            "{place:<40} {:>12} {:>9} {:>9} {:>9} {:>10}",
            work.instructions,
            work.flops,
            work.global_bytes,
            work.shared_bytes,
            ratio(work.intensity())
        ))?;
    }
    Ok(())
}

fn run(what: &str, found: &Run, output: &mut Output) -> Result<(), CliError> {
    output.line("")?;
    output.line(format!("emulated: {what}"))?;
    output.line(format!(
        "{:<40} {:>10} {:>7} {:>12} {:>11} {:>11} {:>10} {:>11} {:>5} {:>5}",
        "source",
        "issued",
        "active",
        "FLOPs",
        "global B",
        "shared B",
        "FLOPs/byte",
        "sectors/req",
        "used",
        "ways"
    ))?;
    for line in found.lines.iter().chain([&found.total]) {
        output.line(measured(line))?;
    }
    Ok(())
}

fn measured(line: &LineRun) -> String {
    let place = line.place.as_ref().map_or_else(|| "all".to_owned(), ToString::to_string);
    let percent =
        |part: Option<f64>| part.map_or_else(|| "-".into(), |part| format!("{:.0} %", 100.0 * part));
    format!(
        "{place:<40} {:>10} {:>7} {:>12.0} {:>11} {:>11} {:>10} {:>11} {:>5} {:>5}",
        line.issued,
        percent(Some(line.active)),
        line.flops,
        line.global_bytes,
        line.shared_bytes,
        ratio(line.intensity),
        ratio(line.sectors_per_request),
        percent(line.sector_use),
        ratio(line.conflict_ways)
    )
}

fn ratio(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.2}"))
}
