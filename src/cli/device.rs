//! The options that choose a device, and how one is opened.
//!
//! On entry: flags and variables. On exit: a device. Where nothing is asked for, the first GPU is taken, else the
//! emulator, and a notice says so. Not here: how a device works.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::error::{CliError, notice};
use super::settings;
use crate::backend::DeviceError;
use crate::corpus::SizeLimit;
use crate::runtime::{Device, EmuSettings, Schedule};
use crate::target::{Target, TargetProfile};

/// What `dump` and `build` emit for where nothing is asked for: not the device here, so that two machines agree.
pub(super) const DEFAULT_TARGET: Target = Target::SM_121;

/// Which device.
#[derive(Clone, Debug, Args)]
pub(super) struct DeviceArguments {
    /// `emu`, or `cuda:N`; by default the first GPU, else the emulator (of `run`: the emulator).
    #[arg(long, env = settings::DEVICE.variable, value_name = "DEVICE", value_parser = device)]
    pub(super) device: Option<String>,
    /// The target that the emulator stands for; a GPU has its own.
    #[arg(long, env = settings::TARGET.variable, value_name = "TARGET", value_parser = target)]
    pub(super) target: Option<TargetProfile>,
    /// In which order the emulator runs what is unordered: `default` or `adversarial[:SEED]`.
    #[arg(long, env = settings::SCHEDULE.variable, value_name = "ORDER", value_parser = schedule)]
    pub(super) schedule: Option<Schedule>,
    /// Where device, target and schedule come from; the same for all of them where nobody noted it.
    #[arg(skip)]
    sources: [Option<ValueSource>; 3],
}

/// A device by its place, for the commands that need no kernel of ours and open it themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The emulator, for a target if one is asked for.
    Emulator { target: Option<Target>, schedule: Schedule },
    /// A GPU by its number.
    Gpu { ordinal: u32 },
}

impl DeviceArguments {
    /// Notes which of them are flags: a flag goes before what a variable or `warpsmith.toml` says of another one.
    pub(super) fn note_sources(&mut self, matches: Option<&ArgMatches>) {
        let source = |setting: settings::Setting| matches?.value_source(setting.key);
        self.sources = [settings::DEVICE, settings::TARGET, settings::SCHEDULE].map(source);
    }

    /// What is asked for, without opening it; the emulator where nothing is, since only there a finding has a line.
    pub(super) fn place(&self) -> Result<Place, CliError> {
        let name = self.device.as_deref().unwrap_or("emu");
        if let Some(number) = name.strip_prefix("cuda") {
            let [device, target, schedule] = self.sources;
            let contradicted = [
                (self.schedule.is_some() && schedule >= device, "schedule"),
                (self.target.is_some() && target >= device, "target"),
            ];
            if let Some((_, option)) = contradicted.into_iter().find(|(given, _)| *given) {
                let help = format!("leave out `--{option}`, or ask for `--device emu`");
                return Err(CliError::usage(format!("a GPU has its own {option}"), help));
            }
            // The parser of the flag took nothing but a number behind the colon.
            let ordinal = number.strip_prefix(':').and_then(|number| number.parse().ok()).unwrap_or(0);
            return Ok(Place::Gpu { ordinal });
        }
        let target = self.emulated(name)?;
        Ok(Place::Emulator { target, schedule: self.schedule.unwrap_or_default() })
    }

    /// Opens it. An emulator ends a launch after `step_budget` instructions of a CTA, or after its own default.
    pub(super) fn open(&self, step_budget: Option<u64>) -> Result<Device, CliError> {
        let device = match self.device.as_deref() {
            Some(name) if name.starts_with("cuda") => self.gpu(name)?,
            Some(name) => self.emulator(name, step_budget)?,
            None if self.schedule.is_some() || self.target.is_some() => self.emulator("emu", step_budget)?,
            None => match Device::open("cuda:0") {
                Ok(device) => device,
                Err(DeviceError::NoDevice { .. }) => {
                    notice("no GPU here, so the emulator runs the cases");
                    self.emulator("emu", step_budget)?
                }
                Err(error) => return Err(error.into()),
            },
        };
        device.notices().iter().for_each(|text| notice(text.as_str()));
        Ok(device)
    }

    fn gpu(&self, name: &str) -> Result<Device, CliError> {
        let [by_device, by_target, by_schedule] = self.sources;
        if self.schedule.is_some() && by_schedule >= by_device {
            let help = "leave out `--schedule`, or ask for `--device emu`";
            return Err(CliError::usage("a GPU has its own schedule", help));
        }
        let device = Device::open(name)?;
        match self.target {
            Some(target) if target != device.target() && by_target >= by_device => {
                let what = format!("{name} runs text for {}, not for {target}", device.target());
                Err(CliError::usage(what, "leave out `--target`, or ask for `--device emu`"))
            }
            Some(_) | None => Ok(device),
        }
    }

    /// The target that an emulator is asked to stand for.
    fn emulated(&self, name: &str) -> Result<Option<Target>, CliError> {
        let named = match name.strip_prefix("emu") {
            Some("") => None,
            Some(rest) if rest.starts_with(':') => Some(Target::parse(&rest[1..])?),
            Some(_) | None => {
                let what = format!("there is no device `{name}`");
                return Err(CliError::usage(what, DEVICES));
            }
        };
        let asked = match self.target {
            None => None,
            Some(TargetProfile::Ptx(target)) => Some(target),
            Some(other) => {
                let what = format!("the emulator runs PTX, which {other} doesn't take");
                return Err(CliError::usage(what, "name an `sm_…` target"));
            }
        };
        let [by_device, by_target, _] = self.sources;
        match (named, asked) {
            (Some(named), Some(asked)) if named != asked && by_device == by_target => {
                let what = format!("`--device {name}` stands for another target than `--target {asked}`");
                Err(CliError::usage(
                    what,
                    "leave one of them out: `--device emu` takes the target of `--target`",
                ))
            }
            (Some(_), Some(_)) if by_target > by_device => Ok(asked),
            (named, asked) => Ok(named.or(asked)),
        }
    }

