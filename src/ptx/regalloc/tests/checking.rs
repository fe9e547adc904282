//! The check refuses what allocation must not do, each in its own words.

use super::super::{CheckError, check};
use super::*;
use crate::ptx::isa::Ret;
use crate::ptx::module::Entry;

const BODY: &str = "ld.param.u64 %x, [out];
    mov.b32 %a, 1;
    mov.b32 %b, %a;
    add.s32 %c, %b, 2;
    ld.global.v2.u32 {%d, %e}, [%x];
    st.global.v2.u32 [%x], {%c, %a};
    ret;";

/// The original, the result, and the record, after a change to the latter two.
fn checked(change: impl FnOnce(&mut Entry, &mut Allocation, &Module)) -> Result<(), CheckError> {
    let original = parse(BODY);
    let mut module = original.clone();
    let mut allocation = allocate(&mut module.entries[0], &Hints::new());
    assert_eq!(allocation.copies_removed, 1);
    change(&mut module.entries[0], &mut allocation, &original);
    check(&original.entries[0], &module.entries[0], &allocation)
}

#[test]
fn a_right_result_passes() {
    assert_eq!(checked(|_, _, _| ()), Ok(()));
}

#[test]
fn a_lost_instruction_is_refused() {
    assert_eq!(checked(|entry, _, _| _ = entry.body.remove(2)), Err(CheckError::Changed { statement: 3 }));
}

#[test]
fn an_added_instruction_is_refused() {
    let added = checked(|entry, _, _| entry.push(Ret { uni: crate::ptx::isa::modifier::Uni(false) }));
    assert_eq!(added, Err(CheckError::Longer { result: 6 }));
}

#[test]
fn another_frame_is_refused() {
    assert_eq!(checked(|entry, _, _| entry.name.push('2')), Err(CheckError::Frame));
}

#[test]
fn a_place_of_another_class_is_refused() {
    let result = checked(|_, allocation, original| {
        let (a, x) = (named(original, "%a"), named(original, "%x"));
        let place = allocation.web_of(x);
        let number = allocation.numbering.number(a);
        allocation.web_of[number] = place;
    });
    assert!(matches!(result, Err(CheckError::Misplaced { .. })), "{result:?}");
}

#[test]
fn a_value_overwritten_before_its_use_is_refused() {
    let result = joined("%c", "%a");
    assert!(matches!(result, Err(CheckError::Clobbered { statement: 5, .. })), "{result:?}");
}

#[test]
fn two_results_in_one_place_are_refused() {
    let result = joined("%d", "%e");
    assert!(matches!(result, Err(CheckError::WrittenTwice { statement: 4, .. })), "{result:?}");
}

fn joined(gone: &str, kept: &str) -> Result<(), CheckError> {
    checked(|entry, allocation, original| {
        let pair = [gone, kept].map(|name| allocation.web_of(named(original, name)).unwrap());
        super::property::merge(entry, allocation, pair.into());
    })
}
