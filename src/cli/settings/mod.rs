//! The settings of the command, in one table, and where their values come from: a flag, else a `WARPSMITH_*` variable,
//! else `warpsmith.toml`, else the default.
//!
//! On entry: the current folder and the environment. The file is the first `warpsmith.toml` in the current folder or one
//! above it; the search ends at a folder that has `.git`, and at the home folder. On exit: values that their readers
//! take, or every mistake of the file with its line, or the variable that an option can't take. An empty variable is an
//! unset one. Deliberately not here: what a setting does; variables that only tests read are listed, but have no place in
//! the file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use toml::de::{DeTable, DeValue};

use super::device;
use crate::diag::{Code, Help, Report, SourceId, Sources, Span, Spanned, nearest};
use crate::driver::Driver;
use crate::toolkit::Tool;

/// The file's name.
pub(super) const FILE: &str = "warpsmith.toml";

/// One setting of the command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// Its name in the file, and of its flag where it has one.
    pub(super) key: &'static str,
    /// Its variable.
    pub(super) variable: &'static str,
    /// Whether an option of that name exists.
    pub(super) has_flag: bool,
    /// What holds where nothing is said, in words.
    pub(super) default: &'static str,
    /// What it decides.
    pub(super) what: &'static str,
    /// Whether a value is a file: then one that is not a bare name starts from the folder of `warpsmith.toml`.
    is_path: bool,
    /// Says what is wrong with a value.
    check: fn(&str) -> Result<(), String>,
}

pub(super) const DEVICE: Setting = Setting {
    key: "device",
    variable: "WARPSMITH_DEVICE",
    has_flag: true,
    default: "first GPU, else emu",
    what: "device that kernels run on",
    is_path: false,
    check: |text| device::device(text).map(drop),
};

pub(super) const TARGET: Setting = Setting {
    key: "target",
    variable: "WARPSMITH_TARGET",
    has_flag: true,
    default: "sm_121; sm_90 when emulating",
    what: "target of text",
    is_path: false,
    check: |text| device::target(text).map(drop),
};

pub(super) const SCHEDULE: Setting = Setting {
    key: "schedule",
    variable: "WARPSMITH_SCHEDULE",
    has_flag: true,
    default: "default",
    what: "order of what is unordered, on the emulator",
    is_path: false,
    check: |text| device::schedule(text).map(drop),
};

pub(super) const LIBCUDA: Setting = Setting {
    key: "libcuda",
    variable: "WARPSMITH_LIBCUDA",
    has_flag: false,
    default: "libcuda.so.1, libcuda.so, nvcuda.dll",
    what: "the driver library",
    is_path: true,
    check: is_named,
};

pub(super) const PTXAS: Setting = Setting {
    key: "ptxas",
    variable: "WARPSMITH_PTXAS",
    has_flag: false,
    default: "ptxas on PATH",
    what: "the assembler",
    is_path: true,
    check: is_named,
};

pub(super) const NVDISASM: Setting = Setting {
    key: "nvdisasm",
    variable: "WARPSMITH_NVDISASM",
    has_flag: false,
    default: "nvdisasm on PATH",
    what: "the disassembler",
    is_path: true,
    check: is_named,
};

/// Every setting.
pub(super) const SETTINGS: [Setting; 6] = [DEVICE, TARGET, SCHEDULE, LIBCUDA, PTXAS, NVDISASM];

/// Variables that only tests read: name, default, meaning.
pub(super) const SWITCHES: [(&str, &str, &str); 5] = [
    ("WARPSMITH_REQUIRE_GPU", "0", "1: tests that lack a GPU fail"),
    ("WARPSMITH_REQUIRE_PTXAS", "0", "1: tests that lack the assembler fail"),
    ("WARPSMITH_REQUIRE_NVDISASM", "0", "1: tests that lack the disassembler fail"),
    ("UPDATE_EXPECT", "0", "1: tests rewrite expected text"),
    ("PROPTEST_CASES", "256", "cases of each property test"),
];

/// How the names of variables begin.
const PREFIX: &str = "WARPSMITH_";

fn is_named(text: &str) -> Result<(), String> {
    if text.is_empty() { Err("a file's name is not empty".into()) } else { Ok(()) }
}

