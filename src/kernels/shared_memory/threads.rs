//! Kernels of per-thread arrays, of grids of three axes, and in place.

use warpsmith::dsl::prelude::*;

/// Puts two elements into order.
#[kernel_fn]
fn ordered<T: KernelType>(a: Private<T>, i: usize, j: usize) {
    let (low, high) = (min(a[i], a[j]), max(a[i], a[j]));
    a[i] = low;
    a[j] = high;
}

/// Each four elements in ascending order, by a sorting network; ⌈n / 4⌉ threads for a multiple of 4.
#[kernel]
pub fn sorted_fours<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let first = program_id::<0>().cast::<u64>() * 4;
    let a = local::<T>(4);
    for k in 0..4 {
        a[k] = x[first + k];
    }
    ordered(a, 0, 1);
    ordered(a, 2, 3);
    ordered(a, 0, 2);
    ordered(a, 1, 3);
    ordered(a, 1, 2);
    for k in 0..4 {
        out[first + k] = a[k];
    }
}

/// Each two elements exchanged, 2 an access.
#[kernel]
pub fn swapped_pairs<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let first = program_id::<0>().cast::<u64>() * 2;
    let a = local::<T>(4);
    store_vec(a, 2, load_vec::<2>(x, first));
    a[0] = a[3];
    a[1] = a[2];
    store_vec(out, first, load_vec::<2>(a, 0));
}

/// `out[8i + k] = x[8i + (3k + i) mod 8]` for thread i.
#[kernel]
pub fn permuted_eights<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    let first = i.cast::<u64>() * 8;
    let a = local::<T>(8);
    for k in range(0, 8) {
        a[k] = x[first + k];
    }
    for k in range(0, 8) {
        out[first + k] = a[(k * 3 + i) & 7];
    }
}

/// x + 3y + 5z of each thread, whose places are row after row and plane after plane of `nx` × `ny`.
#[kernel(mode = Grid3D)]
pub fn coordinates<T>(mut out: Tensor<T>, #[scalar] nx: u32, #[scalar] ny: u32) {
    let (x, y, z) = (global_id::<0>(), global_id::<1>(), global_id::<2>());
    let place = (z.cast::<u64>() * ny + y) * nx + x;
    out[place] = (x + y * 3 + z * 5).cast::<T>();
}

/// x + 3y + 5z of each CTA and the linear index of each of its threads behind it, CTA after CTA.
#[kernel(mode = SimdGroup2D)]
pub fn cta_coordinates<T>(mut out: Tensor<T>) {
    let (x, y, z) = (cta_id::<0>(), cta_id::<1>(), cta_id::<2>());
    let cta = (z.cast::<u64>() * grid_dim::<1>() + y) * grid_dim::<0>() + x;
    let thread = (thread_id::<2>() * cta_dim::<1>() + thread_id::<1>()) * cta_dim::<0>() + thread_id::<0>();
    let threads = cta_dim::<0>() * cta_dim::<1>() * cta_dim::<2>();
    out[cta * threads + thread] = (x + y * 3 + z * 5 + thread).cast::<T>();
}

/// out = out + x, element by element; x may be out itself, or any part of it that no other thread writes.
#[kernel]
pub fn added_in_place<T>(#[alias] x: Tensor<T>, #[alias] mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], load(out[i]) + load(x[i]));
}
