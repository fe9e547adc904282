//! What the built operations compute, judged by the oracle: words that are sequences of operations, and the launch
//! builder.

use warpsmith::dsl::prelude::*;
use warpsmith::ir::{Kernel, Launch, Literal, Mode};
use warpsmith::oracle::{Arguments, Buffer, Config, run};

/// Runs a kernel over `x` and gives `out`.
fn outputs(
    kernel: &Kernel,
    x: Buffer,
    out: (DType, u64),
    scalars: &[(&str, u32)],
    launch: &Launch,
) -> Vec<Literal> {
    let mut args = Arguments::new(kernel);
    args.buffer("x", x).unwrap();
    args.buffer("out", Buffer::uninitialised(out.0, out.1)).unwrap();
    for (name, value) in scalars {
        args.scalar(name, Literal::u32(*value)).unwrap();
    }
    run(kernel, launch, &mut args, &Config::default())
        .unwrap_or_else(|failure| panic!("{failure}\n{kernel}"));
    let out = args.get("out").unwrap();
    (0..out.len()).map(|index| out.get(index).unwrap()).collect()
}

fn ints(literals: &[Literal]) -> Vec<i128> {
    literals.iter().map(|literal| literal.as_int().unwrap()).collect()
}

#[kernel(mode = Reduction)]
fn reductions(x: Tensor<u32>, mut out: Tensor<u32>, #[constexpr] n: u32) {
    for round in range(0, 2) {
        let part = strided_reduce(x, round, n, sum);
        let total = reduce_sum(part);
        let peak = reduce_max(strided_reduce(x, round, 2, n, max));
        let least = reduce_min(tid + 3);
        let dot = reduce_sum(strided_reduce_dot(x, x, round, round, n));
        if tid == lsize - 1 {
            out[round * 4] = total;
            out[round * 4 + 1] = peak;
            out[round * 4 + 2] = least;
            out[round * 4 + 3] = dot;
        }
    }
}

#[test]
fn cta_reductions_are_right_for_every_cta_size() {
    let n = 1003u32;
    let values: Vec<u32> = (0..n).map(|i| i * 7 % 101).collect();
    let kernel = reductions::kernel_ir().unwrap();
    let sum = |from: usize| i128::from(values[from..].iter().sum::<u32>());
    let peak = |from: usize| i128::from(*values[from..].iter().step_by(2).max().unwrap());
    // The matrix row that starts at 1, against the vector from 0.
    let dot = |from: usize| i128::from(values[from..].iter().zip(&values).map(|(a, b)| a * b).sum::<u32>());
    for threads in [1, 2, 31, 32, 33, 64, 96, 100, 255, 256, 512, 1000, 1023, 1024] {
        let launch = Launch::ctas(Mode::Reduction, [1, 1, 1], [threads, 1, 1]);
        let out = outputs(&kernel, Buffer::from_u32(&values), (DType::U32, 8), &[("n", n)], &launch);
        assert_eq!(ints(&out), [sum(0), peak(0), 3, dot(0), sum(1), peak(1), 3, dot(1)], "{threads} threads");
    }
}

#[kernel(mode = Reduction)]
fn sum_in_order(x: Tensor<f32>, mut out: Tensor<f32>) {
    let total = reduce_sum(load(x[tid]));
    if tid == 0 {
        out[0] = total;
    }
}

/// The tree of the numerics contract on ranks.
fn tree(mut values: Vec<f32>) -> f32 {
    for s in [16, 8, 4, 2, 1] {
        for r in 0..s {
            if r + s < values.len() {
                values[r] += values[r + s];
            }
        }
    }
    values[0]
}

#[test]
fn a_float_sum_has_the_order_of_the_contract() {
    let kernel = sum_in_order::kernel_ir().unwrap();
    for threads in [5u32, 32, 40, 96, 992, 1024] {
        let values: Vec<f32> =
            (0..threads).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-3 - 8000.0).collect();
        let warps: Vec<f32> = values.chunks(32).map(|warp| tree(warp.to_vec())).collect();
        let launch = Launch::ctas(Mode::Reduction, [1, 1, 1], [threads, 1, 1]);
        let out = outputs(&kernel, Buffer::from_f32(&values), (DType::F32, 1), &[], &launch);
        assert_eq!(out[0], Literal::f32(tree(warps)), "{threads} threads");
    }
}

