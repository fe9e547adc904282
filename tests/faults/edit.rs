//! Changes of a module, made on its typed form.

use warpsmith::entity::{Arena, EntityId as _};
use warpsmith::ptx::isa::modifier::{Ftz, MulHalf, Rounding, Sat, Space};
use warpsmith::ptx::isa::types::IntType;
use warpsmith::ptx::isa::{
    Add, AddFloat, Base, Def, Fma, Inst, Mad, Mul, MulFloat, Op, ParamId, RegClass, Symbol, Use,
};
use warpsmith::ptx::module::{Entry, Module, Statement, StatementKind};

/// Positions of the instructions that are so.
pub(crate) fn positions(body: &[Statement], is_so: impl Fn(&Inst) -> bool) -> Vec<usize> {
    let is_one = |statement: &Statement| matches!(&statement.kind, StatementKind::Inst(inst) if is_so(inst));
    body.iter().enumerate().filter(|(_, statement)| is_one(statement)).map(|(at, _)| at).collect()
}

/// Shows the instructions to `change` until it changed one and says so.
#[track_caller]
pub(crate) fn break_inst(module: &mut Module, mut change: impl FnMut(&mut Inst) -> bool) {
    let done = insts(module).any(&mut change);
    assert!(done, "there is an instruction to change in\n{}", module.print());
}

/// Shows all instructions to `change`; how many it says it changed.
pub(crate) fn change_all(module: &mut Module, mut change: impl FnMut(&mut Inst) -> bool) -> usize {
    insts(module).filter_map(|inst| change(inst).then_some(())).count()
}

fn insts(module: &mut Module) -> impl Iterator<Item = &mut Inst> {
    module.entries[0].body.iter_mut().filter_map(|statement| match &mut statement.kind {
        StatementKind::Inst(inst) => Some(inst),
        StatementKind::Label(_)
        | StatementKind::Loc { .. }
        | StatementKind::Comment(_)
        | StatementKind::Pragma(_) => None,
    })
}

/// Where the loads from global memory start, in order.
pub(crate) fn global_loads(entry: &Entry) -> Vec<Base> {
    let base = |inst: &Inst| match &inst.op {
        Op::Ld(row) if row.space == Some(Space::Global) => Some(row.addr.base),
        _ => None,
    };
    entry.insts().filter_map(|(_, inst)| base(inst)).collect()
}

/// Declares the last of the first `count` parameters first; loads go on naming the same ones, whose offsets are no
/// longer the launcher's.
pub(crate) fn rotate_params(module: &mut Module, count: usize) {
    let entry = &mut module.entries[0];
    let mut params: Vec<_> = entry.params.values().cloned().collect();
    params[..count].rotate_right(1);
    entry.params = params.into_iter().collect::<Arena<ParamId, _>>();
    let moved = change_all(module, |inst| match &mut inst.op {
        Op::Ld(row) => match &mut row.addr.base {
            Base::Symbol(Symbol::Param(id)) if id.index() < count => {
                *id = ParamId::from_index((id.index() + 1) % count);
                true
            }
            _ => false,
        },
        _ => false,
    });
    assert!(moved > 0, "the entry reads its parameters");
}

/// Replaces each instruction of a body by those that `replace` gives.
fn rewrite(entry: &mut Entry, mut replace: impl FnMut(&mut Entry, &Inst) -> Option<Vec<Inst>>) -> usize {
    let mut changed = 0;
    let mut body = Vec::new();
    for statement in std::mem::take(&mut entry.body) {
        let new = match &statement.kind {
            StatementKind::Inst(inst) => replace(entry, inst),
            StatementKind::Label(_)
            | StatementKind::Loc { .. }
            | StatementKind::Comment(_)
            | StatementKind::Pragma(_) => None,
        };
        match new {
            Some(insts) => {
                changed += 1;
                body.extend(insts.into_iter().map(Statement::from));
            }
            None => body.push(statement),
        }
    }
    entry.body = body;
    changed
}

/// A multiplication to 64 bits, `mad.wide.u32 d, a, b, c`, becomes one to 32: `mul.lo.u32`, extended, then added.
pub(crate) fn use_32_bit_addresses(module: &mut Module) -> usize {
    rewrite(&mut module.entries[0], |entry, inst| {
        let (dst, a, b, c) = match &inst.op {
            Op::Mad(Mad { half: MulHalf::Wide, dst, a, b, c, .. }) => (dst.0, *a, *b, Some(*c)),
            Op::Mul(Mul { half: MulHalf::Wide, dst, a, b, .. }) => (dst.0, *a, *b, None),
            _ => return None,
        };
        let narrow = entry.regs.new_reg(RegClass::B32, format!("%r_narrow{}", entry.regs.len(RegClass::B32)));
        let wide = entry.regs.new_reg(RegClass::B64, format!("%rd_narrow{}", entry.regs.len(RegClass::B64)));
        let (narrow_use, wide_use) = (Use::Reg(narrow), Use::Reg(wide));
        let product = Mul { half: MulHalf::Lo, ty: IntType::U32, dst: Def(narrow), a, b };
        let extend =
            Mul { half: MulHalf::Wide, ty: IntType::U32, dst: Def(wide), a: narrow_use, b: Use::Int(1) };
        let sum = Add {
            sat: Sat(false),
            ty: IntType::U64,
            dst: Def(dst),
            a: wide_use,
            b: c.unwrap_or(Use::Int(0)),
        };
        let insts: [Inst; 3] = [product.into(), extend.into(), sum.into()];
        Some(insts.map(|new| Inst { guard: inst.guard, ..new }).into())
    })
}

/// `fma` becomes a product and a sum, each rounded.
pub(crate) fn unfuse(module: &mut Module) -> usize {
    rewrite(&mut module.entries[0], |entry, inst| {
        let Op::Fma(Fma { ty, dst, a, b, c, .. }) = &inst.op else { return None };
        let product =
            entry.regs.new_reg(dst.0.class(), format!("%f_product{}", entry.regs.len(dst.0.class())));
        let (round, ftz, sat) = (Some(Rounding::Rn), Ftz(false), Sat(false));
        let mul = MulFloat { round, ftz, sat, ty: *ty, dst: Def(product), a: *a, b: *b };
        let add = AddFloat { round, ftz, sat, ty: *ty, dst: *dst, a: Use::Reg(product), b: *c };
        let insts: [Inst; 2] = [mul.into(), add.into()];
        Some(insts.map(|new| Inst { guard: inst.guard, ..new }).into())
    })
}
