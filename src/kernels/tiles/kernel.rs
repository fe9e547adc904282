//! Products by cooperative tiles, and how their pieces reach shared memory and leave it.

use warpsmith::dsl::prelude::*;

/// Fills the shared array `name` with a piece of `size` rows and columns of x, row by row, from row and column `first`
/// on, or with its transpose; zeros beyond the `extent` of x. The whole CTA takes part.
#[kernel_fn]
pub(super) fn stage<T: KernelType>(
    name: &str,
    x: Tensor<T>,
    size: [usize; 2],
    first: [Val; 2],
    extent: [Val; 2],
    transposed: bool,
) {
    for i in range(thread_id::<0>(), size[0] * size[1], cta_dim::<0>()) {
        let (r, c) = (i / size[1], i % size[1]);
        let (row, column) =
            if transposed { (first[0] + c, first[1] + r) } else { (first[0] + r, first[1] + c) };
        let is_inside = row < extent[0] && column < extent[1];
        let value = select(is_inside, x[row.cast::<u64>() * extent[1] + column], 0);
        threadgroup_store(name, i, value);
    }
}

/// Stores the shared array `name` of `size` rows and columns, or its transpose, into out as a piece of it.
#[kernel_fn]
pub(super) fn unstage<T: KernelType>(
    name: &str,
    out: Tensor<T>,
    size: [usize; 2],
    first: [Val; 2],
    extent: [Val; 2],
    transposed: bool,
) {
    for i in range(thread_id::<0>(), size[0] * size[1], cta_dim::<0>()) {
        let (r, c) = (i / size[1], i % size[1]);
        let (row, column) =
            if transposed { (first[0] + c, first[1] + r) } else { (first[0] + r, first[1] + c) };
        if row < extent[0] && column < extent[1] {
            out[row.cast::<u64>() * extent[1] + column] = threadgroup_load(name, i);
        }
    }
}

/// c = a · b, a tile of c for each CTA of one warp.
#[kernel(mode = Reduction, variants(
    M = [16, 16, 32, 8, 16, 16, 32, 8],
    N = [16, 32, 32, 32, 16, 32, 32, 32],
    K = [32, 16, 32, 16, 32, 16, 32, 16],
    ORDER = ["ieee", "ieee", "ieee", "ieee", "native", "native", "native", "native"],
    suffix = "_{M}x{N}x{K}_{ORDER}"
))]
pub fn tile_gemm<T>(
    a: Tensor<T>,
    b: Tensor<T>,
    mut c: Tensor<f32>,
    #[scalar] m: u32,
    #[scalar] n: u32,
    #[scalar] k: u32,
) {
    threadgroup_alloc("xs", M * K, coop_stage(T));
    threadgroup_alloc("ws", K * N, coop_stage(T));
    threadgroup_alloc("cs", M * N);
    coop_tile_setup("mm", M, N, K, coop_stage(T), "accumulate", "simdgroup", f32);
    if ORDER == "native" {
        coop_tile_numerics("mm", Numerics::TensorCore);
    }
    let (top, left) = (cta_id::<1>() * M, cta_id::<0>() * N);
    coop_tile_zero("mm");
    for at in range(0, k, K) {
        stage("xs", a, [M, K], [top, at], [m, k], false);
        stage("ws", b, [K, N], [at, left], [k, n], false);
        threadgroup_barrier();
        coop_tile_load_a("mm", "xs", true, coop_stage(T), K, M);
        coop_tile_load_b("mm", "ws", true, coop_stage(T), N, K);
        coop_tile_run("mm");
        threadgroup_barrier();
    }
    coop_tile_store_c("mm", "cs", true, f32, N, M);
    threadgroup_barrier();
    unstage("cs", c, [M, N], [top, left], [m, n], false);
}

/// c = a · b, a tile of 16×32 of c for each CTA of any number of warps, which share it. A and B are staged as their
/// transposes, and C as its own.
#[kernel(mode = Reduction, variants(ORDER = ["ieee", "native"], suffix = "_{ORDER}"))]
pub fn tile_transposed<T>(
    a: Tensor<T>,
    b: Tensor<T>,
    mut c: Tensor<f32>,
    #[scalar] m: u32,
    #[scalar] n: u32,
    #[scalar] k: u32,
) {
    threadgroup_alloc("xs", 16 * 32, coop_stage(T));
    threadgroup_alloc("ws", 32 * 32, coop_stage(T));
    threadgroup_alloc("cs", 16 * 32);
    coop_tile_setup("mm", 16, 32, 32, T, "accumulate", "threadgroup", f32, true, true, true);
    if ORDER == "native" {
        coop_tile_numerics("mm", Numerics::TensorCore);
    }
    let (top, left) = (cta_id::<1>() * 16, cta_id::<0>() * 32);
    for at in range(0, k, 32) {
        stage("xs", a, [32usize, 16], [top, at], [m, k], true);
        stage("ws", b, [32usize, 32], [at, left], [k, n], true);
        threadgroup_barrier();
        coop_tile_load_a("mm", "xs", true, coop_stage(T), 16, 32, false);
        coop_tile_load_b("mm", "ws", true, coop_stage(T), 32, 32, 0, false);
        coop_tile_run("mm");
        threadgroup_barrier();
    }
    coop_tile_store_c("mm", "cs", true, f32, 16, 32, 0);
    threadgroup_barrier();
    unstage("cs", c, [32usize, 16], [top, left], [m, n], true);
}

