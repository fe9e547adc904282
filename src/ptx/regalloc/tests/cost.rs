//! Pressure and colouring of bodies small enough to count by hand.

use super::super::{Colouring, Pressure};
use super::*;

#[test]
fn pressure_counts_slots_and_predicates_at_each_instruction() {
    let module = parse(
        "ld.param.u64 %x, [out];
         mov.b32 %a, 1;
         mov.b32 %b, 2;
         setp.lt.u32 %p, %a, %b;
         @%p add.s32 %a, %a, %b;
         st.global.u32 [%x], %a;
         ret;",
    );
    let pressure = Pressure::of(&module.entries[0]);
    let counts: Vec<_> = pressure.points.iter().map(|point| (point.slots, point.predicates)).collect();
    assert_eq!(counts, [(2, 0), (3, 0), (4, 0), (4, 1), (3, 0), (0, 0), (0, 0)]);
    let highest = pressure.highest().unwrap();
    assert_eq!((highest.slots, highest.statement), (4, 2));
    assert_eq!((pressure.slots(), pressure.predicates()), (4, 1));
}

#[test]
fn what_a_guard_may_leave_alone_stays_live() {
    let module = parse(
        "ld.param.u64 %x, [out];
         mov.b32 %a, 0;
         mov.b32 %b, 7;
         setp.lt.u32 %p, %b, 9;
         @%p ld.global.u32 %a, [%x];
         st.global.u32 [%x], %a;
         ret;",
    );
    let colouring = Colouring::of(&module.entries[0]);
    assert_ne!(colouring.place(named(&module, "%a")), colouring.place(named(&module, "%b")));
    assert_eq!(colouring.slots, 4);
}

#[test]
fn a_wide_register_has_an_aligned_pair_and_dead_places_serve_again() {
    let module = parse(
        "mov.b32 %a, 1;
         ld.param.u64 %x, [out];
         st.global.u32 [%x], %a;
         mov.b32 %b, 2;
         st.global.u32 [%x], %b;
         ret;",
    );
    let colouring = Colouring::of(&module.entries[0]);
    let place = |name| colouring.place(named(&module, name));
    assert_eq!((place("%a"), place("%x"), place("%b"), place("%c")), (Some(0), Some(2), Some(0), None));
    // Three are in use at most, but the pair starts at an even slot.
    assert_eq!((colouring.slots, Pressure::of(&module.entries[0]).slots()), (4, 3));
}

#[test]
fn a_branch_through_a_list_leads_to_all_of_its_targets() {
    // `%d` is wanted behind the second target only, and nothing else leads there.
    let module = parse(
        "mov.b32 %d, 7;\nmov.b32 %a, 1;\nT: .branchtargets ONE, TWO;\nbrx.idx %a, T;\nONE:\nmov.b32 %b, 2;\n\
         st.shared.b32 [%b], %b;\nret;\nTWO:\nst.shared.b32 [%d], %d;\nret;",
    );
    let entry = &module.entries[0];
    let colouring = Colouring::of(entry);
    assert_eq!(colouring.check(entry), Ok(()));
    assert_ne!(colouring.place(named(&module, "%d")), colouring.place(named(&module, "%a")));
    let pressure = Pressure::of(entry);
    let after = |opcode: &str| {
        let at = entry.insts().find(|(_, inst)| inst.op.opcode() == opcode).unwrap().0;
        pressure.points.iter().find(|point| point.statement == at).unwrap().slots
    };
    assert_eq!(after("brx.idx"), 1, "one register is wanted behind the branch");
}
