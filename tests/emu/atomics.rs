//! Atomic operations across lanes, warps and workers, ordered accesses, and what is found wrong with them.

use expect_test::expect;
use warpsmith::ptx::emu::{Config, GlobalMemory, Schedule, launch};

use crate::rig::{Params, bytes, kernel, program, warp, words};

/// Runs a body with `%rd0` at `words` and `%rd1` at a second buffer, in 64 CTAs of 96 threads, on several workers.
fn contended(body: &str, start: &[u32], config: &Config) -> Vec<u32> {
    let text =
        kernel(".param .u64 p", &format!("ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\n{body}\nret;"));
    let program = program(&text);
    let mut memory = GlobalMemory::new();
    let cells = memory.allocate_with("cells", &bytes(start));
    let launched = Params::default().u64(cells).launch(64, 96);
    launch(&program, &launched, &mut memory, config).unwrap_or_else(|found| panic!("{found}"));
    words(&memory, cells, start.len())
}

fn configs() -> impl Iterator<Item = Config> {
    let workers = [1, 4].into_iter().flat_map(|workers| {
        [Schedule::Default, Schedule::Adversarial(5)].map(|schedule| (workers, schedule))
    });
    workers.map(|(workers, schedule)| Config { workers, schedule, ..Config::default() })
}

/// Threads of the launch.
const ALL: u32 = 64 * 96;

#[test]
fn no_update_is_lost_between_workers() {
    for config in configs() {
        let sums = contended(
            "red.global.add.u32 [%rd0], 1;\natom.global.add.u32 %r1, [%rd0+4], %r0;\n\
             mov.u64 %rd2, 0x80000001;\nred.relaxed.gpu.global.add.u64 [%rd0+8], %rd2;\n\
             red.global.max.s32 [%rd0+16], %r0;\nred.global.min.u32 [%rd0+20], %r0;\n\
             atom.global.inc.u32 %r1, [%rd0+24], 6;\nred.global.xor.b32 [%rd0+28], %r0;",
            &[0, 0, 0, 0, 0xffff_ffff, 5, 0, 0],
            &config,
        );
        let wide = u64::from(ALL) * 0x8000_0001;
        let want = [ALL, 64 * (95 * 96 / 2), wide as u32, (wide >> 32) as u32, 95, 0, ALL % 7, 0];
        assert_eq!(sums, want, "{config:?}");
    }
}

#[test]
fn halves_of_a_word_are_separate_places() {
    for config in configs() {
        // Every thread counts in one half by a loop of compare and swap, and adds pairs elsewhere.
        let halves = contended(
            "ld.relaxed.gpu.global.u16 %h0, [%rd0+2];\nAGAIN:\nmov.b16 %h1, %h0;\nadd.u16 %h2, %h1, 1;\n\
             atom.relaxed.gpu.global.cas.b16 %h0, [%rd0+2], %h1, %h2;\nsetp.ne.u16 %p0, %h0, %h1;\n@%p0 bra AGAIN;\n\
             setp.lt.u32 %p1, %r0, 3;\nmov.b32 %r1, 0x3c004000;\n\
             @%p1 red.global.add.noftz.f16x2 [%rd0+4], %r1;",
            &[0x0000_1234, 0],
            &config,
        );
        // 192 pairs of 2 and 1.
        assert_eq!(halves, [ALL << 16 | 0x1234, 0x5a00 << 16 | 0x5e00], "{config:?}");
    }
}

