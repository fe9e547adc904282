//! An entry as JSON. The numbers' own names are those of the `inspect` module's types.

use serde::Serialize;

use super::super::output::SCHEMA;
use super::Shown;
use crate::inspect::{Inspection, Run};

#[derive(Serialize)]
pub(super) struct Line<'a> {
    schema: u32,
    subject: &'a str,
    entry: &'a str,
    target: String,
    /// The assembler that was asked.
    assembler: Option<&'a str>,
    /// Why there is none.
    assembler_missing: Option<&'a str>,
    /// Why it said nothing, where there is one.
    assembler_failed: Option<&'a str>,
    #[serde(flatten)]
    inspection: &'a Inspection,
    /// Operations for each byte asked of global memory, of all lines together.
    intensity: Option<f64>,
    run: Option<RunLine<'a>>,
}

#[derive(Serialize)]
struct RunLine<'a> {
    what: &'a str,
    #[serde(flatten)]
    run: &'a Run,
}

impl<'a> Line<'a> {
    pub(super) fn of(shown: &'a Shown<'a>) -> Self {
        Self {
            schema: SCHEMA,
            subject: &shown.given.title,
            entry: &shown.entry.name,
            target: shown.given.target.to_string(),
            assembler: shown.tool.version.as_deref(),
            assembler_missing: shown.tool.missing.as_deref(),
            assembler_failed: shown.tool.failed.as_deref(),
            intensity: shown.inspection.total.intensity(),
            inspection: &shown.inspection,
            run: shown.run.as_ref().map(|(what, run)| RunLine { what, run }),
        }
    }
}
