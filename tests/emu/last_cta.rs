//! The last CTA of a grid adds up what the others stored: sequentially consistent fences of all threads, with a barrier
//! between each fence and the thread that counts its CTA in.

use expect_test::expect;

use crate::faults::Sound;

/// Two CTAs of 16 threads; the counter is the last word, and holds 7 at first.
const LAST: Sound = Sound {
    body: ".shared .align 4 .b8 last[4];
shl.b32 %r1, %r9, 4;
add.u32 %r1, %r1, %r0;
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd1, %rd0, %rd1;
st.global.u32 [%rd1], %r0;
membar.gl;
bar.sync 0;
setp.ne.u32 %p0, %r0, 0;
@%p0 bra COUNTED;
atom.global.add.u32 %r2, [%rd0+252], 1;
st.shared.u32 [last], %r2;
COUNTED:
bar.sync 0;
ld.shared.u32 %r2, [last];
setp.ne.u32 %p0, %r2, 8;
@%p0 ret;
fence.sc.gpu;
mul.wide.u32 %rd2, %r0, 4;
add.u64 %rd2, %rd0, %rd2;
ld.global.u32 %r3, [%rd2];
ld.global.u32 %r4, [%rd2+64];
add.u32 %r3, %r3, %r4;
st.global.u32 [%rd2+128], %r3;",
    grid: 2,
    block: 16,
};

#[test]
fn fences_in_one_order_reach_across_barriers() {
    LAST.is_clean();
    // The other kinds of fence order only what their own thread stores and reads after them.
    LAST.fault(("membar.gl;", "fence.acq_rel.gpu;"), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000004, `out` of 256 bytes at offset 4
          kernel k
          at line 33: ld.global.u32 %r3, [%rd2];
          cta (1, 0, 0), thread (1, 0, 0), warp 0 lane 1
          against line 18: st.global.u32 [%rd1], %r0;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    LAST.fault(("membar.gl;", "membar.cta;"), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 33: ld.global.u32 %r3, [%rd2];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 18: st.global.u32 [%rd1], %r0;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    LAST.fault(("fence.sc.gpu;", "fence.acq_rel.gpu;"), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000004, `out` of 256 bytes at offset 4
          kernel k
          at line 33: ld.global.u32 %r3, [%rd2];
          cta (1, 0, 0), thread (1, 0, 0), warp 0 lane 1
          against line 18: st.global.u32 [%rd1], %r0;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    LAST.fault(("fence.sc.gpu;", ""), &[], &expect![[r#"
        race: a read after a write, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: load of 4 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 33: ld.global.u32 %r3, [%rd2];
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 18: st.global.u32 [%rd1], %r0;
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
    // Nothing says that the other CTA is there already.
    LAST.fault(("setp.ne.u32 %p0, %r2, 8;", "setp.ne.u32 %p0, %r2, 7;"), &[], &expect![[r#"
        race: a write after a read, and no release and acquire by atomic accesses lie between them, and CTAs have no barrier: store of 4 bytes at global address 0x200000040, `out` of 256 bytes at offset 64
          kernel k
          at line 18: st.global.u32 [%rd1], %r0;
          cta (1, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 34: ld.global.u32 %r4, [%rd2+64];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, acquire (or an atomic load and a fence) in the other"#]]);
}
