//! Memory and the place of a thread: spaces of addresses, clusters of one CTA, vector atomics, hints, special registers.

use warpsmith::ptx::emu::{Config, FindingKind};
use warpsmith::ptx::module;

use crate::rig::{program, warp};
use crate::values::{compare, word};

#[test]
fn generic_addresses_know_their_space() {
    let body = ".shared .align 16 .b8 s[64];\n.local .align 16 .b8 l[64];\n\
                cvta.to.global.u64 %rd3, %rd10;\ncvta.shared.u64 %rd4, s;\ncvta.local.u64 %rd5, l;\nmov.u32 %r9, 0;\n";
    let asked: String =
        [("global", 3), ("shared", 4), ("shared::cta", 4), ("local", 5), ("shared::cluster", 4)]
            .iter()
            .enumerate()
            .map(|(bit, (space, right))| {
                let each = |reg: u32| {
                    let weight = if reg == *right { 1 << bit } else { 256 << bit };
                    format!("isspacep.{space} %p1, %rd{reg};\n@%p1 or.b32 %r9, %r9, {weight};\n")
                };
                each(3) + &each(4) + &each(5)
            })
            .collect();
    word(&format!("{body}{asked}"), |_| 0b11111);
}

#[test]
fn a_cluster_of_one_has_its_own_shared_memory() {
    let body = ".shared .align 16 .b32 s[32];\nmov.u32 %r11, %tid.x;\nmov.u32 %r5, s;\nmad.lo.u32 %r5, %r11, 4, %r5;\n\
                st.shared::cluster.u32 [%r5], %r1;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n\
                xor.b32 %r12, %r11, 1;\nmov.u32 %r6, s;\nmad.lo.u32 %r6, %r12, 4, %r6;\nmov.u32 %r13, %cluster_ctarank;\n\
                mapa.shared::cluster.u32 %r7, %r5, %r13;\nsub.u32 %r7, %r7, %r5;\nmapa.u64 %rd3, s, 0;\n\
                cvta.shared.u64 %rd4, s;\nsub.u64 %rd3, %rd3, %rd4;\ncvt.u32.u64 %r14, %rd3;\nor.b32 %r10, %r7, %r14;\n\
                getctarank.shared::cluster.u32 %r15, %r5;\nor.b32 %r10, %r10, %r15;\n\
                xor.b32 %r12, %r11, 0;\nld.shared::cluster.u32 %r9, [%r5];";
    compare(body, |[a, ..]| [a, 0]);
    // The neighbour's word is there after the wait.
    let text = ".shared .align 16 .b32 s[32];\nmov.u32 %r1, s;\nmad.lo.u32 %r1, %r0, 4, %r1;\nst.shared.u32 [%r1], %r0;\n\
                barrier.cluster.arrive;\nbarrier.cluster.wait;\nxor.b32 %r2, %r0, 5;\nmov.u32 %r1, s;\n\
                mad.lo.u32 %r1, %r2, 4, %r1;\nld.shared.u32 %r3, [%r1];\nst.global.u32 [%rd0], %r3;";
    let (got, _) = warp(text, &[0], &Config::default()).unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(got, (0..32).map(|lane| lane ^ 5).collect::<Vec<u32>>());
}

#[test]
fn an_address_of_another_rank_is_nowhere() {
    let body = ".shared .align 16 .b32 s[32];\nmov.u32 %r1, s;\nmapa.shared::cluster.u32 %r1, %r1, 1;\n\
                st.shared::cluster.u32 [%r1], %r0;";
    let found = warp(body, &[0], &Config::default()).expect_err("no such CTA");
    assert!(matches!(found.kind, FindingKind::OutOfBounds(_) | FindingKind::Misaligned(_)), "{found}");
}

#[test]
fn vectors_are_added_element_by_element() {
    // Each lane adds to the same four words, and the old values of the last one to come are the sums before it.
    let body = "mov.b32 %r1, 0f3F800000;\nmov.b32 %r2, 0f40000000;\nmov.b32 %r3, 0f40400000;\nmov.b32 %r4, 0f40800000;\n\
                red.global.add.v4.f32 [%rd1], {%r1, %r2, %r3, %r4};\n\
                atom.global.v2.f32.add {%r5, %r6}, [%rd1+16], {%r1, %r2};\n\
                mov.b32 %r7, 0x3c003c00;\nred.relaxed.gpu.global.add.noftz.v2.f16x2 [%rd1+24], {%r7, %r7};\n\
                bar.sync 0;\nshl.b32 %r8, %r0, 2;\nand.b32 %r8, %r8, 31;\ncvt.u64.u32 %rd3, %r8;\n\
                add.u64 %rd3, %rd3, %rd1;\nld.global.u32 %r9, [%rd3];\nst.global.u32 [%rd0], %r9;";
    let (got, _) = warp(body, &[0; 8], &Config::default()).unwrap_or_else(|found| panic!("{found}"));
    let sums = [32_f32, 64.0, 96.0, 128.0, 32.0, 64.0].map(f32::to_bits);
    assert_eq!(got[..6], sums);
    // 32 as f16, twice.
    assert_eq!(got[6..8], [0x5000_5000; 2]);
}

