//! Planted faults between the warps of a CTA, and at single accesses.

use expect_test::expect;

use crate::faults::Sound;

/// Warps of a CTA exchange words through shared memory, in place.
const IN_CTA: Sound = Sound {
    body: ".shared .align 4 .b8 tile[256];
mov.u32 %r1, tile;
shl.b32 %r2, %r0, 2;
add.u32 %r2, %r1, %r2;
st.shared.u32 [%r2], %r0;
bar.sync 0;
xor.b32 %r3, %r0, 63;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
ld.shared.u32 %r4, [%r3];
barrier.cta.sync.aligned 0;
st.shared.u32 [%r2], %r4;",
    grid: 2,
    block: 64,
};

#[test]
fn cta_exchange() {
    IN_CTA.is_clean();
    IN_CTA.fault(
        ("bar.sync 0;", ""),
        &["race"],
        &expect![[r#"
        uninitialised: load of 4 bytes at shared address 0x4fc, `tile` of 256 bytes at offset 252
          kernel k
          at line 22: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (0, 0, 0)
          help: write the bytes before they are read, with a barrier between if another thread does, or give the buffer contents"#]],
    );
    IN_CTA.fault(("barrier.cta.sync.aligned 0;", ""), &[], &expect![[r#"
        race: a read after a write, and no CTA barrier lies between them: load of 4 bytes at shared address 0x47c, `tile` of 256 bytes at offset 124
          kernel k
          at line 22: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (32, 0, 0), warp 1 lane 0
          against line 24: st.shared.u32 [%r2], %r4;
          cta (0, 0, 0), thread (31, 0, 0), warp 0 lane 31
          help: put a CTA barrier between the accesses"#]]);
    IN_CTA.fault(("barrier.cta.sync.aligned 0;", "bar.warp.sync 0xffffffff;"), &[], &expect![[r#"
        race: a read after a write, and no CTA barrier lies between them: load of 4 bytes at shared address 0x47c, `tile` of 256 bytes at offset 124
          kernel k
          at line 22: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (32, 0, 0), warp 1 lane 0
          against line 24: st.shared.u32 [%r2], %r4;
          cta (0, 0, 0), thread (31, 0, 0), warp 0 lane 31
          help: put a CTA barrier between the accesses"#]]);
    // Barriers with counts are barriers too.
    let counted = IN_CTA.body.replace("bar.sync 0;", "bar.sync 3, 64;");
    Sound { body: String::leak(counted), ..IN_CTA }.is_clean();
    let divergent = "setp.lt.u32 %p0, %r0, 40;\n@%p0 bar.sync 0;";
    IN_CTA.fault(("bar.sync 0;", divergent), &["race", "uninitialised"], &expect![[r#"
        race: a read after a write, and no CTA barrier lies between them: load of 4 bytes at shared address 0x45c, `tile` of 256 bytes at offset 92
          kernel k
          at line 23: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (40, 0, 0), warp 1 lane 8
          against line 17: st.shared.u32 [%r2], %r0;
          cta (0, 0, 0), thread (23, 0, 0), warp 0 lane 23
          help: put a CTA barrier between the accesses"#]]);
    let early = "setp.eq.u32 %p0, %r0, 50;\n@%p0 ret;\nbar.sync 0;";
    IN_CTA.fault(
        ("bar.sync 0;", early),
        &[],
        &expect![[r#"
        barrier divergence: 63 of 64 threads reach this barrier, thread (50, 0, 0) has ended
          kernel k
          at line 20: bar.sync 0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: hoist the barrier out of the branch, so that every thread reaches the same one"#]],
    );
    let early = "setp.ge.u32 %p0, %r0, 32;\n@%p0 ret;\nbar.sync 0;";
    IN_CTA.fault(
        ("bar.sync 0;", early),
        &[],
        &expect![[r#"
        barrier divergence: 32 of 64 threads reach this barrier, thread (32, 0, 0) has ended
          kernel k
          at line 20: bar.sync 0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: hoist the barrier out of the branch, so that every thread reaches the same one"#]],
    );
}

/// A barrier in each of two warps.
const TWO_SITES: Sound = Sound {
    body: "setp.lt.u32 %p0, %r0, 32;\n@%p0 bra LOW;\nbar.sync 1, 64;\nbra END;\nLOW:\nbar.sync\t1, 64;\nEND:",
    grid: 1,
    block: 64,
};

#[test]
fn barriers_that_do_not_match() {
    TWO_SITES.is_clean();
    TWO_SITES.fault(
        ("bar.sync 1, 64;", "bar.sync 1, 96;"),
        &[],
        &expect![[r#"
        barrier 1 is waited for by 96 threads here, and by 64 at line 18: bar.sync 1, 64;
          kernel k
          at line 15: bar.sync 1, 96;
          cta (0, 0, 0), thread (32, 0, 0)
          help: let all threads of a barrier give the same count"#]],
    );
    TWO_SITES.fault(
        ("bar.sync 1, 64;", "bar.sync 2, 64;"),
        &[],
        &expect![[r#"
        deadlock: 64 threads wait for what no thread will do
          kernel k
          at line 18: bar.sync 1, 64;
          cta (0, 0, 0), thread (0, 0, 0)
          32 threads at line 15: bar.sync 2, 64;
          32 threads at line 18: bar.sync 1, 64;
          help: let every thread that a barrier counts reach it"#]],
    );
    TWO_SITES.fault(
        ("bar.sync 1, 64;", "bar.sync 1;"),
        &[],
        &expect![[r#"
        barrier 1 is waited for by 0 threads here, and by 64 at line 18: bar.sync 1, 64;
          kernel k
          at line 15: bar.sync 1;
          cta (0, 0, 0), thread (32, 0, 0)
          help: let all threads of a barrier give the same count"#]],
    );
    TWO_SITES.fault(
        ("bar.sync 1, 64;", "mov.u32 %r1, 17;\nbar.sync %r1, 64;"),
        &[],
        &expect![[r#"
        barrier 17 with 64 threads
          kernel k
          at line 16: bar.sync %r1, 64;
          cta (0, 0, 0), thread (32, 0, 0)
          help: barriers are 0 to 15, counts are multiples of 32"#]],
    );
}

/// A sum over two warps, twice, through one scratch.
const SCRATCH: Sound = Sound {
    body: ".shared .align 4 .b8 scratch[8];
mov.u32 %r1, 0;
and.b32 %r2, %r0, 31;
setp.eq.u32 %p0, %r2, 0;
shr.u32 %r3, %r0, 5;
shl.b32 %r3, %r3, 2;
mov.u32 %r4, scratch;
add.u32 %r3, %r4, %r3;
LOOP:
add.u32 %r5, %r0, %r1;
@%p0 st.shared.u32 [%r3], %r5;
bar.sync 0;
ld.shared.u32 %r6, [scratch];
ld.shared.u32 %r7, [scratch+4];
bar.sync 1;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 3;
@%p1 bra LOOP;",
    grid: 1,
    block: 64,
};

#[test]
fn scratch_that_is_used_again() {
    SCRATCH.is_clean();
    SCRATCH.fault(("bar.sync 1;", ""), &[], &expect![[r#"
        race: a write after a read, and no warp barrier lies between them: store of 4 bytes at shared address 0x400, `scratch` of 8 bytes at offset 0
          kernel k
          at line 23: @%p0 st.shared.u32 [%r3], %r5;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 25: ld.shared.u32 %r6, [scratch];
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
}

/// A warp that makes and a warp that takes, by a barrier at which the first only arrives.
const PRODUCER: Sound = Sound {
    body: ".shared .align 4 .b8 tile[128];
mov.u32 %r1, tile;
and.b32 %r2, %r0, 31;
shl.b32 %r2, %r2, 2;
add.u32 %r2, %r1, %r2;
setp.ge.u32 %p0, %r0, 32;
@%p0 bra TAKE;
st.shared.u32 [%r2], %r0;
bar.arrive 1, 64;
bra END;
TAKE:
bar.sync 1, 64;
ld.shared.u32 %r4, [%r2];
END:",
    grid: 1,
    block: 64,
};

#[test]
fn producer_and_consumer() {
    PRODUCER.is_clean();
    PRODUCER.fault(("bar.arrive 1, 64;", "bar.arrive 1, 64;\nst.shared.u32 [%r2], %r2;"), &[], &expect![[r#"
        race: a read after a write, and no CTA barrier lies between them: load of 4 bytes at shared address 0x400, `tile` of 128 bytes at offset 0
          kernel k
          at line 26: ld.shared.u32 %r4, [%r2];
          cta (0, 0, 0), thread (32, 0, 0), warp 1 lane 0
          against line 22: st.shared.u32 [%r2], %r2;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: put a CTA barrier between the accesses"#]]);
    PRODUCER.fault(("bar.sync 1, 64;", ""), &["uninitialised", "deadlock"], &expect![[r#"
        race: a read after a write, and no CTA barrier lies between them: load of 4 bytes at shared address 0x400, `tile` of 128 bytes at offset 0
          kernel k
          at line 25: ld.shared.u32 %r4, [%r2];
          cta (0, 0, 0), thread (32, 0, 0), warp 1 lane 0
          against line 20: st.shared.u32 [%r2], %r0;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: put a CTA barrier between the accesses"#]]);
    PRODUCER.fault(
        ("bar.arrive 1, 64;", "bar.arrive 2, 64;"),
        &[],
        &expect![[r#"
        deadlock: 32 threads wait for what no thread will do
          kernel k
          at line 24: bar.sync 1, 64;
          cta (0, 0, 0), thread (32, 0, 0)
          32 threads at line 24: bar.sync 1, 64;
          help: let every thread that a barrier counts reach it"#]],
    );
}

/// Threads store bytes beside each other.
const BYTES: Sound = Sound {
    body: ".shared .align 8 .b8 tile[96];
mov.u32 %r1, tile;
add.u32 %r2, %r1, %r0;
mov.b16 %h0, 3;
st.shared.u8 [%r2], %h0;
bar.sync 0;
shl.b32 %r3, %r0, 2;
setp.ge.u32 %p0, %r0, 16;
add.u32 %r3, %r1, %r3;
@!%p0 ld.shared.u32 %r4, [%r3];
bar.sync 0;
@!%p0 st.shared.u32 [%r3], %r0;",
    grid: 1,
    block: 64,
};

#[test]
fn bytes_of_a_word() {
    BYTES.is_clean();
    BYTES.fault(
        ("st.shared.u8 [%r2], %h0;\nbar.sync 0;", "st.shared.u8 [%r2], %h0;"),
        &["uninitialised"],
        &expect![[r#"
            race: a read after a write, and no warp barrier lies between them: load of 4 bytes at shared address 0x400, `tile` of 96 bytes at offset 0, byte 1
              kernel k
              at line 21: @!%p0 ld.shared.u32 %r4, [%r3];
              cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
              against line 17: st.shared.u8 [%r2], %h0;
              cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
              help: put a warp barrier that names both lanes between the accesses"#]],
    );
    BYTES.fault(("st.shared.u8 [%r2], %h0;", "cvt.u16.u32 %h0, %r0;\nst.shared.u8 [%r1+5], %h0;"), &[], &expect![[r#"
        race: a write after a write, and lanes of one store write different bits: store of 1 byte at shared address 0x405, `tile` of 96 bytes at offset 5
          kernel k
          at line 18: st.shared.u8 [%r1+5], %h0;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          against line 18: st.shared.u8 [%r1+5], %h0;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: let one lane store, or all of them the same bits"#]]);
}

/// Every kind of address, in bounds and written before it is read.
const PLACES: Sound = Sound {
    body: ".shared .align 16 .b8 tile[256];
.local .align 8 .b8 mine[16];
shl.b32 %r1, %r0, 2;
mov.u32 %r2, tile;
add.u32 %r2, %r2, %r1;
st.shared.u32 [%r2], %r0;
ld.shared.u32 %r3, [%r2];
st.local.u32 [mine+4], %r0;
ld.local.u32 %r4, [mine+4];
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd1, %rd0, %rd1;
ld.global.u32 %r5, [%rd1];
ld.global.v2.u32 {%r6, %r7}, [%rd0+8];",
    grid: 1,
    block: 64,
};

#[test]
fn places() {
    PLACES.is_clean();
    PLACES.fault(
        ("st.shared.u32 [%r2], %r0;", ""),
        &[],
        &expect![[r#"
        uninitialised: load of 4 bytes at shared address 0x400, `tile` of 256 bytes at offset 0
          kernel k
          at line 19: ld.shared.u32 %r3, [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: write the bytes before they are read, with a barrier between if another thread does, or give the buffer contents"#]],
    );
    PLACES.fault(
        ("st.shared.u32 [%r2], %r0;", "st.shared.u32 [%r2+4], %r0;"),
        &["out"],
        &expect![[r#"
        uninitialised: load of 4 bytes at shared address 0x400, `tile` of 256 bytes at offset 0
          kernel k
          at line 19: ld.shared.u32 %r3, [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: write the bytes before they are read, with a barrier between if another thread does, or give the buffer contents"#]],
    );
    PLACES.fault(
        ("st.local.u32 [mine+4], %r0;", "st.local.u32 [mine+16], %r0;"),
        &[],
        &expect![[r#"
        out of bounds: store of 4 bytes at local address 0x110, `mine` of 16 bytes at offset 16
          kernel k
          at line 20: st.local.u32 [mine+16], %r0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]],
    );
    PLACES.fault(
        ("ld.global.u32 %r5, [%rd1];", "ld.global.u32 %r5, [%rd1+4];"),
        &[],
        &expect![[r#"
        out of bounds: load of 4 bytes at global address 0x200000100, `out` of 256 bytes at offset 256
          kernel k
          at line 24: ld.global.u32 %r5, [%rd1+4];
          cta (0, 0, 0), thread (63, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]],
    );
    PLACES.fault(
        ("[%rd0+8]", "[%rd0+12]"),
        &[],
        &expect![[r#"
        misaligned: load of 8 bytes at global address 0x20000000c, `out` of 256 bytes at offset 12
          kernel k
          at line 25: ld.global.v2.u32 {%r6, %r7}, [%rd0+12];
          cta (0, 0, 0), thread (0, 0, 0)
          help: use a narrower access, or align pointer and pitch to the vector"#]],
    );
}

#[test]
fn loops_that_do_not_end() {
    let sound = Sound {
        body: "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 9;\n@%p0 bra L;",
        grid: 1,
        block: 32,
    };
    sound.is_clean();
    sound.fault(
        ("add.u32 %r1, %r1, 1;", ""),
        &[],
        &expect![[r#"
            HANG at line 16: no end after 20000 instructions of one CTA
              kernel k
              at line 16: setp.lt.u32 %p0, %r1, 9;
              cta (0, 0, 0), thread (0, 0, 0)
              help: look for a loop that never ends, or raise the step budget (`--steps` of `run` and `sanitize`)"#]],
    );
    // A lane waits for a flag that no one raises.
    let spin = Sound {
        body: "L:\nld.relaxed.gpu.global.u32 %r1, [%rd0];\nsetp.ne.u32 %p0, %r1, 7;\n@%p0 bra L;",
        grid: 1,
        block: 32,
    };
    spin.is_clean();
    spin.fault(
        ("%r1, 7", "%r1, 8"),
        &[],
        &expect![[r#"
            HANG at line 16: no end after 20000 instructions of one CTA
              kernel k
              at line 16: @%p0 bra L;
              cta (0, 0, 0), thread (0, 0, 0)
              help: look for a loop that never ends, or raise the step budget (`--steps` of `run` and `sanitize`)"#]],
    );
}
