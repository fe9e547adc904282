//! Planted faults: sound kernels, and one edit each after which the emulator has to say what is wrong, exactly.
//!
//! A sound text runs under every schedule without a finding: the sanitizer reports nothing that isn't there. The edited
//! one is held against its whole message in the default schedule; under adversarial ones another pair of threads may
//! be met first, so that there the kind of finding is what is held against.

use expect_test::{Expect, expect};
use warpsmith::ptx::emu::{Config, Finding, GlobalMemory, Schedule, launch};

use crate::rig::{Params, bytes, kernel, program};

/// A kernel: its body, with `%rd0` at an output of 64 words that hold 7, `%r0` the thread and `%r9` the CTA.
#[derive(Clone, Copy)]
pub(crate) struct Sound {
    pub(crate) body: &'static str,
    pub(crate) grid: u32,
    pub(crate) block: u32,
}

impl Sound {
    pub(crate) fn run(&self, body: &str, schedule: Schedule, workers: usize) -> Result<(), Box<Finding>> {
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
    pub(crate) fn is_clean(&self) {
        for schedule in schedules() {
            for workers in [1, 2] {
                if let Err(finding) = self.run(self.body, schedule, workers) {
                    panic!("{schedule:?}, {workers} workers: {finding}\n{}", self.body);
                }
            }
        }
    }

    /// Another text in place of one says what is expected; other schedules may say `also` instead.
    pub(crate) fn fault(&self, (from, to): (&str, &str), also: &[&str], expected: &Expect) {
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
