//! The kernels whose warps part: each operation acts on the lanes that come to it.

use warpsmith::dsl::prelude::*;

/// `out[i]` = Σ x over the lanes of its warp with an odd flag, where its own is odd; else the greatest of the others.
#[kernel]
pub fn parted_fold<T, A>(x: Tensor<T>, flag: Tensor<u32>, mut out: Tensor<A>) {
    let i = program_id::<0>();
    let value = load(x[i]);
    if load(flag[i]) & 1 {
        store(out[i], simd_sum(value));
    } else {
        store(out[i], simd_max(value));
    }
}

/// The four pairs of the flag's low bits part the warp in two steps: Σ up to the lane, the least, how many lanes there
/// are, Σ before the lane; and behind the inner `if` of the first two the greatest of both is added.
#[kernel]
pub fn parted_twice<T, A>(x: Tensor<T>, flag: Tensor<u32>, mut out: Tensor<A>) {
    let i = program_id::<0>();
    let (value, bits) = (load(x[i]), load(flag[i]));
    let mut result = cast::<A>(0);
    if bits & 1 {
        if bits & 2 {
            result = simd_scan_inclusive(value);
        } else {
            result = simd_min(value);
        }
        result += simd_max(value);
    } else if bits & 2 {
        result = popcount(ballot(true));
    } else {
        result = simd_scan_exclusive(value);
    }
    store(out[i], result);
}

/// `out[i]` = Σ over rounds k < `trips[i]` of Σ (x + k) over the lanes that are still in their loop.
#[kernel]
pub fn parted_trips<T, A>(x: Tensor<T>, trips: Tensor<u32>, mut out: Tensor<A>) {
    let i = program_id::<0>();
    let value = load(x[i]);
    let mut sum = cast::<A>(0);
    for k in range(0, load(trips[i])) {
        sum += simd_sum(value + k);
    }
    store(out[i], sum);
}

/// The same as `parted_trips` for at most 7 rounds, but lanes leave by `break`, every second one from two `if`s deep.
#[kernel]
pub fn parted_break<T, A>(x: Tensor<T>, trips: Tensor<u32>, mut out: Tensor<A>) {
    let i = program_id::<0>();
    let (value, last) = (load(x[i]), load(trips[i]));
    let mut sum = cast::<A>(0);
    for k in range(0, 7) {
        if k >= last {
            if last & 1 {
                break;
            }
        }
        if k == last {
            break;
        }
        sum += simd_sum(value + k);
    }
    store(out[i], sum);
}

/// `out[i]` = Σ over rounds k < 6 that `skip[i]` has no bit for of Σ (x + k) over the lanes that don't skip the round.
#[kernel]
pub fn parted_continue<T, A>(x: Tensor<T>, skip: Tensor<u32>, mut out: Tensor<A>) {
    let i = program_id::<0>();
    let (value, bits) = (load(x[i]), load(skip[i]));
    let mut sum = cast::<A>(0);
    for k in range(0, 6) {
        if (bits >> k) & 1 {
            continue;
        }
        sum += simd_sum(value + k);
    }
    store(out[i], sum);
}

/// Steps of the 3n + 1 sequence down to 1; `out[i]` = Σ over its steps of the lanes that are still on their way.
#[kernel]
pub fn parted_while(x: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    let mut number = load(x[i]);
    let mut seen = 0u32;
    while number > 1 {
        seen += popcount(ballot(true));
        number = select((number & 1) == 0, number >> 1, number * 3 + 1);
    }
    store(out[i], seen);
}

/// `out[i]` = Σ x over the lanes of its warp with the same key, a key at a time: that of the first lane left. Lanes
/// that are no first of their key get 0 in `first[i]`, the others 1.
#[kernel]
pub fn sum_by_key<T, A>(x: Tensor<T>, key: Tensor<u32>, mut out: Tensor<A>, mut first: Tensor<u32>) {
    let i = program_id::<0>();
    let (value, own) = (load(x[i]), load(key[i]));
    let mut sum = cast::<A>(0);
    loop {
        let chosen = simd_broadcast(own, ctz(ballot(true)));
        if own == chosen {
            sum = simd_sum(value);
            break;
        }
    }
    store(out[i], sum);
    store(first[i], ctz(match_any(own)) == lane_id());
}

/// `out[i]` = the lane of the greatest x among the lanes of its warp with the same flag bit 0, of the least for bit 1.
#[kernel]
pub fn parted_places<T>(x: Tensor<T>, flag: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    let (value, bits) = (load(x[i]), load(flag[i]));
    if bits & 1 {
        store(out[i], simd_argmax(value, lane_id()));
    } else {
        store(out[i], simd_argmin(value, lane_id()));
    }
}

/// Two loops in each other, both of lengths of their own: `out[i]` = Σ over rounds a < `trips[i]`, b <= a of Σ (x + b)
/// over the lanes that are in them.
#[kernel]
pub fn parted_triangle<T, A>(x: Tensor<T>, trips: Tensor<u32>, mut out: Tensor<A>) {
    let i = program_id::<0>();
    let (value, last) = (load(x[i]), load(trips[i]));
    let mut sum = cast::<A>(0);
    for a in range(0, last) {
        for b in range(a, last) {
            sum += simd_sum(value + b);
        }
    }
    store(out[i], sum);
}
