//! Mbarriers and bulk copies: phases, what they order, what is found when code does not wait.

use expect_test::expect;
use warpsmith::ptx::emu::{Config, FindingKind, MbarrierProblem, Schedule};

use crate::faults::Sound;
use crate::rig::warp;

/// Each thread stores a word, all arrive, and each reads its neighbour's word, twice.
const PHASES: Sound = Sound {
    body: ".shared .align 8 .b8 bar[8];
.shared .align 4 .b8 tile[256];
mov.u32 %r1, tile;
shl.b32 %r2, %r0, 2;
add.u32 %r2, %r1, %r2;
xor.b32 %r3, %r0, 1;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
setp.eq.u32 %p0, %r0, 0;
@%p0 mbarrier.init.shared.b64 [bar], 64;
bar.sync 0;
st.shared.u32 [%r2], %r0;
mbarrier.arrive.shared.b64 %rd2, [bar];
FIRST:
mbarrier.test_wait.shared.b64 %p1, [bar], %rd2;
@!%p1 bra FIRST;
ld.shared.u32 %r4, [%r3];
mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
SECOND:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 1;
@!%p1 bra SECOND;
st.shared.u32 [%r2], %r4;
mbarrier.arrive.shared.b64 %rd2, [bar];
THIRD:
mbarrier.try_wait.acquire.cta.shared::cta.b64 %p1, [bar], %rd2, 1000;
@!%p1 bra THIRD;
ld.shared.u32 %r5, [%r3];
bar.sync 0;
@%p0 mbarrier.inval.shared.b64 [bar];
@%p0 st.shared.u32 [bar], %r0;",
    grid: 2,
    block: 64,
};

