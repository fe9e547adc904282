//! Every way a run can end without a result, with its message.

use expect_test::expect;

use super::*;
use crate::ir::Mode;

const X: [u32; 8] = [0; 8];

/// The failure of a kernel over `x`, 8 zeros, and `out`, 64 unwritten elements, in one CTA of 64 threads.
fn fail(body: &str) -> String {
    let text = format!(
        "kernel @demo::k<f32>(x: global u32, mut out: global u32) {{ source s0 \"src/demo.rs\" shared s: u32[64]
         private p: u32[2] local l0: u32 v0 = thread_id.x {body} }}"
    );
    let launch = Launch::ctas(Mode::Reduction, [1, 1, 1], [64, 1, 1]);
    failure(run_text(&text, launch, vec![("x", Buffer::from_u32(&X)), ("out", u32s(64))]))
}

#[test]
fn memory_faults_name_the_buffer_the_index_and_the_thread() {
    let mut messages = String::new();
    for body in [
        "v1 = load x[v0] @7:5",
        "v1 = cvt.i32 v0 v2 = const 3i32 v3 = sub v1, v2 store out[v3], v0 @8:9",
        "v1 = const 1u32 v2, v3 = load.x2 out[v1] @9:1",
        "v1 = const 8u32 v2, v3 = load.x2 x[v1]",
        "v1 = load out[v0]",
        "v1 = gt v0, 40 if v1 { v2 = load s[v0] @10:3 } else { }",
        "v1 = and v0, 1 v2 = const 0u32 store p[v2], v0 v3 = load p[v1]",
        "v1 = add v0, 1 store s[v1], v0",
        "v1 = const 2u64 v2 = load p[v1]",
        "v1 = const 7u32 v2 = and v0, v1 v3 = lt v0, 12 if v3 { store s[v2], v0 @11:2 } else { }",
    ] {
        messages += &fail(body);
    }
    expect![[r#"
        load out of bounds: index 8 of `x`, which has 8 elements; kernel `demo::k<f32>` at src/demo.rs:7:5, CTA (0, 0, 0), thread (8, 0, 0)
        help: guard the access, or give the launch an exact extent
        store out of bounds: index -3 of `out`, which has 64 elements; kernel `demo::k<f32>` at src/demo.rs:8:9, CTA (0, 0, 0), thread (0, 0, 0)
        help: guard the access, or give the launch an exact extent
        load of 2 elements at index 1 of `out`, which is not a multiple of 2; kernel `demo::k<f32>` at src/demo.rs:9:1, CTA (0, 0, 0), thread (0, 0, 0)
        help: make the index a multiple of 2, or load scalars
        load out of bounds: index 8 of `x`, which has 8 elements (an access of 2); kernel `demo::k<f32>`, CTA (0, 0, 0), thread (0, 0, 0)
        help: guard the access, or give the launch an exact extent
        load of `out[0]`, which was never written; kernel `demo::k<f32>`, CTA (0, 0, 0), thread (0, 0, 0)
        help: write the element first, on every path; give the buffer contents
        load of `s[41]`, which was never written; kernel `demo::k<f32>` at src/demo.rs:10:3, CTA (0, 0, 0), thread (41, 0, 0)
        help: write the element first, on every path; give the buffer contents
        load of `p[1]`, which was never written; kernel `demo::k<f32>`, CTA (0, 0, 0), thread (1, 0, 0)
        help: write the element first, on every path; give the buffer contents
        store out of bounds: index 64 of `s`, which has 64 elements; kernel `demo::k<f32>`, CTA (0, 0, 0), thread (63, 0, 0)
        help: guard the access, or give the launch an exact extent
        load out of bounds: index 2 of `p`, which has 2 elements; kernel `demo::k<f32>`, CTA (0, 0, 0), thread (0, 0, 0)
        help: guard the access, or give the launch an exact extent
        thread (8, 0, 0) stores to `s[0]` too, and other bits; kernel `demo::k<f32>` at src/demo.rs:11:2, CTA (0, 0, 0), thread (0, 0, 0)
        help: let one thread store, or use an atomic
    "#]].assert_eq(&messages);
}

#[test]
fn threads_may_store_the_same_bits_to_one_element() {
    let text = "kernel @k(mut out: global u32) { v0 = thread_id.x v1 = const 0u32 v2 = const 9u32 store out[v1], v2 }";
    let launch = Launch::ctas(Mode::Reduction, [2, 1, 1], [64, 1, 1]);
    assert_eq!(written(&run_text(text, launch, vec![("out", u32s(1))]).unwrap(), "out"), [9]);
}

#[test]
fn control_faults_name_the_thread() {
    let mut messages = String::new();
    for body in [
        "v1 = get l0 @3:1",
        "v1 = const 9u32 v2 = const 20u32 v3 = sub v2, v0 for v4: u32 = v1 to v2 step v3 unroll 1 { } @4:1",
        "v1 = lt v0, 32 if v1 { cta_barrier @5:5 } else { }",
        "v1 = const 0u32 v2 = const 1u32 for v3: u32 = v1 to v0 step v2 unroll 1 { cta_barrier @6:5 }",
        "v1 = ne v0, 7 if v1 { v2 = shuffle.down v0, 1 @7:7 } else { }",
        "v1 = lt v0, 40 if v1 { v2 = shuffle.xor v0, 8 } else { }",
    ] {
        messages += &fail(body);
    }
    expect![[r#"
        read of variable `l0` before it was assigned; kernel `demo::k<f32>` at src/demo.rs:3:1, CTA (0, 0, 0), thread (0, 0, 0)
        help: assign the variable on every path that leads here
        a counted loop has step 0; kernel `demo::k<f32>` at src/demo.rs:4:1, CTA (0, 0, 0), thread (20, 0, 0)
        help: make sure that the step is never 0
        a CTA barrier is reached by 32 of 64 threads; kernel `demo::k<f32>` at src/demo.rs:5:5, CTA (0, 0, 0), thread (32, 0, 0)
        help: move the barrier out of the branch or loop that threads leave apart
        a CTA barrier is reached by 63 of 64 threads; kernel `demo::k<f32>` at src/demo.rs:6:5, CTA (0, 0, 0), thread (0, 0, 0)
        help: move the barrier out of the branch or loop that threads leave apart
        lane 6 shuffles from lane 7, which is not active; kernel `demo::k<f32>` at src/demo.rs:7:7, CTA (0, 0, 0), thread (6, 0, 0)
        help: shuffle where every source lane takes part
        lane 0 shuffles from lane 8, which is not active; kernel `demo::k<f32>`, CTA (0, 0, 0), thread (32, 0, 0)
        help: shuffle where every source lane takes part
    "#]].assert_eq(&messages);
}

#[test]
fn a_lane_past_the_cta_is_not_there() {
    let text =
        "kernel @k(mut out: global u32) { v0 = thread_id.x v1 = shuffle.down v0, 16 store out[v0], v1 }";
    let launch = Launch::ctas(Mode::Reduction, [1, 1, 1], [20, 1, 1]);
    expect![[r#"
        lane 4 shuffles from lane 20, which is not active; kernel `k`, CTA (0, 0, 0), thread (4, 0, 0)
        help: shuffle where every source lane takes part
    "#]]
    .assert_eq(&failure(run_text(text, launch, vec![("out", u32s(20))])));
}

#[test]
fn an_endless_loop_ends_in_the_step_budget() {
    let mut messages = String::new();
    for body in ["loop { } @3:3", "loop { v1 = add v0, v0 @4:5 }", "loop { continue }"] {
        let kernel = kernel(&format!("kernel @k() {{ source s0 \"k.rs\" v0 = program_id.x {body} }}"));
        let config = Config { step_budget: 1000, ..Config::default() };
        let failure =
            run(&kernel, &Launch::linear(64, 32), &mut Arguments::new(&kernel), &config).unwrap_err();
        messages += &format!("{failure}\nhelp: {}\n", failure.help().unwrap_or_default());
    }
    expect![[r#"
        hang: the CTA is not done after 1000 steps; kernel `k` at k.rs:3:3, CTA (0, 0, 0), thread (0, 0, 0)
        help: check the loop's exit, or raise the step budget
        hang: the CTA is not done after 1000 steps; kernel `k` at k.rs:4:5, CTA (0, 0, 0), thread (0, 0, 0)
        help: check the loop's exit, or raise the step budget
        hang: the CTA is not done after 1000 steps; kernel `k`, CTA (0, 0, 0), thread (0, 0, 0)
        help: check the loop's exit, or raise the step budget
    "#]]
    .assert_eq(&messages);
}

#[test]
fn faults_of_threads_beyond_the_extent_are_nobodys() {
    // Threads 5 and up would read past the end, step by a loaded 0, read an unset variable and shuffle from nowhere.
    let text = "kernel @k(x: global u32, mut out: global u32) { local l0: u32
        v0 = program_id.x v1 = load x[v0] v2 = const 3u32 v3 = const 0u32
        v4 = gt v1, 0 if v4 { set l0, v3 } else { }
        for v5: u32 = v3 to v2 step v1 unroll 1 { set l0, v5 }
        v6 = get l0 v7 = shuffle.xor v0, 0 v8 = add v6, v7 store out[v0], v8 }";
    let buffers = vec![("x", Buffer::from_u32(&[1, 1, 2, 2, 3])), ("out", u32s(5))];
    let args = run_text(text, Launch::linear(5, 64), buffers).unwrap();
    assert_eq!(written(&args, "out"), [2, 3, 4, 5, 4]);
}

#[test]
fn launches_are_checked_against_the_kernel() {
    let fixed = "kernel @k() mode(reduction) cta(32) { }";
    let tid = "kernel @k() { v0 = tid }";
    let mut messages = String::new();
    for (text, launch) in [
        (fixed, Launch::linear(32, 32)),
        (fixed, Launch::ctas(Mode::Reduction, [1; 3], [64, 1, 1])),
        (tid, Launch::ctas(Mode::Grid3D, [1; 3], [64, 1, 1])),
        (tid, Launch::ctas(Mode::Reduction, [1; 3], [64, 17, 1])),
        (tid, Launch::ctas(Mode::Reduction, [1; 3], [64, 0, 1])),
        (tid, Launch::ctas(Mode::Elementwise, [1; 3], [64, 2, 1])),
        (tid, Launch::ctas(Mode::Reduction, [1, 1 << 30, 1], [1, 8, 1])),
    ] {
        messages += &failure(run_text(text, launch, vec![]));
    }
    expect![[r#"
        the kernel's mode is Reduction, but the launch is Elementwise
        help: launch it as the kernel declares
        the kernel's CTA is [32, 1, 1], but the launch has [64, 1, 1]
        help: launch it as the kernel declares
        the kernel uses `tid`, which mode Grid3D does not have
        help: use `thread_id` or `global_id`, which mean the same in every mode
        a CTA of 1088 threads; 1 to 1024 are possible
        help: change the CTA's shape
        a CTA of 0 threads; 1 to 1024 are possible
        help: change the CTA's shape
        an elementwise launch has one axis, not grid [1, 1, 1] and CTA [64, 2, 1]
        help: use `grid_1d`, or the mode `Grid3D`
        8589934592 threads on axis 1: thread ids are 32 bits wide
        help: spread the work over another axis, or loop in the kernel
    "#]]
    .assert_eq(&messages);
}
