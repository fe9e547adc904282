//! Divergent control flow and mutable variables, against plain Rust for each thread.

use super::*;

/// Runs a kernel of one output over `n` threads.
fn each_thread(body: &str, n: u64) -> Vec<u64> {
    let text =
        format!("kernel @k(mut out: global u32) {{ local l0: u32 local l1: u32 v0 = program_id.x {body} }}");
    written(&run_text(&text, Launch::linear(n, 64), vec![("out", u32s(n))]).unwrap(), "out")
}

#[test]
fn both_arms_run_for_their_threads_alone() {
    let found = each_thread(
        "v1 = and v0, 1 v2 = eq v1, 0 set l0, 7
         if v2 { v3 = lt v0, 10 if v3 { set l0, 1 } else { set l0, 2 } } else { set l0, v0 }
         v4 = get l0 store out[v0], v4",
        100,
    );
    let expected = (0..100).map(|i| {
        if i % 2 == 1 {
            i
        } else if i < 10 {
            1
        } else {
            2
        }
    });
    assert_eq!(found, expected.collect::<Vec<u64>>());
}

#[test]
fn trip_counts_differ_per_thread() {
    let found = each_thread(
        "set l0, 0 v1 = const 3u32 v2 = const 2u32
         for v3: u32 = v1 to v0 step v2 unroll 1 { v4 = get l0 v5 = add v4, v3 set l0, v5 }
         v6 = get l0 store out[v0], v6",
        70,
    );
    let expected = (0..70).map(|i: u64| (3..i).step_by(2).sum());
    assert_eq!(found, expected.collect::<Vec<u64>>());
}

#[test]
fn a_counter_runs_down_and_to_the_ends_of_its_type() {
    let count = |dtype: DType, start: i64, end: i64, step: i64| {
        let text = format!(
            "kernel @k(mut out: global {dtype}, mut n: global u32) {{ local l0: {dtype} local l1: u32 v0 = program_id.x
             v1 = const {start}{dtype} v2 = const {end}{dtype} v3 = const {step}{dtype} set l0, v1 set l1, 0
             for v4: {dtype} = v1 to v2 step v3 unroll 1 {{ set l0, v4 v5 = get l1 v6 = add v5, 1 set l1, v6 }}
             v7 = get l0 store out[v0], v7 v8 = get l1 store n[v0], v8 }}"
        );
        let buffers = vec![("out", Buffer::uninitialised(dtype, 1)), ("n", u32s(1))];
        let args = run_text(&text, Launch::linear(1, 1), buffers).unwrap();
        (args.get("out").unwrap().get(0).unwrap().as_int().unwrap() as i64, written(&args, "n")[0])
    };
    assert_eq!(count(DType::I32, 5, -6, -3), (-4, 4));
    assert_eq!(count(DType::I32, 5, 5, -3), (5, 0));
    assert_eq!(
        count(DType::I32, i64::from(i32::MAX) - 3, i64::from(i32::MAX), 2),
        (i64::from(i32::MAX) - 1, 2)
    );
    assert_eq!(count(DType::U32, 4_294_967_290, 4_294_967_295, 4), (4_294_967_294, 2));
    assert_eq!(count(DType::I64, i64::MIN, i64::MIN + 2, 1), (i64::MIN + 1, 2));
    assert_eq!(count(DType::I64, i64::MAX, i64::MIN, i64::MIN), (-1, 2));
}

#[test]
fn break_and_continue_take_threads_out_one_by_one() {
    let found = each_thread(
        "set l0, 0 set l1, 0
         loop {
             v1 = get l0 v2 = add v1, 1 set l0, v2
             v3 = gt v2, v0 if v3 { break } else { }
             v4 = and v2, 1 v5 = eq v4, 1 if v5 { continue } else { }
             v6 = get l1 v7 = add v6, v2 set l1, v7
         }
         v8 = get l1 store out[v0], v8",
        100,
    );
    let expected = (0..100).map(|i: u64| (1..=i).filter(|n| n % 2 == 0).sum());
    assert_eq!(found, expected.collect::<Vec<u64>>());
}

#[test]
fn loops_nest_and_a_break_leaves_the_innermost() {
    let found = each_thread(
        "set l0, 0 v1 = const 0u32 v2 = const 1u32 v3 = const 4u32
         for v4: u32 = v1 to v3 step v2 unroll 1 {
             for v5: u32 = v1 to v0 step v2 unroll 1 {
                 v6 = gt v5, v4 if v6 { break } else { }
                 v7 = get l0 v8 = add v7, v2 set l0, v8
             }
             v9 = eq v4, v0 if v9 { continue } else { }
             v10 = get l0 v11 = add v10, 100 set l0, v11
         }
         v12 = get l0 store out[v0], v12",
        80,
    );
    let expected = (0..80u64).map(|i| {
        let mut sum = 0;
        for a in 0..4 {
            for b in 0..i {
                if b > a {
                    break;
                }
                sum += 1;
            }
            if a != i {
                sum += 100;
            }
        }
        sum
    });
    assert_eq!(found, expected.collect::<Vec<u64>>());
}

#[test]
fn a_variable_starts_unset_in_every_cta() {
    let text = "kernel @k(mut out: global u32) { local l0:acc: u32 v0 = program_id.x v1 = lt v0, 64
        if v1 { set l0, v0 } else { } v2 = get l0 store out[v0], v2 }";
    let message = failure(run_text(text, Launch::linear(65, 64), vec![("out", u32s(65))]));
    expect_test::expect![[r#"
        read of variable `acc` before it was assigned; kernel `k`, CTA (1, 0, 0), thread (0, 0, 0)
        help: assign the variable on every path that leads here
    "#]]
    .assert_eq(&message);
}