#[test]
fn phases_order_what_threads_do() {
    PHASES.is_clean();
    PHASES.fault(("@!%p1 bra FIRST;", ""), &["uninitialised"], &expect![[r#"
        race: a read after a write, and no warp barrier lies between them: load of 4 bytes at shared address 0x40c, `tile` of 256 bytes at offset 4
          kernel k
          at line 29: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 24: st.shared.u32 [%r2], %r0;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
    PHASES.fault(("@!%p1 bra SECOND;", ""), &[], &expect![[r#"
        race: a write after a read, and no warp barrier lies between them: store of 4 bytes at shared address 0x488, `tile` of 256 bytes at offset 128
          kernel k
          at line 34: st.shared.u32 [%r2], %r4;
          cta (0, 0, 0), thread (32, 0, 0), warp 1 lane 0
          against line 29: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (33, 0, 0), warp 1 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
    // The phase before has the other parity, and is complete already.
    PHASES.fault(("[bar], 1;\n@!%p1 bra SECOND;", "[bar], 0;\n@!%p1 bra SECOND;"), &[], &expect![[r#"
        race: a write after a read, and no warp barrier lies between them: store of 4 bytes at shared address 0x488, `tile` of 256 bytes at offset 128
          kernel k
          at line 34: st.shared.u32 [%r2], %r4;
          cta (0, 0, 0), thread (32, 0, 0), warp 1 lane 0
          against line 29: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (33, 0, 0), warp 1 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
}

#[test]
fn waits_that_never_end() {
    PHASES.fault(("[bar], 64;", "[bar], 65;"), &[], &expect![[r#"
        HANG at line 27: after 20000 instructions of one CTA the mbarrier at shared address 0x400 lacks 1 arrival and 0 bytes of phase 0
          kernel k
          at line 27: mbarrier.test_wait.shared.b64 %p1, [bar], %rd2;
          cta (0, 0, 0), thread (32, 0, 0)
          help: let as many arrivals and bytes come as the phase expects, and wait for the right parity"#]]);
    PHASES.fault(("[bar], 64;", "[bar], 63;"), &["race", "uninitialised", "mbarrier"], &expect![[r#"
        race: a read after a write, and no warp barrier lies between them: load of 4 bytes at shared address 0x504, `tile` of 256 bytes at offset 252
          kernel k
          at line 29: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (62, 0, 0), warp 1 lane 30
          against line 24: st.shared.u32 [%r2], %r0;
          cta (0, 0, 0), thread (63, 0, 0), warp 1 lane 31
          help: put a warp barrier that names both lanes between the accesses"#]]);
    PHASES.fault(("\nSECOND:\n", "\n@%p0 exit;\nSECOND:\n"), &[], &expect![[r#"
        HANG at line 38: after 20000 instructions of one CTA the mbarrier at shared address 0x400 lacks 1 arrival and 0 bytes of phase 2
          kernel k
          at line 38: mbarrier.try_wait.acquire.cta.shared::cta.b64 %p1, [bar], %rd2, 1000;
          cta (0, 0, 0), thread (32, 0, 0)
          help: let as many arrivals and bytes come as the phase expects, and wait for the right parity"#]]);
}

#[test]
fn barriers_that_are_not_there() {
    PHASES.fault(("@%p0 mbarrier.init.shared.b64 [bar], 64;", ""), &[], &expect![[r#"
        mbarrier: none has been made here: mbarrier of 8 bytes at shared address 0x400, `bar` of 8 bytes at offset 0
          kernel k
          at line 25: mbarrier.arrive.shared.b64 %rd2, [bar];
          cta (0, 0, 0), thread (0, 0, 0)
          help: let one thread make it with `mbarrier.init`, and put a barrier after"#]]);
    PHASES.fault(("@%p0 mbarrier.init", "mbarrier.init"), &["race"], &expect![[r#"
        mbarrier: made a second time without `mbarrier.inval`: mbarrier of 8 bytes at shared address 0x400, `bar` of 8 bytes at offset 0
          kernel k
          at line 22: mbarrier.init.shared.b64 [bar], 64;
          cta (0, 0, 0), thread (1, 0, 0)
          help: make it once, or end it first"#]]);
    PHASES.fault(("[bar], 64;\nbar.sync 0;", "[bar], 64;"), &["mbarrier"], &expect![[r#"
        race: a write after a write, and no warp barrier lies between them: mbarrier of 8 bytes at shared address 0x400, `bar` of 8 bytes at offset 0
          kernel k
          at line 24: mbarrier.arrive.shared.b64 %rd2, [bar];
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          against line 22: @%p0 mbarrier.init.shared.b64 [bar], 64;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: put a warp barrier that names both lanes between the accesses"#]]);
    PHASES.fault(("[bar], 64;", "[bar], 0;"), &[], &expect![[r#"
        mbarrier: made for 0 arrivals: mbarrier of 8 bytes at shared address 0x400, `bar` of 8 bytes at offset 0
          kernel k
          at line 22: @%p0 mbarrier.init.shared.b64 [bar], 0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: make it for 1 to 1,048,575 arrivals"#]]);
    PHASES.fault(
        ("[bar], 64;", "[bar+4], 64;"),
        &[],
        &expect![[r#"
        misaligned: mbarrier of 8 bytes at shared address 0x404, `bar` of 8 bytes at offset 4
          kernel k
          at line 22: @%p0 mbarrier.init.shared.b64 [bar+4], 64;
          cta (0, 0, 0), thread (0, 0, 0)
          help: use a narrower access, or align pointer and pitch to the vector"#]],
    );
    PHASES.fault(("@%p0 mbarrier.inval.shared.b64 [bar];\n", ""), &[], &expect![[r#"
        in flight: write of an mbarrier, made at line 22: store of 4 bytes at shared address 0x400, `bar` of 8 bytes at offset 0
          kernel k
          at line 41: @%p0 st.shared.u32 [bar], %r0;
          cta (0, 0, 0), thread (0, 0, 0)
          against line 22: @%p0 mbarrier.init.shared.b64 [bar], 64;
          thread (0, 0, 0)
          help: keep other data out of the mbarrier's 8 bytes, or end it with `mbarrier.inval`"#]]);
}

/// One thread brings 256 bytes; each thread reads a word.
const BULK: Sound = Sound {
    body: ".shared .align 8 .b8 bar[8];
.shared .align 16 .b8 tile[256];
mov.u32 %r1, tile;
mov.u32 %r5, bar;
shl.b32 %r2, %r0, 2;
add.u32 %r2, %r1, %r2;
setp.eq.u32 %p0, %r0, 0;
@%p0 mbarrier.init.shared.b64 [%r5], 1;
fence.mbarrier_init.release.cluster;
bar.sync 0;
@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 256;
@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 256, [%r5];
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r4, [%r2];
setp.ne.u32 %p2, %r4, 7;
@%p2 trap;",
    grid: 2,
    block: 64,
};

#[test]
fn bulk_copies_land_with_their_phase() {
    BULK.is_clean();
    let wait = "mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0;\n@!%p1 bra WAIT;\n";
    BULK.fault((wait, ""), &["uninitialised"], &expect![[r#"
        race: a read after a write, and nothing has told this thread that the phase of the copy's mbarrier is complete: load of 4 bytes at shared address 0x410, `tile` of 256 bytes at offset 0
          kernel k
          at line 26: ld.shared.u32 %r4, [%r2];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 24: @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 256, [%r5];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: let the thread wait for the phase of the mbarrier, or meet one that has"#]]);
    // Even in the thread that began it the copy is not waited for by a barrier of the CTA.
    BULK.fault((wait, "bar.sync 0;\n"), &[], &expect![[r#"
        race: a read after a write, and nothing has told this thread that the phase of the copy's mbarrier is complete: load of 4 bytes at shared address 0x410, `tile` of 256 bytes at offset 0
          kernel k
          at line 27: ld.shared.u32 %r4, [%r2];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 24: @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 256, [%r5];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: let the thread wait for the phase of the mbarrier, or meet one that has"#]]);
    BULK.fault(("_, [%r5], 256;", "_, [%r5], 272;"), &[], &expect![[r#"
        HANG at line 26: after 20000 instructions of one CTA the mbarrier at shared address 0x400 lacks 0 arrivals and 16 bytes of phase 0
          kernel k
          at line 26: mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: let as many arrivals and bytes come as the phase expects, and wait for the right parity"#]]);
    BULK.fault(("_, [%r5], 256;", "_, [%r5], 240;"), &[], &expect![[r#"
        HANG at line 26: after 20000 instructions of one CTA the mbarrier at shared address 0x400 lacks 0 arrivals and -16 bytes of phase 0
          kernel k
          at line 26: mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: let as many arrivals and bytes come as the phase expects, and wait for the right parity"#]]);
    let expects = "mbarrier.expect_tx.shared.b64 [%r5], 256;";
    BULK.fault(("mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 256;", expects), &[], &expect![[r#"
        HANG at line 26: after 20000 instructions of one CTA the mbarrier at shared address 0x400 lacks 1 arrival and 0 bytes of phase 0
          kernel k
          at line 26: mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: let as many arrivals and bytes come as the phase expects, and wait for the right parity"#]]);
}

#[test]
fn a_copy_whose_phase_is_not_complete_is_on_its_way() {
    let body = BULK.body.replace("_, [%r5], 256;", "_, [%r5], 512;");
    let body = body.replace("WAIT:\n", "@%p0 ld.shared.u32 %r4, [%r1];\nWAIT:\n");
    let finding = BULK.run(&body, Schedule::Default, 1).unwrap_err();
    expect![[r#"
        in flight: read of shared memory that a `cp.async.bulk` at line 24 is still writing: load of 4 bytes at shared address 0x410, `tile` of 256 bytes at offset 0
          kernel k
          at line 25: @%p0 ld.shared.u32 %r4, [%r1];
          cta (0, 0, 0), thread (0, 0, 0)
          against line 24: @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 256, [%r5];
          thread (0, 0, 0)
          help: wait for the phase of its mbarrier before"#]].assert_eq(&finding.to_string());
}

#[test]
fn bulk_copies_have_their_sizes_and_places() {
    let at = "[%r1], [%rd0], 256, [%r5];";
    BULK.fault((at, "[%r1], [%rd0+8], 240, [%r5];"), &[], &expect![[r#"
        misaligned: load of 240 bytes at global address 0x200000008, `out` of 256 bytes at offset 8
          kernel k
          at line 24: @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0+8], 240, [%r5];
          cta (0, 0, 0), thread (0, 0, 0)
          help: use a narrower access, or align pointer and pitch to the vector"#]]);
    BULK.fault((at, "[%r1+8], [%rd0], 240, [%r5];"), &[], &expect![[r#"
        misaligned: store of 240 bytes at shared address 0x418, `tile` of 256 bytes at offset 8
          kernel k
          at line 24: @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+8], [%rd0], 240, [%r5];
          cta (0, 0, 0), thread (0, 0, 0)
          help: use a narrower access, or align pointer and pitch to the vector"#]]);
    BULK.fault((at, "[%r1], [%rd0+16], 256, [%r5];"), &[], &expect![[r#"
        out of bounds: load of 256 bytes at global address 0x200000100, `out` of 256 bytes at offset 256
          kernel k
          at line 24: @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0+16], 256, [%r5];
          cta (0, 0, 0), thread (0, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]]);
    BULK.fault((at, "[%r1+16], [%rd0], 256, [%r5];"), &[], &expect![[r#"
        out of bounds: store of 256 bytes at shared address 0x420, `tile` of 256 bytes at offset 16
          kernel k
          at line 24: @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+16], [%rd0], 256, [%r5];
          cta (0, 0, 0), thread (0, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]]);
    BULK.fault((at, "[%r1], [%rd0], %r5, [%r5];"), &[], &expect![[r#"
        out of bounds: load of 1024 bytes at global address 0x200000100, `out` of 256 bytes at offset 256
          kernel k
          at line 24: @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], %r5, [%r5];
          cta (0, 0, 0), thread (0, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]]);
    BULK.fault((at, "[%r1], [%rd0], 256, [%r5+8];"), &[], &expect![[r#"
        mbarrier: none has been made here: mbarrier of 8 bytes at shared address 0x408, `bar` of 8 bytes at offset 8
          kernel k
          at line 24: @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 256, [%r5+8];
          cta (0, 0, 0), thread (0, 0, 0)
          help: let one thread make it with `mbarrier.init`, and put a barrier after"#]]);
}

/// Threads write a tile, and one of them sends it off; then it is written again.
const SEND: Sound = Sound {
    body: ".shared .align 16 .b8 tile[256];
mov.u32 %r1, tile;
shl.b32 %r2, %r0, 2;
add.u32 %r2, %r1, %r2;
setp.eq.u32 %p0, %r0, 0;
st.shared.u32 [%r2], %r0;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 256;
@%p0 cp.async.bulk.commit_group;
@%p0 cp.async.bulk.wait_group.read 0;
bar.sync 1;
st.shared.u32 [%r2], 0;",
    grid: 1,
    block: 64,
};

#[test]
fn bulk_stores_hold_their_source() {
    SEND.is_clean();
    SEND.fault(("@%p0 cp.async.bulk.wait_group.read 0;", ""), &[], &expect![[r#"
        in flight: write of shared memory that a `cp.async.bulk` at line 21 is still reading: store of 4 bytes at shared address 0x400, `tile` of 256 bytes at offset 0
          kernel k
          at line 25: st.shared.u32 [%r2], 0;
          cta (0, 0, 0), thread (0, 0, 0)
          against line 21: @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 256;
          thread (0, 0, 0)
          help: let its thread wait with `cp.async.bulk.wait_group.read` and put a barrier before"#]]);
    SEND.fault(("wait_group.read 0;", "wait_group.read 1;"), &[], &expect![[r#"
        in flight: write of shared memory that a `cp.async.bulk` at line 21 is still reading: store of 4 bytes at shared address 0x400, `tile` of 256 bytes at offset 0
          kernel k
          at line 25: st.shared.u32 [%r2], 0;
          cta (0, 0, 0), thread (0, 0, 0)
          against line 21: @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 256;
          thread (0, 0, 0)
          help: let its thread wait with `cp.async.bulk.wait_group.read` and put a barrier before"#]]);
    SEND.fault(("bar.sync 0;", ""), &["uninitialised"], &expect![[r#"
        race: a read after a write, and no warp barrier lies between them: load of 256 bytes at shared address 0x400, `tile` of 256 bytes at offset 0, byte 4
          kernel k
          at line 21: @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 256;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 18: st.shared.u32 [%r2], %r0;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
    let reads = SEND.body.replace("@%p0 cp.async.bulk.wait_group.read 0;", "ld.shared.u32 %r3, [%r2];");
    let (reads, _) = reads.split_once("bar.sync 1;").unwrap();
    assert_eq!(SEND.run(reads, Schedule::Default, 1), Ok(()));
}

#[test]
fn a_bulk_store_writes_what_the_threads_wrote() {
    let body = ".shared .align 16 .b8 tile[128];
        mov.u32 %r1, tile;
        shl.b32 %r2, %r0, 2;
        add.u32 %r2, %r1, %r2;
        mul.lo.u32 %r3, %r0, 3;
        st.shared.u32 [%r2], %r3;
        fence.proxy.async;
        bar.warp.sync 0xffffffff;
        setp.eq.u32 %p0, %r0, 0;
        @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 128;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;";
    for seed in 0..4 {
        let config = Config { schedule: Schedule::Adversarial(seed), ..Config::default() };
        let (results, _) = warp(body, &[0], &config).unwrap();
        assert_eq!(results, (0..32).map(|lane| lane * 3).collect::<Vec<u32>>());
    }
}

/// Threads copy words, and an mbarrier tells when all of them are there.
const COUNTED_COPIES: Sound = Sound {
    body: ".shared .align 8 .b8 bar[8];
.shared .align 4 .b8 tile[256];
mov.u32 %r1, tile;
shl.b32 %r2, %r0, 2;
add.u32 %r2, %r1, %r2;
mul.wide.u32 %rd1, %r0, 4;
add.s64 %rd1, %rd0, %rd1;
setp.eq.u32 %p0, %r0, 0;
@%p0 mbarrier.init.shared.b64 [bar], 64;
bar.sync 0;
cp.async.ca.shared.global [%r2], [%rd1], 4;
cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
WAIT:
mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;
@!%p1 bra WAIT;
xor.b32 %r3, %r2, 4;
ld.shared.u32 %r4, [%r3];",
    grid: 1,
    block: 64,
};

#[test]
fn an_mbarrier_counts_copies() {
    COUNTED_COPIES.is_clean();
    COUNTED_COPIES.fault(("@!%p1 bra WAIT;", ""), &["uninitialised", "in", "race"], &expect![[r#"
        race: a read after a write, and nothing has told this thread that the phase of the copy's mbarrier is complete: load of 4 bytes at shared address 0x40c, `tile` of 256 bytes at offset 4
          kernel k
          at line 29: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 23: cp.async.ca.shared.global [%r2], [%rd1], 4;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: let the thread wait for the phase of the mbarrier, or meet one that has"#]]);
    // Without `.noinc` the arrival comes on top of those that the barrier was made for.
    COUNTED_COPIES.fault((".arrive.noinc.", ".arrive."), &[], &expect![[r#"
        HANG at line 26: after 20000 instructions of one CTA the mbarrier at shared address 0x400 lacks 64 arrivals and 0 bytes of phase 0
          kernel k
          at line 26: mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: let as many arrivals and bytes come as the phase expects, and wait for the right parity"#]]);
    let own = "cp.async.mbarrier.arrive.shared.b64 [bar];\nmbarrier.arrive.shared.b64 _, [bar];";
    let both = COUNTED_COPIES.body.replace("cp.async.mbarrier.arrive.noinc.shared.b64 [bar];", own);
    Sound { body: both.leak(), ..COUNTED_COPIES }.is_clean();
}

#[test]
fn counts_that_do_not_fit() {
    let one = |text: &str| {
        let body = format!(
            ".shared .align 8 .b8 bar[8];
            setp.eq.u32 %p0, %r0, 0;
            mov.u32 %r3, 1048576;
            @%p0 mbarrier.init.shared.b64 [bar], 2;
            @%p0 {text}"
        );
        match warp(&body, &[0], &Config::default()).unwrap_err().kind {
            FindingKind::Mbarrier { problem, .. } => problem,
            other => panic!("{other}"),
        }
    };
    let arrivals = MbarrierProblem::Arrivals { count: 3, pending: 2 };
    assert_eq!(one("mbarrier.arrive.shared.b64 _, [bar], 3;"), arrivals);
    let bytes = MbarrierProblem::Bytes { bytes: 1 << 20 };
    assert_eq!(one("mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], %r3;"), bytes);
    assert_eq!(one("mbarrier.init.shared.b64 [bar], 2;"), MbarrierProblem::MadeTwice);
}

#[test]
fn hints_change_nothing() {
    let body = "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd3, 0f3F000000;
        prefetch.global.L2::evict_last [%rd1+1048576];
        prefetchu.L1 [%rd1];
        cp.async.bulk.prefetch.L2.global [%rd1+1048576], 64;
        ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.u32 %r3, [%rd1], %rd3;
        add.u32 %r3, %r3, %r0;
        st.global.L2::cache_hint.u32 [%rd0], %r3, %rd3;";
    let (results, _) = warp(body, &[40], &Config::default()).unwrap();
    assert_eq!(results, (40..72).collect::<Vec<u32>>());
}
