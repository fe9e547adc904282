//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// out = softmax of each row of `n`, which is a multiple of `W`; `PARTS` vectors a thread stay in registers.
#[kernel(mode = Reduction, variants(W = [4, 8], PARTS = [4, 4], suffix = "_x{W}"))]
pub fn softmax<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let dtype = <T as KernelType>::dtype();
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
        greatest = max(greatest, vector_max::<W>(kept[part]));
    }
    for at in range(tid * W + stride * PARTS, n, stride) {
        let values = load_vec::<W>(x, first + at).map(|value| value.cast::<f32>());
        greatest = max(greatest, vector_max::<W>(values));
    }
    let all_greatest = reduce_max(greatest);
    let base = select(all_greatest == neg_infinity(), 0.0f32, all_greatest);
    let weights = kept.map(|values| values.map(|value| weight(value, base, dtype)));
    let mut sum = 0.0f32;
    for part in 0..PARTS {
        sum += vector_sum::<W>(weights[part]);
    }
    for at in range(tid * W + stride * PARTS, n, stride) {
        let values = load_vec::<W>(x, first + at).map(|value| value.cast::<f32>());
        sum += vector_sum::<W>(values.map(|value| weight(value, base, dtype)));
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
        store_vec(out, first + at, values.map(|value| weight(value, base, dtype) * scale));
    }
}

/// The greatest of a vector.
fn vector_max<const W: usize>(values: [Val; W]) -> Val {
    folded(values.to_vec(), max)
}

/// The sum of a vector, by halves: no addition waits for more than two others.
fn vector_sum<const W: usize>(values: [Val; W]) -> Val {
    folded(values.to_vec(), |a, b| a + b)
}

fn folded(values: Vec<Val>, op: fn(Val, Val) -> Val) -> Val {
    if let [value] = values[..] {
        return value;
    }
    folded(values.chunks(2).map(|pair| op(pair[0], pair[1])).collect(), op)
}

/// e^(value − base), with three bits more than the dtype has.
fn weight(value: Val, base: Val, dtype: DType) -> Val {
    match dtype {
        DType::BF16 => exp_p_below::<11>(value - base),
        DType::F16 => exp_p_below::<14>(value - base),
        _ => exp(value - base),
    }
}