/// A variable whose value an option can't take.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{} is `{value}`: {why}", setting.variable)]
pub(super) struct RefusedVariable {
    setting: Setting,
    value: String,
    pub(super) why: String,
}

impl Help for RefusedVariable {
    fn help(&self) -> Option<String> {
        let Setting { key, variable, .. } = self.setting;
        Some(format!(
            "correct or unset {variable}, or give `--{key}`; `warpsmith doctor` shows every setting"
        ))
    }

    fn code(&self) -> Code {
        Code::SettingsVariable
    }
}

/// What is wrong with a `warpsmith.toml`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileError {
    /// It can't be read.
    #[error("can't read {path}: {reason}")]
    Unreadable { path: String, reason: String },
    /// It is not TOML.
    #[error("{reason}")]
    Syntax { reason: String },
    /// No setting is called so.
    #[error("there is no setting `{key}`")]
    UnknownKey { key: String },
    /// A value of another type.
    #[error("`{key}` takes a string, not {found}")]
    WrongType { key: &'static str, found: &'static str },
    /// A value that means nothing.
    #[error("`{key}`: {why}")]
    WrongValue { key: &'static str, why: String },
}

impl Help for FileError {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { .. } => "make it a text file that can be read, or remove it".into(),
            Self::Syntax { .. } => "a line is like `target = \"sm_90\"`".into(),
            Self::UnknownKey { key } => {
                let keys = SETTINGS.map(|setting| setting.key);
                let known = format!("the settings are {}", keys.join(", "));
                match nearest(key, keys.into_iter())[..] {
                    [] => known,
                    ref near => format!("did you mean `{}`?\n{known}", near.join("` or `")),
                }
            }
            Self::WrongType { key, .. } => format!("write `{key} = \"…\"`"),
            Self::WrongValue { .. } => return None,
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Unreadable { .. }
            | Self::Syntax { .. }
            | Self::UnknownKey { .. }
            | Self::WrongType { .. }
            | Self::WrongValue { .. } => Code::SettingsFile,
        }
    }
}

/// Everything that is wrong with a `warpsmith.toml`. Displays as a report under its lines.
#[derive(Clone, Debug)]
pub(super) struct FileErrors {
    sources: Sources,
    errors: Vec<Spanned<FileError>>,
}

impl fmt::Display for FileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Report::of(&self.errors).render(&self.sources).trim_end())
    }
}

/// A `warpsmith.toml` that was read, or that is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// The file, where there is one.
    pub(super) file: Option<PathBuf>,
    /// Key, value and line.
    values: Vec<(&'static str, String, u32)>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Flag,
    Variable,
    File { path: PathBuf, line: u32 },
    Default,
}

