//! What the kernels should compute, warp by warp: a warp is the list of elements whose threads are in it.

use super::super::folds::{Fold, Number, buffer, numbers, picked, place, zero};
use crate::case::TestBuffer;
use crate::ir::DType;

/// The elements of each warp.
pub(super) type Warps = [Vec<usize>];

/// The warps of CTAs that cut an extent on three axes: elements are numbered along x, then y, then z.
pub(super) fn warps_3d(extent: [usize; 3], cta: [usize; 3]) -> Vec<Vec<usize>> {
    let mut warps = Vec::new();
    let counts = [0, 1, 2].map(|axis| extent[axis].div_ceil(cta[axis]));
    for number in 0..counts.iter().product() {
        let first = [number % counts[0], number / counts[0] % counts[1], number / counts[0] / counts[1]];
        let element = |linear: usize| {
            let thread = [linear % cta[0], linear / cta[0] % cta[1], linear / cta[0] / cta[1]];
            let at = [0, 1, 2].map(|axis| first[axis] * cta[axis] + thread[axis]);
            let is_within = at.iter().zip(extent).all(|(&at, extent)| at < extent);
            is_within.then(|| (at[2] * extent[1] + at[1]) * extent[0] + at[0])
        };
        let threads: Vec<_> = (0..cta.iter().product()).map(element).collect();
        warps.extend(threads.chunks(32).map(|warp| warp.iter().copied().flatten().collect::<Vec<_>>()));
    }
    warps
}

/// A number for each group and lane.
pub(super) fn by_lane(n: usize, warps: &Warps, each: impl Fn(&[usize], usize) -> i128) -> Vec<Number> {
    let mut out = vec![Number::Int(0); n];
    for warp in warps {
        for (lane, &at) in warp.iter().enumerate() {
            out[at] = Number::Int(each(warp, lane));
        }
    }
    out
}

/// Bit n for lane n of a warp.
pub(super) fn lanes(warp: &[usize], is_set: impl Fn(usize) -> bool) -> i128 {
    warp.iter().enumerate().filter(|&(_, &at)| is_set(at)).map(|(lane, _)| 1i128 << lane).sum()
}

/// The warps, each split by what its elements have in common.
pub(super) fn split(warps: &Warps, class: impl Fn(usize) -> i128) -> Vec<Vec<usize>> {
    let mut groups = Vec::new();
    for warp in warps {
        let mut classes: Vec<_> = warp.iter().map(|&at| class(at)).collect();
        classes.sort_unstable();
        classes.dedup();
        let of_class = |wanted| warp.iter().copied().filter(|&at| class(at) == wanted).collect::<Vec<_>>();
        groups.extend(classes.into_iter().map(of_class));
    }
    groups
}

/// Σ over rounds (step, addend) that an element takes part in of Σ (x + addend) over those of its warp that do.
pub(super) fn rounds(
    x: &TestBuffer,
    warps: &Warps,
    rounds: &[(usize, usize)],
    takes_part: impl Fn(usize, usize) -> bool,
    to: DType,
) -> TestBuffer {
    let values = numbers(x);
    let number = |value: usize| match values.first() {
        Some(Number::Real(_)) => Number::Real(value as f64),
        Some(Number::Int(_)) | None => Number::Int(value as i128),
    };
    let mut sums = vec![zero(to); values.len()];
    for warp in warps {
        for &(step, addend) in rounds {
            let there: Vec<_> = warp.iter().copied().filter(|&at| takes_part(at, step)).collect();
            let terms = there.iter().map(|&at| Fold::Sum.of(values[at], number(addend)));
            let sum = Fold::Sum.all(terms, to);
            for at in there {
                sums[at] = Fold::Sum.of(sums[at], sum);
            }
        }
    }
    buffer("out", &sums, to)
}

/// The position in its warp of the greatest (`Max`) or least (`Min`) of each group, as the lane of the first or, counted
/// from 100 down, of the last among equals.
pub(super) fn places(
    x: &TestBuffer,
    warps: &Warps,
    groups: &Warps,
    fold: Fold,
    is_last: bool,
) -> Vec<Number> {
    let (values, n) = (numbers(x), x.len() as usize);
    let mut out = vec![Number::Int(0); n];
    for members in groups {
        let mut order = members.clone();
        if is_last {
            order.reverse();
        }
        let best = order[place(fold, &picked(&values, &order))];
        let warp = warps.iter().find(|warp| warp.contains(&best));
        let lane = warp.and_then(|warp| warp.iter().position(|&at| at == best)).unwrap_or(0) as i128;
        for &at in members {
            out[at] = Number::Int(if is_last { 100 - lane } else { lane });
        }
    }
    out
}

/// Steps of the 3n + 1 sequence in lockstep: for each element the lanes on their way in its own steps.
pub(super) fn lockstep(x: &TestBuffer, warps: &Warps) -> Vec<Number> {
    let starts = x.as_int();
    let mut seen = vec![0i128; starts.len()];
    for warp in warps {
        let mut running: Vec<_> = warp.iter().map(|&at| (at, starts[at])).collect();
        running.retain(|&(_, number)| number > 1);
        while !running.is_empty() {
            let count = running.len() as i128;
            for (at, number) in &mut running {
                seen[*at] += count;
                *number = if *number % 2 == 0 { *number / 2 } else { *number * 3 + 1 };
            }
            running.retain(|&(_, number)| number > 1);
        }
    }
    seen.into_iter().map(Number::Int).collect()
}
