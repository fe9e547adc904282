//! Surveys of texts with several defects: each site once, with how often and where first.

use super::*;
use crate::ptx::module::parse;

/// 64 threads: out[i] = a[i] + b[i], where `b` is half as long as it should be and `a` has no contents; then all threads of
/// a CTA store to one shared word, and each lane reads it.
const TEXT: &str = ".version 8.0\n.target sm_80\n.address_size 64\n\
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out)\n{\n\
.reg .b32 %r<6>;\n.reg .b64 %rd<6>;\n.shared .b32 word;\n\
ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [out];\n\
mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd1, %rd1, %rd4;\nadd.s64 %rd2, %rd2, %rd4;\n\
add.s64 %rd3, %rd3, %rd4;\nmov.u32 %r3, 7;\n\
ld.global.u32 %r2, [%rd1];\n\
ld.global.u32 %r3, [%rd2];\n\
st.shared.u32 [word], %r1;\n\
add.s32 %r2, %r2, %r3;\n\
st.global.u32 [%rd3], %r2;\n\
ret;\n}\n";

fn line_of(part: &str) -> u32 {
    TEXT.lines().position(|line| line.starts_with(part)).unwrap() as u32 + 1
}

struct Ran {
    met: Vec<Met>,
    out: Vec<u32>,
    memory: GlobalMemory,
    start: u64,
}

fn run(text: &str, grid: u32, config: &Config) -> Ran {
    let module = parse(text).unwrap();
    let program = Program::decode(&module, "k").unwrap();
    let mut memory = GlobalMemory::new();
    memory.note_writers();
    let a = memory.allocate("a", 256);
    let b = memory.allocate_with("b", &[1; 128]);
    let out = memory.allocate("out", 256);
    let params = [a, b, out].iter().flat_map(|address| address.to_le_bytes()).collect();
    let launch = LaunchConfig { grid: [grid, 1, 1], block: [64, 1, 1], dynamic_shared: 0, params };
    let met = survey(&program, &launch, &mut memory, config).unwrap().met;
    let mut bytes = [0; 256];
    memory.read(out, &mut bytes).unwrap();
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    Ran { met, out: words.collect(), memory, start: out }
}

fn sites(met: &[Met]) -> Vec<(&'static str, u32, u64)> {
    met.iter()
        .map(|met| (met.finding.kind.name(), met.finding.site.as_ref().unwrap().line, met.times))
        .collect()
}

#[test]
fn every_site_is_listed_once_and_the_launch_goes_on() {
    let ran = run(TEXT, 1, &Config::default());
    let expected = [
        ("uninitialised", line_of("ld.global.u32 %r2"), 64),
        ("out-of-bounds", line_of("ld.global.u32 %r3"), 32),
        ("race", line_of("st.shared"), 63),
    ];
    assert_eq!(sites(&ran.met), expected);
    let first = &ran.met[1].finding;
    assert_eq!((first.cta, first.thread), ([0; 3], Some([32, 0, 0])), "the lowest thread is shown");
    // What was read out of bounds left the register as it was; what nobody wrote reads as 0.
    let sums: Vec<u32> = (0..64).map(|thread| if thread < 32 { 0x0101_0101 } else { 7 }).collect();
    assert_eq!(ran.out, sums);
}

#[test]
fn a_survey_finds_what_a_launch_finds_first() {
    let module = parse(TEXT).unwrap();
    let program = Program::decode(&module, "k").unwrap();
    for schedule in [Schedule::Default, Schedule::Adversarial(3)] {
        let config = Config { schedule, ..Config::default() };
        let mut memory = GlobalMemory::new();
        let [a, b, out] = ["a", "b", "out"].map(|name| memory.allocate(name, 256));
        let params = [a, b, out].iter().flat_map(|address| address.to_le_bytes()).collect();
        let launch_config = LaunchConfig { grid: [1; 3], block: [64, 1, 1], dynamic_shared: 0, params };
        let finding = launch(&program, &launch_config, &mut memory, &config).unwrap_err();
        let met = run(TEXT, 1, &config).met;
        assert!(met.iter().any(|met| met.finding.kind.name() == finding.kind.name()), "{finding}");
    }
}

#[test]
fn other_ctas_run_after_one_has_ended_by_a_finding() {
    // The first warp of each CTA waits for a barrier that the second never reaches.
    let text = TEXT.replace(
        "mov.u32 %r3, 7;",
        "mov.u32 %r3, 7;\n.reg .pred %p;\nsetp.gt.u32 %p, %r1, 31;\n@%p ret;\nbar.sync 0;",
    );
    for workers in [1, 2] {
        let met = run(&text, 3, &Config { workers, ..Config::default() }).met;
        let ended: Vec<_> = met.iter().filter(|met| met.finding.kind.name() == "barrier-ended").collect();
        assert_eq!((ended.len(), ended[0].times, ended[0].finding.cta), (1, 3, [0; 3]));
    }
}

#[test]
fn a_sound_text_has_no_findings() {
    let text = TEXT
        .replace("ld.global.u32 %r2, [%rd1];", "mov.u32 %r2, %r1;")
        .replace("[%rd2]", "[%rd2+0]")
        .replace("ld.global.u32 %r3, [%rd2+0];", "mov.u32 %r3, 1;")
        .replace("st.shared.u32 [word], %r1;", "");
    let ran = run(&text, 1, &Config::default());
    assert_eq!(ran.met, []);
    assert_eq!(ran.out, (1..65).collect::<Vec<u32>>());
}

#[test]
fn atomic_operations_go_on_too() {
    let text = TEXT
        .replace("ld.global.u32 %r2, [%rd1];", "atom.global.add.u32 %r2, [%rd1], 5;")
        .replace("ld.global.u32 %r3, [%rd2];", "mov.u32 %r3, 1;")
        .replace("st.shared.u32 [word], %r1;", "");
    let ran = run(&text, 1, &Config::default());
    assert_eq!(sites(&ran.met), [("uninitialised", line_of("ld.global.u32 %r2"), 64)]);
    assert_eq!(ran.out, vec![1; 64], "each found 0");
}

#[test]
fn the_last_writer_of_each_byte_is_known() {
    let ran = run(TEXT, 2, &Config { schedule: Schedule::Default, ..Config::default() });
    for element in [0, 31, 32, 63] {
        let writer = ran.memory.writer(ran.start + 4 * element).unwrap();
        assert_eq!(
            (writer.cta, writer.warp),
            (1, element as u32 / 32),
            "the second CTA wrote over the first"
        );
        assert_eq!(writer.lane, element as u32 % 32);
    }
    assert_eq!(ran.memory.writer(ran.start - 64), None);
}
