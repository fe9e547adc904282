//! Why a tool did not do its work.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use super::find::Tool;
use crate::diag::{Code, Help, visible};

/// A tool that is not here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolMissing {
    /// No variable names it, and no folder has it.
    #[error("no {tool} on PATH, and {} is not set", tool.variable())]
    NotOnPath {
        /// The tool.
        tool: Tool,
    },
    /// The variable or setting names something else than a file.
    #[error("{named_by} names {}, which is no file", path.display())]
    NotAFile {
        /// The tool.
        tool: Tool,
        /// The file that is named.
        path: PathBuf,
        /// What names it.
        named_by: &'static str,
    },
    /// Both are needed, and neither is here.
    #[error("{assembler}; {disassembler}")]
    Both {
        /// Why there is no assembler.
        assembler: Box<ToolMissing>,
        /// Why there is no disassembler.
        disassembler: Box<ToolMissing>,
    },
}

impl Help for ToolMissing {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NotOnPath { tool } | Self::NotAFile { tool, .. } => tool.install(),
            Self::Both { .. } => Tool::install_both(),
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::NotOnPath { .. } | Self::NotAFile { .. } | Self::Both { .. } => Code::ToolMissing,
        }
    }
}

/// A tool that is missing, does not run, or refuses its input.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It is not here.
    #[error(transparent)]
    Missing(#[from] ToolMissing),
    /// It can't be started.
    #[error("{} does not run: {error}", path.display())]
    NotRun {
        /// The tool.
        tool: Tool,
        /// Its file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is another program.
    #[error("{} (by {named_by}) is no {tool}: {}", path.display(), said_of_itself(said))]
    Another {
        /// The tool.
        tool: Tool,
        /// Its file.
        path: PathBuf,
        /// What names it.
        named_by: &'static str,
        /// The first line that it prints of `--version`; empty if there is none.
        said: String,
    },
    /// It ended well and made nothing.
    #[error("{} (by {named_by}) ended without an error and gave no output: it may be no {tool}", path.display())]
    NoOutput {
        /// The tool.
        tool: Tool,
        /// Its file.
        path: PathBuf,
        /// What names it.
        named_by: &'static str,
    },
    /// It ended with an error.
    #[error("{tool} refuses its input ({status}): {}", log.trim())]
    Refused {
        /// The tool.
        tool: Tool,
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        log: String,
    },
    /// Its input could not be written, or its output not read.
    #[error("can't keep scratch files for {tool} in {}: {error}", path.display())]
    Scratch {
        /// The tool.
        tool: Tool,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

fn said_of_itself(said: &str) -> String {
    if said.is_empty() {
        "it prints no version".into()
    } else {
        format!("`--version` says `{}`", visible(said))
    }
}

impl Help for ToolError {
    fn help(&self) -> Option<String> {
        match self {
            Self::Missing(missing) => missing.help(),
            Self::NotRun { tool, .. } => {
                let variable = tool.variable();
                Some(format!("let {variable} name a {tool} of this machine's kind: {}", tool.install()))
            }
            Self::Another { tool, .. } | Self::NoOutput { tool, .. } => {
                Some(format!("let {} name the toolkit's own {tool}: {}", tool.variable(), tool.install()))
            }
            Self::Refused { tool, .. } => Some(format!(
                "a newer {tool} may know what this one does not: `{} --version`, {}",
                tool.name(),
                tool.install()
            )),
            Self::Scratch { .. } => Some("let TMPDIR name a folder that can be written".into()),
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::Missing(missing) => missing.code(),
            Self::NotRun { .. } | Self::Another { .. } | Self::NoOutput { .. } => Code::ToolNotRun,
            Self::Refused { .. } => Code::ToolRefused,
            Self::Scratch { .. } => Code::ToolScratch,
        }
    }
}
