//! Barriers that only some threads reach.
//!
//! A barrier is refused only where it is proven: in some CTA shape, threads that never pass the branches around it and
//! threads that may stand side by side. A named barrier is for whole warps: it is refused where the lanes of one are
//! proven to take different ways.

use super::error::Branch;
use super::{Errors, ValidateError};
use crate::diag::Spanned;
use crate::ir::kernel::{InstId, Kernel, RegionId};
use crate::ir::launch::{LaunchClass, Mode};
use crate::ir::op::{For, If, Loop, Op};
use crate::ir::uniformity::{Assumptions, ThreadValues, Uniformity};

/// CTA shapes that stand for all where none is fixed: a row, a plane of rows of one warp, and one whose warps span
/// several rows.
const SHAPES: [[u32; 3]; 3] = [[1024, 1, 1], [32, 32, 1], [8, 8, 16]];

pub(super) fn check(kernel: &Kernel, errors: &mut Errors) {
    // A shape that no target takes is the launch's mistake, and more than the analysis should walk.
    let threads = |cta: &[u32; 3]| cta.iter().fold(1u32, |product, &axis| product.saturating_mul(axis));
    if kernel.cta.is_some_and(|cta| !(1..=1024).contains(&threads(&cta))) {
        return;
    }
    let elementwise = kernel.mode == Some(Mode::Elementwise);
    let shapes = match &kernel.cta {
        Some(cta) => std::slice::from_ref(cta),
        None if elementwise => &SHAPES[..1],
        None => &SHAPES[..],
    };
    // Where the mode is open, the one in which `program_id` is the same for a whole CTA refuses least.
    let mode = Some(kernel.mode.unwrap_or(Mode::Reduction));
    let mut flows: Vec<Uniformity> = Vec::new();
    for (id, region) in barriers(kernel) {
        if flows.is_empty() {
            let of = |&cta| Uniformity::analyse(kernel, Assumptions { mode, cta: Some(cta), whole: true });
            flows = shapes.iter().map(of).collect();
        }
        let error = if matches!(kernel.insts[id].op, Op::CtaBarrier(_)) {
            shapes.iter().zip(&flows).find_map(|(&cta, flow)| {
                let branch = split(kernel, flow, kernel.mode, cta, region)?;
                Some(ValidateError::DivergentBarrier { branch, cta })
            })
        } else {
            // Where the shape is open, another one may keep the warps whole.
            let fixed = shapes.iter().zip(&flows).filter(|_| kernel.cta.is_some());
            fixed.filter_map(|(&cta, flow)| parted(kernel, flow, cta, region)).next()
        };
        if let Some(error) = error {
            errors.push(Spanned::new(kernel.insts[id].span, error));
        }
    }
}

pub(super) fn check_class(kernel: &Kernel, class: &LaunchClass, errors: &mut Errors) {
    let (at, Some(cta)) = (barriers(kernel), class.cta) else { return };
    if at.is_empty() {
        return;
    }
    let flow = Uniformity::analyse(kernel, Assumptions::active(class));
    for (id, region) in at {
        let error = if matches!(kernel.insts[id].op, Op::CtaBarrier(_)) {
            let branch = split(kernel, &flow, Some(class.mode), cta, region);
            branch.map(|branch| ValidateError::DivergentBarrier { branch, cta })
        } else {
            parted(kernel, &flow, cta, region)
        };
        errors.extend(error.map(|error| Spanned::new(kernel.insts[id].span, error)));
    }
}

/// Barriers, each with its region.
fn barriers(kernel: &Kernel) -> Vec<(InstId, RegionId)> {
    fn collect(kernel: &Kernel, region: RegionId, found: &mut Vec<(InstId, RegionId)>) {
        for &id in &kernel.regions[region].insts {
            let op = &kernel.insts[id].op;
            if op.is_cta_barrier() {
                found.push((id, region));
            }
            op.regions(&mut |inner| collect(kernel, inner, found));
        }
    }
    let mut found = Vec::new();
    collect(kernel, kernel.body, &mut found);
    found
}