    fn emulator(&self, name: &str, step_budget: Option<u64>) -> Result<Device, CliError> {
        let mut settings = EmuSettings::default();
        settings.target = self.emulated(name)?.unwrap_or(settings.target);
        settings.schedule = self.schedule.unwrap_or(settings.schedule);
        settings.step_budget = step_budget.unwrap_or(settings.step_budget);
        Ok(Device::emulator(settings))
    }
}

/// The size classes that a device runs unless told otherwise.
pub(super) fn size_limit(device: &Device) -> SizeLimit {
    if device.name().starts_with("cuda") { SizeLimit::Gpu } else { SizeLimit::Ci }
}

const DEVICES: &str = "devices are `emu`, `emu:sm_90` and `cuda:N`";

/// Reads a device's name; whether it is here, opening it says.
pub(super) fn device(text: &str) -> Result<String, String> {
    let (kind, rest) = match text.split_once(':') {
        Some((kind, rest)) => (kind, Some(rest)),
        None => (text, None),
    };
    match (kind, rest) {
        ("cuda" | "emu", None) => {}
        ("cuda", Some(number)) if number.parse::<u32>().is_ok() => {}
        ("cuda", Some(_)) => return Err(format!("GPUs are numbered from 0; {DEVICES}")),
        ("emu", Some(target)) => {
            Target::parse(target).map_err(|error| super::selection::with_help(&error))?;
        }
        (_, _) => return Err(DEVICES.into()),
    }
    Ok(text.into())
}

/// Reads a target.
pub(super) fn target(text: &str) -> Result<TargetProfile, String> {
    TargetProfile::parse(text).map_err(|error| super::selection::with_help(&error))
}

/// Reads a schedule.
pub(super) fn schedule(text: &str) -> Result<Schedule, String> {
    let wrong = || "schedules are `default`, `adversarial` and `adversarial:SEED`".to_owned();
    match text.split_once(':') {
        None if text == "default" => Ok(Schedule::Default),
        None if text == "adversarial" => Ok(Schedule::Adversarial(0)),
        Some(("adversarial", seed)) => seed.parse().map(Schedule::Adversarial).map_err(|_| wrong()),
        None | Some(_) => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read() {
        for right in ["emu", "emu:sm_121", "cuda", "cuda:0", "cuda:9999"] {
            assert_eq!(device(right).as_deref(), Ok(right));
        }
        for wrong in ["", "tpu", "cuda:", "cuda:x", "cuda:-1", "cuda0", "emu:", "emu:sm_1", "emulator"] {
            assert!(device(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_place_is_the_emulator_unless_a_gpu_is_named() {
        let of = |device: Option<&str>, schedule| {
            let device = device.map(str::to_owned);
            DeviceArguments { device, target: None, schedule, sources: [None; 3] }.place()
        };
        let emulator = |target, schedule| Place::Emulator { target, schedule };
        assert_eq!(of(None, None).unwrap(), emulator(None, Schedule::Default));
        let seven = Schedule::Adversarial(7);
        assert_eq!(of(Some("emu:sm_90"), Some(seven)).unwrap(), emulator(Some(Target::SM_90), seven));
        assert_eq!(of(Some("cuda"), None).unwrap(), Place::Gpu { ordinal: 0 });
        assert_eq!(of(Some("cuda:3"), None).unwrap(), Place::Gpu { ordinal: 3 });
        assert!(of(Some("cuda:3"), Some(seven)).is_err());
    }

    #[test]
    fn two_targets_are_refused_unless_one_goes_before_the_other() {
        let [flag, variable, file] =
            [ValueSource::CommandLine, ValueSource::EnvVariable, ValueSource::DefaultValue].map(Some);
        let of = |named: &str, asked: &str, by_device, by_target| {
            let (device, target) = (Some(named.to_owned()), Some(target(asked).unwrap()));
            let sources = [by_device, by_target, None];
            DeviceArguments { device, target, schedule: None, sources }
                .place()
                .map_err(|error| error.to_string())
        };
        let emulator = |target| Ok(Place::Emulator { target: Some(target), schedule: Schedule::Default });
        assert_eq!(of("emu:sm_90", "sm_90", flag, flag), emulator(Target::SM_90));
        assert_eq!(of("emu:sm_90", "sm_80", flag, variable), emulator(Target::SM_90));
        assert_eq!(of("emu:sm_90", "sm_80", file, variable), emulator(Target::SM_80));
        assert_eq!(of("cuda:1", "sm_80", flag, file), Ok(Place::Gpu { ordinal: 1 }));
        for (named, by_device, by_target) in [("emu:sm_90", flag, flag), ("emu:sm_90", file, file)] {
            let error = of(named, "sm_80", by_device, by_target).unwrap_err();
            assert_eq!(error, "`--device emu:sm_90` stands for another target than `--target sm_80`");
        }
        assert_eq!(of("cuda:1", "sm_80", file, flag), Err("a GPU has its own target".into()));
    }

    #[test]
    fn schedules_are_read() {
        assert_eq!(schedule("default"), Ok(Schedule::Default));
        assert_eq!(schedule("adversarial"), Ok(Schedule::Adversarial(0)));
        assert_eq!(schedule("adversarial:7"), Ok(Schedule::Adversarial(7)));
        for wrong in ["", "random", "default:1", "adversarial:x"] {
            assert!(schedule(wrong).is_err(), "{wrong}");
        }
    }
}
