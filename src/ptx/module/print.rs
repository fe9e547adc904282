//! Writes a module as text, for people: operands in a column, comments behind, one register declaration a class.
//!
//! Entry: ids are in range. Exit: the text is a function of the module alone.

use super::{
    Entry, EntryNames, Extent, Function, FunctionParam, Initial, Module, Param, PointerSpace, PrototypeParam,
    Statement, StatementKind, Table, TableKind, Variable,
};
use crate::ptx::isa::scan::{pad, print_decimal, print_hex, print_u32, print_u64};
use crate::ptx::isa::{FunctionId, Reg, RegClass, RegTable, ScalarType, Symbol};

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
    out.push_str(if module.debug { ", debug" } else { "" });
    out.push_str("\n.address_size 64\n");
    for file in &module.files {
        out.push_str(".file ");
        print_u32(out, file.index);
        out.push_str(" \"");
        quoted(out, &file.path);
        out.push('"');
        if let Some((time, bytes)) = file.stamp {
            out.push_str(", ");
            print_u64(out, time);
            out.push_str(", ");
            print_u64(out, bytes);
        }
        out.push('\n');
    }
    let ahead = needs_declarations(module);
    if ahead {
        out.push('\n');
        module.functions.values().for_each(|item| declaration(module, item, out));
    }
    if !module.globals.is_empty() {
        out.push('\n');
    }
    for global in module.globals.values() {
        variable(out, global, module);
    }
    for item in module.functions.values().filter(|item| item.defined || !ahead) {
        out.push('\n');
        function(module, item, out);
    }
    for item in &module.entries {
        out.push('\n');
        entry(module, item, out);
    }
    for section in &module.sections {
        out.push_str("\n.section ");
        out.push_str(&section.name);
        out.push_str("\n{\n");
        for line in &section.lines {
            out.push_str(line);
            out.push('\n');
        }
        out.push_str("}\n");
    }
}

/// Whether something names a function above its definition.
fn needs_declarations(module: &Module) -> bool {
    let names_function =
        |value: &Initial| matches!(value, Initial::Address { symbol: Symbol::Function(_), .. });
    let below = |(id, item): (FunctionId, &Function)| {
        let mut later = false;
        for (_, inst) in item.code.insts() {
            inst.op.symbols(|symbol| {
                later |= matches!(symbol, Symbol::Function(named) if named > id);
            });
        }
        let listed = |table: &Table| matches!(&table.kind, TableKind::Callees(all) if all.iter().any(|&named| named > id));
        later || item.code.tables.values().any(listed)
    };
    module.globals.values().any(|variable| variable.initial.iter().any(names_function))
        || module.functions.iter().any(below)
}

fn declaration(module: &Module, item: &Function, out: &mut String) {
    signature(module, item, out);
    out.push_str(";\n");
}

fn function(module: &Module, item: &Function, out: &mut String) {
    if !item.defined {
        return declaration(module, item, out);
    }
    signature(module, item, out);
    out.push('\n');
    bounds(out, &item.code);
    let named = |param: &FunctionParam| if let FunctionParam::Reg(reg) = *param { Some(reg) } else { None };
    let named: Vec<Reg> = item.results.iter().chain(&item.arguments).filter_map(named).collect();
    body(module, &item.code, &named, out);
}

fn signature(module: &Module, item: &Function, out: &mut String) {
    let names = EntryNames { module, entry: &item.code };
    let list = |out: &mut String, params: &[FunctionParam]| {
        out.push('(');
        for (index, &item) in params.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { ", " });
            match item {
                FunctionParam::Param(id) => param(out, &names.entry.params[id]),
                FunctionParam::Reg(reg) => register(out, reg.class().bit_type(), names.entry.regs.name(reg)),
            }
        }
        out.push(')');
    };
    out.push_str(item.linkage.spelling());
    out.push_str(".func ");
    if !item.results.is_empty() {
        list(out, &item.results);
        out.push(' ');
    }
    out.push_str(&item.code.name);
    list(out, &item.arguments);
    out.push_str(if item.no_return { " .noreturn" } else { "" });
}

fn register(out: &mut String, ty: ScalarType, name: &str) {
    out.push_str(".reg ");
    out.push_str(ty.spelling());
    out.push(' ');
    out.push_str(name);
}

fn entry(module: &Module, entry: &Entry, out: &mut String) {
    out.push_str(match (entry.weak, entry.visible) {
        (true, _) => ".weak .entry ",
        (false, true) => ".visible .entry ",
        (false, false) => ".entry ",
    });
    out.push_str(&entry.name);
    out.push('(');
    for (index, item) in entry.params.values().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(INDENT);
        param(out, item);
    }
    out.push_str(if entry.params.is_empty() { ")\n" } else { "\n)\n" });
    bounds(out, entry);
    body(module, entry, &[], out);
}

