//! Loads and stores in every space, scalar and vector, contiguous and scattered; strided views; huge buffers.

use super::*;
use crate::ir::Mode;
use crate::oracle::{ArgumentError, Background, Failure};

#[test]
fn vectors_load_and_store_consecutive_elements() {
    for width in [2u64, 4] {
        let names: Vec<_> = (0..width).map(|at| format!("w{at}")).collect();
        let names = names.join(", ");
        let text = format!(
            "kernel @k(x: global u32, mut out: global u32) {{ v0 = program_id.x v1 = const {width}u32 v2 = mul v0, v1
             {names} = load.x{width} x[v2] store out[v2], ({names}) }}"
        );
        let n = 40 * width;
        let x: Vec<u32> = (0..n as u32).map(|i| i * i).collect();
        let args =
            run_text(&text, Launch::linear(40, 64), vec![("x", Buffer::from_u32(&x)), ("out", u32s(n))])
                .unwrap();
        assert_eq!(written(&args, "out"), x.iter().map(|&x| u64::from(x)).collect::<Vec<_>>());
    }
}

#[test]
fn indices_of_every_type_gather_and_scatter() {
    for dtype in [DType::U32, DType::I32, DType::U64, DType::I64] {
        let text = format!(
            "kernel @k(x: global u16, mut out: global u16) {{ v0 = program_id.x v1 = const 7u32 v2 = mul v0, v1
             v3 = const 50u32 v4 = rem v2, v3 v5 = cvt.{dtype} v4 v6 = load x[v5] store out[v5], v6 }}"
        );
        let x = Buffer::from_literals(
            DType::U16,
            &(0..50).map(|i| Literal::from_bits(DType::U16, 1000 + i)).collect::<Vec<_>>(),
        );
        let buffers = vec![("x", x), ("out", Buffer::uninitialised(DType::U16, 50))];
        let args = run_text(&text, Launch::linear(50, 32), buffers).unwrap();
        assert_eq!(written(&args, "out"), (1000..1050).collect::<Vec<u64>>(), "{dtype}");
    }
}

#[test]
fn a_guarded_load_reads_nothing_where_it_is_off() {
    let text = "kernel @k(x: global u32, mut out: global u32) { v0 = program_id.x v1 = lt v0, 3
        v2 = load x[v0], if v1 store out[v0], v2 }";
    let buffers = vec![("x", Buffer::from_u32(&[7, 8, 9])), ("out", u32s(6))];
    assert_eq!(written(&run_text(text, Launch::linear(6, 32), buffers).unwrap(), "out"), [7, 8, 9, 0, 0, 0]);
}

#[test]
fn an_access_that_nobody_makes_touches_nothing() {
    // The index is far out of bounds, and no thread has the guard or is inside the extent.
    let text =
        "kernel @k(x: global u32, mut out: global u32) { v0 = program_id.x v1 = const -5i64 v2 = lt v0, 0
        v3 = load x[v1] v4 = load x[v1], if v2 v5, v6 = load.x2 x[v1] store out[v1], v0 }";
    let mut launch = Launch::linear(1, 32);
    launch.extent = Some([0, 1, 1]);
    let buffers = vec![("x", Buffer::from_u32(&[1])), ("out", u32s(1))];
    assert_eq!(bits(&run_text(text, launch, buffers).unwrap(), "out"), [None]);
    let guarded =
        "kernel @k(x: global u32, mut out: global u32) { v0 = program_id.x v1 = const -5i64 v2 = lt v0, 0
        v4 = load x[v1], if v2 store out[v0], v4 }";
    let buffers = vec![("x", Buffer::from_u32(&[1])), ("out", u32s(3))];
    assert_eq!(written(&run_text(guarded, Launch::linear(3, 32), buffers).unwrap(), "out"), [0, 0, 0]);
}