#[test]
fn a_release_is_seen_by_the_cta_that_acquires() {
    // Tickets: each CTA waits for the one before it, and adds to what that one left in plain memory.
    let body = "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra DONE;\natom.relaxed.gpu.global.add.u32 %r1, [%rd0], 1;\n\
                WAIT:\nld.acquire.gpu.global.u32 %r2, [%rd0+4];\nsetp.ne.u32 %p1, %r2, %r1;\n@%p1 bra WAIT;\n\
                ld.global.u32 %r3, [%rd0+8];\nmad.lo.u32 %r3, %r3, 3, %r1;\nst.global.u32 [%rd0+8], %r3;\n\
                add.u32 %r1, %r1, 1;\nst.release.gpu.global.u32 [%rd0+4], %r1;\nDONE:";
    let want = (0..64_u32).fold(0, |sum: u32, cta| sum.wrapping_mul(3).wrapping_add(cta));
    for config in configs() {
        assert_eq!(contended(body, &[0, 0, 0], &config), [64, 64, want], "{config:?}");
    }
}

#[test]
fn shared_memory_is_the_ctas_own() {
    let body = ".shared .align 8 .b8 cell[16];\nmov.u32 %r5, 0;\nsetp.eq.u32 %p0, %r0, 0;\n\
                @%p0 st.shared.v2.u32 [cell], {%r5, %r5};\nbar.sync 0;\n\
                atom.shared.add.u32 %r1, [cell], 2;\ncvta.shared.u64 %rd2, cell;\nred.add.f32 [%rd2+4], 0f3F800000;\n\
                bar.sync 0;\nld.shared.v2.u32 {%r2, %r3}, [cell];\n@%p0 red.global.add.u32 [%rd0], %r2;\n\
                @%p0 red.global.max.u32 [%rd0+4], %r3;";
    for config in configs() {
        assert_eq!(contended(body, &[0, 0], &config), [2 * ALL, 96_f32.to_bits()], "{config:?}");
    }
}

#[test]
fn lanes_come_in_order_unless_somebody_shuffles_them() {
    let body = "atom.global.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd0], %r1;";
    let (order, _) = warp(body, &[7], &Config::default()).unwrap();
    assert_eq!(order, (7..39).collect::<Vec<u32>>());
    let shuffled = |seed| {
        let config = Config { schedule: Schedule::Adversarial(seed), ..Config::default() };
        warp(body, &[7], &config).unwrap().0
    };
    let mut met = shuffled(1);
    assert_ne!(met, order);
    assert_eq!(met, shuffled(1), "equal for equal seeds");
    met.sort_unstable();
    assert_eq!(met, order);
}

#[test]
fn what_is_wrong_is_found() {
    let found = |body: &str| match warp(body, &[7; 32], &Config::default()) {
        Ok(_) => "nothing".to_owned(),
        Err(finding) => finding.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    let found: Vec<String> = [
        "red.global.add.u32 [%rd0], 1;",
        "red.global.add.u32 [%rd1+128], 1;",
        "atom.global.add.u64 %rd2, [%rd1+4], 1;",
        "mov.u32 %r1, 0;\natom.shared.cas.b32 %r1, [%r1], 1, 2;",
        ".shared .align 4 .b8 cell[4];\nred.shared.or.b32 [cell], 1;",
        ".local .align 4 .b8 mine[4];\ncvta.local.u64 %rd2, mine;\nred.add.u32 [%rd2], 1;",
        "ld.acquire.gpu.global.u32 %r1, [%rd0];",
    ]
    .map(found)
    .into();
    expect![[r#"
        uninitialised: atomic of 4 bytes at global address 0x200000000, `out` of 128 bytes at offset 0
        out of bounds: atomic of 4 bytes at global address 0x200020080, `in` of 128 bytes at offset 128
        misaligned: atomic of 8 bytes at global address 0x200020004, `in` of 128 bytes at offset 4
        out of bounds: atomic of 4 bytes at shared address 0x0, below all variables, which begin at 0x400
        uninitialised: atomic of 4 bytes at shared address 0x400, `cell` of 4 bytes at offset 0
        out of bounds: atomic of 4 bytes at local address 0x100, `mine` of 4 bytes at offset 0
        uninitialised: load of 4 bytes at global address 0x200000000, `out` of 128 bytes at offset 0"#]]
    .assert_eq(&found.join("\n"));
}