/// `named` are the registers that the function's head declares.
fn body(module: &Module, entry: &Entry, named: &[Reg], out: &mut String) {
    out.push_str("{\n");
    let declarations = out.len();
    registers(out, &entry.regs, named);
    for var in entry.vars.values() {
        out.push_str(INDENT);
        variable(out, var, module);
    }
    let names = EntryNames { module, entry };
    for item in entry.tables.values() {
        table(out, item, &names);
    }
    if out.len() != declarations {
        out.push('\n');
    }
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
    if entry.bounds.explicit_cluster {
        out.push_str(".explicitcluster\n");
    }
    shape(out, ".reqnctapercluster", entry.bounds.cluster);
    number(out, ".maxclusterrank ", entry.bounds.max_cluster_rank);
    for text in &entry.pragmas {
        pragma(out, text);
        out.push('\n');
    }
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

fn variable(out: &mut String, variable: &Variable, module: &Module) {
    out.push_str(variable.linkage.spelling());
    out.push_str(variable.space.spelling());
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
    initial(out, variable, module);
    out.push_str(";\n");
}

fn initial(out: &mut String, variable: &Variable, module: &Module) {
    if variable.initial.is_empty() {
        return;
    }
    let scalar = variable.extent == Extent::Scalar;
    out.push_str(if scalar { " = " } else { " = {" });
    for (index, &value) in variable.initial.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        match (value, variable.ty) {
            (Initial::Bits(bits), ScalarType::F32) => {
                out.push_str("0f");
                print_hex(out, bits, 8);
            }
            (Initial::Bits(bits), ScalarType::F64) => {
                out.push_str("0d");
                print_hex(out, bits, 16);
            }
            (Initial::Bits(bits), _) => print_u64(out, bits),
            (Initial::Address { symbol, generic, offset, mask }, _) => {
                address(out, (symbol_name(module, symbol), generic), offset, mask);
            }
        }
    }
    out.push_str(if scalar { "" } else { "}" });
}

/// The name of what the whole module sees.
fn symbol_name(module: &Module, symbol: Symbol) -> &str {
    match symbol {
        Symbol::Global(id) => &module.globals[id].name,
        Symbol::Function(id) => &module.functions[id].code.name,
        // The check refuses them in initial values.
        Symbol::Param(_) | Symbol::Var(_) => "_",
    }
}

fn address(out: &mut String, (name, generic): (&str, bool), offset: i64, mask: Option<u64>) {
    if let Some(mask) = mask {
        out.push_str("0x");
        print_hex(out, mask, (64 - mask.leading_zeros()).div_ceil(4).max(1) as usize);
        out.push('(');
    }
    out.push_str(if generic { "generic(" } else { "" });
    out.push_str(name);
    out.push_str(if generic { ")" } else { "" });
    if offset != 0 {
        out.push('+');
        print_decimal(out, offset);
    }
    out.push_str(if mask.is_some() { ")" } else { "" });
}

fn table(out: &mut String, table: &Table, names: &EntryNames<'_>) {
    out.push_str(INDENT);
    out.push_str(&table.name);
    let list = |out: &mut String, targets: &mut dyn Iterator<Item = &str>| {
        for (index, name) in targets.enumerate() {
            out.push_str(if index == 0 { " " } else { ", " });
            out.push_str(name);
        }
    };
    match &table.kind {
        TableKind::Branches(labels) => {
            out.push_str(": .branchtargets");
            list(out, &mut labels.iter().map(|&label| names.entry.labels[label].name.as_str()));
        }
        TableKind::Callees(all) => {
            out.push_str(": .calltargets");
            list(out, &mut all.iter().map(|&id| symbol_name(names.module, Symbol::Function(id))));
        }
        TableKind::Prototype { results, arguments, no_return } => {
            out.push_str(": .callprototype ");
            if !results.is_empty() {
                prototype(out, results);
                out.push(' ');
            }
            out.push_str("_ ");
            prototype(out, arguments);
            out.push_str(if *no_return { " .noreturn" } else { "" });
        }
    }
    out.push_str(";\n");
}

fn prototype(out: &mut String, params: &[PrototypeParam]) {
    out.push('(');
    for (index, item) in params.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        match item {
            PrototypeParam::Param(item) => param(out, item),
            PrototypeParam::Reg(ty, name) => register(out, *ty, name),
        }
    }
    out.push(')');
}

fn registers(out: &mut String, regs: &RegTable, named: &[Reg]) {
    for class in RegClass::ALL {
        let mut start = out.len();
        let before = start;
        for (index, reg) in regs.regs(class).filter(|reg| !named.contains(reg)).enumerate() {
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
        if out.len() != before {
            out.push_str(";\n");
        }
    }
}

fn comment_line(out: &mut String, text: &str) {
    out.push_str("//");
    if !text.is_empty() {
        out.push(' ');
        plain(out, text);
    }
}

/// Text of which the assembler takes nothing but ASCII, wherever it stands: a path may hold anything.
fn plain(out: &mut String, text: &str) {
    out.extend(text.chars().map(|sign| if sign.is_ascii() { sign } else { '?' }));
}

/// The same between quotes, where a quote would end it.
fn quoted(out: &mut String, text: &str) {
    out.extend(text.chars().map(|sign| if sign.is_ascii() && sign != '"' { sign } else { '?' }));
}

fn pragma(out: &mut String, text: &str) {
    out.push_str(".pragma \"");
    out.push_str(text);
    out.push_str("\";");
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
        StatementKind::Loc { file, line, column, inlined } => {
            out.push_str("    .loc ");
            print_u32(out, *file);
            out.push(' ');
            print_u32(out, *line);
            out.push(' ');
            print_u32(out, *column);
            if let Some(at) = inlined {
                out.push_str(", function_name ");
                out.push_str(&at.function);
                out.push_str(", inlined_at ");
                print_u32(out, at.file);
                out.push(' ');
                print_u32(out, at.line);
                out.push(' ');
                print_u32(out, at.column);
            }
        }
        StatementKind::Comment(text) => {
            out.push_str(INDENT);
            comment_line(out, text);
        }
        StatementKind::Pragma(text) => {
            out.push_str(INDENT);
            pragma(out, text);
        }
    }
    if let Some(comment) = &statement.comment {
        pad(out, start, COMMENT_COLUMN, 2);
        comment_line(out, comment);
    }
    out.push('\n');
}