#[kernel]
fn bits(x: Tensor<u32>, mut out: Tensor<u32>) {
    let (v, w) = (load(x[0]), load(x[1]));
    out[0] = bitfield_extract(v, 4, 8);
    out[1] = bitfield_extract(v.cast::<i32>(), 4, 4);
    out[2] = bitfield_insert(v, w, 8, 12);
    out[3] = byte_perm(v, w, 0x7531);
    out[4] = bitfield_extract(v, 0, 32);
    out[5] = bitfield_extract(v.cast::<i32>(), 0, 0);
    out[6] = bitfield_extract(v, 28, 8);
    out[7] = bitfield_insert(v, w, 0, 32);
    out[8] = sign(v.cast::<i32>() - 0x7fffffff) + 1;
}

#[test]
fn bit_fields_and_byte_permutation() {
    let kernel = bits::kernel_ir().unwrap();
    let (v, w) = (0x89ab_cdefu32, 0x0123_4567u32);
    let launch = Launch::linear(1, 32);
    let out = outputs(&kernel, Buffer::from_u32(&[v, w]), (DType::U32, 9), &[], &launch);
    assert_eq!(
        ints(&out),
        [0xde, 0xffff_fffe, 0x89a5_67ef, 0x0145_89cd, i128::from(v), 0, 8, i128::from(w), 2].map(i128::from)
    );
}

#[kernel]
fn flow(x: Tensor<u32>, mut out: Tensor<u32>, #[constexpr] n: u32) {
    let i = program_id::<0>();
    let mut steps = 0;
    let mut v = load(x[i]);
    while v != 1 {
        v = if v % 2 == 0 { v / 2 } else { v * 3 + 1 };
        steps += 1;
        if steps >= n {
            break;
        }
        if v > 1000 {
            continue;
        }
    }
    out[i] = steps;
}

#[test]
fn loops_run_lane_by_lane() {
    let kernel = flow::kernel_ir().unwrap();
    let x: Vec<u32> = (1..=40).collect();
    let collatz = |mut v: u32| {
        let mut steps = 0;
        while v != 1 && steps < 50 {
            v = if v.is_multiple_of(2) { v / 2 } else { v * 3 + 1 };
            steps += 1;
        }
        steps
    };
    let want: Vec<i128> = x.iter().map(|&v| i128::from(collatz(v))).collect();
    let out = outputs(&kernel, Buffer::from_u32(&x), (DType::U32, 40), &[("n", 50)], &Launch::linear(40, 32));
    assert_eq!(ints(&out), want);
}

#[kernel]
fn signs(x: Tensor<f32>, mut out: Tensor<f32>) {
    let v = load(x[0]);
    out[0] = sign(v);
    out[1] = relu(v);
    out[2] = rsqrt(v * v);
    out[3] = select(v > 10, x[100_000], 7);
}

#[test]
fn guarded_loads_and_signs() {
    let kernel = signs::kernel_ir().unwrap();
    let of = |v: f32| -> Vec<f64> {
        let out = outputs(&kernel, Buffer::from_f32(&[v]), (DType::F32, 4), &[], &Launch::linear(1, 1));
        out.into_iter().map(|literal| literal.as_f64().unwrap()).collect()
    };
    assert_eq!(of(-2.0), [-1.0, 0.0, 0.5, 7.0]);
    assert_eq!(of(4.0), [1.0, 4.0, 0.25, 7.0]);
    assert_eq!(of(0.0)[..2], [0.0, 0.0]);
    assert!(of(f32::NAN)[0].is_nan());
}

#[kernel]
pub fn scaled<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] by: f32, #[scalar] run: u32) {
    let i = program_id::<0>();
    store(out[i], load(x[i]) * by + run);
}

/// The setters carry the parameters' names; `run` is taken, so that parameter's has an underscore. Which devices there
/// are is not this file's matter: it compiles, and the kernels' own tests launch.
#[expect(dead_code, reason = "it has to compile")]
fn launches(device: &warpsmith::runtime::Device) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let input = device.upload(&[1.0f32, 2.0])?;
    let mut out = device.zeros::<f32>(2)?;
    scaled::launch(device).x(&input).out(&mut out).by(2.0f32).run_(1u32).threads_1d(2usize, 32).run()?;
    folded::launch::<3>(device).out(&mut out).grid_3d(1, 1, 1, [32, 1, 1]).mode(Mode::Reduction).run()?;
    Ok(device.download(&out)?)
}

#[kernel]
pub fn folded<const N: usize>(mut out: Tensor<f32>) {
    out[0] = N;
}