/// c = a · b, a tile of 32×32 of c for each CTA of any number of warps: the first depth overwrites it, the others
/// accumulate.
#[kernel(mode = Reduction, variants(ORDER = ["ieee", "native"], suffix = "_{ORDER}"))]
pub fn tile_pair<T>(
    a: Tensor<T>,
    b: Tensor<T>,
    mut c: Tensor<f32>,
    #[scalar] m: u32,
    #[scalar] n: u32,
    #[scalar] k: u32,
) {
    threadgroup_alloc("xs", 32 * 16, coop_stage(T));
    threadgroup_alloc("ws", 16 * 32, coop_stage(T));
    threadgroup_alloc("cs", 32 * 32);
    coop_tile_setup("mm", 32, 32, 16, coop_stage(T), "overwrite", "threadgroup");
    coop_tile_setup("mm_acc", 32, 32, 16, coop_stage(T), "accumulate", "threadgroup");
    if ORDER == "native" {
        coop_tile_numerics("mm", Numerics::TensorCore);
    }
    let (top, left) = (cta_id::<1>() * 32, cta_id::<0>() * 32);
    for at in range(0, k, 16) {
        stage("xs", a, [32usize, 16], [top, at], [m, k], false);
        stage("ws", b, [16usize, 32], [at, left], [k, n], false);
        threadgroup_barrier();
        if at == 0 {
            coop_tile_load_a("mm", "xs", true, coop_stage(T), 16, 32);
            coop_tile_load_b("mm", "ws", true, coop_stage(T), 32, 16);
            coop_tile_run("mm");
        } else {
            coop_tile_load_a("mm_acc", "xs", true, coop_stage(T), 16, 32);
            coop_tile_load_b("mm_acc", "ws", true, coop_stage(T), 32, 16);
            coop_tile_run("mm_acc");
        }
        threadgroup_barrier();
    }
    coop_tile_store_c("mm_acc", "cs", true, f32, 32, 32);
    threadgroup_barrier();
    unstage("cs", c, [32usize, 32], [top, left], [m, n], false);
}

/// c = a · bᵀ in T, a tile of 16×32 of c a warp; n is a multiple of 32, k of 16.
#[kernel(mode = Reduction, variants(ORDER = ["ieee", "native"], suffix = "_{ORDER}"))]
pub fn tile_direct<T>(
    a: Tensor<T>,
    b: Tensor<T>,
    mut c: Tensor<T>,
    #[scalar] m: u32,
    #[scalar] n: u32,
    #[scalar] k: u32,
) {
    let top = (cta_id::<1>() * warps_per_cta() + warp_id()) * 16;
    let left = cta_id::<0>() * 32;
    // Warps beyond the last row have no rows.
    let rows = select(top < m, m - top, 0);
    coop_tile_setup(
        "mm",
        16,
        32,
        16,
        T,
        "accumulate",
        "simdgroup",
        f32,
        false,
        true,
        false,
        true,
        false,
        k,
        rows,
        false,
        k,
        32,
    );
    if ORDER == "native" {
        coop_tile_numerics("mm", Numerics::TensorCore);
    }
    for at in range(0, k, 16) {
        coop_tile_load_a("mm", "a", false, T, k, rows, top.cast::<u64>() * k + at, true);
        coop_tile_load_b("mm", b, false, T, k, 32, left.cast::<u64>() * k + at, true);
        coop_tile_run("mm");
    }
    coop_tile_store_c("mm", "c", false, T, n, rows, top.cast::<u64>() * n + left);
}

/// c = a · b, a tile of 16×32 of c for each CTA of any number of warps: by depths of 32, and what is left by one of 16 or
/// two, all into one C.
#[kernel(mode = Reduction, variants(ORDER = ["ieee", "native"], suffix = "_{ORDER}"))]
pub fn tile_shared<T>(
    a: Tensor<T>,
    b: Tensor<T>,
    mut c: Tensor<f32>,
    #[scalar] m: u32,
    #[scalar] n: u32,
    #[scalar] k: u32,
) {
    threadgroup_alloc("xs", 16 * 32, coop_stage(T));
    threadgroup_alloc("ws", 32 * 32, coop_stage(T));
    threadgroup_alloc("cs", 16 * 32);
    coop_tile_setup("deep", 16, 32, 32, T, "accumulate", "threadgroup");
    coop_tile_setup("shallow", 16, 32, 16, T, "accumulate", "threadgroup");
    coop_tile_share("shallow", "deep");
    if ORDER == "native" {
        coop_tile_numerics("shallow", Numerics::TensorCore);
    }
    let (top, left) = (cta_id::<1>() * 16, cta_id::<0>() * 32);
    let whole = k / 32 * 32;
    for at in range(0, whole, 32) {
        stage("xs", a, [16usize, 32], [top, at], [m, k], false);
        stage("ws", b, [32usize, 32], [at, left], [k, n], false);
        threadgroup_barrier();
        coop_tile_load_a("deep", "xs", true, coop_stage(T), 32, 16);
        coop_tile_load_b("deep", "ws", true, coop_stage(T), 32, 32);
        coop_tile_run("deep");
        threadgroup_barrier();
    }
    for at in range(whole, k, 16) {
        stage("xs", a, [16usize, 16], [top, at], [m, k], false);
        stage("ws", b, [16usize, 32], [at, left], [k, n], false);
        threadgroup_barrier();
        coop_tile_load_a("shallow", "xs", true, coop_stage(T), 16, 16);
        coop_tile_load_b("shallow", "ws", true, coop_stage(T), 32, 16);
        coop_tile_run("shallow");
        threadgroup_barrier();
    }
    coop_tile_store_c("deep", "cs", true, f32, 32, 16);
    threadgroup_barrier();
    unstage("cs", c, [16usize, 32], [top, left], [m, n], false);
}
