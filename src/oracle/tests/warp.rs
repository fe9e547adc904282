//! Warp operations and reductions over a CTA, against a plain reference of the rank tree.

use super::*;
use crate::ir::Mode;

/// v_r = op(v_r, v_{r+s}) for s = 16, 8, 4, 2, 1, written as the contract says it, on a copy each time.
fn rank_tree<T: Copy>(values: &[T], op: impl Fn(T, T) -> T) -> T {
    let mut current = values.to_vec();
    for s in [16, 8, 4, 2, 1] {
        let before = current.clone();
        for r in 0..before.len() {
            if r < s && r + s < before.len() {
                current[r] = op(before[r], before[r + s]);
            }
        }
    }
    current[0]
}

/// Inputs whose sum depends on the order of the additions.
fn uneven(index: u64) -> f32 {
    let bits = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (bits as f32 / 1e6 - 8.0) * 10f32.powi((index % 9) as i32 - 4)
}

const CTA_SUM: &str = "kernel @sum(x: global f32, mut out: global f32) cta({n}) {
    shared scratch: f32[32]
    v0 = thread_id.x v1 = cta_id.x v2 = cta_dim.x v3 = mul v1, v2 v4 = add v3, v0
    v5 = load x[v4] v6 = warp_reduce.sum v5
    v7 = lane_id v8 = eq v7, 0 v9 = warp_id
    if v8 { store scratch[v9], v6 } else { }
    cta_barrier
    v10 = warps_per_cta v11 = lt v0, v10
    if v11 {
        v12 = load scratch[v0] v13 = warp_reduce.sum v12
        v14 = eq v0, 0 if v14 { store scratch[v0], v13 } else { }
    } else { }
    cta_barrier
    v15 = const 0u32 v16 = load scratch[v15] store out[v4], v16
}";

#[test]
fn a_cta_sum_follows_the_rank_tree_at_every_size() {
    for n in [1u64, 2, 31, 32, 33, 45, 64, 96, 1000, 1024] {
        let x: Vec<f32> = (0..2 * n).map(uneven).collect();
        let text = CTA_SUM.replace("{n}", &n.to_string());
        let launch = Launch::ctas(Mode::Reduction, [2, 1, 1], [n as u32, 1, 1]);
        let out = Buffer::uninitialised(DType::F32, 2 * n);
        let args = run_text(&text, launch, vec![("x", Buffer::from_f32(&x)), ("out", out)]).unwrap();
        let expected = x.chunks(n as usize).flat_map(|cta| {
            let warps: Vec<f32> = cta.chunks(32).map(|warp| rank_tree(warp, |a, b| a + b)).collect();
            vec![u64::from(rank_tree(&warps, |a, b| a + b).to_bits()); cta.len()]
        });
        assert_eq!(written(&args, "out"), expected.collect::<Vec<_>>(), "{n} threads");
    }
}

#[test]
fn a_plain_sum_would_give_other_bits() {
    let x: Vec<f32> = (0..32).map(uneven).collect();
    assert_ne!(rank_tree(&x, |a, b| a + b), x.iter().sum::<f32>(), "the inputs tell orders apart");
}

#[test]
fn a_reduction_is_over_the_active_threads_inside_the_extent() {
    // Threads 3, 6, 9, … of 45 inside an extent of 40; each active one gets its warp's result.
    let text = "kernel @k(x: global f32, mut out: global f32) {
        v0 = program_id.x v1 = const 3u32 v2 = rem v0, v1 v3 = eq v2, 0 v4 = load x[v0]
        if v3 { v5 = warp_reduce.sum v4 store out[v0], v5 } else { } }";
    let x: Vec<f32> = (0..40).map(uneven).collect();
    let out = Buffer::uninitialised(DType::F32, 40);
    let mut launch = Launch::linear(40, 45);
    launch.cta = [45, 1, 1];
    let args = run_text(text, launch, vec![("x", Buffer::from_f32(&x)), ("out", out)]).unwrap();
    let sum = |range: std::ops::Range<usize>| {
        let members: Vec<f32> = range.filter(|i| i % 3 == 0).map(|i| x[i]).collect();
        u64::from(rank_tree(&members, |a, b| a + b).to_bits())
    };
    let (first, second) = (sum(0..32), sum(32..40));
    let expected = (0..40).map(|i| (i % 3 == 0).then_some(if i < 32 { first } else { second }));
    assert_eq!(bits(&args, "out"), expected.collect::<Vec<_>>());
}

