//! Rules that no text can break, since the parser would: each on one kernel, whole and broken in exactly one way.

use super::*;
use crate::entity::EntityId;
use crate::ir::kernel::{InstId, LocalId, ParamId, RegionId, ValueId};
use crate::ir::op::{Binary, Const, If, LocalGet, MemBase, Op, Scalar};
use crate::ir::parse::parse;
use crate::ir::types::{DType, Literal};

const WHOLE: &str = "kernel @k(x: global u32, n: u32) {
    local l0: u32
    v0 = scalar n
    v1 = const 3u32
    v2 = add v0, v1
    set l0, v2
    v3 = get l0
    v4 = lt v3, v1
    if v4 {
        v5 = load x[v0]
    } else {
        v6 = const 4u8
    }
}";

/// Breaks the kernel and returns what the validator says.
fn broken(change: impl FnOnce(&mut Kernel)) -> Vec<ValidateError> {
    let mut kernel = parse(WHOLE).unwrap();
    assert_eq!(validate(&kernel), Ok(()));
    change(&mut kernel);
    validate(&kernel).unwrap_err().into_iter().map(|error| error.error).collect()
}

fn value(index: usize) -> ValueId {
    ValueId::from_index(index)
}

fn find(kernel: &Kernel, test: impl Fn(&Op) -> bool) -> InstId {
    kernel.insts.iter().find(|(_, inst)| test(&inst.op)).unwrap().0
}

fn arms(kernel: &Kernel) -> (RegionId, RegionId) {
    let id = find(kernel, |op| matches!(op, Op::If(_)));
    let Op::If(If { then, els, .. }) = kernel.insts[id].op else { panic!("it is an if") };
    (then, els)
}

#[test]
fn ids_beyond_their_arena() {
    let far = value(99);
    let errors = broken(|kernel| {
        let add = find(kernel, |op| matches!(op, Op::Binary(_)));
        kernel.insts[add].op.map_uses(&mut |_| far);
    });
    let add = InstId::from_index(2);
    let missing = ValidateError::NoSuchId { inst: add, id: "v99".into() };
    assert_eq!(errors, [missing.clone(), missing]);

    let errors = broken(|kernel| {
        let get = find(kernel, |op| matches!(op, Op::LocalGet(_)));
        kernel.insts[get].op = LocalGet { local: LocalId::from_index(7) }.into();
        let scalar = find(kernel, |op| matches!(op, Op::Scalar(_)));
        kernel.insts[scalar].op = Scalar { param: ParamId::from_index(5) }.into();
    });
    assert_eq!(errors.len(), 2);
    assert!(matches!(&errors[0], ValidateError::NoSuchId { id, .. } if id == "p5"));

    let errors = broken(|kernel| {
        let load = find(kernel, |op| matches!(op, Op::Load(_)));
        let Op::Load(load) = &mut kernel.insts[load].op else { panic!("it is a load") };
        load.place.base = MemBase::Param(ParamId::from_index(5));
        let (then, _) = arms(kernel);
        kernel.regions[then].insts.push(InstId::from_index(50));
    });
    assert_eq!(errors.len(), 2);

    let errors = broken(|kernel| kernel.body = RegionId::from_index(9));
    assert!(matches!(&errors[..], [ValidateError::NoSuchId { id, .. }] if id == "r9"));
    let errors = broken(|kernel| {
        let id = find(kernel, |op| matches!(op, Op::If(_)));
        let Op::If(If { els, .. }) = &mut kernel.insts[id].op else { panic!("it is an if") };
        *els = RegionId::from_index(9);
    });
    assert!(matches!(&errors[..], [ValidateError::NoSuchId { id, .. }] if id == "r9"));
}

#[test]
fn regions_and_instructions_in_two_places() {
    let errors = broken(|kernel| {
        let (inner, _) = arms(kernel);
        let id = find(kernel, |op| matches!(op, Op::If(_)));
        let Op::If(If { els, .. }) = &mut kernel.insts[id].op else { panic!("it is an if") };
        *els = inner;
    });
    assert!(matches!(&errors[..], [ValidateError::RegionShared { .. }]));

    // A region that holds itself must not make the walk endless.
    let errors = broken(|kernel| {
        let id = find(kernel, |op| matches!(op, Op::If(_)));
        let body = kernel.body;
        let Op::If(If { then, .. }) = &mut kernel.insts[id].op else { panic!("it is an if") };
        *then = body;
    });
    assert!(matches!(&errors[..], [ValidateError::RegionShared { .. }]));

    let errors = broken(|kernel| {
        let (then, els) = arms(kernel);
        let load = kernel.regions[then].insts[0];
        kernel.regions[els].insts.push(load);
    });
    assert!(matches!(&errors[..], [ValidateError::InstShared { .. }]));
}

#[test]
fn definitions_and_uses() {
    let errors = broken(|kernel| {
        let add = find(kernel, |op| matches!(op, Op::Binary(_)));
        kernel.insts[add].results[0] = value(0);
    });
    assert_eq!(errors[0], ValidateError::DefinedTwice { value: value(0) });
    assert!(errors[1..].iter().all(|error| *error == ValidateError::Undefined { value: value(2) }));

    let errors = broken(|kernel| {
        let body = kernel.body;
        kernel.regions[body].insts.swap(1, 2);
    });
    assert_eq!(errors, [ValidateError::UsedBeforeDefinition { value: value(1) }]);

    let errors = broken(|kernel| {
        let body = kernel.body;
        kernel.regions[body].insts.remove(1);
    });
    assert!(errors.iter().all(|error| *error == ValidateError::Undefined { value: value(1) }));

    let errors = broken(|kernel| {
        let (then, els) = arms(kernel);
        let load = kernel.insts[kernel.regions[then].insts[0]].results[0];
        let inst = kernel.regions[els].insts[0];
        kernel.insts[inst].op = Binary { op: crate::ir::op::BinaryOp::Add, a: load, b: load }.into();
    });
    assert!(matches!(&errors[0], ValidateError::Escapes { .. }));
}

#[test]
fn types_as_recorded() {
    let errors = broken(|kernel| kernel.values[value(2)].dtype = DType::I32);
    assert!(errors.contains(&ValidateError::ResultType {
        value: value(2),
        recorded: DType::I32,
        given: DType::U32
    }));
    assert!(errors.iter().any(|error| matches!(error, ValidateError::Type(_))));

    let errors = broken(|kernel| {
        let constant = find(kernel, |op| matches!(op, Op::Const(constant) if constant.value.bits == 4));
        kernel.insts[constant].results.clear();
    });
    assert_eq!(errors, [ValidateError::ResultCount { given: 1, recorded: 0 }]);

    let errors = broken(|kernel| {
        let constant = find(kernel, |op| matches!(op, Op::Const(constant) if constant.value.bits == 4));
        kernel.insts[constant].op = Const { value: Literal { dtype: DType::U8, bits: 256 } }.into();
    });
    assert_eq!(errors, [ValidateError::LiteralTooWide { dtype: DType::U8, bits: 256 }]);
}

#[test]
fn names_are_unique() {
    let errors = broken(|kernel| kernel.params.values_mut().for_each(|param| param.name = "x".into()));
    assert_eq!(errors, [ValidateError::DuplicateName { name: "x".into() }]);
    let errors = broken(|kernel| kernel.name = "9k".into());
    assert_eq!(errors, [ValidateError::BadName { what: "kernel", name: "9k".into() }]);
}
