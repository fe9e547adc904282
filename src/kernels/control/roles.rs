//! Warps with roles that meet at named barriers.

use warpsmith::dsl::prelude::*;

/// Buffers on their way: the producers fill one while the consumers empty the other.
const STAGES: usize = 2;

/// 3x + 1 of a row of `n` for each CTA of 2 × `SIDE` threads: the first half brings pieces of `SIDE` elements, the other
/// half computes from them, in reverse order of lanes. They pass through `tiles` in global memory, `STAGES` · `SIDE` for
/// each CTA: `compute-sanitizer` takes pieces in shared memory for races where several warps arrive without waiting.
///
/// Barrier 1 + s says that stage s is full, barrier 3 + s that it is empty again. Each is for all 2 × `SIDE` threads: one half
/// waits, the other only arrives.
#[kernel(mode = Reduction, variants(SIDE = [32, 64, 128], suffix = "_{SIDE}"))]
pub fn pipeline<T>(x: Tensor<T>, mut tiles: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let own = program_id::<0>() * (STAGES * SIDE);
    let first = program_id::<0>() * n;
    let rounds = (n + (SIDE - 1)) / SIDE;
    let both = 2 * SIDE;
    if warp_id() < SIDE / 32 {
        for round in range(0, rounds) {
            let stage = round % STAGES;
            if round >= STAGES {
                named_barrier(stage + 3, both);
            }
            let at = round * SIDE + tid;
            if at < n {
                tiles[own + stage * SIDE + tid] = load(x[first + at]);
            }
            named_barrier_arrive(stage + 1, both);
        }
    } else {
        let lane = both - 1 - tid;
        for round in range(0, rounds) {
            let stage = round % STAGES;
            named_barrier(stage + 1, both);
            let at = round * SIDE + lane;
            if at < n {
                out[first + at] = tiles[own + stage * SIDE + lane] * 3 + 1;
            }
            if round + STAGES < rounds {
                named_barrier_arrive(stage + 3, both);
            }
        }
    }
}
