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
    TILE.fault(("setp.lt.u32 %p2, %r0, 64", "setp.lt.u32 %p2, %r0, 16"), &[], &expect![[""]]);
}

#[test]
fn a_part_of_a_warp_has_ended() {
    let to = "setp.ge.u32 %p3, %r0, 30;\n@%p3 exit;\nldmatrix.sync.aligned.m8n8.x4";
    TILE.fault(("ldmatrix.sync.aligned.m8n8.x4", to), &[], &expect![[""]]);
}

#[test]
fn a_guard_leaves_lanes_out() {
    TILE.fault(("mma.sync", "setp.gt.u32 %p3, %r0, 3;\n@%p3 mma.sync"), &[], &expect![[""]]);
}

#[test]
fn a_warp_is_not_whole() {
    let short = Sound { block: 20, ..TILE };
    // Only the barriers of this text name all lanes; they are given the lanes that there are.
    let body: &'static str = Box::leak(TILE.body.replace("bar.warp.sync -1", "bar.warp.sync 0xfffff").into());
    let short = Sound { body, ..short };
    short.fault(("setp.lt.u32 %p1, %r0, 64", "setp.lt.u32 %p1, %r0, 65"), &[], &expect![[""]]);
}

#[test]
fn a_row_is_misaligned() {
    TILE.fault(("{%r4, %r5, %r6, %r7}, [%r2];", "{%r4, %r5, %r6, %r7}, [%r2+8];"), &[], &expect![[""]]);
}

#[test]
fn a_row_is_uninitialised() {
    TILE.fault(("setp.lt.u32 %p1, %r0, 64", "setp.lt.u32 %p1, %r0, 29"), &[], &expect![[""]]);
}

#[test]
fn a_row_is_out_of_bounds() {
    TILE.fault(("{%r4, %r5, %r6, %r7}, [%r2];", "{%r4, %r5, %r6, %r7}, [%r2+16];"), &[], &expect![[""]]);
}

#[test]
fn a_row_is_loaded_without_a_barrier() {
    let from = "{%r0, %r0, %r0, %r0};\nbar.warp.sync -1;";
    let to = "{%r0, %r0, %r0, %r0};\nxor.b32 %r2, %r2, 16;";
    TILE.fault((from, to), &[], &expect![[""]]);
}

#[test]
fn a_row_is_stored_without_a_barrier() {
    let from = "bar.warp.sync -1;\nld.shared.b32 %r11, [%r2];";
    TILE.fault((from, "xor.b32 %r2, %r2, 16;\nld.shared.b32 %r11, [%r2];"), &[], &expect![[""]]);
}
