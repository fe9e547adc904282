//! Planted faults between CTAs: stores that meet, flags without fences, atomic accesses among others.

use expect_test::{Expect, expect};
use warpsmith::ptx::emu::Schedule;

use crate::faults::Sound;

/// Each CTA writes its half of the output.
const HALVES: Sound = Sound {
    body: "mad.lo.u32 %r1, %r9, 32, %r0;
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd1, %rd0, %rd1;
ld.global.u32 %r2, [%rd1];
add.u32 %r2, %r2, %r1;
st.global.u32 [%rd1], %r2;",
    grid: 2,
    block: 32,
};

#[test]
fn ctas_that_meet() {
    HALVES.is_clean();
    HALVES.fault(("%r9, 32, %r0", "%r9, 0, %r0"), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 16: ld.global.u32 %r2, [%rd1];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 18: st.global.u32 [%rd1], %r2;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    HALVES.fault(("%r9, 32, %r0", "%r9, 31, %r0"), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x20000007c, `out` of 256 bytes at offset 124
          kernel k
          at line 16: ld.global.u32 %r2, [%rd1];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 18: st.global.u32 [%rd1], %r2;
          cta (0, 0, 0), thread (31, 0, 0), warp 0 lane 31
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    HALVES.fault(("ld.global.u32 %r2, [%rd1];", "ld.global.u32 %r2, [%rd0];"), &[], &expect![[r#"
        race: a write after a read, and no warp barrier lies between them: store of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 18: st.global.u32 [%rd1], %r2;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 16: ld.global.u32 %r2, [%rd0];
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
    // Both write the same.
    let same =
        HALVES.body.replace("st.global.u32 [%rd1], %r2", "st.global.u32 [%rd0], 5").replace("ld.g", "//");
    Sound { body: String::leak(same), ..HALVES }.is_clean();
}

/// CTA 0 stores a word and raises a flag; CTA 1 reads the word if it sees the flag.
const FLAG: Sound = Sound {
    body: "setp.ne.u32 %p0, %r9, 0;
@%p0 bra READ;
st.global.u32 [%rd0], 11;
fence.acq_rel.gpu;
st.relaxed.gpu.global.u32 [%rd0+4], 1;
bra END;
READ:
ld.acquire.gpu.global.u32 %r1, [%rd0+4];
setp.ne.u32 %p1, %r1, 1;
@%p1 bra END;
ld.global.u32 %r2, [%rd0];
END:",
    grid: 2,
    block: 1,
};

#[test]
fn flags_between_ctas() {
    FLAG.is_clean();
    // Adversarial schedules that start with the reader see no flag, and then nothing is wrong.
    let first = |(from, to): (&str, &str), expected: Expect| {
        let body = FLAG.body.replace(from, to);
        assert_ne!(body, FLAG.body);
        expected
            .assert_eq(&FLAG.run(&body, Schedule::Default, 1).expect_err("nothing was found").to_string());
    };
    first(
        ("fence.acq_rel.gpu;", ""),
        expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 23: ld.global.u32 %r2, [%rd0];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 15: st.global.u32 [%rd0], 11;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]],
    );
    first(
        ("fence.acq_rel.gpu;", "fence.acq_rel.cta;"),
        expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 23: ld.global.u32 %r2, [%rd0];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 15: st.global.u32 [%rd0], 11;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]],
    );
    first(
        ("ld.acquire.gpu", "ld.relaxed.gpu"),
        expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 23: ld.global.u32 %r2, [%rd0];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 15: st.global.u32 [%rd0], 11;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]],
    );
    first(
        ("st.relaxed.gpu.global", "st.global"),
        expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000004, `out` of 256 bytes at offset 4
          kernel k
          at line 20: ld.acquire.gpu.global.u32 %r1, [%rd0+4];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 17: st.global.u32 [%rd0+4], 1;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]],
    );
    let clean = |from: &str, to: &str| {
        let body = FLAG.body.replace(from, to);
        assert_ne!(body, FLAG.body);
        Sound { body: String::leak(body), ..FLAG }.is_clean();
    };
    clean("fence.acq_rel.gpu;\nst.relaxed", "st.release");
    clean("fence.acq_rel", "fence.sc");
    clean("fence.acq_rel.gpu", "membar.gl");
    clean(
        "ld.acquire.gpu.global.u32 %r1, [%rd0+4];",
        "ld.relaxed.gpu.global.u32 %r1, [%rd0+4];\nfence.acq_rel.gpu;",
    );
    clean("ld.acquire.gpu", "ld.acquire.sys");
}

