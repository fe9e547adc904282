//! Whole kernels with known results, under every schedule, number of workers and vector level.

use warpsmith::ptx::emu::{Config, GlobalMemory, Program, Schedule, Simd, Stats, launch};

use crate::rig::{Params, bytes, program, program_for, words};

const VECTOR_ADD: &str = include_str!("../data/ptx/vector_add.ptx");
const REDUCE_SUM: &str = include_str!("../data/ptx/reduce_sum.ptx");

fn inputs(count: usize) -> (Vec<f32>, Vec<f32>) {
    let a = (0..count).map(|index| index as f32 * 0.37 - 5.0).collect();
    let b = (0..count).map(|index| 1.0 / (index as f32 + 1.0)).collect();
    (a, b)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn vector_add(program: &Program, count: usize, block: u32, config: &Config) -> (Vec<u32>, Stats) {
    let (a, b) = inputs(count);
    let mut memory = GlobalMemory::new();
    let pa = memory.allocate_with("a", &bytes(&bits(&a)));
    let pb = memory.allocate_with("b", &bytes(&bits(&b)));
    let pc = memory.allocate("c", 4 * count as u64);
    let grid = (count as u32).div_ceil(block).max(1);
    let launched = Params::default().u64(pa).u64(pb).u64(pc).u32(count as u32).launch(grid, block);
    let stats = launch(program, &launched, &mut memory, config).unwrap_or_else(|finding| panic!("{finding}"));
    assert_eq!(memory.is_initialised(pc, 4 * count as u64), Ok(true));
    (words(&memory, pc, count), stats)
}

#[test]
fn vector_add_at_many_sizes() {
    let program = program(VECTOR_ADD);
    for count in [0, 1, 31, 32, 33, 255, 256, 257, 1000, 4096, 20_000] {
        for block in [1, 32, 37, 256, 1024] {
            let (a, b) = inputs(count);
            let expected: Vec<u32> = a.iter().zip(&b).map(|(a, b)| (a + b).to_bits()).collect();
            let (result, _) = vector_add(&program, count, block, &Config::default());
            assert_eq!(result, expected, "{count} elements, {block} threads");
        }
    }
}

fn reduce_sum(program: &Program, count: usize, grid: u32, block: u32, config: &Config) -> Vec<u32> {
    let (a, _) = inputs(count);
    let mut memory = GlobalMemory::new();
    let input = memory.allocate_with("in", &bytes(&bits(&a)));
    let out = memory.allocate("out", 4 * u64::from(grid));
    let launched = Params::default().u64(input).u64(out).u32(count as u32).launch(grid, block);
    launch(program, &launched, &mut memory, config).unwrap_or_else(|finding| panic!("{finding}"));
    words(&memory, out, grid as usize)
}

/// The sum in the kernel's own order.
fn expected_sum(count: usize, grid: u32, block: u32, cta: u32) -> u32 {
    let (a, _) = inputs(count);
    let mut threads: Vec<f32> = (0..block)
        .map(|thread| {
            let first = (cta * block + thread) as usize;
            a.iter().skip(first).step_by((grid * block) as usize).fold(0.0, |sum, value| sum + value)
        })
        .collect();
    let butterfly = |lanes: &mut [f32]| {
        for step in [16, 8, 4, 2, 1] {
            let old = lanes.to_vec();
            for lane in 0..32 {
                lanes[lane] = old[lane] + old[lane ^ step];
            }
        }
    };
    threads.chunks_exact_mut(32).for_each(butterfly);
    let mut first: Vec<f32> = threads.iter().step_by(32).copied().collect();
    first.resize(32, 0.0);
    butterfly(&mut first);
    first[0].to_bits()
}

#[test]
fn reduce_sum_at_many_sizes() {
    let program = program(REDUCE_SUM);
    for count in [0, 1, 33, 1000, 5000] {
        for (grid, block) in [(1, 32), (2, 64), (3, 256), (1, 1024)] {
            let result = reduce_sum(&program, count, grid, block, &Config::default());
            let expected: Vec<u32> = (0..grid).map(|cta| expected_sum(count, grid, block, cta)).collect();
            assert_eq!(result, expected, "{count} elements, {grid} CTAs of {block}");
        }
    }
}

#[test]
fn an_adversarial_schedule_changes_nothing_for_a_right_kernel() {
    let (add, sum) = (program(VECTOR_ADD), program(REDUCE_SUM));
    let plain = Config::default();
    for seed in 0..20 {
        let config = Config { schedule: Schedule::Adversarial(seed), ..Config::default() };
        assert_eq!(vector_add(&add, 1000, 128, &config).0, vector_add(&add, 1000, 128, &plain).0);
        assert_eq!(reduce_sum(&sum, 1000, 3, 256, &config), reduce_sum(&sum, 1000, 3, 256, &plain));
    }
}

#[test]
fn any_number_of_workers_and_any_vector_level_give_the_same() {
    let best = program(VECTOR_ADD);
    let expected = vector_add(&best, 5000, 64, &Config { profile: true, ..Config::default() });
    for workers in [2, 3, 7, 0] {
        let config = Config { workers, profile: true, ..Config::default() };
        assert_eq!(vector_add(&best, 5000, 64, &config), expected, "{workers} workers");
    }
    for simd in Simd::available() {
        let program = program_for(VECTOR_ADD, simd);
        let result = vector_add(&program, 5000, 64, &Config { profile: true, ..Config::default() });
        assert_eq!(result, expected, "{}", simd.name());
    }
}

#[test]
fn lanes_are_counted_as_active() {
    // 14 instructions of a thread with an element, of which 7 come before the branch; then the branch and `ret`.
    let (_, stats) = vector_add(&program(VECTOR_ADD), 33, 64, &Config::default());
    let body = VECTOR_ADD.lines().filter(|line| line.contains(';') && line.starts_with("    "));
    let instructions = body.filter(|line| !line.trim_start().starts_with('.')).count() as u64;
    let skipped = 64 - 33;
    let before = 7;
    // The guard of the branch keeps lanes with an element out of its count.
    let with_element = (instructions - 1) * 33;
    assert_eq!(stats.lane_instructions, with_element + skipped * (before + 1));
}
