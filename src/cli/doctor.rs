//! `warpsmith doctor`: what this machine has. Works where there is nothing.

use clap::Args;

use super::device::DEFAULT_TARGET;
use super::error::{CliError, Exit};
use super::output::Output;
use crate::diag::Help;
use crate::driver::{CudaDevice, Driver, DriverError};
use crate::target::Target;
use crate::toolkit::Tool;

/// A variable, its default, and what it decides.
const SETTINGS: [(&str, &str, &str); 9] = [
    ("WARPSMITH_DEVICE", "first GPU, else emu", "device of `test` (`--device`)"),
    ("WARPSMITH_TARGET", "sm_121; sm_90 when emulating", "target of text (`--target`)"),
    ("WARPSMITH_SCHEDULE", "default", "order on the emulator (`--schedule`)"),
    ("WARPSMITH_LIBCUDA", "libcuda.so.1, libcuda.so, nvcuda.dll", "the driver library"),
    ("WARPSMITH_PTXAS", "ptxas on PATH", "the assembler"),
    ("WARPSMITH_REQUIRE_GPU", "0", "1: tests that lack a GPU fail"),
    ("WARPSMITH_REQUIRE_PTXAS", "0", "1: tests that lack the assembler fail"),
    ("UPDATE_EXPECT", "0", "1: tests rewrite expected text"),
    ("PROPTEST_CASES", "256", "cases of each property test"),
];

#[derive(Debug, Args)]
pub(super) struct DoctorArguments {}

pub(super) fn run(_: &DoctorArguments, output: &mut Output) -> Result<Exit, CliError> {
    let (version, system) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS);
    let (arch, cores) = (std::env::consts::ARCH, std::thread::available_parallelism());
    let cores = cores.map_or_else(|_| "unknown".into(), |cores| cores.to_string());
    row(output, "warpsmith", format!("{version} on {arch} {system}, {cores} cores"))?;
    driver(output)?;
    assembler(output)?;
    row(output, "emulator", "always here: `--device emu`")?;
    row(output, "text for", format!("{DEFAULT_TARGET}, unless `--target` says otherwise"))?;
    for (name, default, what) in SETTINGS {
        let (value, origin) = match std::env::var(name) {
            Ok(value) if !value.is_empty() => (value, "variable"),
            Ok(_) | Err(_) => (default.to_owned(), "default"),
        };
        row(output, "setting", format!("{name} = {value} ({origin}): {what}"))?;
    }
    Ok(Exit::Fine)
}

fn row(output: &mut Output, what: &str, text: impl AsRef<str>) -> Result<(), CliError> {
    output.line(format!("{what:<10} {}", text.as_ref()))
}

fn driver(output: &mut Output) -> Result<(), CliError> {
    let driver = match Driver::load() {
        Ok(driver) => driver,
        Err(error) => {
            if let DriverError::LibraryNotFound { tried } = &error {
                row(output, "driver", "no CUDA driver library; tried")?;
                tried.iter().try_for_each(|attempt| row(output, "", format!("  {attempt}")))?;
            } else {
                row(output, "driver", error.to_string())?;
            }
            return row(output, "", format!("  help: {}", error.help()));
        }
    };
    let version = driver.version().map_or_else(|error| error.to_string(), |version| version.to_string());
    row(output, "driver", format!("{}, CUDA {version}", driver.library()))?;
    match driver.devices() {
        Ok(devices) => devices.iter().try_for_each(|device| row(output, "device", described(device))),
        Err(error) => {
            row(output, "device", error.to_string())?;
            row(output, "", format!("  help: {}", error.help()))
        }
    }
}

fn described(device: &CudaDevice) -> String {
    let (major, minor) = device.compute_capability();
    let limits = device.limits();
    let target = match Target::for_device(major, minor) {
        Ok(chosen) => format!("takes {}", chosen.target),
        Err(error) => error.to_string(),
    };
    format!(
        "cuda:{} {}, compute capability {major}.{minor}, {target}; {:.1} GiB, {} SMs, {} KiB shared a CTA",
        device.ordinal(),
        device.name(),
        device.memory_bytes() as f64 / f64::from(1 << 30),
        limits.multiprocessors,
        limits.shared_per_cta_opt_in / 1024
    )
}

fn assembler(output: &mut Output) -> Result<(), CliError> {
    let found = match Tool::Ptxas.find() {
        Ok(found) => found,
        Err(missing) => {
            row(output, "assembler", format!("{missing}, so nothing checks emitted text against it"))?;
            return row(output, "", format!("  help: {}", missing.help().unwrap_or_default()));
        }
    };
    let version = found.version().unwrap_or_else(|error| error.to_string());
    row(output, "assembler", format!("{} (by {}): {version}", found.path.display(), found.named_by()))
}