/// A chain: each CTA sums up what the one before left, with barriers around what one thread orders.
const CHAIN: Sound = Sound {
    body: ".shared .align 4 .b8 before[4];
setp.eq.u32 %p0, %r0, 0;
mul.wide.u32 %rd1, %r9, 4;
add.u64 %rd1, %rd0, %rd1;
setp.eq.u32 %p1, %r9, 0;
@%p1 bra OWN;
@%p0 ld.acquire.gpu.global.u32 %r1, [%rd1+124];
bar.sync 0;
ld.global.u32 %r2, [%rd0];
OWN:
setp.eq.and.u32 %p2, %r0, 40, %p1;
@%p2 st.global.u32 [%rd0], %r9;
bar.sync 1;
@%p0 st.release.gpu.global.u32 [%rd1+128], 2;",
    grid: 8,
    block: 64,
};

#[test]
fn what_is_released_is_passed_on() {
    // A CTA far down the chain knows, through those between, what the first one stored.
    assert_eq!(CHAIN.run(CHAIN.body, Schedule::Default, 1), Ok(()));
    let broken = CHAIN.body.replace("bar.sync 1;", "");
    let found = CHAIN.run(&broken, Schedule::Default, 1).expect_err("nothing was found").to_string();
    expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 21: ld.global.u32 %r2, [%rd0];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 24: @%p2 st.global.u32 [%rd0], %r9;
          cta (0, 0, 0), thread (40, 0, 0), warp 1 lane 8
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]].assert_eq(&found);
}

/// Threads count in one word, then all read it.
const COUNT: Sound = Sound {
    body: ".shared .align 4 .b8 count[4];
setp.eq.u32 %p0, %r0, 0;
@%p0 st.shared.u32 [count], 0;
bar.sync 0;
atom.shared.add.u32 %r1, [count], 1;
bar.sync 1;
ld.shared.u32 %r2, [count];
red.global.add.u32 [%rd0], %r2;",
    grid: 3,
    block: 64,
};

