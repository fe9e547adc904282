//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// out = softmax of each row of `n`, which is a multiple of `W`; `PARTS` vectors a thread stay in registers.
#[kernel(mode = Reduction, variants(W = [4, 8], PARTS = [8, 4], suffix = "_x{W}"))]
pub fn softmax<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let is_narrow = <T as KernelType>::dtype().size() == 2;
    let stride = lsize * W;
    let at = std::array::from_fn::<_, PARTS, _>(|part| tid * W + stride * part);
    let kept = at.map(|at| {
        if at < n {
            load_vec::<W>(x, first + at).map(|value| value.cast::<f32>())
        } else {
            [neg_infinity(); W]
        }
    });
    let mut greatest = neg_infinity();
    for part in 0..PARTS {
        greatest = max(greatest, row_max::<W>(kept[part]));
    }
    for at in range(tid * W + stride * PARTS, n, stride) {
        let values = load_vec::<W>(x, first + at).map(|value| value.cast::<f32>());
        greatest = max(greatest, row_max::<W>(values));
    }
    let all_greatest = reduce_max(greatest);
    let base = select(all_greatest == neg_infinity(), 0.0f32, all_greatest);
    let weights = kept.map(|values| values.map(|value| weight(value, base, is_narrow)));
    let mut sums = weights[0];
    for part in 1..PARTS {
        for lane in 0..W {
            sums[lane] += weights[part][lane];
        }
    }
    for at in range(tid * W + stride * PARTS, n, stride) {
        let values = load_vec::<W>(x, first + at).map(|value| value.cast::<f32>());
        for lane in 0..W {
            sums[lane] += weight(values[lane], base, is_narrow);
        }
    }
    let mut sum = sums[0];
    for lane in 1..W {
        sum += sums[lane];
    }
    let total = reduce_sum(sum);
    let scale = select(total == 0.0f32, 0.0f32, 1.0f32 / total);
    for part in 0..PARTS {
        if at[part] < n {
            store_vec(out, first + at[part], weights[part].map(|weight| weight * scale));
        }
    }
    for at in range(tid * W + stride * PARTS, n, stride) {
        let values = load_vec::<W>(x, first + at).map(|value| value.cast::<f32>());
        store_vec(out, first + at, values.map(|value| weight(value, base, is_narrow) * scale));
    }
}

/// The greatest of a vector.
fn row_max<const W: usize>(values: [Val; W]) -> Val {
    let pairs: Vec<Val> = values.chunks(2).map(|pair| max(pair[0], pair[1])).collect();
    pairs.into_iter().reduce(|a, b| max(a, b)).expect("a vector has elements")
}

/// e^(value − base).
fn weight(value: Val, base: Val, is_narrow: bool) -> Val {
    if is_narrow { exp_p_below::<14>(value - base) } else { exp(value - base) }
}
