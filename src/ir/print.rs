//! The text form, written.
//!
//! ```text
//! kernel @demo::axpy<f32>(x: global f32, mut y: global f32, a: f32) mode(elementwise) @3:1 {
//!     source s0 "src/demo.rs"
//!     v0:i = program_id.x @4:13
//!     v1 = load x[v0] @5:9
//!     …
//! }
//! ```
//!
//! A span is `@line:column` in source `s0`, or `@s1:line:column` in another. Ids print as they stand in the arenas.

use std::fmt::{self, Write};

use super::kernel::{ArraySpace, Inst, Kernel, Param, ParamId, ParamKind, RegionId, ValueId};
use super::op::{Keyword, MemBase};
use crate::diag::Span;
use crate::entity::EntityId;

/// Writes a kernel's text; the operations' rows call its methods.
#[derive(Debug)]
pub struct Printer<'k> {
    kernel: &'k Kernel,
    out: String,
    indent: usize,
    /// Whether regions are left out, so that an instruction takes one line.
    is_brief: bool,
}

/// The text form of a kernel.
pub fn print(kernel: &Kernel) -> String {
    let mut printer = Printer { kernel, out: String::new(), indent: 1, is_brief: false };
    printer.header();
    printer.declarations();
    printer.instructions(kernel.body);
    printer.out.push_str("}\n");
    printer.out
}

/// One instruction of a kernel on one line, without its place; `{...}` stands for its regions.
pub fn line(kernel: &Kernel, inst: &Inst) -> String {
    let mut printer = Printer { kernel, out: String::new(), indent: 0, is_brief: true };
    printer.instruction(inst);
    // The text of an inline statement may have lines of its own.
    printer.out.replace('\n', " ")
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

impl Printer<'_> {
    /// The kernel being printed.
    pub fn kernel(&self) -> &Kernel {
        self.kernel
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes a use of a value.
    pub fn value(&mut self, value: ValueId) {
        self.display(value);
    }

    /// Writes the place where a value is defined: its id, and its name if it has one.
    pub fn definition(&mut self, value: ValueId) {
        self.display(value);
        let kernel = self.kernel;
        if let Some(value) = kernel.values.get(value)
            && let Some(name) = &value.name
        {
            self.out.push(':');
            self.out.push_str(name);
        }
    }

    /// Writes the name of a parameter.
    pub fn param(&mut self, param: ParamId) {
        self.base(MemBase::Param(param));
    }

    /// Writes the name of a buffer or array.
    pub fn base(&mut self, base: MemBase) {
        let kernel = self.kernel;
        self.out.push_str(base.name(kernel));
    }

    /// Writes a region in braces.
    pub fn region(&mut self, region: RegionId) {
        if self.is_brief {
            return self.out.push_str("{...}");
        }
        self.out.push_str("{\n");
        self.indent += 1;
        self.instructions(region);
        self.indent -= 1;
        self.line_start();
        self.out.push('}');
    }

    fn display(&mut self, item: impl fmt::Display) {
        write!(self.out, "{item}").expect("writing to a String does not fail");
    }

    fn line_start(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    fn span(&mut self, span: Span) {
        if span.line == 0 {
            return;
        }
        self.out.push_str(" @");
        if span.source.index() != 0 {
            self.display(format_args!("{}:", span.source));
        }
        self.display(format_args!("{}:{}", span.line, span.column));
    }

    fn header(&mut self) {
        let kernel = self.kernel;
        self.out.push_str("kernel @");
        self.out.push_str(&kernel.path());
        self.out.push('(');
        for (position, param) in kernel.params.values().enumerate() {
            self.out.push_str(if position == 0 { "" } else { ", " });
            self.param_declaration(param);
        }
        self.out.push(')');
        if let Some(mode) = kernel.mode {
            self.display(format_args!(" mode({})", mode.keyword()));
        }
        if let Some([x, y, z]) = kernel.cta {
            self.display(format_args!(" cta({x}, {y}, {z})"));
        }
        self.span(kernel.span);
        self.out.push_str(" {\n");
    }

    fn param_declaration(&mut self, param: &Param) {
        match param.kind {
            ParamKind::Buffer { written, rank, alias } => {
                self.out.push_str(if alias { "alias " } else { "" });
                self.out.push_str(if written { "mut " } else { "" });
                self.display(format_args!("{}: global {}", param.name, param.dtype));
                if rank > 0 {
                    self.display(format_args!(" rank({rank})"));
                }
            }
            ParamKind::Scalar => self.display(format_args!("{}: {}", param.name, param.dtype)),
        }
        self.span(param.span);
    }

    fn declarations(&mut self) {
        let kernel = self.kernel;
        for (id, path) in kernel.sources.iter() {
            self.display(format_args!("    source {id} {path:?}\n"));
        }
        for array in kernel.arrays.values() {
            let space = match array.space {
                ArraySpace::Shared => "shared",
                ArraySpace::Private => "private",
            };
            self.display(format_args!("    {space} {}: {}[{}]", array.name, array.dtype, array.len));
            self.span(array.span);
            self.out.push('\n');
        }
        for (id, local) in kernel.locals.iter() {
            self.display(format_args!("    local {id}"));
            if let Some(name) = &local.name {
                self.display(format_args!(":{name}"));
            }
            self.display(format_args!(": {}\n", local.dtype));
        }
    }

    fn instructions(&mut self, region: RegionId) {
        let kernel = self.kernel;
        for &id in &kernel.regions[region].insts {
            let inst = &kernel.insts[id];
            self.line_start();
            self.instruction(inst);
            self.span(inst.span);
            self.out.push('\n');
        }
    }

    fn instruction(&mut self, inst: &Inst) {
        for (position, &result) in inst.results.iter().enumerate() {
            self.out.push_str(if position == 0 { "" } else { ", " });
            self.definition(result);
        }
        self.out.push_str(if inst.results.is_empty() { "" } else { " = " });
        inst.op.print(self);
    }
}
