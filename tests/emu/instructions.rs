//! One small text for each instruction family, with results that hardware gave or the manual states.

use warpsmith::ptx::emu::{Config, GlobalMemory, Schedule, Simd, launch};

use crate::rig::{Params, bytes, kernel, program_for, words};

/// Runs a body that leaves its result in `%r9`; `%r0` is the lane, `%r1` … `%r4` hold the operands.
fn result(body: &str, operands: &[u32]) -> u32 {
    let moves: String =
        (1..).zip(operands).map(|(index, value)| format!("mov.u32 %r{index}, {value};\n")).collect();
    let body = format!(
        "ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd0, %rd0, %rd1;\n\
         {moves}{body}\nst.global.u32 [%rd0], %r9;\nret;"
    );
    let text = kernel(".param .u64 p", &body);
    let mut results = Vec::new();
    for simd in Simd::available() {
        let program = program_for(&text, simd);
        for threads in [1, 32] {
            let mut memory = GlobalMemory::new();
            let out = memory.allocate("out", 128);
            let launched = Params::default().u64(out).launch(1, threads);
            launch(&program, &launched, &mut memory, &Config::default())
                .unwrap_or_else(|found| panic!("{found}"));
            results.extend(words(&memory, out, threads as usize));
        }
    }
    assert!(results.iter().all(|&word| word == results[0]), "lanes and levels differ: {results:x?}");
    results[0]
}

/// Checks lines of `instruction; operands; expected`; `d` stands for `%r9`, `a` … `c` for the operands.
fn table(lines: &[(&str, &[u32], u32)]) {
    for &(inst, operands, expected) in lines {
        let got = result(inst, operands);
        assert_eq!(got, expected, "{inst} of {operands:x?}: {got:#x}, not {expected:#x}");
    }
}

const NAN: u32 = 0x7fc0_1234;
const NEG_NAN: u32 = 0xffc0_1234;
const ONE: u32 = 0x3f80_0000;
const MINUS_ONE: u32 = 0xbf80_0000;
const INF: u32 = 0x7f80_0000;

#[test]
fn int() {
    table(&[
        ("div.u32 %r9, %r1, %r2;", &[7, 0], 0xffff_ffff),
        ("rem.u32 %r9, %r1, %r2;", &[7, 0], 0xffff_ffff),
        ("div.s32 %r9, %r1, %r2;", &[0x8000_0000, 0xffff_ffff], 0x8000_0000),
        ("rem.s32 %r9, %r1, %r2;", &[0xffff_fff9, 3], 0xffff_ffff),
        ("mul.hi.u32 %r9, %r1, %r2;", &[0xffff_ffff, 0xffff_ffff], 0xffff_fffe),
        ("mul.hi.s32 %r9, %r1, %r2;", &[0xffff_ffff, 2], 0xffff_ffff),
        ("mad.lo.u32 %r9, %r1, %r2, %r3;", &[3, 4, 5], 17),
        (
            "mul.wide.s32 %rd2, %r1, %r2;\nshr.u64 %rd2, %rd2, 32;\ncvt.u32.u64 %r9, %rd2;",
            &[0xffff_ffff, 1],
            0xffff_ffff,
        ),
        (
            "mul.wide.u32 %rd2, %r1, %r2;\nshr.u64 %rd2, %rd2, 32;\ncvt.u32.u64 %r9, %rd2;",
            &[0xffff_ffff, 1],
            0,
        ),
        ("add.sat.s32 %r9, %r1, %r2;", &[0x7fff_ffff, 1], 0x7fff_ffff),
        ("sub.u32 %r9, %r1, %r2;", &[1, 2], 0xffff_ffff),
        ("min.s32 %r9, %r1, %r2;", &[0xffff_ffff, 1], 0xffff_ffff),
        ("min.u32 %r9, %r1, %r2;", &[0xffff_ffff, 1], 1),
        ("abs.s32 %r9, %r1;", &[0x8000_0000], 0x8000_0000),
        ("popc.b32 %r9, %r1;", &[0xf0f1], 9),
        ("clz.b32 %r9, %r1;", &[0], 32),
    ]);
}

