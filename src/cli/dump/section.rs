//! One stage's text, and where it goes: standard output, JSON, or a file.

use std::fs;
use std::path::PathBuf;

use serde::Serialize;

use super::super::error::CliError;
use super::super::output::{Output, SCHEMA};
use super::DumpArguments;
use crate::corpus::Instance;
use crate::diag::Help as _;
use crate::ir::LaunchClass;

/// A stage's text.
pub(super) struct Section {
    /// `ir`, `before`, `after`, `diff`, `lowered`, `ptx`, `msl`, `sass`.
    pub(super) stage: &'static str,
    /// What a header says.
    pub(super) title: String,
    /// The name of the file behind the entry's: `sm_121.ptx`.
    pub(super) file: String,
    pub(super) pass: Option<&'static str>,
    /// Whether the pass changed anything; of passes only.
    pub(super) changed: Option<bool>,
    pub(super) target: Option<String>,
    /// The programs that made it, of machine code only.
    pub(super) tools: Vec<ToolUsed>,
    pub(super) text: String,
    /// Why there is no text.
    pub(super) missing: Option<Missing>,
}

/// Why a section has no text.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Missing {
    code: String,
    message: String,
    help: Option<String>,
    /// The whole message, with the source lines that it speaks of.
    #[serde(skip)]
    report: String,
}

/// A program of the toolkit that had a part in a text.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ToolUsed {
    pub(super) name: &'static str,
    pub(super) version: String,
    pub(super) path: String,
    /// What named it: its variable, or `PATH`.
    pub(super) named_by: &'static str,
}

impl Section {
    /// The place of a section that can't be made.
    pub(super) fn missing(self, error: &CliError) -> Self {
        let (code, report) = (error.code().to_string(), error.rendered(""));
        let (message, help) = match error {
            CliError::Compile(error) => {
                let found = error.report();
                let first = found.messages().first();
                (first.map(|first| first.text.clone()), first.and_then(|first| first.help.clone()))
            }
            other => (Some(other.to_string()), other.help()),
        };
        let message = message.unwrap_or_default();
        Self { missing: Some(Missing { code, message, help, report }), ..self }
    }

    /// How its language begins a comment.
    fn comment(&self) -> &'static str {
        match self.stage {
            "ptx" | "msl" | "sass" => "//",
            _ => ";",
        }
    }
}

#[derive(Serialize)]
struct Row<'a> {
    schema: u32,
    kernel: &'a str,
    class: &'a str,
    stage: &'static str,
    pass: Option<&'static str>,
    changed: Option<bool>,
    target: Option<&'a str>,
    tools: &'a [ToolUsed],
    /// Where the text was written; then it is not here.
    file: Option<String>,
    text: Option<&'a str>,
    /// Why there is neither.
    missing: Option<&'a Missing>,
}

/// Gathers sections; they are written when it is known how many there are.
pub(super) struct Sink {
    sections: Vec<Section>,
    kernel: String,
    entry: String,
    class: String,
    folder: Option<PathBuf>,
    is_json: bool,
}

impl Sink {
    pub(super) fn new(
        arguments: &DumpArguments,
        instance: &Instance,
        class: LaunchClass,
    ) -> Result<Self, CliError> {
        if let Some(folder) = &arguments.out {
            fs::create_dir_all(folder).map_err(|error| {
                let what = format!("can't write to {}: {error}", folder.display());
                CliError::usage(what, "give a folder that can be written")
            })?;
        }
        Ok(Self {
            sections: Vec::new(),
            kernel: instance.kernel.path(),
            entry: instance.kernel.entry(),
            class: class.to_string(),
            folder: arguments.out.clone(),
            is_json: arguments.json,
        })
    }

    pub(super) fn take(&mut self, section: Section) {
        self.sections.push(section);
    }

    pub(super) fn finish(self, output: &mut Output) -> Result<(), CliError> {
        let is_alone = self.sections.len() == 1;
        for (at, section) in self.sections.iter().enumerate() {
            let file = self.write(section)?;
            if self.is_json {
                output.json(&Row {
                    schema: SCHEMA,
                    kernel: &self.kernel,
                    class: &self.class,
                    stage: section.stage,
                    pass: section.pass,
                    changed: section.changed,
                    target: section.target.as_deref(),
                    tools: &section.tools,
                    text: (file.is_none() && section.missing.is_none()).then_some(&section.text),
                    file,
                    missing: section.missing.as_ref(),
                })?;
            } else if let Some(file) = file {
                output.line(file)?;
            } else if self.folder.is_none() {
                if !is_alone {
                    let space = if at == 0 { "" } else { "\n" };
                    let missing = if section.missing.is_some() { ": missing" } else { "" };
                    output.line(format!("{space}{} ==== {}{missing}", section.comment(), section.title))?;
                }
                output.text(&section.text)?;
                let reason = section.missing.iter().flat_map(|missing| missing.report.lines());
                for line in reason {
                    output.line(format!("{} {line}", section.comment()).trim_end())?;
                }
            }
        }
        Ok(())
    }

    /// Writes a section to its file, if it goes to one.
    fn write(&self, section: &Section) -> Result<Option<String>, CliError> {
        let Some(folder) = self.folder.as_ref().filter(|_| section.missing.is_none()) else {
            return Ok(None);
        };
        let path = folder.join(format!("{}.{}", self.entry, section.file));
        fs::write(&path, &section.text).map_err(|error| {
            let what = format!("can't write to {}: {error}", path.display());
            CliError::usage(what, "give a folder that can be written")
        })?;
        Ok(Some(path.display().to_string()))
    }
}
