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

const MODULE_TABLE: &str = "\
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 bytes[8] = {1, 2, 3, 4, 255};
.global .u64 after;
.visible .entry k(.param .u64 p_out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [p_out];
    mov.u64 %rd1, bytes;
    ld.global.u32 %r0, [%rd1];
    ld.global.u32 %r1, [bytes+4];
    ld.global.nc.u64 %rd2, [after];
    cvt.u32.u64 %r2, %rd2;
    st.global.v2.u32 [%rd0], {%r0, %r1};
    st.global.u32 [%rd0+8], %r2;
    mov.u32 %r3, 7;
    st.global.u32 [%rd1], %r3;
    ret;
}
";

#[test]
fn a_variable_of_the_module_begins_each_launch_as_it_is_declared() {
    let program = program(MODULE_TABLE);
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 12);
    for _ in 0..2 {
        launch(&program, &Params::default().u64(out).launch(1, 1), &mut memory, &Config::default()).unwrap();
        assert_eq!(words(&memory, out, 3), [0x0403_0201, 0xff, 0]);
    }
    // A buffer made after a launch still lies with the other buffers.
    assert!(memory.allocate("late", 4) > out);
}

#[test]
fn an_access_past_a_variable_of_the_module_is_found() {
    let program = program(&MODULE_TABLE.replace("[bytes+4]", "[bytes+8]"));
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 12);
    let launched = Params::default().u64(out).launch(1, 1);
    let found = launch(&program, &launched, &mut memory, &Config::default()).expect_err("out of bounds");
    let text = found.to_string();
    assert!(text.contains("`bytes` of 8 bytes at offset 8"), "{text}");
}

#[test]
fn an_external_variable_is_refused_by_its_line() {
    let text = MODULE_TABLE.replace(".global .u64 after;", ".extern .global .u64 after[];");
    let module = warpsmith::ptx::module::parse(&text).unwrap();
    let error = Program::decode(&module, "k").err().expect("refused").to_string();
    assert!(error.contains("line 14: the emulator lacks external and large variables"), "{error}");
}

/// One warp fills a tile and only arrives, the other waits for it, in both forms of the barrier and with a partial last warp.
#[test]
fn an_arrival_counts_and_goes_on() {
    for (arrive, sync) in [
        ("bar.arrive 1, 64;", "bar.sync 1, 64;"),
        ("barrier.cta.arrive 1, 64;", "barrier.cta.sync 1, 64;"),
        ("@%p1 barrier.cta.arrive 1, 64;\n@!%p1 barrier.cta.arrive 1, 64;", "barrier.cta.sync 1, 64;"),
    ] {
        let body = format!(
            ".shared .align 4 .b8 s[128];\nld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, s;\n\
             setp.lt.u32 %p0, %r0, 32;\n@%p0 bra FILL;\nsub.u32 %r2, 63, %r0;\nmad.lo.u32 %r2, %r2, 4, %r1;\n{sync}\n\
             ld.shared.u32 %r3, [%r2];\nmul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd0, %rd0, %rd1;\n\
             st.global.u32 [%rd0], %r3;\nbra END;\nFILL:\nmad.lo.u32 %r2, %r0, 4, %r1;\nmul.lo.u32 %r3, %r0, 3;\n\
             st.shared.u32 [%r2], %r3;\nsetp.lt.u32 %p1, %r0, 7;\n{arrive}\nEND:\nret;"
        );
        let program = program(&crate::rig::kernel(".param .u64 p", &body));
        for threads in [64, 45] {
            for schedule in [Schedule::Default, Schedule::Adversarial(3)] {
                let mut memory = GlobalMemory::new();
                let out = memory.allocate("out", 4 * u64::from(threads));
                let launched = Params::default().u64(out).launch(1, threads);
                let config = Config { schedule, ..Config::default() };
                launch(&program, &launched, &mut memory, &config)
                    .unwrap_or_else(|finding| panic!("{finding}"));
                let found = words(&memory, out + 128, threads as usize - 32);
                let want: Vec<u32> = (32..threads).map(|thread| (63 - thread) * 3).collect();
                assert_eq!(found, want, "{sync} {threads} {schedule:?}");
            }
        }
    }
}
