//! Instructions that other compilers write, over many operands: each result is worked out by a formula of its own here.

use warpsmith::ptx::emu::{Config, GlobalMemory, Simd, launch};

use crate::rig::{Params, bytes, program_for, words};

/// Four operands of one thread.
pub(crate) type Operands = [u32; 4];

/// Words that tell signs, edges and kinds of floats apart.
const TELLING: [u32; 24] = [
    0,
    1,
    2,
    31,
    32,
    33,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x00ff_ffff,
    0x0080_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0x3c00_bc00,
];

/// Telling and random words, in every position; a multiple of 32 of them.
fn operands() -> Vec<Operands> {
    let mut state = 0x1234_5678_9abc_def0_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as u32
    };
    (0..2048)
        .map(|index| {
            std::array::from_fn(|_| {
                let word = random();
                // Half of the words are telling, a quarter small, the others anything.
                match word % 4 {
                    0 | 1 => TELLING[(word >> 8) as usize % TELLING.len()],
                    2 => (word >> 8) % 40,
                    _ => random().wrapping_add(index),
                }
            })
        })
        .collect()
}

/// A text for the newest chip, whose threads find their operands in `%r1` … `%r4`, as `%rd1` = `%r2:%r1`, `%rd2` =
/// `%r4:%r3`, and leave their results in `%r9` and `%r10`.
fn text(body: &str) -> String {
    format!(
        ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 o, .param .u64 i)\n{{\n\
         .reg .pred %p<8>;\n.reg .b8 %b<4>;\n.reg .b16 %h<8>;\n.reg .b32 %r<24>;\n.reg .b64 %rd<12>;\n\
         ld.param.u64 %rd10, [o];\nld.param.u64 %rd11, [i];\nmov.u32 %r20, %tid.x;\nmov.u32 %r21, %ctaid.x;\n\
         mad.lo.u32 %r20, %r21, 32, %r20;\nmad.wide.u32 %rd10, %r20, 8, %rd10;\nmad.wide.u32 %rd11, %r20, 16, %rd11;\n\
         ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%rd11];\nmov.b64 %rd1, {{%r1, %r2}};\nmov.b64 %rd2, {{%r3, %r4}};\n\
         mov.b32 %r9, 0;\nmov.b32 %r10, 0;\n{body}\nst.global.v2.u32 [%rd10], {{%r9, %r10}};\nret;\n}}\n"
    )
}

/// Runs a body on all operands, at every level of vector code.
fn results(body: &str, operands: &[Operands]) -> Vec<[u32; 2]> {
    let text = text(body);
    let input: Vec<u32> = operands.iter().flatten().copied().collect();
    let mut all = Simd::available().into_iter().map(|simd| {
        let program = program_for(&text, simd);
        let mut memory = GlobalMemory::new();
        let out = memory.allocate("out", 8 * operands.len() as u64);
        let given = memory.allocate_with("in", &bytes(&input));
        let launched = Params::default().u64(out).u64(given).launch(operands.len() as u32 / 32, 32);
        launch(&program, &launched, &mut memory, &Config::default())
            .unwrap_or_else(|found| panic!("{found}"));
        words(&memory, out, 2 * operands.len()).chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
    });
    let first: Vec<[u32; 2]> = all.next().unwrap();
    for other in all {
        assert_eq!(first, other, "levels differ: {body}");
    }
    first
}

/// Compares a body with a formula on all operands.
pub(crate) fn compare(body: &str, formula: impl Fn(Operands) -> [u32; 2]) {
    let operands = operands();
    for (&given, got) in operands.iter().zip(results(body, &operands)) {
        let want = formula(given);
        assert_eq!(got, want, "{body} of {given:x?}: {got:x?}, not {want:x?}");
    }
}

/// The same for a body with one word as its result.
pub(crate) fn word(body: &str, formula: impl Fn(Operands) -> u32) {
    compare(body, |given| [formula(given), 0]);
}

pub(crate) fn long(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

pub(crate) fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}
