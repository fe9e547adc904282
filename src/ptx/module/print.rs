//! Writes a module as text, for people: operands in a column, comments behind, one register declaration a class.
//!
//! Entry: ids are in range. Exit: the text is a function of the module alone.

use super::{
    Entry, EntryNames, Extent, Linkage, Module, Param, PointerSpace, Statement, StatementKind, VarSpace,
    Variable,
};
use crate::ptx::isa::scan::{pad, print_u32, print_u64};
use crate::ptx::isa::{RegClass, RegTable, ScalarType};

/// Columns after which a register declaration goes on on the next line.
const WRAP_COLUMN: usize = 100;
/// Column in which trailing comments start, where the statement leaves room.
const COMMENT_COLUMN: usize = 64;
const INDENT: &str = "    ";

pub(super) fn module(module: &Module, out: &mut String) {
    let statements: usize = module.entries.iter().map(|entry| entry.body.len()).sum();
    out.reserve(512 + statements * 64);
    for comment in &module.comments {
        comment_line(out, comment);
        out.push('\n');
    }
    out.push_str(".version ");
    print_u32(out, module.version.major.into());
    out.push('.');
    print_u32(out, module.version.minor.into());
    out.push_str("\n.target ");
    out.push_str(&module.target.to_string());
    out.push_str("\n.address_size 64\n");
    for file in &module.files {
        out.push_str(".file ");
        print_u32(out, file.index);
        out.push_str(" \"");
        out.push_str(&file.path);
        out.push_str("\"\n");
    }
    if !module.globals.is_empty() {
        out.push('\n');
    }
    for global in module.globals.values() {
        variable(out, global);
    }
    for item in &module.entries {
        out.push('\n');
        entry(module, item, out);
    }
}

fn entry(module: &Module, entry: &Entry, out: &mut String) {
    out.push_str(if entry.visible { ".visible .entry " } else { ".entry " });
    out.push_str(&entry.name);
    out.push('(');
    for (index, item) in entry.params.values().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(INDENT);
        param(out, item);
    }
    out.push_str(if entry.params.is_empty() { ")\n" } else { "\n)\n" });
    bounds(out, entry);
    out.push_str("{\n");
    registers(out, &entry.regs);
    for var in entry.vars.values() {
        out.push_str(INDENT);
        variable(out, var);
    }
    if !(entry.regs.is_empty() && entry.vars.is_empty()) {
        out.push('\n');
    }
    let names = EntryNames { globals: &module.globals, entry };
    for line in &entry.body {
        statement(out, line, &names);
    }
    out.push_str("}\n");
}

fn bounds(out: &mut String, entry: &Entry) {
    let shape = |out: &mut String, directive: &str, threads: Option<[u32; 3]>| {
        let Some(threads) = threads else { return };
        out.push_str(directive);
        for (axis, &count) in threads.iter().enumerate() {
            out.push_str(if axis == 0 { " " } else { ", " });
            print_u32(out, count);
        }
        out.push('\n');
    };
    let number = |out: &mut String, directive: &str, value: Option<u32>| {
        let Some(value) = value else { return };
        out.push_str(directive);
        print_u32(out, value);
        out.push('\n');
    };
    shape(out, ".maxntid", entry.bounds.max_threads);
    shape(out, ".reqntid", entry.bounds.required_threads);
    number(out, ".minnctapersm ", entry.bounds.min_ctas);
    number(out, ".maxnreg ", entry.bounds.max_registers);
}

fn align(out: &mut String, align: Option<u32>) {
    if let Some(bytes) = align {
        out.push_str(" .align ");
        print_u32(out, bytes);
    }
}

fn count(out: &mut String, count: u64) {
    out.push('[');
    print_u64(out, count);
    out.push(']');
}

pub(super) fn param(out: &mut String, param: &Param) {
    out.push_str(".param");
    align(out, param.align);
    out.push(' ');
    out.push_str(param.ty.spelling());
    if let Some(pointer) = param.pointer {
        out.push_str(match pointer.space {
            PointerSpace::Generic => " .ptr",
            PointerSpace::Global => " .ptr .global",
            PointerSpace::Shared => " .ptr .shared",
            PointerSpace::Const => " .ptr .const",
            PointerSpace::Local => " .ptr .local",
        });
        align(out, pointer.align);
    }
    out.push(' ');
    out.push_str(&param.name);
    if let Some(elements) = param.array {
        count(out, elements);
    }
}

fn variable(out: &mut String, variable: &Variable) {
    out.push_str(match variable.linkage {
        Linkage::Internal => "",
        Linkage::Visible => ".visible ",
        Linkage::Extern => ".extern ",
    });
    out.push_str(match variable.space {
        VarSpace::Shared => ".shared",
        VarSpace::Local => ".local",
        VarSpace::Global => ".global",
        VarSpace::Const => ".const",
    });
    align(out, variable.align);
    out.push(' ');
    out.push_str(variable.ty.spelling());
    out.push(' ');
    out.push_str(&variable.name);
    match variable.extent {
        Extent::Scalar => {}
        Extent::Array(elements) => count(out, elements),
        Extent::Unsized => out.push_str("[]"),
    }
    initial(out, variable);
    out.push_str(";\n");
}

fn initial(out: &mut String, variable: &Variable) {
    if variable.initial.is_empty() {
        return;
    }
    let scalar = variable.extent == Extent::Scalar;
    out.push_str(if scalar { " = " } else { " = {" });
    for (index, &bits) in variable.initial.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        match variable.ty {
            ScalarType::F32 => out.push_str(&format!("0f{bits:08X}")),
            ScalarType::F64 => out.push_str(&format!("0d{bits:016X}")),
            _ => print_u64(out, bits),
        }
    }
    out.push_str(if scalar { "" } else { "}" });
}

fn registers(out: &mut String, regs: &RegTable) {
    for class in RegClass::ALL {
        let mut start = out.len();
        for (index, reg) in regs.regs(class).enumerate() {
            let name = regs.name(reg);
            if index == 0 {
                out.push_str(INDENT);
                out.push_str(".reg ");
                out.push_str(class.spelling());
                out.push(' ');
            } else if out.len() - start + name.len() + 3 > WRAP_COLUMN {
                out.push_str(",\n");
                start = out.len();
                out.push_str("               ");
            } else {
                out.push_str(", ");
            }
            out.push_str(name);
        }
        if regs.len(class) != 0 {
            out.push_str(";\n");
        }
    }
}

fn comment_line(out: &mut String, text: &str) {
    out.push_str("//");
    if !text.is_empty() {
        out.push(' ');
        out.push_str(text);
    }
}

fn statement(out: &mut String, statement: &Statement, names: &EntryNames<'_>) {
    let start = out.len();
    match &statement.kind {
        StatementKind::Inst(inst) => {
            out.push_str(INDENT);
            inst.print(out, names, start);
        }
        StatementKind::Label(label) => {
            out.push_str(&names.entry.labels[*label].name);
            out.push(':');
        }
        StatementKind::Loc { file, line, column } => {
            out.push_str("    .loc ");
            print_u32(out, *file);
            out.push(' ');
            print_u32(out, *line);
            out.push(' ');
            print_u32(out, *column);
        }
        StatementKind::Comment(text) => {
            out.push_str(INDENT);
            comment_line(out, text);
        }
        StatementKind::Pragma(text) => {
            out.push_str("    .pragma \"");
            out.push_str(text);
            out.push_str("\";");
        }
    }
    if let Some(comment) = &statement.comment {
        pad(out, start, COMMENT_COLUMN, 2);
        comment_line(out, comment);
    }
    out.push('\n');
}