#[test]
fn words_of_an_opcode_come_in_any_order() {
    let body = "mov.b32 %r1, 1;\natom.global.gpu.acq_rel.add.u32 %r2, [%rd1], %r1;\n\
                atom.add.global.release.gpu.u32 %r2, [%rd1], 1;\nred.global.gpu.relaxed.add.u32 [%rd1], 1;\n\
                createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0;\n\
                atom.global.L2::cache_hint.add.u32 _, [%rd1], 1, %rd3;\nred.global.add.L2::cache_hint.u32 [%rd1], 1, %rd3;\n\
                bar.sync 0;\nld.global.acquire.gpu.u32 %r3, [%rd1];\nld.mmio.relaxed.sys.global.u32 %r4, [%rd1];\n\
                add.u32 %r3, %r3, %r4;\ncvt.f32.u32.rn %r3, %r3;\ncvt.s32.rzi.f32 %r3, %r3;\nst.global.u32 [%rd0], %r3;";
    let (got, _) = warp(body, &[0], &Config::default()).unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(got, [320; 32]);
}

#[test]
fn one_lane_is_elected() {
    let body = "elect.sync %r1|%p1, 0xffffffff;\nselp.u32 %r2, 1, 0, %p1;\nsetp.gt.u32 %p2, %r0, 4;\n@!%p2 bra LOW;\n\
                elect.sync _|%p3, 0xffffffe0;\nselp.u32 %r3, 2, 0, %p3;\nor.b32 %r2, %r2, %r3;\nLOW:\n\
                nanosleep.u32 100;\npmevent 3;\ngriddepcontrol.wait;\nst.global.u32 [%rd0], %r2;";
    let (got, _) = warp(body, &[0], &Config::default()).unwrap_or_else(|found| panic!("{found}"));
    let want: Vec<u32> = (0..32)
        .map(|lane| [(0, 1), (5, 2)].iter().map(|(at, value)| if *at == lane { *value } else { 0 }).sum())
        .collect();
    assert_eq!(got, want);
}

#[test]
fn special_registers_of_a_cluster_of_one() {
    let body = "mov.u32 %r9, %clusterid.x;\nmov.u32 %r5, %ctaid.x;\nsub.u32 %r9, %r9, %r5;\nmov.u32 %r5, %cluster_ctaid.y;\n\
                add.u32 %r9, %r9, %r5;\nmov.u32 %r10, %cluster_nctarank;\nmov.u32 %r5, WARP_SZ;\nadd.u32 %r10, %r10, %r5;\n\
                mov.u32 %r6, %gridid;\nmov.u64 %rd3, %gridid;\ncvt.u32.u64 %r7, %rd3;\nsub.u32 %r6, %r6, %r7;\n\
                add.u32 %r10, %r10, %r6;";
    compare(body, |_| [0, 33]);
}

#[test]
fn what_is_lacking_is_told_from_what_is_misspelt() {
    let refused = |line: &str| {
        let text = format!(
            ".version 8.0\n.target sm_90\n.visible .entry k()\n{{\n.reg .b32 %r<4>;\n{line}\nret;\n}}\n"
        );
        module::parse(&text).expect_err(line).to_string()
    };
    assert_eq!(
        refused("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 %r0, %r1;"),
        "6:1: `wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16` is not supported: products of warp groups, for \
         sm_90a, are not emulated"
    );
    assert_eq!(
        refused("vote.ballot.b32 %r0, %r1;"),
        "6:1: `vote.ballot.b32` is not supported: votes without `.sync`, which no chip from sm_70 on has, are not \
         emulated"
    );
    assert_eq!(refused("mov.u32 %r0, %envreg3;"), "6:14: special register `%envreg3` is not supported");
    assert_eq!(refused("addd.u32 %r0, %r1, %r2;"), "6:1: unknown instruction `addd.u32`");
    assert!(refused("add.u32.cc.sat %r0, %r1, %r2;").contains("no form `add.u32.cc.sat`"));
}

#[test]
fn a_breakpoint_ends_the_launch() {
    let text = crate::rig::kernel("", "brkpt;\nret;");
    drop(program(&text));
    let found = warp("brkpt;", &[0], &Config::default()).expect_err("no debugger");
    assert!(matches!(found.kind, FindingKind::Trap), "{found}");
}