impl Origin {
    /// What names a setting's value, if it is neither typed nor the default.
    pub(super) fn named(&self, setting: &Setting) -> Option<String> {
        match self {
            Self::Variable => Some(setting.variable.to_owned()),
            Self::File { .. } => Some(self.to_string()),
            Self::Flag | Self::Default => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("flag"),
            Self::Variable => f.write_str("variable"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// The file that holds for a folder.
pub(super) fn find(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    for folder in folder.ancestors() {
        let file = folder.join(FILE);
        // A folder of that name, a link to nowhere, a file that may not be looked at: reading it says what is wrong.
        let absent = |error: &io::Error| {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        };
        if !file.symlink_metadata().is_err_and(|error| absent(&error)) {
            return Some(file);
        }
        if folder.join(".git").exists() || home == Some(folder) {
            return None;
        }
    }
    None
}

impl Settings {
    /// Those of this process's folder.
    pub(super) fn load() -> Result<Self, FileErrors> {
        // Without a current folder there is none to look in.
        let Ok(folder) = std::env::current_dir() else { return Ok(Self::default()) };
        match find(&folder, std::env::home_dir().as_deref()) {
            Some(file) => Self::read(&file),
            None => Ok(Self::default()),
        }
    }

    /// Those of a file.
    pub(super) fn read(file: &Path) -> Result<Self, FileErrors> {
        match std::fs::read_to_string(file) {
            Ok(text) => Self::parse(file, &text),
            Err(error) => {
                let path = file.display().to_string();
                let error = FileError::Unreadable { path, reason: error.to_string() };
                Err(FileErrors { sources: Sources::new(), errors: vec![Spanned::nowhere(error)] })
            }
        }
    }

    fn parse(file: &Path, text: &str) -> Result<Self, FileErrors> {
        let mut sources = Sources::new();
        let source = sources.register(&file.display().to_string(), text);
        let table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let span = error.span().map_or(Span::NONE, |range| span(source, text, range.start));
                let error = FileError::Syntax { reason: error.message().trim().replace('\n', ", ") };
                return Err(FileErrors { sources, errors: vec![Spanned::new(span, error)] });
            }
        };
        let (mut values, mut errors) = (Vec::new(), Vec::new());
        for (key, value) in table.get_ref() {
            let key_span = span(source, text, key.span().start);
            match read(file, key.get_ref(), value.get_ref()) {
                Ok((key, value)) => values.push((key, value, key_span.line)),
                Err(error) => {
                    let is_key = matches!(error, FileError::UnknownKey { .. });
                    let value_span = span(source, text, value.span().start);
                    errors.push(Spanned::new(if is_key { key_span } else { value_span }, error));
                }
            }
        }
        // A table has no order of its own.
        errors.sort_by_key(|error| error.span);
        if errors.is_empty() {
            Ok(Self { file: Some(file.into()), values })
        } else {
            Err(FileErrors { sources, errors })
        }
    }

    /// A setting's value in the file.
    pub(super) fn get(&self, setting: &Setting) -> Option<&str> {
        self.values.iter().find(|(key, ..)| *key == setting.key).map(|(_, value, _)| value.as_str())
    }

    /// The same command, whose options fall back to the file, and for which an empty variable is an unset one.
    pub(super) fn applied_to(&self, command: Command) -> Command {
        let command = command.mut_args(|argument| {
            let variable = argument.get_env().map(OsString::from);
            let setting =
                SETTINGS.iter().find(|setting| variable.as_deref() == Some(setting.variable.as_ref()));
            let Some(setting) = setting else { return argument };
            // A value that the option can't take is told by `refused_variable`, not as one of the command line.
            let is_usable = variable_of(setting).is_some() && refused(setting, is_list(&argument)).is_none();
            let argument = if is_usable {
                argument
            } else {
                // Without a value the help would not name the variable.
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                argument.env(Resettable::Reset).help(format!("{help} [env: {}]", setting.variable))
            };
            match self.get(setting) {
                Some(value) => argument.default_value(value.to_owned()),
                None => argument,
            }
        });
        command.mut_subcommands(|command| self.applied_to(command))
    }

    /// Tells the library what the file says about programs and libraries of others; their variables go before it.
    pub(super) fn tell_library(&self) {
        if let Some(name) = self.get(&LIBCUDA) {
            Driver::name_library(name.into());
        }
        for (tool, setting) in [(Tool::Ptxas, PTXAS), (Tool::Nvdisasm, NVDISASM)] {
            if let Some(path) = self.get(&setting) {
                tool.name_file(path.into());
            }
        }
    }

    /// What holds of a setting for a command's arguments, and why.
    pub(super) fn effective(&self, setting: &Setting, matches: Option<&ArgMatches>) -> (String, Origin) {
        let is_given = |matches: &&ArgMatches| {
            let has = setting.has_flag && matches.try_contains_id(setting.key).unwrap_or(false);
            has && matches.value_source(setting.key) == Some(ValueSource::CommandLine)
        };
        if let Some(matches) = matches.filter(is_given) {
            let raw = matches.get_raw(setting.key).into_iter().flatten().next().unwrap_or_default();
            return (raw.to_string_lossy().into_owned(), Origin::Flag);
        }
        if let Some(value) = variable_of(setting) {
            return (value, Origin::Variable);
        }
        let in_file = self.values.iter().find(|(key, ..)| *key == setting.key);
        match (in_file, &self.file) {
            (Some((_, value, line)), Some(path)) => {
                (value.clone(), Origin::File { path: path.clone(), line: *line })
            }
            (Some(_) | None, _) => (setting.default.to_owned(), Origin::Default),
        }
    }
}

/// The first variable that an option of a command would take, and can't; the command line goes before it.
pub(super) fn refused_variable(command: &Command, matches: &ArgMatches) -> Option<RefusedVariable> {
    command.get_arguments().find_map(|argument| {
        let variable = argument.get_env()?;
        let setting = SETTINGS.iter().find(|setting| variable == setting.variable)?;
        let is_given = matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine);
        if is_given { None } else { refused(setting, is_list(argument)) }
    })
}

fn is_list(argument: &Arg) -> bool {
    argument.get_value_delimiter().is_some()
}

/// What is wrong with what a setting's variable holds, if anything.
pub(super) fn refused(setting: &Setting, is_list: bool) -> Option<RefusedVariable> {
    let value = variable_of(setting)?;
    let checked = if is_list {
        value.split(',').try_for_each(|part| (setting.check)(part))
    } else {
        (setting.check)(&value)
    };
    checked.err().map(|why| RefusedVariable { setting: *setting, value, why })
}

/// The commands that take what a setting's variable holds because they take several values, where others refuse it.
pub(super) fn takers_of_list(setting: &Setting, command: &Command) -> Vec<String> {
    if refused(setting, false).is_none() || refused(setting, true).is_some() {
        return Vec::new();
    }
    let takes = |argument: &Arg| {
        is_list(argument) && argument.get_env().is_some_and(|variable| variable == setting.variable)
    };
    let commands = command.get_subcommands().filter(|command| command.get_arguments().any(takes));
    commands.map(|command| command.get_name().to_owned()).collect()
}

/// Variables of this process that begin as ours do and are none, each with the names near it.
pub(super) fn unknown_variables() -> Vec<(String, Vec<String>)> {
    // What all names have in common says nothing of how near they are.
    let names = || {
        let settings = SETTINGS.iter().map(|setting| setting.variable);
        let all = settings.chain(SWITCHES.iter().map(|(variable, ..)| *variable));
        all.filter_map(|variable| variable.strip_prefix(PREFIX))
    };
    let mut unknown = Vec::new();
    for (variable, _) in std::env::vars_os() {
        let variable = variable.to_string_lossy().into_owned();
        let Some(name) = variable.strip_prefix(PREFIX) else { continue };
        let near: Vec<String> = nearest(name, names()).iter().map(|near| format!("{PREFIX}{near}")).collect();
        if !near.is_empty() && !near.contains(&variable) {
            unknown.push((variable, near));
        }
    }
    unknown.sort();
    unknown
}

/// What a setting's variable holds.
fn variable_of(setting: &Setting) -> Option<String> {
    let value = std::env::var_os(setting.variable).filter(|value| !value.is_empty());
    value.map(|value| value.to_string_lossy().into_owned())
}

/// One line of the file.
fn read(file: &Path, key: &str, value: &DeValue<'_>) -> Result<(&'static str, String), FileError> {
    let setting = SETTINGS.iter().find(|setting| setting.key == key);
    let setting = setting.ok_or_else(|| FileError::UnknownKey { key: key.to_owned() })?;
    let key = setting.key;
    let found = with_article(value.type_str());
    let text = value.as_str().ok_or(FileError::WrongType { key, found })?;
    (setting.check)(text).map_err(|why| FileError::WrongValue { key, why })?;
    let path = Path::new(text);
    if setting.is_path && path.components().count() > 1 {
        let folder = file.parent().unwrap_or(Path::new(""));
        return Ok((key, folder.join(path).to_string_lossy().into_owned()));
    }
    Ok((key, text.to_owned()))
}

fn with_article(kind: &'static str) -> &'static str {
    match kind {
        "integer" => "an integer",
        "float" => "a number",
        "boolean" => "true or false",
        "datetime" => "a date",
        "array" => "an array",
        "table" => "a table",
        _ => kind,
    }
}

/// The place of a byte of the text.
fn span(source: SourceId, text: &str, at: usize) -> Span {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let (line, column) = (before.matches('\n').count() + 1, before[start..].chars().count() + 1);
    Span::new(source, u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
