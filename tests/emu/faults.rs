//! Planted faults: sound kernels, and one edit each after which the emulator has to say what is wrong, exactly.
//!
//! A sound text runs under every schedule without a finding: the sanitizer reports nothing that isn't there. The edited
//! one is held against its whole message in the default schedule; under adversarial ones another pair of threads may
//! be met first, so that there the kind of finding is what is held against.

use expect_test::{Expect, expect};
use warpsmith::ptx::emu::{Config, Finding, GlobalMemory, Schedule, launch};

use crate::rig::{Params, bytes, kernel, program};

/// A kernel: its body, with `%rd0` at an output of 64 words that hold 7, `%r0` the thread and `%r9` the CTA.
struct Sound {
    body: &'static str,
    grid: u32,
    block: u32,
}

impl Sound {
    fn run(&self, body: &str, schedule: Schedule, workers: usize) -> Result<(), Box<Finding>> {
        let text = kernel(
            ".param .u64 p_out",
            &format!(
                "ld.param.u64 %rd0, [p_out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r9, %ctaid.x;\n{body}\nret;"
            ),
        );
        let program = program(&text);
        let mut memory = GlobalMemory::new();
        let out = memory.allocate_with("out", &bytes(&[7; 64]));
        let config = Config { schedule, workers, step_budget: 20_000, ..Config::default() };
        launch(&program, &Params::default().u64(out).launch(self.grid, self.block), &mut memory, &config)
            .map(|_| ())
    }

    /// Nothing is found in it, in whatever order it runs.
    fn is_clean(&self) {
        for schedule in schedules() {
            for workers in [1, 2] {
                if let Err(finding) = self.run(self.body, schedule, workers) {
                    panic!("{schedule:?}, {workers} workers: {finding}\n{}", self.body);
                }
            }
        }
    }

    /// Another text in place of one says what is expected; other schedules may say `also` instead.
    fn fault(&self, (from, to): (&str, &str), also: &[&str], expected: &Expect) {
        assert_eq!(self.body.matches(from).count(), 1, "`{from}` names one place in\n{}", self.body);
        let body = self.body.replace(from, to);
        let first = self.run(&body, Schedule::Default, 1).expect_err("nothing was found");
        expected.assert_eq(&first.to_string());
        let kind = |finding: &Finding| {
            let text = finding.kind.to_string();
            text.split([':', ' ']).next().unwrap_or_default().to_owned()
        };
        let mut kinds = vec![kind(&first)];
        kinds.extend(also.iter().map(|&kind| kind.to_owned()));
        for schedule in schedules().skip(1) {
            let finding = self.run(&body, schedule, 1).expect_err("nothing was found");
            assert!(kinds.contains(&kind(&finding)), "{schedule:?}: {finding}");
            assert!(finding.site.is_some_and(|site| site.line > 12), "the place is in the body");
        }
    }
}

fn schedules() -> impl Iterator<Item = Schedule> {
    std::iter::once(Schedule::Default).chain((1..7).map(Schedule::Adversarial))
}

/// Lanes of a warp exchange words through shared memory, in place.
const IN_WARP: Sound = Sound {
    body: ".shared .align 4 .b8 tile[128];
mov.u32 %r1, tile;
shl.b32 %r2, %r0, 2;
add.u32 %r2, %r1, %r2;
st.shared.u32 [%r2], %r0;
bar.warp.sync 0xffffffff;
xor.b32 %r3, %r0, 1;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
ld.shared.u32 %r4, [%r3];
bar.warp.sync -1;
st.shared.u32 [%r2], %r4;",
    grid: 1,
    block: 32,
};

