//! Named barriers: section 6.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;
use warpsmith::ir::{Kernel, Launch, Mode};
use warpsmith::oracle::{Arguments, Buffer, Config, run};

#[kernel(mode = Reduction)]
pub fn pipe(x: Tensor<u32>, mut out: Tensor<u32>, #[constexpr] rounds: u32) {
    let s = shared::<u32>(32);
    if warp_id() == 1 {
        for round in range(0, rounds) {
            named_barrier(1, 64);
            out[round * 32 + lane_id()] = s[31 - lane_id()] * 2;
            named_barrier_arrive(2, 64u32);
        }
    } else {
        for round in range(0, rounds) {
            if round > 0 {
                named_barrier(2, 64);
            }
            s[lane_id()] = x[round * 32 + lane_id()];
            named_barrier_arrive(1, 64);
        }
        named_barrier(2, 64);
    }
}

#[test]
fn they_build() {
    let body = body(pipe::kernel_ir());
    assert_eq!(body.matches("named_barrier.sync").count(), 3, "{body}");
    assert_eq!(body.matches("named_barrier.arrive").count(), 2, "{body}");
}

fn outcome(kernel: &Kernel, threads: u32, rounds: u32) -> Result<Vec<u64>, String> {
    let x: Vec<u32> = (0..32 * rounds).map(|at| at * 3 + 1).collect();
    let mut args = Arguments::new(kernel);
    args.buffer("x", Buffer::from_u32(&x)).unwrap();
    args.buffer("out", Buffer::uninitialised(DType::U32, u64::from(32 * rounds))).unwrap();
    args.scalar("rounds", warpsmith::ir::Literal::u32(rounds)).unwrap();
    let launch = Launch::ctas(Mode::Reduction, [1, 1, 1], [threads, 1, 1]);
    run(kernel, &launch, &mut args, &Config::default()).map_err(|failure| failure.to_string())?;
    let out = args.get("out").unwrap();
    Ok((0..out.len()).map(|at| out.get(at).unwrap().bits).collect())
}

#[test]
fn the_oracle_runs_producer_and_consumer_against_each_other() {
    let out = outcome(&pipe::kernel_ir().unwrap(), 64, 5).unwrap();
    let want: Vec<u64> = (0..160u64).map(|at| (at / 32 * 32 + 31 - at % 32) * 3 + 1).map(|v| v * 2).collect();
    assert_eq!(out, want);
}

#[test]
fn a_barrier_that_not_all_reach_is_said_to_be_stuck() {
    // One warp alone waits for a producer that does not exist.
    let found = outcome(&pipe::kernel_ir().unwrap(), 32, 2).unwrap_err();
    assert!(found.contains("named barrier 2 waits for 64 threads, but only 32 come"), "{found}");
    assert!(found.contains("barriers.rs:"), "{found}");
}

#[kernel(mode = Reduction)]
pub fn parted(x: Tensor<u32>, mut out: Tensor<u32>, #[constexpr] rounds: u32) {
    if lane_id() < rounds {
        named_barrier(1, 64);
    }
    out[tid] = x[tid];
}

#[kernel(mode = Reduction)]
pub fn counts(x: Tensor<u32>, mut out: Tensor<u32>, #[constexpr] rounds: u32) {
    if warp_id() == 0 {
        named_barrier_arrive(1, 64);
    } else {
        named_barrier(1, 32 * rounds);
    }
    out[tid] = x[tid];
}

#[kernel(mode = Reduction)]
pub fn twice(x: Tensor<u32>, mut out: Tensor<u32>, #[constexpr] rounds: u32) {
    named_barrier_arrive(3, 64);
    named_barrier_arrive(3, 64);
    out[tid] = x[tid] + rounds;
}

#[kernel(mode = Reduction)]
pub fn all_or_some(x: Tensor<u32>, mut out: Tensor<u32>, #[constexpr] rounds: u32) {
    if warp_id() < rounds {
        named_barrier(1, 64);
    } else {
        threadgroup_barrier();
    }
    out[tid] = x[tid];
}

#[test]
fn what_has_no_defined_result_is_an_error() {
    let found = |kernel: &Kernel, rounds| outcome(kernel, 64, rounds).unwrap_err();
    let text = found(&parted::kernel_ir().unwrap(), 3);
    assert!(text.contains("reached by 3 of the 32 lanes of a warp"), "{text}");
    let text = found(&counts::kernel_ir().unwrap(), 3);
    assert!(text.contains("is for 96 threads here, but 64 where another warp came to it"), "{text}");
    let text = found(&twice::kernel_ir().unwrap(), 2);
    assert!(text.contains("a warp comes to named barrier 3 twice before it is complete"), "{text}");
    let text = found(&all_or_some::kernel_ir().unwrap(), 1);
    assert!(text.contains("a CTA barrier is reached by 32 of 64 threads"), "{text}");
}

#[kernel(mode = Reduction)]
pub fn constants(mut out: Tensor<u32>) {
    named_barrier(0, 64);
    named_barrier(16, 64);
    named_barrier(1, 48);
    named_barrier(1, 0);
    named_barrier(15, 2048);
    out[tid] = 1;
}

#[kernel(mode = Reduction)]
pub fn reals(mut out: Tensor<u32>) {
    named_barrier(1.0, 64);
    out[tid] = 1;
}

#[test]
fn constant_numbers_and_counts_are_checked() {
    let kernel = constants::kernel_ir().unwrap();
    let errors = warpsmith::ir::validate::validate(&kernel).unwrap_err();
    let found: Vec<_> = errors.iter().map(|error| error.error.to_string()).collect();
    assert_eq!(
        found,
        [
            "there is no named barrier 0",
            "there is no named barrier 16",
            "a named barrier for 48 threads; warps come whole, and there are at most 1024",
            "a named barrier for 0 threads; warps come whole, and there are at most 1024",
            "a named barrier for 2048 threads; warps come whole, and there are at most 1024",
        ]
    );
    assert_eq!(refused(reals::kernel_ir()), "a barrier's number or count of type `f32`");
}