#[test]
fn logic() {
    table(&[
        ("shl.b32 %r9, %r1, %r2;", &[1, 32], 0),
        ("shl.b32 %r9, %r1, %r2;", &[1, 0xffff_ffff], 0),
        ("shr.u32 %r9, %r1, %r2;", &[0x8000_0000, 32], 0),
        ("shr.s32 %r9, %r1, %r2;", &[0x8000_0000, 40], 0xffff_ffff),
        ("shf.l.wrap.b32 %r9, %r1, %r2, %r3;", &[0x8000_0000, 1, 33], 3),
        ("shf.l.clamp.b32 %r9, %r1, %r2, %r3;", &[0x1234, 1, 40], 0x1234),
        ("shf.r.clamp.b32 %r9, %r1, %r2, %r3;", &[5, 6, 32], 6),
        ("lop3.b32 %r9, %r1, %r2, %r3, 0xE8;", &[0b1100, 0b1010, 0b0110], 0b1110),
        ("prmt.b32 %r9, %r1, %r2, 0x5410;", &[0x3322_1100, 0x7766_5544], 0x5544_1100),
        ("prmt.b32 %r9, %r1, %r2, 0x8888;", &[0x80, 0], 0xffff_ffff),
        ("bfe.u32 %r9, %r1, 4, 8;", &[0xabcd], 0xbc),
        ("fns.b32 %r9, %r1, %r2, %r3;", &[0b1011_0100, 2, 0], 2),
        ("fns.b32 %r9, %r1, %r2, %r3;", &[0b1011_0100, 3, 0], 0xffff_ffff),
        ("fns.b32 %r9, %r1, %r2, %r3;", &[0b1011_0100, 2, 1], 2),
        ("fns.b32 %r9, %r1, %r2, %r3;", &[0b1011_0100, 3, 2], 5),
        ("fns.b32 %r9, %r1, %r2, %r3;", &[0b1011_0100, 6, 0xffff_ffff], 5),
        ("fns.b32 %r9, %r1, %r2, %r3;", &[0b1011_0100, 31, 0xffff_fffc], 2),
        ("fns.b32 %r9, %r1, %r2, %r3;", &[0b1011_0100, 31, 0xffff_fffb], 0xffff_ffff),
        ("fns.b32 %r9, %r1, %r2, %r3;", &[0x8000_0000, 0, 1], 31),
        ("bfe.s32 %r9, %r1, 4, 8;", &[0xabcd], 0xffff_ffbc),
        ("bfe.u32 %r9, %r1, 32, 8;", &[0xffff_ffff], 0),
        ("bfi.b32 %r9, %r1, %r2, 4, 8;", &[0xee, 0x1_2345], 0x1_2ee5),
        ("brev.b32 %r9, %r1;", &[1], 0x8000_0000),
        ("not.b32 %r9, %r1;", &[0], 0xffff_ffff),
    ]);
}