#[test]
fn warp_exchange() {
    IN_WARP.is_clean();
    IN_WARP.fault(("bar.warp.sync 0xffffffff;", ""), &["uninitialised"], &expect![[r#"
        race: a read after a write, and no warp barrier lies between them: load of 4 bytes at shared address 0x404, `tile` of 128 bytes at offset 4
          kernel k
          at line 22: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 17: st.shared.u32 [%r2], %r0;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
    IN_WARP.fault(("bar.warp.sync -1;", ""), &[], &expect![[r#"
        race: a write after a read, and no warp barrier lies between them: store of 4 bytes at shared address 0x400, `tile` of 128 bytes at offset 0
          kernel k
          at line 24: st.shared.u32 [%r2], %r4;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 22: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
    // A vote brings the lanes together, but orders no memory; nor does a shuffle.
    IN_WARP.fault(
        ("bar.warp.sync -1;", "vote.sync.ballot.b32 %r5, %p0, 0xffffffff;"),
        &[],
        &expect![[r#"
            race: a write after a read, and no warp barrier lies between them: store of 4 bytes at shared address 0x400, `tile` of 128 bytes at offset 0
              kernel k
              at line 24: st.shared.u32 [%r2], %r4;
              cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
              against line 22: ld.shared.u32 %r4, [%r3];
              cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
              help: put a warp barrier that names both lanes between the accesses"#]],
    );
    IN_WARP.fault(
        ("bar.warp.sync -1;", "shfl.sync.idx.b32 %r5, %r4, 0, 0x1f, 0xffffffff;"),
        &[],
        &expect![[r#"
            race: a write after a read, and no warp barrier lies between them: store of 4 bytes at shared address 0x400, `tile` of 128 bytes at offset 0
              kernel k
              at line 24: st.shared.u32 [%r2], %r4;
              cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
              against line 22: ld.shared.u32 %r4, [%r3];
              cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
              help: put a warp barrier that names both lanes between the accesses"#]],
    );
    // Two lanes store different bits to one word.
    IN_WARP.fault(("st.shared.u32 [%r2], %r4;", "st.shared.u32 [tile], %r4;"), &[], &expect![[r#"
        race: a write after a write, and lanes of one store write different bits: store of 4 bytes at shared address 0x400, `tile` of 128 bytes at offset 0
          kernel k
          at line 24: st.shared.u32 [tile], %r4;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          against line 24: st.shared.u32 [tile], %r4;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: let one lane store, or all of them the same bits"#]]);
    // The same bits are no race.
    let same = IN_WARP.body.replace("st.shared.u32 [%r2], %r4;", "st.shared.u32 [tile], %r9;");
    assert_eq!(IN_WARP.run(&same, Schedule::Default, 1), Ok(()));
}

#[test]
fn wrong_masks() {
    IN_WARP.fault(
        ("bar.warp.sync 0xffffffff;", "bar.warp.sync 0x7fffffff;"),
        &["race"],
        &expect![[r#"
        lane outside its own mask 0x7fffffff
          kernel k
          at line 18: bar.warp.sync 0x7fffffff;
          cta (0, 0, 0), thread (31, 0, 0)
          help: compute the mask with a ballot before the branch, of lanes that exist"#]],
    );
    let partial = Sound { block: 16, body: "bar.warp.sync 0x0000ffff;", ..IN_WARP };
    partial.is_clean();
    partial.fault(
        ("0x0000ffff", "0xffffffff"),
        &[],
        &expect![[r#"
        mask 0xffffffff names absent lanes 0xffff0000
          kernel k
          at line 13: bar.warp.sync 0xffffffff;
          cta (0, 0, 0), thread (0, 0, 0)
          help: compute the mask with a ballot before the branch, of lanes that exist"#]],
    );
    let ended = Sound { body: "setp.ge.u32 %p0, %r0, 16;\n@%p0 ret;\nbar.warp.sync 0x0000ffff;", ..IN_WARP };
    ended.is_clean();
    ended.fault(
        ("0x0000ffff", "0xffffffff"),
        &[],
        &expect![[r#"
        mask 0xffffffff names lanes 0xffff0000, which have ended
          kernel k
          at line 15: bar.warp.sync 0xffffffff;
          cta (0, 0, 0), thread (0, 0, 0)
          help: compute the mask with a ballot before the branch, of lanes that exist"#]],
    );
    let inactive = Sound {
        body: "setp.ge.u32 %p0, %r0, 8;\n@%p0 bra END;\nshfl.sync.idx.b32 %r1, %r0, 7, 0x1f, 0xff;\nEND:",
        ..IN_WARP
    };
    inactive.is_clean();
    inactive.fault(
        ("%r0, 7,", "%r0, 9,"),
        &[],
        &expect![[r#"
        shuffle reads from inactive lane 9
          kernel k
          at line 15: shfl.sync.idx.b32 %r1, %r0, 9, 31, 255;
          cta (0, 0, 0), thread (0, 0, 0)
          help: read from lanes of the mask only"#]],
    );
    let halves = Sound {
        body: "setp.ge.u32 %p0, %r0, 16;\n@%p0 bra HIGH;\nbar.warp.sync 0x0000ffff;\nbra END;\nHIGH:\n\
               bar.warp.sync 0xffff0000;\nEND:",
        ..IN_WARP
    };
    halves.is_clean();
    halves.fault(
        ("0x0000ffff", "0x0001ffff"),
        &[],
        &expect![[r#"
        mask 0x0001ffff names lanes 0x00010000, which have ended
          kernel k
          at line 15: bar.warp.sync 0x1ffff;
          cta (0, 0, 0), thread (0, 0, 0)
          help: compute the mask with a ballot before the branch, of lanes that exist"#]],
    );
    halves.fault(
        ("bar.warp.sync 0x0000ffff", "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1"),
        &[],
        &expect![[r#"
        mask 0xffffffff names lanes 0xffff0000, which have ended
          kernel k
          at line 15: shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;
          cta (0, 0, 0), thread (0, 0, 0)
          help: compute the mask with a ballot before the branch, of lanes that exist"#]],
    );
}

/// Quarters of a warp exchange words, each by a barrier of its own.
const QUARTERS: Sound = Sound {
    body: ".shared .align 4 .b8 tile[128];
mov.u32 %r1, tile;
shl.b32 %r2, %r0, 2;
add.u32 %r2, %r1, %r2;
and.b32 %r5, %r0, 24;
mov.u32 %r6, 255;
shl.b32 %r6, %r6, %r5;
st.shared.u32 [%r2], %r0;
bar.warp.sync %r6;
xor.b32 %r3, %r0, 7;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
ld.shared.u32 %r4, [%r3];",
    grid: 1,
    block: 32,
};

#[test]
fn a_barrier_of_a_part_of_a_warp_orders_that_part() {
    QUARTERS.is_clean();
    QUARTERS.fault(("xor.b32 %r3, %r0, 7;", "xor.b32 %r3, %r0, 8;"), &["uninitialised"], &expect![[r#"
        race: a read after a write, and no warp barrier lies between them: load of 4 bytes at shared address 0x420, `tile` of 128 bytes at offset 32
          kernel k
          at line 25: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 20: st.shared.u32 [%r2], %r0;
          cta (0, 0, 0), thread (8, 0, 0), warp 0 lane 8
          help: put a warp barrier that names both lanes between the accesses"#]]);
}

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
          help: write the bytes before they are read, or give the buffer contents"#]],
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
        race: a write after a write, and lanes of one store write different bits: store of 1 bytes at shared address 0x405, `tile` of 96 bytes at offset 5
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
          help: write the bytes before they are read, or give the buffer contents"#]],
    );
    PLACES.fault(
        ("st.shared.u32 [%r2], %r0;", "st.shared.u32 [%r2+4], %r0;"),
        &["out"],
        &expect![[r#"
        uninitialised: load of 4 bytes at shared address 0x400, `tile` of 256 bytes at offset 0
          kernel k
          at line 19: ld.shared.u32 %r3, [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: write the bytes before they are read, or give the buffer contents"#]],
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
        ..IN_WARP
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
          help: look for a loop that never ends, or raise the step budget"#]],
    );
    // A lane waits for a flag that no one raises.
    let spin = Sound {
        body: "L:\nld.relaxed.gpu.global.u32 %r1, [%rd0];\nsetp.ne.u32 %p0, %r1, 7;\n@%p0 bra L;",
        ..IN_WARP
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
          help: look for a loop that never ends, or raise the step budget"#]],
    );
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
            race: a write after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: atomic of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
              kernel k
              at line 20: red.relaxed.cta.global.add.u32 [%rd0], %r2;
              cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
              against line 20: red.relaxed.cta.global.add.u32 [%rd0], %r2;
              cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
              help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]],
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