#[test]
fn every_reduction_and_type() {
    let reduce = |op: &str, dtype: DType, values: &[u64]| {
        let text = format!(
            "kernel @k(x: global {dtype}, mut out: global {dtype}) {{ v0 = program_id.x v1 = load x[v0]
             v2 = warp_reduce.{op} v1 store out[v0], v2 }}"
        );
        let x: Vec<_> = values.iter().map(|&value| Literal::from_bits(dtype, value)).collect();
        let n = values.len() as u64;
        let buffers = vec![("x", Buffer::from_literals(dtype, &x)), ("out", Buffer::uninitialised(dtype, n))];
        let found = written(&run_text(&text, Launch::linear(n, 32), buffers).unwrap(), "out");
        assert!(found.iter().all(|&value| value == found[0]), "every thread gets the same");
        found[0]
    };
    let minus = |value: u64| value.wrapping_neg();
    assert_eq!(reduce("sum", DType::U32, &[u32::MAX.into(), 2, 3]), 4);
    assert_eq!(reduce("max", DType::I32, &[minus(5), minus(2), minus(9)]), minus(2) & 0xffff_ffff);
    assert_eq!(reduce("max", DType::U32, &[minus(5), 2, 9]), minus(5) & 0xffff_ffff);
    assert_eq!(reduce("min", DType::I64, &[4, minus(1 << 40), 0]), minus(1 << 40));
    assert_eq!(reduce("product", DType::U64, &[1 << 40, 1 << 20, 3]), 3 << 60);
    let float = |value: f32| u64::from(value.to_bits());
    assert_eq!(reduce("min", DType::F32, &[float(0.0), float(-0.0), 0x7fc0_0000]), float(-0.0));
    assert_eq!(reduce("max", DType::F32, &[0x7fc0_0000, 0x7fc0_0000]), 0x7fff_ffff);
    assert_eq!(reduce("product", DType::F64, &[2.0f64.to_bits(), 0.5f64.to_bits()]), 1.0f64.to_bits());
    // One thread: no identity is added, so −0 stays −0.
    assert_eq!(reduce("sum", DType::F32, &[float(-0.0)]), float(-0.0));
}

/// What each thread of a full CTA of 64 gets.
fn shuffle(mode: &str, lane: &str) -> Vec<u64> {
    let text = format!(
        "kernel @k(mut out: global u32) {{ v0 = program_id.x v1 = {lane} v2 = shuffle.{mode} v0, v1 store out[v0], v2 }}"
    );
    written(&run_text(&text, Launch::linear(64, 64), vec![("out", u32s(64))]).unwrap(), "out")
}

#[test]
fn shuffles_stay_in_the_warp() {
    let each = |source: fn(u64) -> u64| (0..64).map(|i| i / 32 * 32 + source(i % 32)).collect::<Vec<u64>>();
    assert_eq!(shuffle("xor", "const 5u32"), each(|lane| lane ^ 5));
    assert_eq!(shuffle("xor", "const 33u32"), each(|lane| lane));
    assert_eq!(shuffle("up", "const 3u32"), each(|lane| if lane < 3 { lane } else { lane - 3 }));
    assert_eq!(shuffle("down", "const 30u32"), each(|lane| if lane < 2 { lane + 30 } else { lane }));
    assert_eq!(shuffle("down", "const 4294967295u32"), each(|lane| lane));
    assert_eq!(shuffle("idx", "const 37u32"), each(|_| 5));
    assert_eq!(shuffle("idx", "program_id.x"), each(|lane| lane));
}

#[test]
fn a_shuffle_moves_any_type() {
    for dtype in DType::all() {
        let text = format!(
            "kernel @k(x: global {dtype}, mut out: global {dtype}) {{ v0 = program_id.x v1 = load x[v0]
             v2 = shuffle.xor v1, 1 store out[v0], v2 }}"
        );
        let x = Buffer::from_literals(
            dtype,
            &[Literal::from_bits(dtype, 0), Literal::from_bits(dtype, u64::MAX)],
        );
        let buffers = vec![("x", x), ("out", Buffer::uninitialised(dtype, 2))];
        let found = written(&run_text(&text, Launch::linear(2, 32), buffers).unwrap(), "out");
        assert_eq!(found, [dtype.mask(), 0], "{dtype}");
    }
}

#[test]
fn threads_beyond_the_extent_reach_barriers_and_nothing_else() {
    // Thread 33 and up load 0, so a loop that counts loaded elements ends for them at once; all meet at the barrier.
    let text = "kernel @k(x: global u32, mut out: global u32) {
        shared s: u32[64] local l0: u32
        v0 = program_id.x v1 = load x[v0] store s[v0], v1 v2 = warp_reduce.sum v1
        cta_barrier
        v3 = const 0u32 v4 = const 32u32 v5 = eq v0, v4 v6 = select v5, v3, v4
        v7 = load s[v6] v8 = add v7, v2 store out[v0], v8 }";
    let x: Vec<u32> = (100..133).collect();
    let args =
        run_text(text, Launch::linear(33, 64), vec![("x", Buffer::from_u32(&x)), ("out", u32s(33))]).unwrap();
    let sum: u64 = (100..132).sum();
    let mut expected = vec![sum + 132; 32];
    expected.push(132 + 100);
    assert_eq!(written(&args, "out"), expected);
}
