//! `warpsmith doctor`: what this machine has, and which settings hold. Works where there is nothing.
//!
//! On exit: the driver, its devices, the toolkit's programs and every setting with where it comes from, as lines or as one
//! JSON object; what is missing says how to get it. Deliberately not here: an exit code other than 0 for what is missing,
//! since nothing of it is needed.

use clap::{ArgMatches, Args};
use serde::Serialize;

use super::device::{DEFAULT_TARGET, DeviceArguments};
use super::error::{CliError, Exit};
use super::output::{Output, SCHEMA};
use super::settings::{
    FILE, FileErrors, Origin, SETTINGS, SWITCHES, Settings, TARGET, refused, takers_of_list,
    unknown_variables,
};
use crate::diag::{Code, Help, visible};
use crate::driver::{CudaDevice, Driver, DriverError};
use crate::target::Target;
use crate::toolkit::{Tool, ToolMissing};

#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    #[command(flatten)]
    pub(super) device: DeviceArguments,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

/// Everything that is said.
#[derive(Serialize)]
struct Examined {
    schema: u32,
    version: &'static str,
    arch: &'static str,
    system: &'static str,
    cores: Option<usize>,
    driver: Found,
    devices: Vec<Found>,
    tools: Vec<ExaminedTool>,
    /// What text is emitted for where no flag says; nothing where a variable is in the way.
    default_target: Option<String>,
    /// Why commands that open a device refuse these settings together.
    contradiction: Option<String>,
    /// The `warpsmith.toml` that holds.
    settings_file: Option<String>,
    /// What is wrong with it.
    settings_error: Option<String>,
    settings: Vec<ExaminedSetting>,
    /// Variables that look like settings and are none.
    unknown_variables: Vec<UnknownVariable>,
    switches: Vec<Switch>,
}

/// Something that is here, or why it isn't.
#[derive(Serialize)]
struct Found {
    /// Whether it is here and works.
    ok: bool,
    /// What it is, or what is wrong.
    text: String,
    /// More lines of that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tried: Vec<String>,
    code: Option<String>,
    help: Option<String>,
}

#[derive(Serialize)]
struct ExaminedTool {
    tool: &'static str,
    path: Option<String>,
    /// `WARPSMITH_…`, `warpsmith.toml` or `PATH`.
    named_by: Option<&'static str>,
    version: Option<String>,
    error: Option<String>,
    code: Option<String>,
    help: Option<String>,
}

#[derive(Serialize)]
struct ExaminedSetting {
    key: &'static str,
    variable: &'static str,
    value: String,
    /// `flag`, `variable`, `default`, or the file and its line.
    origin: String,
    what: &'static str,
    /// Why commands that take one value can't take this one.
    error: Option<String>,
    /// Those that take several, and this one is: a list.
    taken_by: Vec<String>,
}

#[derive(Serialize)]
struct UnknownVariable {
    variable: String,
    near: Vec<String>,
}

#[derive(Serialize)]
struct Switch {
    variable: &'static str,
    value: String,
    origin: &'static str,
    what: &'static str,
}

pub(super) fn run(
    arguments: &DoctorArguments,
    (settings, matches): (&Result<Settings, FileErrors>, Option<&ArgMatches>),
    output: &mut Output,
) -> Result<Exit, CliError> {
    let (driver, devices) = driver();
    let (file, settings_error) = match settings {
        Ok(settings) => (settings.clone(), None),
        Err(errors) => (Settings::default(), Some(errors.to_string())),
    };
    let examined = Examined {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        arch: std::env::consts::ARCH,
        system: std::env::consts::OS,
        cores: std::thread::available_parallelism().ok().map(usize::from),
        driver,
        devices,
        tools: tools(),
        default_target: default_target(&file, matches),
        contradiction: arguments.device.place().err().map(|error| told(&error)),
        settings_file: file.file.as_ref().map(|path| path.display().to_string()),
        settings_error,
        settings: effective(&file, matches),
        unknown_variables: unknown_variables()
            .into_iter()
            .map(|(variable, near)| UnknownVariable { variable, near })
            .collect(),
        switches: SWITCHES.map(switch).into(),
    };
    if arguments.json {
        output.json(&examined)?
    } else {
        plain(&examined, output)?
    }
    Ok(Exit::Fine)
}