#[test]
fn shared_memory_is_one_for_the_cta_and_private_one_for_each_thread() {
    let text = "kernel @k(mut out: global u32) cta(40) {
        shared s: u32[40] private p: u32[4]
        v0 = thread_id.x v1 = const 39u32 v2 = sub v1, v0 store s[v0], v0 cta_barrier v3 = load s[v2]
        v4 = rem v0, 4 store p[v4], v3 v5 = const 0u32 v6 = const 3u32 v7 = and v0, v6
        v8 = load p[v7] v9 = program_id.x v10 = mul v9, 40 v11 = add v10, v0 store out[v11], v8 }";
    let launch = Launch::ctas(Mode::Reduction, [2, 1, 1], [40, 1, 1]);
    let found = written(&run_text(text, launch, vec![("out", u32s(80))]).unwrap(), "out");
    assert_eq!(found, (0..80).map(|i| 39 - i % 40).collect::<Vec<u64>>());
}

#[test]
fn arrays_are_unwritten_again_in_the_next_cta() {
    let text =
        "kernel @k(mut out: global u32) { shared s: u32[1] v0 = cta_id.x v1 = const 0u32 v2 = eq v0, v1
        if v2 { store s[v1], v0 } else { } v3 = load s[v1] store out[v0], v3 }";
    let launch = Launch::ctas(Mode::Reduction, [2, 1, 1], [1, 1, 1]);
    let message = failure(run_text(text, launch, vec![("out", u32s(2))]));
    assert!(
        message.starts_with("load of `s[0]`, which was never written; kernel `k`, CTA (1, 0, 0)"),
        "{message}"
    );
}

const STRIDED: &str = "kernel @k(x: global u32 rank(2), s: u32, mut out: global u64) {
    v0 = program_id.x v1 = cvt.u64 v0 v2 = shape.1 x v3 = div v1, v2 v4 = rem v1, v2
    v5 = stride.0 x v6 = mul v3, v5 v7 = stride.1 x v8 = mul v4, v7 v9 = add v6, v8 v10 = load x[v9]
    v11 = scalar s v12 = add v10, v11 v13 = cvt.u64 v12 store out[v0], v13 }";

fn strided(shape: &[u64], strides: &[u64]) -> Result<Vec<u64>, Box<Failure>> {
    let kernel = kernel(STRIDED);
    let mut args = Arguments::new(&kernel);
    args.strided("x", Buffer::from_u32(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), shape, strides).unwrap();
    args.scalar("s", Literal::u32(100)).unwrap();
    args.buffer("out", Buffer::uninitialised(DType::U64, 6)).unwrap();
    run(&kernel, &Launch::linear(6, 32), &mut args, &Config::default())?;
    Ok(written(&args, "out"))
}

#[test]
fn strided_views_read_their_shape_and_strides() {
    assert_eq!(strided(&[2, 3], &[4, 1]).unwrap(), [100, 101, 102, 104, 105, 106]);
    assert_eq!(strided(&[2, 3], &[1, 3]).unwrap(), [100, 103, 106, 101, 104, 107]);
    assert_eq!(
        strided(&[2, 3], &[8, 1]).unwrap_err().to_string(),
        "the view `x` reaches element 10, but its buffer has 10"
    );
    assert_eq!(
        strided(&[6], &[1]).unwrap_err().to_string(),
        "argument `x` has 1 axes, but the kernel takes 2"
    );
}

#[test]
fn a_buffer_of_more_than_four_gib_is_indexed_with_64_bits() {
    // The last 64 of 2^33 elements; an index cut to 32 bits would land at the start.
    let text = "kernel @k(mut x: global u32) { v0 = program_id.x v1 = cvt.u64 v0 v2 = const 8589934528u64
        v3 = add v1, v2 store x[v3], v0 v4 = load x[v3] v5 = sub v3, v1 v6 = load x[v5] v7 = add v4, v6 store x[v3], v7 }";
    let mut args = run_text(text, Launch::linear(64, 64), vec![("x", u32s(1 << 33))]).unwrap();
    let x = args.get_mut("x").unwrap();
    assert_eq!(x.get((1 << 33) - 1), Some(Literal::u32(63)));
    assert_eq!((x.is_initialised(0), x.is_initialised((1 << 33) - 64)), (false, true));

    let message = failure(run_text(
        text,
        Launch::linear(65, 64),
        vec![("x", Buffer::sparse(DType::U32, 1 << 33, Background::Zeros))],
    ));
    assert!(
        message.starts_with("store out of bounds: index 8589934592 of `x`, which has 8589934592 elements"),
        "{message}"
    );
}

