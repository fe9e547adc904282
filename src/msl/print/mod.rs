//! Writes the tree as text.
//!
//! The only place that knows how MSL is spelled, but for the prelude. Every operand that is not a name, a number or a
//! call stands in parentheses, so that no precedence has to be remembered. The same tree gives the same text.

mod expr;

use std::fmt::{self, Write};

use super::ast::{Argument, ArgumentKind, Entry, Module, Position, Stmt};

/// The text of a module.
pub(super) fn module(module: &Module) -> String {
    let mut writer = Writer { out: String::new(), indent: 0 };
    for remark in &module.remarks {
        writer.remark(remark);
    }
    writer.line(format_args!("#include <metal_stdlib>"));
    // Compilers without a pragma ignore it: the launcher sets the same by the compile options.
    writer.line(format_args!("#pragma METAL fp math_mode(safe)"));
    writer.line(format_args!("#pragma METAL fp contract(off)"));
    writer.line(format_args!("using namespace metal;"));
    for routine in &module.routines {
        writer.out.push('\n');
        writer.out.push_str(routine.text());
    }
    writer.out.push('\n');
    writer.entry(&module.entry);
    writer.out
}

/// Text in the making.
struct Writer {
    out: String,
    indent: usize,
}

impl Writer {
    fn write(&mut self, text: impl fmt::Display) {
        write!(self.out, "{text}").expect("writing to a String does not fail");
    }

    fn line(&mut self, text: fmt::Arguments<'_>) {
        if self.indent > 0 {
            self.write(format_args!("{:1$}", "", self.indent * 4));
        }
        self.write(text);
        self.out.push('\n');
    }

    /// A comment of one line whatever its text holds.
    fn remark(&mut self, text: &str) {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        // A backslash, or the trigraph for one, would draw the next line into the comment.
        let end = if text.ends_with('\\') || text.ends_with("??/") { "." } else { "" };
        self.line(format_args!("// {}{end}", text.trim_end()));
    }

    fn entry(&mut self, entry: &Entry) {
        let attribute = match entry.max_threads {
            Some(threads) => format!("kernel, max_total_threads_per_threadgroup({threads})"),
            None => "kernel".into(),
        };
        if entry.arguments.is_empty() {
            self.line(format_args!("[[{attribute}]] void {}() {{", entry.name));
        } else {
            self.line(format_args!("[[{attribute}]] void {}(", entry.name));
            self.indent += 1;
            for (position, argument) in entry.arguments.iter().enumerate() {
                let end = if position + 1 == entry.arguments.len() { ") {" } else { "," };
                self.argument(argument, end);
            }
            self.indent -= 1;
        }
        self.block(&entry.body);
        self.line(format_args!("}}"));
    }

    fn argument(&mut self, Argument { name, kind }: &Argument, end: &str) {
        match *kind {
            ArgumentKind::Device { element, written, index } => {
                let access = if written { "" } else { "const " };
                self.line(format_args!("device {access}{element}* {name} [[buffer({index})]]{end}"));
            }
            ArgumentKind::Constant { scalar, index } => {
                self.line(format_args!("constant {scalar}& {name} [[buffer({index})]]{end}"));
            }
            ArgumentKind::Builtin(position) => {
                let (of, attribute) = position_text(position);
                self.line(format_args!("{of} {name} [[{attribute}]]{end}"));
            }
        }
    }

    fn block(&mut self, statements: &[Stmt]) {
        self.indent += 1;
        for statement in statements {
            self.statement(statement);
        }
        self.indent -= 1;
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Constant { scalar, name, value } => {
                self.line(format_args!("const {scalar} {name} = {value};"));
            }
            Stmt::Variable { scalar, name, value } => self.line(format_args!("{scalar} {name} = {value};")),
            Stmt::Assign { place, value } => self.line(format_args!("{place} = {value};")),
            Stmt::If { cond, then, els } => {
                self.line(format_args!("if ({cond}) {{"));
                self.block(then);
                if !els.is_empty() {
                    self.line(format_args!("}} else {{"));
                    self.block(els);
                }
                self.line(format_args!("}}"));
            }
            Stmt::Count { scalar, index, trips, unroll, body } => {
                if *unroll > 1 {
                    self.line(format_args!("#pragma clang loop unroll_count({unroll})"));
                }
                self.line(format_args!("for ({scalar} {index} = 0; {index} < {trips}; ++{index}) {{"));
                self.block(body);
                self.line(format_args!("}}"));
            }
            Stmt::Forever { body } => {
                self.line(format_args!("while (true) {{"));
                self.block(body);
                self.line(format_args!("}}"));
            }
            Stmt::Call(call) => self.line(format_args!("{call};")),
            Stmt::Break => self.line(format_args!("break;")),
            Stmt::Continue => self.line(format_args!("continue;")),
            Stmt::Return => self.line(format_args!("return;")),
            Stmt::Remark(text) => self.remark(text),
        }
    }
}

fn position_text(position: Position) -> (&'static str, &'static str) {
    match position {
        Position::ThreadInThreadgroup => ("uint3", "thread_position_in_threadgroup"),
        Position::ThreadgroupInGrid => ("uint3", "threadgroup_position_in_grid"),
        Position::ThreadsPerThreadgroup => ("uint3", "threads_per_threadgroup"),
        Position::ThreadgroupsPerGrid => ("uint3", "threadgroups_per_grid"),
        Position::ThreadIndexInThreadgroup => ("uint", "thread_index_in_threadgroup"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_never_reaches_the_next_line() {
        let mut writer = Writer { out: String::new(), indent: 0 };
        writer.remark("one\ntwo\\");
        writer.remark("what??/");
        assert_eq!(writer.out, "// one two\\.\n// what??/.\n");
    }
}
