//! Where a tool is.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::error::{ToolError, ToolMissing};
use super::run;

/// A program of the CUDA toolkit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// The assembler: PTX to machine code.
    Ptxas,
    /// The disassembler: machine code to its listing.
    Nvdisasm,
}

impl Tool {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ptxas, Self::Nvdisasm];

    /// The program's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ptxas => "ptxas",
            Self::Nvdisasm => "nvdisasm",
        }
    }

    /// The environment variable that says where it is.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Ptxas => "WARPSMITH_PTXAS",
            Self::Nvdisasm => "WARPSMITH_NVDISASM",
        }
    }

    /// The package of the Python index that holds it alone, in the version that this crate is tried with.
    pub const fn package(self) -> &'static str {
        match self {
            Self::Ptxas => "nvidia-cuda-nvcc==13.0.*",
            Self::Nvdisasm => "nvidia-cuda-nvdisasm==13.2.*",
        }
    }

    /// How to get it.
    pub fn install(self) -> String {
        let (name, variable, package) = (self.name(), self.variable(), self.package());
        format!(
            "`pip install --target DIR '{package}'`, then set {variable}=DIR/nvidia/cu13/bin/{name}, or put {name} on PATH"
        )
    }

    /// How to get both; by one command, since `pip` leaves a folder alone that is there from an earlier one.
    pub(super) fn install_both() -> String {
        let packages = Self::ALL.map(|tool| format!("'{}'", tool.package())).join(" ");
        let variables =
            Self::ALL.map(|tool| format!("{}=DIR/nvidia/cu13/bin/{tool}", tool.variable())).join(" and ");
        format!("`pip install --target DIR {packages}`, then set {variables}, or put both on PATH")
    }

    /// Names its file for this process, for when the variable does not: what a settings file says. The first call counts.
    pub fn name_file(self, path: PathBuf) {
        // A second name is one that came too late: tools may have been found by the first.
        let _ = self.named().set(path);
    }

    fn named(self) -> &'static OnceLock<PathBuf> {
        static NAMED: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
        match self {
            Self::Ptxas => &NAMED[0],
            Self::Nvdisasm => &NAMED[1],
        }
    }

    /// Looks for it. Whether what was found runs, running it says.
    ///
    /// # Errors
    /// Returns how to get it where it is not here, or where the variable names no file.
    pub fn find(self) -> Result<FoundTool, ToolMissing> {
        let variable = env::var_os(self.variable()).filter(|value| !value.is_empty());
        let found = match (variable, self.named().get()) {
            (None, Some(path)) => self.find_in(Some(path.into()), env::var_os("PATH")),
            (variable, _) => return self.find_in(variable, env::var_os("PATH")),
        };
        let named = |tool: FoundTool| FoundTool { origin: Origin::Setting, ..tool };
        found.map(named).map_err(|error| match error {
            ToolMissing::NotAFile { tool, path, .. } => {
                ToolMissing::NotAFile { tool, path, named_by: Origin::Setting.named_by(tool) }
            }
            ToolMissing::NotOnPath { .. } | ToolMissing::Both { .. } => error,
        })
    }

    /// Looks for the assembler and the disassembler together.
    ///
    /// # Errors
    /// Returns all that is not here, and how to get that.
    pub fn find_both() -> Result<[FoundTool; 2], ToolMissing> {
        both(Self::Ptxas.find(), Self::Nvdisasm.find())
    }

    /// [`find`](Self::find) with the two variables' values.
    pub(super) fn find_in(
        self,
        variable: Option<OsString>,
        path: Option<OsString>,
    ) -> Result<FoundTool, ToolMissing> {
        let on_path = |name: &Path| {
            let folders = path.as_deref().map(env::split_paths).into_iter().flatten();
            folders.map(|folder| folder.join(name)).find(|path| path.is_file())
        };
        // An empty variable is an unset one, as everywhere in this crate.
        let Some(named) = variable.filter(|value| !value.is_empty()).map(PathBuf::from) else {
            let name = format!("{}{}", self.name(), env::consts::EXE_SUFFIX);
            let found = on_path(Path::new(&name)).ok_or(ToolMissing::NotOnPath { tool: self })?;
            return Ok(FoundTool { tool: self, path: found, origin: Origin::Path });
        };
        let is_bare = named.components().count() == 1;
        let found = if named.is_file() { Some(named.clone()) } else { None };
        let found = found.or_else(|| on_path(&named).filter(|_| is_bare));
        let path = found.ok_or_else(|| {
            let named_by = Origin::Variable.named_by(self);
            ToolMissing::NotAFile { tool: self, path: named, named_by }
        })?;
        Ok(FoundTool { tool: self, path, origin: Origin::Variable })
    }
}

/// Both tools, or all that is missing.
pub(super) fn both(
    assembler: Result<FoundTool, ToolMissing>,
    disassembler: Result<FoundTool, ToolMissing>,
) -> Result<[FoundTool; 2], ToolMissing> {
    match (assembler, disassembler) {
        (Ok(assembler), Ok(disassembler)) => Ok([assembler, disassembler]),
        (Err(missing), Ok(_)) | (Ok(_), Err(missing)) => Err(missing),
        (Err(assembler), Err(disassembler)) => {
            Err(ToolMissing::Both { assembler: assembler.into(), disassembler: disassembler.into() })
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What said where a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Its own variable.
    Variable,
    /// [`Tool::name_file`]: a settings file.
    Setting,
    /// The folders of `PATH`.
    Path,
}

impl Origin {
    const fn named_by(self, tool: Tool) -> &'static str {
        match self {
            Self::Variable => tool.variable(),
            Self::Setting => "warpsmith.toml",
            Self::Path => "PATH",
        }
    }
}

/// A tool that is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundTool {
    /// Which.
    pub tool: Tool,
    /// Its file.
    pub path: PathBuf,
    /// What said so.
    pub origin: Origin,
}

impl FoundTool {
    /// What it says its version is, on one line: `release 13.0, V13.0.88`.
    ///
    /// # Errors
    /// Returns why it does not run, or that it is another program.
    pub fn version(&self) -> Result<String, ToolError> {
        let (tool, path, named_by) = (self.tool, self.path.clone(), self.named_by());
        let said = run::version(self)?;
        release(tool, &said).map_err(|said| ToolError::Another { tool, path, named_by, said })
    }

    /// What said where it is: `WARPSMITH_PTXAS`, `warpsmith.toml`, or `PATH`.
    pub const fn named_by(&self) -> &'static str {
        self.origin.named_by(self.tool)
    }
}

/// The release in what a tool says of itself; of another program the first line that it says, cut short.
pub(super) fn release(tool: Tool, said: &str) -> Result<String, String> {
    let own = format!("{tool}: NVIDIA");
    if !said.lines().any(|line| line.starts_with(&own)) {
        let first = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        return Err(first.chars().take(80).collect());
    }
    let release = said.lines().find_map(|line| line.find("release").map(|at| line[at..].trim()));
    Ok(release.unwrap_or("of an unknown release").to_owned())
}
