//! A kernel's IR around each pass.

use similar::TextDiff;

use super::section::Section;
use super::{Changes, DumpArguments};
use crate::diag::Spanned;
use crate::ir::Kernel;
use crate::ir::print::print;
use crate::passes::{self, Pass, PassError};

/// The text before the first pass, and after each.
pub(super) struct Stages {
    written: String,
    after: Vec<(Pass, String)>,
}

impl Stages {
    pub(super) fn of(kernel: &Kernel, config: &passes::Config) -> Result<Self, Vec<Spanned<PassError>>> {
        let mut after = Vec::new();
        passes::run_observed(kernel, config, &mut |pass, kernel| after.push((pass, print(kernel))))?;
        Ok(Self { written: print(kernel), after })
    }

    /// What a request shows of them, in the order of the passes.
    pub(super) fn sections(&self, arguments: &DumpArguments) -> Vec<Section> {
        let mut sections = Vec::new();
        if arguments.dump_all.is_some() {
            sections.push(written(self.written.clone()));
        }
        let mut before = &self.written;
        for (pass, after) in &self.after {
            let changed = before != after;
            let name = pass.name();
            let section = |stage, title: String, text: String| Section {
                stage,
                title,
                file: format!("{stage}-{name}.ir"),
                pass: Some(name),
                changed: Some(changed),
                target: None,
                tools: Vec::new(),
                text,
                missing: None,
            };
            if arguments.dump_before.contains(pass) {
                sections.push(section("before", format!("ir before {name}"), before.clone()));
            }
            if arguments.dump_after.contains(pass) {
                sections.push(section("after", format!("ir after {name}"), after.clone()));
            }
            match arguments.dump_all {
                Some(Changes::Diff) if changed => {
                    let title = format!("what {name} changed");
                    sections.push(section("diff", title, difference(name, before, after)));
                }
                Some(Changes::Whole) if changed => {
                    sections.push(section("after", format!("ir after {name}"), after.clone()));
                }
                Some(Changes::Diff | Changes::Whole) => {
                    sections.push(section("diff", format!("{name} changed nothing"), String::new()));
                }
                None => {}
            }
            before = after;
        }
        sections
    }
}

/// The section of the kernel as it was written.
pub(super) fn written(text: String) -> Section {
    Section {
        stage: "ir",
        title: "ir as written".into(),
        file: "ir".into(),
        pass: None,
        changed: None,
        target: None,
        tools: Vec::new(),
        text,
        missing: None,
    }
}

fn difference(pass: &str, before: &str, after: &str) -> String {
    let (old, new) = (format!("before {pass}"), format!("after {pass}"));
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).header(&old, &new).to_string()
}
