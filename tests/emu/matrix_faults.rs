//! Planted faults around matrix instructions: a sound kernel, and one edit after which the finding is exact.

use expect_test::expect;

use crate::faults::Sound;

/// A warp fills a tile, loads it as matrices and multiplies.
const TILE: Sound = Sound {
    body: "
.shared .align 16 .b8 tile[512];
mov.u32 %r1, tile;
shl.b32 %r2, %r0, 4;
add.u32 %r2, %r2, %r1;
setp.lt.u32 %p1, %r0, 64;
@%p1 st.shared.v4.b32 [%r2], {%r0, %r0, %r0, %r0};
bar.warp.sync -1;
setp.lt.u32 %p2, %r0, 64;
@!%p2 bra $L_after;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2];
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r8, %r10}, {%r4, %r5, %r6, %r7}, {%r4, %r5}, {%r8, %r10};
bar.warp.sync -1;
stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r2], {%r8, %r10};
$L_after:
bar.warp.sync -1;
ld.shared.b32 %r11, [%r2];
movmatrix.sync.aligned.m8n8.trans.b16 %r11, %r11;
",
    grid: 1,
    block: 32,
};

#[test]
fn the_kernel_is_sound() {
    TILE.is_clean();
}

#[test]
fn a_part_of_a_warp_multiplies() {
    TILE.fault(("setp.lt.u32 %p2, %r0, 64", "setp.lt.u32 %p2, %r0, 16"), &[], &expect![[r#"
        a part of a warp executes what all its lanes must: lanes 0x0000ffff are here, lanes 0xffff0000 are at line 28: bar.warp.sync -1;
          kernel k
          at line 23: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: execute it with all 32 lanes: hoist it out of the branch, and guard loads instead"#]]);
}

#[test]
fn a_part_of_a_warp_has_ended() {
    let to = "setp.ge.u32 %p3, %r0, 30;\n@%p3 exit;\nldmatrix.sync.aligned.m8n8.x4";
    TILE.fault(("ldmatrix.sync.aligned.m8n8.x4", to), &[], &expect![[r#"
        a part of a warp executes what all its lanes must: lanes 0x3fffffff are here, lanes 0xc0000000 have ended
          kernel k
          at line 25: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: execute it with all 32 lanes: hoist it out of the branch, and guard loads instead"#]]);
}

#[test]
fn a_guard_leaves_lanes_out() {
    TILE.fault(("mma.sync", "setp.gt.u32 %p3, %r0, 3;\n@%p3 mma.sync"), &[], &expect![[r#"
        a part of a warp executes what all its lanes must: lanes 0xfffffff0 are here, lanes 0x0000000f are at line 26: bar.warp.sync -1;
          kernel k
          at line 25: @%p3 mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r8, %r10}, {%r4, %r5, %r6, %r7}, {%r4, %r5}, {%r8, %r10};
          cta (0, 0, 0), thread (4, 0, 0)
          help: execute it with all 32 lanes: hoist it out of the branch, and guard loads instead"#]]);
}

#[test]
fn a_warp_is_not_whole() {
    let short = Sound { block: 20, ..TILE };
    // Only the barriers of this text name all lanes; they are given the lanes that there are.
    let body: &'static str = Box::leak(TILE.body.replace("bar.warp.sync -1", "bar.warp.sync 0xfffff").into());
    let short = Sound { body, ..short };
    short.fault(("setp.lt.u32 %p1, %r0, 64", "setp.lt.u32 %p1, %r0, 65"), &[], &expect![[r#"
        a part of a warp executes what all its lanes must: lanes 0x000fffff are here, lanes 0xfff00000 do not exist
          kernel k
          at line 23: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: execute it with all 32 lanes: hoist it out of the branch, and guard loads instead"#]]);
}

#[test]
fn a_row_is_misaligned() {
    TILE.fault(
        ("{%r4, %r5, %r6, %r7}, [%r2];", "{%r4, %r5, %r6, %r7}, [%r2+8];"),
        &[],
        &expect![[r#"
        misaligned: load of 16 bytes at shared address 0x408, `tile` of 512 bytes at offset 8
          kernel k
          at line 23: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2+8];
          cta (0, 0, 0), thread (0, 0, 0)
          help: use a narrower access, or align pointer and pitch to the vector"#]],
    );
}

#[test]
fn a_row_is_uninitialised() {
    TILE.fault(
        ("setp.lt.u32 %p1, %r0, 64", "setp.lt.u32 %p1, %r0, 29"),
        &[],
        &expect![[r#"
        uninitialised: load of 16 bytes at shared address 0x5d0, `tile` of 512 bytes at offset 464
          kernel k
          at line 23: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2];
          cta (0, 0, 0), thread (29, 0, 0)
          help: write the bytes before they are read, with a barrier between if another thread does, or give the buffer contents"#]],
    );
}

#[test]
fn a_row_is_out_of_bounds() {
    TILE.fault(
        ("{%r4, %r5, %r6, %r7}, [%r2];", "{%r4, %r5, %r6, %r7}, [%r2+16];"),
        &[],
        &expect![[r#"
        out of bounds: load of 16 bytes at shared address 0x600, `tile` of 512 bytes at offset 512
          kernel k
          at line 23: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2+16];
          cta (0, 0, 0), thread (31, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]],
    );
}

#[test]
fn a_row_is_loaded_without_a_barrier() {
    let from = "{%r0, %r0, %r0, %r0};\nbar.warp.sync -1;";
    let to = "{%r0, %r0, %r0, %r0};\nxor.b32 %r2, %r2, 16;";
    TILE.fault((from, to), &[], &expect![[r#"
        race: a read after a write, and no warp barrier lies between them: load of 16 bytes at shared address 0x410, `tile` of 512 bytes at offset 16
          kernel k
          at line 23: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 19: @%p1 st.shared.v4.b32 [%r2], {%r0, %r0, %r0, %r0};
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
}

#[test]
fn a_row_is_stored_without_a_barrier() {
    let from = "bar.warp.sync -1;\nld.shared.b32 %r11, [%r2];";
    TILE.fault((from, "xor.b32 %r2, %r2, 16;\nld.shared.b32 %r11, [%r2];"), &[], &expect![[r#"
        race: a read after a write, and no warp barrier lies between them: load of 4 bytes at shared address 0x410, `tile` of 512 bytes at offset 16
          kernel k
          at line 29: ld.shared.b32 %r11, [%r2];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 26: stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r2], {%r8, %r10};
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
}
