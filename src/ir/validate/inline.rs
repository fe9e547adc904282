//! What a model of an inline text may hold.
//!
//! A model computes the outputs and nothing else: backends of the text's own language leave it out, so nothing in it may
//! reach memory, another thread beyond its warp, or a variable that the kernel reads elsewhere.

use super::{Errors, ValidateError};
use crate::diag::Spanned;
use crate::entity::SecondaryMap;
use crate::ir::kernel::{Inst, Kernel, LocalId, RegionId};
use crate::ir::op::{Inline, InlineEffect, LocalGet, LocalSet, Model, Op};

pub(super) fn check(kernel: &Kernel, errors: &mut Errors) {
    yields(kernel, kernel.body, false, errors);
    let mut outside = SecondaryMap::with_len(0u32, kernel.locals.len());
    kernel.walk(kernel.body, &mut |_, inst| count(inst, &mut outside, 1));
    kernel.walk(kernel.body, &mut |_, inst| {
        if let Op::Inline(Inline { model: Model(Some(model)), .. }) = inst.op {
            check_model(kernel, model, &outside, errors);
        }
    });
}

/// Adds the uses of locals.
fn count(inst: &Inst, uses: &mut SecondaryMap<LocalId, u32>, each: u32) {
    if let Op::LocalGet(LocalGet { local }) | Op::LocalSet(LocalSet { local, .. }) = inst.op {
        uses[local] += each;
    }
}

fn check_model(kernel: &Kernel, model: RegionId, all: &SecondaryMap<LocalId, u32>, errors: &mut Errors) {
    let mut inside = SecondaryMap::with_len(0u32, kernel.locals.len());
    kernel.walk(model, &mut |_, inst| count(inst, &mut inside, 1));
    kernel.walk(model, &mut |_, inst| {
        let what = if let Op::LocalSet(LocalSet { local, .. }) = inst.op {
            (inside[local] != all[local]).then_some("a write to a variable that stands outside it too")
        } else if matches!(inst.op, Op::Load(_)) {
            Some("a load")
        } else if matches!(inst.op, Op::Store(_)) {
            Some("a store")
        } else if inst.op.is_cta_barrier() || matches!(inst.op, Op::WarpBarrier(_)) {
            Some("a barrier")
        } else if matches!(&inst.op, Op::Inline(inline) if inline.effect == InlineEffect::Effect) {
            Some("inline text with an effect")
        } else {
            None
        };
        errors.extend(what.map(|what| Spanned::new(inst.span, ValidateError::InModel { what })));
    });
}

/// A `yield` is the last of a model, and stands nowhere else.
fn yields(kernel: &Kernel, region: RegionId, is_model: bool, errors: &mut Errors) {
    let insts = &kernel.regions[region].insts;
    for (position, &id) in insts.iter().enumerate() {
        let inst = &kernel.insts[id];
        if matches!(inst.op, Op::Yield(_)) {
            let count = insts.len() - position - 1;
            if !is_model {
                errors.push(Spanned::new(inst.span, ValidateError::OutsideModel));
            } else if count > 0 {
                errors.push(Spanned::new(inst.span, ValidateError::NotLast { word: "yield", count }));
            }
        }
        let models = matches!(inst.op, Op::Inline(_));
        inst.op.regions(&mut |inner| yields(kernel, inner, models, errors));
    }
}
