//! A module in canonical form: two modules that differ only in how registers and labels are called come out as one text.
//!
//! Entry: a module whose ids are in range. Exit: registers are named by class and by the order in which the body first
//! mentions them (`%r1`, `%rd1`, `%p1`), labels by the order in which they stand (`$L1`); registers that nothing mentions
//! are not declared, labels that nothing places or names are gone. Comments, `.file`, `.loc` and debug sections are dropped: they
//! name values and lines of the source, which move with every edit. Deliberately not here: the order of instructions, and names that
//! the driver or the launcher sees (entries, parameters, variables).

use std::collections::HashMap;

use super::{Entry, FunctionParam, Module, StatementKind};
use crate::ptx::isa::{Reg, RegClass, RegTable};

/// The module in canonical form; doing it twice changes nothing more.
pub fn canonical(module: &Module) -> Module {
    let mut made = module.clone();
    made.comments.clear();
    made.files.clear();
    made.sections.clear();
    made.debug = false;
    made.entries.iter_mut().for_each(|made| entry(made, &mut []));
    for function in made.functions.values_mut() {
        let params = function.results.iter_mut().chain(&mut function.arguments);
        let mut held: Vec<&mut Reg> = params
            .filter_map(|param| match param {
                FunctionParam::Reg(reg) => Some(reg),
                FunctionParam::Param(_) => None,
            })
            .collect();
        entry(&mut function.code, &mut held);
    }
    made
}

/// `held` are the registers that a function's results and arguments are in, which count as mentioned first.
fn entry(entry: &mut Entry, held: &mut [&mut Reg]) {
    entry.body.retain(|statement| match statement.kind {
        StatementKind::Inst(_) | StatementKind::Label(_) | StatementKind::Pragma(_) => true,
        StatementKind::Loc { .. } | StatementKind::Comment(_) => false,
    });
    for statement in &mut entry.body {
        (statement.comment, statement.line) = (None, 0);
    }
    registers(entry, held);
    entry.renumber_labels();
    let mut number = 0;
    for label in entry.labels.values_mut() {
        number += 1;
        label.name = format!("$L{number}");
    }
}

fn registers(entry: &mut Entry, held: &mut [&mut Reg]) {
    let mut table = RegTable::new();
    let mut numbers: HashMap<Reg, Reg> = HashMap::new();
    let mut number = |reg: Reg| {
        *numbers.entry(reg).or_insert_with(|| {
            let class = reg.class();
            let name = format!("%{}{}", stem(class), table.len(class) + 1);
            table.new_reg(class, name)
        })
    };
    held.iter_mut().for_each(|reg| **reg = number(**reg));
    for statement in &mut entry.body {
        if let StatementKind::Inst(inst) = &mut statement.kind {
            inst.visit_mut(|_, reg| *reg = number(*reg));
        }
    }
    entry.regs = table;
}

/// What the names of a class begin with, as other compilers write them.
const fn stem(class: RegClass) -> &'static str {
    match class {
        RegClass::Pred => "p",
        RegClass::B8 => "rc",
        RegClass::B16 => "rs",
        RegClass::B32 => "r",
        RegClass::B64 => "rd",
        RegClass::B128 => "rq",
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    const ONE: &str = "// made by one\n.version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"a.rs\"\n\
        .visible .entry k(.param .u64 p)\n{\n.reg .pred %p_go, %p_spare;\n.reg .b32 %r_x, %r_y;\n.reg .b64 %rd_p;\n\
        // v1\n.loc 1 3 5\nld.param.u64 %rd_p, [p];\nmov.u32 %r_y, %tid.x;\nsetp.eq.u32 %p_go, %r_y, 0;\n\
        @%p_go bra out;\nadd.u32 %r_x, %r_y, 1; // v2\nst.global.u32 [%rd_p], %r_x;\nout:\nret;\n}\n";

    const OTHER: &str = ".version 8.0\n.target sm_90\n.address_size 64\n\
        .visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .pred %q<3>;\n.reg .b64 %d<2>;\n\
        ld.param.u64 %d1, [p];\nmov.u32 %r7, %tid.x;\nsetp.eq.u32 %q2, %r7, 0;\n\
        @%q2 bra $done;\nadd.u32 %r3, %r7, 1;\nst.global.u32 [%d1], %r3;\n$done:\nret;\n}\n";

    #[test]
    fn names_and_places_do_not_count() {
        let (one, other) = (parse(ONE).unwrap(), parse(OTHER).unwrap());
        assert_ne!(one.print(), other.print());
        let text = canonical(&one).print();
        assert_eq!(text, canonical(&other).print());
        for said in ["%rd1", "%r1, %r2;", "@%p1 bra", "$L1:"] {
            assert!(text.contains(said), "`{said}` is missing from\n{text}");
        }
        for gone in ["//", ".loc", ".file", "spare"] {
            assert!(!text.contains(gone), "`{gone}` is left in\n{text}");
        }
    }

    #[test]
    fn what_is_computed_counts() {
        let other = OTHER.replace("add.u32 %r3, %r7, 1", "add.u32 %r3, %r7, 2");
        assert_ne!(canonical(&parse(OTHER).unwrap()), canonical(&parse(&other).unwrap()));
        // The same registers, used the other way round.
        let swapped = OTHER.replace("st.global.u32 [%d1], %r3", "st.global.u32 [%d1], %r7");
        assert_ne!(canonical(&parse(OTHER).unwrap()), canonical(&parse(&swapped).unwrap()));
    }

    #[test]
    fn the_form_is_a_module_and_stays_as_it_is() {
        let made = canonical(&parse(ONE).unwrap());
        assert_eq!(made.check(), Ok(()));
        assert_eq!(canonical(&made), made);
        assert_eq!(parse(&made.print()).as_ref(), Ok(&made));
    }

    #[test]
    fn functions_are_brought_to_it_too() {
        let one = ".version 8.0\n.target sm_90\n.address_size 64\n.func (.reg .b32 %out) f(.reg .b32 %in)\n{\n\
            .reg .b32 %more;\nadd.u32 %more, %in, 1;\nmov.u32 %out, %more;\nret;\n}\n";
        let other = one.replace("%more", "%t9").replace("%in", "%x");
        let (made, again) = (canonical(&parse(one).unwrap()), canonical(&parse(&other).unwrap()));
        assert_eq!(made.print(), again.print());
        assert_eq!(made.check(), Ok(()));
        let changed = canonical(&parse(&one.replace("%in, 1", "%in, 2")).unwrap());
        assert_ne!(made.print(), changed.print());
    }
}