/// The target that holds, unless a variable that no command can take names it.
fn default_target(file: &Settings, matches: Option<&ArgMatches>) -> Option<String> {
    match file.effective(&TARGET, matches) {
        (_, Origin::Default) => Some(DEFAULT_TARGET.to_string()),
        (_, Origin::Variable) if refused(&TARGET, true).is_some() => None,
        (value, _) => Some(value),
    }
}

fn told(error: &CliError) -> String {
    error.help().map_or_else(|| error.to_string(), |help| format!("{error}; {help}"))
}

fn effective(file: &Settings, matches: Option<&ArgMatches>) -> Vec<ExaminedSetting> {
    let of = |setting: &super::settings::Setting| {
        let (value, origin) = file.effective(setting, matches);
        let error = refused(setting, false).filter(|_| origin == Origin::Variable);
        ExaminedSetting {
            key: setting.key,
            variable: setting.variable,
            value,
            origin: origin.to_string(),
            what: setting.what,
            taken_by: takers_of_list(setting, &super::build_command()),
            error: error.map(|refused| refused.why),
        }
    };
    SETTINGS.iter().map(of).collect()
}

fn switch((variable, default, what): (&'static str, &str, &'static str)) -> Switch {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty());
    let origin = if value.is_some() { "variable" } else { "default" };
    let value = value.map_or_else(|| default.to_owned(), |value| value.to_string_lossy().into_owned());
    Switch { variable, value, origin, what }
}

fn plain(examined: &Examined, output: &mut Output) -> Result<(), CliError> {
    let cores = examined.cores.map_or_else(|| "unknown".into(), |cores| cores.to_string());
    let Examined { version, arch, system, .. } = examined;
    row(output, "warpsmith", format!("{version} on {arch} {system}, {cores} cores"))?;
    found(output, "driver", &examined.driver)?;
    examined.devices.iter().try_for_each(|device| found(output, "device", device))?;
    for tool in &examined.tools {
        match (&tool.path, &tool.version, &tool.error) {
            (Some(path), Some(version), _) => {
                let by = tool.named_by.unwrap_or_default();
                row(output, tool.tool, format!("{path} (by {by}): {version}"))?;
            }
            (_, _, error) => {
                let code = tool.code.as_ref().map(|code| format!("[{code}] ")).unwrap_or_default();
                row(output, tool.tool, format!("{code}{}", error.as_deref().unwrap_or_default()))?;
            }
        }
        help(output, tool.help.as_deref())?;
    }
    row(output, "emulator", "always here: `--device emu`")?;
    let target = examined.settings.iter().find(|setting| setting.key == TARGET.key);
    let origin = target.map_or("default", |target| &target.origin);
    let text = match &examined.default_target {
        Some(target) => format!("{target} ({origin}), unless `--target` says otherwise"),
        None => format!("nothing until {} is corrected, unless `--target` says it", TARGET.variable),
    };
    row(output, "text for", text)?;
    if let Some(why) = &examined.contradiction {
        row(output, "together", format!("commands that open a device may refuse these settings: {why}"))?;
    }
    match (&examined.settings_file, &examined.settings_error) {
        (_, Some(error)) => {
            row(output, "file", format!("a {FILE} with mistakes, so nothing of it holds"))?;
            error.lines().try_for_each(|line| row(output, "", format!("  {line}")))?;
        }
        (Some(path), None) => row(output, "file", path)?,
        (None, None) => row(output, "file", format!("no {FILE} here or above"))?,
    }
    for setting in &examined.settings {
        let ExaminedSetting { key, variable, value, origin, what, error, taken_by } = setting;
        row(output, "setting", format!("{key} = {value} ({origin}): {what}; {variable}"))?;
        if !taken_by.is_empty() {
            let takers =
                taken_by.iter().map(|command| format!("`{command}`")).collect::<Vec<_>>().join(" and ");
            let code = Code::SettingsVariable;
            row(
                output,
                "",
                format!("  [{code}] {variable} is a list: only {takers} takes one, other commands refuse it"),
            )?;
        } else if let Some(why) = error {
            row(output, "", format!("  [{}] {variable} means nothing: {why}", Code::SettingsVariable))?;
            help(output, Some(&format!("correct or unset it; commands that take `--{key}` refuse it")))?;
        }
    }
    for UnknownVariable { variable, near } in &examined.unknown_variables {
        let near = near.join("` or `");
        row(output, "variable", format!("{variable} is no setting; did you mean `{near}`?"))?;
    }
    for switch in &examined.switches {
        let Switch { variable, value, origin, what } = switch;
        row(output, "for tests", format!("{variable} = {value} ({origin}): {what}"))?;
    }
    Ok(())
}