/// The `if` that parts the lanes of a warp on the way to `region`, if there is proof: a lane that comes there and one of
/// the same warp that doesn't.
fn parted(kernel: &Kernel, flow: &Uniformity, cta: [u32; 3], region: RegionId) -> Option<ValidateError> {
    if flow.control(region).is_warp_uniform() {
        return None;
    }
    let mut threads = ThreadValues::of_first_cta(kernel, kernel.mode, cta);
    let mut reach = vec![Some(true); threads.threads()];
    let path: Vec<_> = flow.holders(region).collect();
    for &(holder, inner) in path.iter().rev() {
        if let Op::If(If { cond, then, .. }) = &kernel.insts[holder].op {
            let arm = *then == inner;
            for (reach, truth) in reach.iter_mut().zip(threads.truth(*cond)) {
                *reach = match (*reach, truth) {
                    (Some(false), _) => Some(false),
                    (_, Some(truth)) if truth != arm => Some(false),
                    (Some(true), Some(_)) => Some(true),
                    (_, _) => None,
                };
            }
        } else {
            // How often a loop runs is not asked: a thread that comes to it may still never enter.
            reach.iter_mut().filter(|reach| **reach == Some(true)).for_each(|reach| *reach = None);
        }
        if reach.chunks(32).any(|warp| warp.contains(&Some(true)) && warp.contains(&Some(false))) {
            return Some(ValidateError::PartedBarrier { branch: describe(kernel, holder), cta });
        }
    }
    None
}

fn describe(kernel: &Kernel, inst: InstId) -> Branch {
    let op = &kernel.insts[inst].op;
    let word = if matches!(op, Op::If(_)) {
        "if"
    } else if matches!(op, Op::For(_)) {
        "for"
    } else {
        "loop"
    };
    Branch { inst, word, line: kernel.insts[inst].span.line }
}

/// The branch that parts threads which may reach `region` from threads which never do, if there is proof.
fn split(
    kernel: &Kernel,
    flow: &Uniformity,
    mode: Option<Mode>,
    cta: [u32; 3],
    region: RegionId,
) -> Option<Branch> {
    if flow.control(region).is_cta_uniform() {
        return None;
    }
    let mut threads = ThreadValues::of_first_cta(kernel, mode, cta);
    let mut reach = vec![true; threads.threads()];
    let mut parted = None;
    let path: Vec<_> = flow.holders(region).collect();
    for &(holder, inner) in path.iter().rev() {
        let op = &kernel.insts[holder].op;
        if let Op::If(If { cond, then, .. }) = op {
            let arm = *then == inner;
            let truth = threads.truth(*cond);
            reach.iter_mut().zip(truth).for_each(|(reach, truth)| *reach &= truth != Some(!arm));
        } else if let Op::For(For { start, end, step, .. }) = op {
            if let Some(trips) = threads.trips([*start, *end, *step]) {
                let among = reach.iter().zip(&trips).filter(|(reach, _)| **reach).map(|(_, trips)| *trips);
                let most = among.max().unwrap_or(0);
                reach.iter_mut().zip(&trips).for_each(|(reach, &trips)| *reach &= trips == most && most > 0);
            }
        } else if let Op::Loop(Loop { body }) = op
            && let Some(stay) = only_exit(kernel, flow, *body, &mut threads)
        {
            reach.iter_mut().zip(stay).for_each(|(reach, stay)| *reach &= stay);
        }
        let some_reach = reach.contains(&true);
        if parted.is_none() && some_reach && reach.contains(&false) {
            parted = Some(describe(kernel, holder));
        }
        if !some_reach {
            return None;
        }
    }
    parted
}

/// Of an endless loop with one exit: which threads stay where others leave. `None` where that is not known.
fn only_exit(
    kernel: &Kernel,
    flow: &Uniformity,
    body: RegionId,
    threads: &mut ThreadValues<'_>,
) -> Option<Vec<bool>> {
    let mut exits = Vec::new();
    collect_exits(kernel, body, &mut exits);
    let &[exit] = &exits[..] else { return None };
    let mut leaves = vec![Some(true); threads.threads()];
    for (holder, inner) in flow.holders(exit).take_while(|&(_, inner)| inner != body) {
        let Op::If(If { cond, then, .. }) = &kernel.insts[holder].op else { return None };
        let arm = *then == inner;
        for (leaves, truth) in leaves.iter_mut().zip(threads.truth(*cond)) {
            *leaves = match (*leaves, truth) {
                (Some(false), _) => Some(false),
                (_, Some(truth)) if truth != arm => Some(false),
                (Some(true), Some(_)) => Some(true),
                (_, _) => None,
            };
        }
    }
    let (some_leave, some_stay) = (leaves.contains(&Some(true)), leaves.contains(&Some(false)));
    // Those of whom nothing is known may stay.
    (some_leave && some_stay).then(|| leaves.into_iter().map(|leaves| leaves != Some(true)).collect())
}

/// The regions that a `break` or `continue` of this loop stands in.
fn collect_exits(kernel: &Kernel, region: RegionId, exits: &mut Vec<RegionId>) {
    for &id in &kernel.regions[region].insts {
        let op = &kernel.insts[id].op;
        if matches!(op, Op::Break(_) | Op::Continue(_)) {
            exits.push(region);
        }
        if matches!(op, Op::If(_)) {
            op.regions(&mut |inner| collect_exits(kernel, inner, exits));
        }
    }
}