#[test]
fn two_runs_give_the_same_bytes_and_counts() {
    let text = "kernel @k(mut x: global f32) { v0 = program_id.x v1 = load x[v0] v2 = fma v1, v1, v1
        v3 = warp_reduce.sum v2 store x[v0], v3 }";
    let kernel = kernel(text);
    let once = || {
        let x: Vec<f32> = (0..1000).map(|i| 1.0 / (i as f32 + 0.3)).collect();
        let mut args = arguments(&kernel, vec![("x", Buffer::from_f32(&x))]);
        let stats = run(&kernel, &Launch::linear(1000, 96), &mut args, &Config::default()).unwrap();
        (stats, written(&args, "x"))
    };
    let first = once();
    assert_eq!(first, once());
    // Four instructions besides the thread's place, for eleven CTAs of 96: threads beyond the extent run along.
    assert_eq!(first.0, Stats { lane_operations: 4 * 11 * 96, steps: 44, ctas: 11 });
}

#[test]
fn arguments_are_checked_against_the_signature() {
    let kernel = kernel("kernel @m::k<f32>(x: global f32, mut y: global f32, n: u32) { }");
    let mut messages = String::new();
    let mut check = |bind: &dyn Fn(&mut Arguments) -> Result<(), ArgumentError>| {
        let mut args = Arguments::new(&kernel);
        let result = bind(&mut args).and_then(|()| args.check(&kernel));
        let error = result.expect_err("the arguments must be refused");
        messages += &format!("{error}\n  help: {}\n", error.help().unwrap_or_default());
    };
    let f32s = || Buffer::from_f32(&[1.0]);
    check(&|args| args.buffer("z", f32s()).map(|_| ()));
    check(&|args| args.buffer("x", f32s())?.buffer("x", f32s()).map(|_| ()));
    check(&|args| args.buffer("x", f32s()).map(|_| ()));
    check(&|args| args.scalar("x", Literal::f32(1.0)).map(|_| ()));
    check(&|args| args.buffer("x", f32s())?.buffer("y", f32s())?.buffer("n", u32s(1)).map(|_| ()));
    check(&|args| args.buffer("x", u32s(1)).map(|_| ()));
    check(&|args| args.buffer("x", f32s())?.buffer("y", f32s())?.scalar("n", Literal::f32(1.0)).map(|_| ()));
    check(&|args| args.buffer("x", f32s())?.share("y", "x")?.scalar("n", Literal::u32(1)).map(|_| ()));
    expect_test::expect![[r#"
        no parameter of `m::k<f32>` is named `z`
          help: the parameters are: x, y, n
        argument `x` is given twice
          help: give it once
        argument `y` of `m::k<f32>` is missing
          help: bind every parameter before the run
        argument `x` should be a buffer, but is a scalar
          help: match the kernel's signature
        argument `n` should be a scalar, but is a buffer
          help: match the kernel's signature
        argument `x` holds `u32`, but the kernel takes `f32`
          help: match the kernel's signature
        argument `n` holds `f32`, but the kernel takes `u32`
          help: match the kernel's signature
        argument `y` shares its buffer with `x`, and one of them is written
          help: declare `y` as `#[alias]`, or give it a buffer of its own
    "#]]
    .assert_eq(&messages);

    let alias = super::kernel("kernel @k(x: global f32, alias mut y: global f32) { }");
    let mut args = Arguments::new(&alias);
    args.buffer("x", f32s()).unwrap().share("y", "x").unwrap();
    args.check(&alias).unwrap();
}