fn row(output: &mut Output, what: &str, text: impl AsRef<str>) -> Result<(), CliError> {
    // Values come from the environment and from files.
    output.line(format!("{what:<10} {}", visible(text.as_ref())))
}

fn help(output: &mut Output, help: Option<&str>) -> Result<(), CliError> {
    help.map_or(Ok(()), |help| row(output, "", format!("  help: {help}")))
}

fn found(output: &mut Output, what: &str, found: &Found) -> Result<(), CliError> {
    let code = found.code.as_ref().map(|code| format!("[{code}] ")).unwrap_or_default();
    row(output, what, format!("{code}{}", found.text))?;
    found.tried.iter().try_for_each(|attempt| row(output, "", format!("  {attempt}")))?;
    help(output, found.help.as_deref())
}

impl Found {
    fn here(text: String) -> Self {
        Self { ok: true, text, tried: Vec::new(), code: None, help: None }
    }

    fn missing(error: &DriverError) -> Self {
        let (text, tried) = match error {
            DriverError::LibraryNotFound { tried } => {
                ("no CUDA driver library; tried".into(), tried.iter().map(ToString::to_string).collect())
            }
            other => (other.to_string(), Vec::new()),
        };
        let code = Some(error.error_code().to_owned());
        Self { ok: false, text, tried, code, help: Some(error.help()) }
    }
}

/// The driver and its devices; what is said of the devices where they can't be counted is one entry.
fn driver() -> (Found, Vec<Found>) {
    let driver = match Driver::load() {
        Ok(driver) => driver,
        Err(error) => return (Found::missing(&error), Vec::new()),
    };
    let version = driver.version().map_or_else(|error| error.to_string(), |version| version.to_string());
    let library = Found::here(format!("{}, CUDA {version}", driver.library()));
    let devices = match driver.devices() {
        Ok(devices) => devices.iter().map(|device| Found::here(described(device))).collect(),
        Err(error) => vec![Found::missing(&error)],
    };
    (library, devices)
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

/// The programs of the toolkit.
fn tools() -> Vec<ExaminedTool> {
    let mut tools: Vec<_> = Tool::ALL.map(tool).into();
    // Where all are missing, one command installs them: a second one would leave its folder alone.
    if let Err(missing @ ToolMissing::Both { .. }) = Tool::find_both() {
        tools.iter_mut().for_each(|tool| tool.help = missing.help());
    }
    tools
}

/// A program of the toolkit.
fn tool(tool: Tool) -> ExaminedTool {
    let nothing = ExaminedTool {
        tool: tool.name(),
        path: None,
        named_by: None,
        version: None,
        error: None,
        code: None,
        help: None,
    };
    let found = match tool.find() {
        Ok(found) => found,
        Err(missing) => {
            let (error, code) = (Some(missing.to_string()), Some(missing.code().to_string()));
            return ExaminedTool { error, code, help: missing.help(), ..nothing };
        }
    };
    let nothing = ExaminedTool {
        path: Some(found.path.display().to_string()),
        named_by: Some(found.named_by()),
        ..nothing
    };
    match found.version() {
        Ok(version) => ExaminedTool { version: Some(version), ..nothing },
        Err(error) => {
            let code = Some(error.code().to_string());
            ExaminedTool { error: Some(error.to_string()), code, help: error.help(), ..nothing }
        }
    }
}
