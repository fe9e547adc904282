//! Geometry under every name: section 2.

use crate::body;
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn long_words(mut out: Tensor<u32>) {
    let a = global_id::<0>() + cta_id::<1>() + thread_id::<2>() + cta_dim::<0>() + grid_dim::<1>();
    out[program_id::<0>()] = a + lane_id() + warp_id() + warps_per_cta();
    out[program_id(1)] = program_id(2u32);
}

#[test]
fn long_words_are_registers() {
    let body = body(long_words::kernel_ir());
    for want in [
        "global_id.x",
        "cta_id.y",
        "thread_id.z",
        "cta_dim.x",
        "grid_dim.y",
        "lane_id",
        "warp_id",
        "warps_per_cta",
        "program_id.x",
        "program_id.y",
        "program_id.z",
    ] {
        assert!(body.contains(want), "{want}\n{body}");
    }
}

#[kernel]
pub fn short_words(mut out: Tensor<u32>) {
    let a = tid + tid_x + tid_y + tid_z + lsize + n_simd + simd_lane + simd_id + tgid_x + tgid_y + tgid_z;
    out[tid] = a + simd_lane_id() + simd_group_id();
}

#[test]
fn short_words_are_the_same_registers() {
    let body = body(short_words::kernel_ir());
    let registers: Vec<_> = body
        .lines()
        .filter_map(|line| line.split(" = ").nth(1))
        .filter(|op| !op.starts_with("add"))
        .collect();
    assert_eq!(
        registers,
        [
            "tid",
            "thread_id.x",
            "thread_id.y",
            "thread_id.z",
            "cta_dim.x",
            "warps_per_cta",
            "lane_id",
            "warp_id",
            "cta_id.x",
            "cta_id.y",
            "cta_id.z",
            "lane_id",
            "warp_id",
            "tid"
        ]
    );
}

#[kernel]
pub fn shadowed(mut out: Tensor<u32>) {
    let tid = program_id::<0>();
    let lsize = 4u32;
    out[tid] = lsize;
}

#[test]
fn a_binding_hides_a_word() {
    assert_eq!(body(shadowed::kernel_ir()), "v0:tid = program_id.x\nv1 = const 4u32\nstore out[v0], v1");
}