#[test]
fn atomics_and_others() {
    COUNT.is_clean();
    COUNT.fault(("bar.sync 0;", ""), &["uninitialised"], &expect![[r#"
        race: a write after a write, and no warp barrier lies between them: atomic of 4 bytes at shared address 0x400, `count` of 4 bytes at offset 0
          kernel k
          at line 17: atom.shared.add.u32 %r1, [count], 1;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          against line 15: @%p0 st.shared.u32 [count], 0;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: put a warp barrier that names both lanes between the accesses"#]]);
    COUNT.fault(("bar.sync 1;", ""), &[], &expect![[r#"
        race: a read after a write, and no warp barrier lies between them: load of 4 bytes at shared address 0x400, `count` of 4 bytes at offset 0
          kernel k
          at line 19: ld.shared.u32 %r2, [count];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 17: atom.shared.add.u32 %r1, [count], 1;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
    COUNT.fault(("red.global.add.u32 [%rd0], %r2;", "st.global.u32 [%rd0], %r1;"), &[], &expect![[r#"
        race: a write after a write, and lanes of one store write different bits: store of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 20: st.global.u32 [%rd0], %r1;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          against line 20: st.global.u32 [%rd0], %r1;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: let one lane store, or all of them the same bits"#]]);
    COUNT.fault(
        ("red.global.add.u32 [%rd0], %r2;", "red.relaxed.cta.global.add.u32 [%rd0], %r2;"),
        &[],
        &expect![[r#"
            race: a write after a write, and one of the atomic accesses is so for its own CTA only: atomic of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
              kernel k
              at line 20: red.relaxed.cta.global.add.u32 [%rd0], %r2;
              cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
              against line 20: red.relaxed.cta.global.add.u32 [%rd0], %r2;
              cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
              help: give both atomic accesses the scope `.gpu`"#]],
    );
    COUNT.fault(
        ("red.global.add.u32 [%rd0], %r2;", "red.global.add.u32 [%rd0], %r2;\nld.global.u32 %r3, [%rd0];"),
        &[],
        &expect![[r#"
            race: a read after a write, and no warp barrier lies between them: load of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
              kernel k
              at line 21: ld.global.u32 %r3, [%rd0];
              cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
              against line 20: red.global.add.u32 [%rd0], %r2;
              cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
              help: put a warp barrier that names both lanes between the accesses"#]],
    );
}

/// Decoupled look-back: tiles are drawn from a counter, and each waits for the flag of the one before.
const LOOK_BACK: Sound = Sound {
    body: ".shared .align 4 .b8 tile[4];
setp.eq.u32 %p0, %r0, 0;
@!%p0 bra DRAWN;
atom.relaxed.gpu.global.add.u32 %r1, [%rd0], 1;
sub.u32 %r1, %r1, 7;
st.shared.u32 [tile], %r1;
DRAWN:
barrier.cta.sync 0;
ld.shared.u32 %r1, [tile];
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd1, %rd0, %rd1;
setp.eq.u32 %p2, %r0, 40;
@%p2 st.global.u32 [%rd1+64], %r1;
bar.sync 1;
@!%p0 bra RELEASED;
fence.acq_rel.gpu;
st.relaxed.gpu.global.u32 [%rd1+128], 1;
RELEASED:
setp.eq.u32 %p1, %r1, 0;
@%p1 bra END;
@!%p0 bra SEEN;
WAIT:
ld.relaxed.gpu.global.u32 %r2, [%rd1+124];
setp.ne.u32 %p3, %r2, 1;
@%p3 bra WAIT;
membar.gl;
SEEN:
barrier.cta.sync 2;
ld.global.u32 %r3, [%rd1+60];
END:",
    grid: 9,
    block: 64,
};

#[test]
fn look_back() {
    LOOK_BACK.is_clean();
    LOOK_BACK.fault(("fence.acq_rel.gpu;", ""), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000040, `out` of 256 bytes at offset 64
          kernel k
          at line 41: ld.global.u32 %r3, [%rd1+60];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 25: @%p2 st.global.u32 [%rd1+64], %r1;
          cta (0, 0, 0), thread (40, 0, 0), warp 1 lane 8
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    LOOK_BACK.fault(("membar.gl;", ""), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000040, `out` of 256 bytes at offset 64
          kernel k
          at line 41: ld.global.u32 %r3, [%rd1+60];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 25: @%p2 st.global.u32 [%rd1+64], %r1;
          cta (0, 0, 0), thread (40, 0, 0), warp 1 lane 8
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    LOOK_BACK.fault(("membar.gl;", "membar.cta;"), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000040, `out` of 256 bytes at offset 64
          kernel k
          at line 41: ld.global.u32 %r3, [%rd1+60];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 25: @%p2 st.global.u32 [%rd1+64], %r1;
          cta (0, 0, 0), thread (40, 0, 0), warp 1 lane 8
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    LOOK_BACK.fault(("bar.sync 1;", ""), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000040, `out` of 256 bytes at offset 64
          kernel k
          at line 41: ld.global.u32 %r3, [%rd1+60];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 25: @%p2 st.global.u32 [%rd1+64], %r1;
          cta (0, 0, 0), thread (40, 0, 0), warp 1 lane 8
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    LOOK_BACK.fault(("barrier.cta.sync 2;", ""), &["uninitialised"], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000040, `out` of 256 bytes at offset 64
          kernel k
          at line 41: ld.global.u32 %r3, [%rd1+60];
          cta (1, 0, 0), thread (1, 0, 0), warp 0 lane 1
          against line 25: @%p2 st.global.u32 [%rd1+64], %r1;
          cta (0, 0, 0), thread (40, 0, 0), warp 1 lane 8
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    LOOK_BACK.fault(("st.relaxed.gpu.global.u32 [%rd1+128], 1;", "st.global.u32 [%rd1+128], 1;"), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000080, `out` of 256 bytes at offset 128
          kernel k
          at line 35: ld.relaxed.gpu.global.u32 %r2, [%rd1+124];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 29: st.global.u32 [%rd1+128], 1;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
}