#[test]
fn float() {
    let third = (1_f32 / 3.0).to_bits();
    table(&[
        ("min.f32 %r9, %r1, %r2;", &[NAN, ONE], ONE),
        ("min.f32 %r9, %r1, %r2;", &[NEG_NAN, NAN], 0x7fff_ffff),
        ("min.f32 %r9, %r1, %r2;", &[0, 0x8000_0000], 0x8000_0000),
        ("max.NaN.f32 %r9, %r1, %r2;", &[ONE, NEG_NAN], 0x7fff_ffff),
        ("abs.f32 %r9, %r1;", &[NEG_NAN], 0x7fff_ffff),
        ("neg.f32 %r9, %r1;", &[NAN], 0x7fff_ffff),
        ("add.rn.f32 %r9, %r1, %r2;", &[NEG_NAN, ONE], 0x7fff_ffff),
        ("add.rn.f32 %r9, %r1, %r2;", &[INF, INF | 0x8000_0000], 0x7fff_ffff),
        ("add.sat.f32 %r9, %r1, %r2;", &[NAN, ONE], 0),
        ("add.sat.f32 %r9, %r1, %r2;", &[ONE, ONE], ONE),
        ("copysign.f32 %r9, %r1, %r2;", &[MINUS_ONE, INF], INF | 0x8000_0000),
        ("mul.rn.f32 %r9, %r1, %r2;", &[1, ONE], 1),
        ("mul.rn.ftz.f32 %r9, %r1, %r2;", &[0x8000_0001, ONE], 0x8000_0000),
        ("div.rn.f32 %r9, %r1, %r2;", &[ONE, 0x4040_0000], third),
        ("div.rz.f32 %r9, %r1, %r2;", &[ONE, 0x4040_0000], third - 1),
        ("div.rp.f32 %r9, %r1, %r2;", &[ONE, 0x4040_0000], third),
        ("div.approx.f32 %r9, %r1, %r2;", &[0x7f00_0000, 0x7f00_0000], 0),
        ("div.full.f32 %r9, %r1, %r2;", &[0x7f00_0000, 0x7f00_0000], ONE),
        ("add.rz.f32 %r9, %r1, %r2;", &[ONE, 0x337f_ffff], ONE),
        ("add.rp.f32 %r9, %r1, %r2;", &[ONE, 1], ONE + 1),
        ("add.rm.f32 %r9, %r1, %r2;", &[ONE, 0x8000_0001], ONE - 1),
        // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which a product rounded first would lose.
        ("fma.rn.f32 %r9, %r1, %r1, %r2;", &[0x3f80_0800, 0xbf80_1000], 0x3380_0000),
        ("sqrt.rn.f32 %r9, %r1;", &[0x8000_0000], 0x8000_0000),
        ("sqrt.rp.f32 %r9, %r1;", &[0x4000_0000], 0x3fb5_04f4),
        ("sqrt.rn.f32 %r9, %r1;", &[0x4000_0000], 0x3fb5_04f3),
        ("rcp.rn.f32 %r9, %r1;", &[0], INF),
        ("ex2.approx.f32 %r9, %r1;", &[0x4040_0000], 0x4100_0000),
        ("lg2.approx.f32 %r9, %r1;", &[0x4100_0000], 0x4040_0000),
        ("fma.rn.f16x2 %r9, %r1, %r2, %r3;", &[0x3c00_4000, 0x4000_4000, 0x3c00_7e00], 0x4200_7fff),
        ("add.rn.bf16x2 %r9, %r1, %r2;", &[0x3f80_3f80, 0x3f80_bf80], 0x4000_0000),
    ]);
}

#[test]
fn f64_keeps_the_payload_of_a_nan() {
    let high = |inst: &str| format!("mov.b64 %rd2, {{%r1, %r2}};\n{inst}\nmov.b64 {{_, %r9}}, %rd3;");
    table(&[
        (&high("add.rn.f64 %rd3, %rd2, %rd2;"), &[5, 0xfff0_1234], 0xfff8_1234),
        (&high("neg.f64 %rd3, %rd2;"), &[5, 0x7ff0_1234], 0x7ff8_1234),
        (&high("mul.rz.f64 %rd3, %rd2, %rd2;"), &[5, 0x7ff8_1234], 0x7ff8_1234),
    ]);
}

#[test]
fn setp_and_selp() {
    let pick = |inst: &str| format!("{inst}\nselp.u32 %r9, 1, 0, %p0;");
    table(&[
        (&pick("setp.ne.f32 %p0, %r1, %r2;"), &[NAN, ONE], 0),
        (&pick("setp.neu.f32 %p0, %r1, %r2;"), &[NAN, ONE], 1),
        (&pick("setp.equ.f32 %p0, %r1, %r2;"), &[NAN, ONE], 1),
        (&pick("setp.geu.f32 %p0, %r1, %r2;"), &[0, ONE], 0),
        (&pick("setp.nan.f32 %p0, %r1, %r2;"), &[NAN, ONE], 1),
        (&pick("setp.eq.f32 %p0, %r1, %r2;"), &[0, 0x8000_0000], 1),
        (&pick("setp.lt.s32 %p0, %r1, %r2;"), &[0xffff_ffff, 0], 1),
        (&pick("setp.lo.u32 %p0, %r1, %r2;"), &[0xffff_ffff, 0], 0),
        (&pick("setp.eq.u32 %p1, %r1, %r1;\nsetp.lt.and.u32 %p2|%p0, %r1, %r2, !%p1;"), &[1, 2], 0),
        (&pick("setp.eq.u32 %p1, %r1, %r1;\nsetp.lt.and.u32 %p2|%p0, %r1, %r2, %p1;"), &[3, 2], 1),
        (&pick("setp.gt.f16x2 %p0|%p1, %r1, %r2;"), &[0x3c00_4000, 0x4000_3c00], 1),
        (&pick("setp.gt.f16x2 %p1|%p0, %r1, %r2;"), &[0x3c00_4000, 0x4000_3c00], 0),
    ]);
}

