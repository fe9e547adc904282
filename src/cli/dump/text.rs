//! The texts of a kernel for targets, in the forms that a request asks for.

use std::cell::OnceCell;

use super::super::error::CliError;
use super::request::{Emit, Work};
use super::sass::Tools;
use super::section::{Section, Sink};
use super::source::{SourceLines, quote_lines};
use super::stages::{Stages, written};
use super::{DumpArguments, Remarks};
use crate::backend::EmitError;
use crate::corpus::Instance;
use crate::diag::Spanned;
use crate::ir::expand::expand;
use crate::ir::print::print;
use crate::ir::{Kernel, LaunchClass};
use crate::passes;
use crate::ptx::lower::{Comments, Lowered, lower_with};
use crate::ptx::module::canonical;
use crate::ptx::regalloc;
use crate::runtime::compile::{self, CompileError, CompileErrors};
use crate::target::{Target, TargetProfile};

/// One kernel for one class of launches.
pub(super) struct Dump<'a> {
    kernel: &'a Kernel,
    class: LaunchClass,
    arguments: &'a DumpArguments,
    /// Looked for when machine code is asked for.
    tools: OnceCell<Tools>,
}

impl<'a> Dump<'a> {
    pub(super) fn new(instance: &'a Instance, class: LaunchClass, arguments: &'a DumpArguments) -> Self {
        Self { kernel: &instance.kernel, class, arguments, tools: OnceCell::new() }
    }

    /// What is asked for of the passes, or why there is none.
    pub(super) fn passes(&self, works: &[Work], sink: &mut Sink) -> Result<(), Box<(Section, CliError)>> {
        let of_work = works.iter().find_map(|work| match work {
            Work::Text(_, target) => Some(*target),
            Work::Ir => None,
        });
        let target = of_work.or(self.arguments.target.first().copied());
        let target = target.unwrap_or(super::super::device::DEFAULT_TARGET.into());
        let checked = compile::check(self.kernel, &self.class, target).map_err(CliError::from);
        let stages = checked.and_then(|()| {
            let stages = Stages::of(self.kernel, &passes::Config::new(self.class));
            stages.map_err(|errors| self.failed(target, CompileErrors::Pass(errors)))
        });
        let empty = || Section { title: format!("ir of passes for {target}"), ..written(String::new()) };
        let stages = stages.map_err(|error| Box::new((empty(), error)))?;
        stages.sections(self.arguments).into_iter().for_each(|section| sink.take(section));
        Ok(())
    }

    /// A section without its text.
    pub(super) fn empty(&self, work: Work) -> Section {
        let (emit, target) = match work {
            Work::Ir => return written(String::new()),
            Work::Text(emit, target) => (emit, target),
        };
        Section {
            stage: emit.name(),
            title: format!("{} for {target}", emit.name()),
            file: match emit {
                Emit::Lowered => format!("{target}.lowered.ir"),
                Emit::Msl => format!("{target}.metal"),
                Emit::Ir | Emit::Ptx | Emit::Sass => format!("{target}.{}", emit.name()),
            },
            pass: None,
            changed: None,
            target: Some(target.to_string()),
            tools: Vec::new(),
            text: String::new(),
            missing: None,
        }
    }

    /// A section, and the paths that were chosen for it.
    pub(super) fn section(&self, work: Work) -> Result<(Section, Vec<String>), CliError> {
        let mut section = self.empty(work);
        let (emit, target) = match work {
            Work::Ir => return Ok((Section { text: print(self.kernel), ..section }, Vec::new())),
            Work::Text(emit, target) => (emit, target),
        };
        let mut selection = Vec::new();
        match (emit, target.as_ptx()) {
            (Emit::Ptx, Some(chip)) => {
                let lowered = self.lowered(target, chip, self.comments())?;
                section.text = self.ptx(&lowered);
                selection = lowered.selection;
            }
            (Emit::Sass, Some(chip)) => {
                // What a launch loads: comments make no difference to the assembler.
                let lowered = self.lowered(target, chip, Comments::Values)?;
                let tools = self.tools()?;
                section.text = tools.listing(&lowered.module, self.arguments.comments)?;
                section.tools = tools.used();
                selection = lowered.selection;
            }
            (Emit::Lowered, Some(chip)) => {
                let lowered = self.lowered(target, chip, self.comments())?;
                section.text = match lowered.expanded {
                    Some(kernel) => print(&kernel),
                    None => print(&self.passed(target)?),
                };
            }
            (Emit::Lowered, None) => {
                let kernel = self.passed(target)?;
                section.text = print(expand(&kernel, &|_| false).as_ref().unwrap_or(&kernel));
            }
            (Emit::Ir | Emit::Ptx | Emit::Sass | Emit::Msl, _) => {
                let emitted = compile::compile(self.kernel, &self.class, target)?;
                (section.text, selection) = (emitted.text, emitted.selection);
            }
        }
        Ok((section, selection))
    }

    fn tools(&self) -> Result<&Tools, CliError> {
        if let Some(tools) = self.tools.get() {
            return Ok(tools);
        }
        let found = Tools::find()?;
        Ok(self.tools.get_or_init(|| found))
    }

    fn passed(&self, target: TargetProfile) -> Result<Kernel, CliError> {
        compile::check(self.kernel, &self.class, target)?;
        let passed = passes::run(self.kernel, &passes::Config::new(self.class));
        passed.map_err(|errors| self.failed(target, CompileErrors::Pass(errors)))
    }

    fn comments(&self) -> Comments {
        match self.arguments.comments {
            Remarks::None => Comments::None,
            Remarks::Values => Comments::Values,
            Remarks::Source | Remarks::Full => Comments::Operations,
        }
    }

    fn lowered(&self, target: TargetProfile, chip: Target, comments: Comments) -> Result<Lowered, CliError> {
        let lowered = lower_with(&self.passed(target)?, &self.class, chip, comments);
        lowered.map_err(|errors: Vec<Spanned<EmitError>>| self.failed(target, CompileErrors::Emit(errors)))
    }

    fn ptx(&self, lowered: &Lowered) -> String {
        if self.arguments.canonical {
            return canonical(&lowered.module).print();
        }
        if !self.arguments.coloured && self.arguments.comments < Remarks::Full {
            return lowered.module.print();
        }
        let mut module = lowered.module.clone();
        if self.arguments.comments == Remarks::Full {
            quote_lines(&mut module, &mut SourceLines::default());
        }
        if self.arguments.coloured {
            regalloc::colour_module(&mut module);
        }
        module.print()
    }

    fn failed(&self, target: TargetProfile, errors: CompileErrors) -> CliError {
        let (kernel, sources) = (self.kernel.path(), self.kernel.sources.clone());
        Box::new(CompileError { kernel, target, sources, errors }).into()
    }
}
