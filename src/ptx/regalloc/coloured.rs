//! A body whose registers are called by the physical places that a [`Colouring`] gives them.
//!
//! Entry: any body with placed labels. Exit: a body that computes the same with as many registers as the colouring takes
//! places: `%R4` is a slot of 32 bits, `%RD4` the slots 4 and 5, `%P0` a predicate. Behind each instruction stands how
//! much is in use after it, and the head says who lives where. Registers of different widths stay different registers of
//! PTX even where they share slots: [`Colouring::check`] proves what running the body can't. Not here: the assembler's
//! own choice.

use std::collections::BTreeMap;

use super::colour::Colouring;
use super::pressure::Pressure;
use crate::ptx::isa::{Reg, RegClass, RegTable};
use crate::ptx::module::{Entry, FunctionParam, Module, Statement, StatementKind};

/// Columns after which the list of who lives in a place goes on on the next line.
const WRAP_COLUMN: usize = 100;

/// The body with physical places for registers.
///
/// ```
/// use warpsmith::ptx::{module, regalloc};
///
/// let text = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n\
///     .reg .b32 %a, %b;\n .reg .b64 %c;\n mov.b32 %a, 1;\n add.s32 %b, %a, 1;\n\
///     cvt.u64.u32 %c, %b;\n ret;\n}\n";
/// let mut module = module::parse(text)?;
/// module.entries[0] = regalloc::coloured(&module.entries[0]);
/// let text = module.print();
/// assert!(text.contains("add.s32             %R0, %R0, 1;"), "{text}");
/// assert!(text.contains("%RD2") || text.contains("%RD0"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn coloured(entry: &Entry) -> Entry {
    let colouring = Colouring::of(entry);
    debug_assert_eq!(colouring.check(entry), Ok(()), "no two values that are wanted at once share a place");
    let mut tenants: BTreeMap<(RegClass, u32), Vec<&str>> = BTreeMap::new();
    for (reg, name) in entry.regs.iter() {
        if let Some(place) = colouring.place(reg) {
            tenants.entry((reg.class(), place)).or_default().push(name);
        }
    }
    let mut regs = RegTable::new();
    let made: BTreeMap<(RegClass, u32), Reg> = tenants
        .keys()
        .map(|&(class, place)| ((class, place), regs.new_reg(class, format!("%{}{place}", stem(class)))))
        .collect();
    let mut result = entry.clone();
    for statement in &mut result.body {
        if let StatementKind::Inst(inst) = &mut statement.kind {
            inst.visit_mut(|_, reg| {
                let place = colouring.place(*reg).expect("the scan met every register of the body");
                *reg = made[&(reg.class(), place)];
            });
        }
    }
    let pressure = Pressure::of(entry);
    for point in &pressure.points {
        let comment = &mut result.body[point.statement].comment;
        let used = match point.predicates {
            0 => format!("{}R", point.slots),
            predicates => format!("{}R {predicates}P", point.slots),
        };
        *comment = Some(match comment.take() {
            Some(said) => format!("{used:<8} {said}").into(),
            None => used.into(),
        });
    }
    let mut body = head(entry, &colouring, &pressure);
    for ((class, place), names) in &tenants {
        list(&mut body, &format!("%{}{place}:", stem(*class)), names);
    }
    body.append(&mut result.body);
    Entry { regs, body, ..result }
}

/// Colours all code of a module, but functions with results or arguments in registers: their places are the caller's matter.
pub fn colour_module(module: &mut Module) {
    for entry in &mut module.entries {
        *entry = coloured(entry);
    }
    for function in module.functions.values_mut() {
        let mut declared = function.results.iter().chain(&function.arguments);
        if function.defined && declared.all(|declared| matches!(declared, FunctionParam::Param(_))) {
            function.code = coloured(&function.code);
        }
    }
}

/// What the names of a class begin with: `R4` and `P0` are the disassembler's words.
const fn stem(class: RegClass) -> &'static str {
    match class {
        RegClass::Pred => "P",
        RegClass::B8 => "RB",
        RegClass::B16 => "RH",
        RegClass::B32 => "R",
        RegClass::B64 => "RD",
        RegClass::B128 => "RQ",
    }
}

fn head(entry: &Entry, colouring: &Colouring, pressure: &Pressure) -> Vec<Statement> {
    let (slots, predicates) = (colouring.slots, colouring.predicates);
    let most = pressure.slots();
    let registers = entry.regs.iter().count();
    let count = |number: u32| format!("{number} predicate{}", if number == 1 { "" } else { "s" });
    let lines = [
        format!(
            "{registers} registers in {slots} slots of 32 bits (at most {most} in use) and {}",
            count(predicates)
        ),
        "behind an instruction: slots (R) and predicates (P) in use after it".into(),
        "%R4 is slot 4, %RH4 16 bits of it, %RD4 the slots 4 and 5, %RQ4 the slots 4 to 7".into(),
    ];
    lines.into_iter().map(comment).collect()
}

/// Who lives in a place, in lines of at most [`WRAP_COLUMN`] columns.
fn list(body: &mut Vec<Statement>, place: &str, names: &[&str]) {
    let mut line = place.to_owned();
    for name in names {
        if line.len() + name.len() + 1 > WRAP_COLUMN {
            body.push(comment(std::mem::replace(&mut line, place.to_owned())));
        }
        line.push(' ');
        line.push_str(name);
    }
    body.push(comment(line));
}

fn comment(text: String) -> Statement {
    StatementKind::Comment(text.into()).into()
}