#[test]
fn cvt() {
    let half = |inst: &str| format!("{inst}\ncvt.u32.u16 %r9, %h0;");
    let long_high = |inst: &str| format!("{inst}\nmov.b64 {{_, %r9}}, %rd2;");
    table(&[
        ("cvt.sat.f32.f32 %r9, %r1;", &[0x4000_0000], ONE),
        ("cvt.sat.f32.f32 %r9, %r1;", &[MINUS_ONE], 0),
        ("cvt.sat.f32.f32 %r9, %r1;", &[NAN], 0),
        ("cvt.sat.f32.f32 %r9, %r1;", &[1], 1),
        ("cvt.ftz.sat.f32.f32 %r9, %r1;", &[1], 0),
        ("cvt.ftz.f32.f32 %r9, %r1;", &[0x8000_0001], 0x8000_0000),
        ("cvt.rn.f16x2.f32 %r9, %r1, %r2;", &[ONE, 0x4000_0000], 0x3c00_4000),
        (&half("cvt.rn.f16.f32 %h0, %r1;"), &[65_519_f32.to_bits()], 0x7bff),
        (&half("cvt.rn.f16.f32 %h0, %r1;"), &[65_520_f32.to_bits()], 0x7c00),
        (&half("cvt.rz.f16.f32 %h0, %r1;"), &[1e6_f32.to_bits()], 0x7bff),
        (&half("cvt.rn.satfinite.f16.f32 %h0, %r1;"), &[INF], 0x7bff),
        (&half("cvt.rn.satfinite.f16.f32 %h0, %r1;"), &[NAN], 0x7fff),
        (&half("cvt.rn.bf16.f32 %h0, %r1;"), &[0x3f80_8000], 0x3f80),
        ("cvt.rzi.s32.f32 %r9, %r1;", &[NAN], 0),
        ("cvt.rzi.s32.f32 %r9, %r1;", &[1e20_f32.to_bits()], 0x7fff_ffff),
        ("cvt.rzi.u32.f32 %r9, %r1;", &[MINUS_ONE], 0),
        ("cvt.rni.s32.f32 %r9, %r1;", &[2.5_f32.to_bits()], 2),
        ("cvt.rmi.s32.f32 %r9, %r1;", &[(-2.5_f32).to_bits()], 0xffff_fffd),
        (&long_high("cvt.rzi.s64.f32 %rd2, %r1;"), &[NAN], 0x8000_0000),
        ("cvt.rzi.s8.f32 %r9, %r1;", &[300_f32.to_bits()], 127),
        ("cvt.rpi.f32.f32 %r9, %r1;", &[1.25_f32.to_bits()], 0x4000_0000),
        ("cvt.sat.s8.s32 %r9, %r1;", &[200], 127),
        ("cvt.s8.s32 %r9, %r1;", &[200], 0xffff_ffc8),
        ("cvt.rp.f32.s32 %r9, %r1;", &[16_777_217], 0x4b80_0001),
        ("cvt.rz.f32.s32 %r9, %r1;", &[16_777_217], 0x4b80_0000),
        ("cvt.rna.tf32.f32 %r9, %r1;", &[0x3f80_1000], 0x3f80_2000),
        ("cvt.rn.tf32.f32 %r9, %r1;", &[0x3f80_1000], 0x3f80_0000),
    ]);
}

#[test]
fn mov_and_memory() {
    table(&[
        ("mov.b32 {%h0, %h1}, %r1;\nmov.b32 %r9, {%h1, %h0};", &[0x1234_5678], 0x5678_1234),
        (
            ".shared .align 8 .b8 tile[16];\nst.shared.v2.u32 [tile], {%r1, %r2};\nbar.sync 0;\nld.shared.u16 %r9, [tile+6];",
            &[1, 0xabcd_0000],
            0xabcd,
        ),
        (
            ".local .align 4 .b8 mine[8];\nst.local.u32 [mine], %r1;\ncvta.local.u64 %rd2, mine;\n\
             ld.s8 %r9, [%rd2+1];",
            &[0xff00],
            0xffff_ffff,
        ),
        ("mov.pred %p0, %p1;\nselp.b32 %r9, %r1, %r2, !%p0;", &[5, 6], 5),
    ]);
}

#[test]
fn votes_and_shuffles_in_divergent_code() {
    // Two shuffles in two arms of a branch exchange, as measured: each lane reads the one sixteen away.
    let body = "ld.param.u64 %rd0, [p];\nmov.u32 %r0, %laneid;\nmul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd0, %rd0, %rd1;\n\
                setp.lt.u32 %p0, %r0, 16;\n@%p0 bra LOW;\nshfl.sync.bfly.b32 %r9, %r0, 16, 0x1f, 0xffffffff;\n\
                bra END;\nLOW:\nshfl.sync.bfly.b32 %r9, %r0, 16, 0x1f, 0xffffffff;\nEND:\n\
                vote.sync.ballot.b32 %r1, %p0, 0xffffffff;\nadd.u32 %r9, %r9, %r1;\nst.global.u32 [%rd0], %r9;\nret;";
    let program = program_for(&kernel(".param .u64 p", body), Simd::best());
    let mut memory = GlobalMemory::new();
    let out = memory.allocate_with("out", &bytes(&[0; 32]));
    let launched = Params::default().u64(out).launch(1, 32);
    launch(&program, &launched, &mut memory, &Config::default()).unwrap_or_else(|found| panic!("{found}"));
    let expected: Vec<u32> = (0..32).map(|lane| (lane ^ 16) + 0xffff).collect();
    assert_eq!(words(&memory, out, 32), expected);
}

#[test]
fn barriers_that_ask_everybody() {
    // 80 threads: the last warp is partial. Even threads vote yes.
    let run = |ask: &str| {
        let body = format!(
            "ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd0, %rd0, %rd1;\n\
             and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 0;\nmov.pred %p2, %p0;\nor.pred %p2, %p0, !%p0;\n{ask}\n\
             st.global.u32 [%rd0], %r9;\nret;"
        );
        let mut memory = GlobalMemory::new();
        let out = memory.allocate("out", 320);
        let launched = Params::default().u64(out).launch(1, 80);
        let program = program_for(&kernel(".param .u64 p", &body), Simd::best());
        let schedules = [Schedule::Default, Schedule::Adversarial(1), Schedule::Adversarial(2)];
        for schedule in schedules {
            let config = Config { schedule, ..Config::default() };
            launch(&program, &launched, &mut memory, &config).unwrap_or_else(|found| panic!("{found}"));
            let results = words(&memory, out, 80);
            assert!(results.iter().all(|&word| word == results[0]), "{results:?}");
        }
        words(&memory, out, 1)[0]
    };
    assert_eq!(run("bar.red.popc.u32 %r9, 0, %p0;"), 40);
    assert_eq!(run("bar.cta.red.popc.u32 %r9, 0, 96, !%p0;"), 40);
    assert_eq!(run("barrier.cta.red.popc.u32 %r9, 1, %p2;"), 80);
    let asked = |ask: &str| run(&format!("{ask}\nselp.b32 %r9, 1, 0, %p1;"));
    assert_eq!(asked("bar.red.and.pred %p1, 0, %p0;"), 0);
    assert_eq!(asked("bar.red.and.pred %p1, 0, %p2;"), 1);
    assert_eq!(asked("bar.red.or.pred %p1, 0, %p0;"), 1);
    assert_eq!(asked("barrier.red.or.aligned.pred %p1, 0, 96, !%p2;"), 0);
}
