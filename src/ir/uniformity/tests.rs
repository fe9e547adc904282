//! Levels of values and of control, by name, under different assumptions.

use super::*;
use crate::ir::parse::parse;

const CLASS: LaunchClass = LaunchClass {
    mode: Mode::Reduction,
    cta: Some([128, 1, 1]),
    extent: ExtentKind::Whole,
    align: 16,
    grid: crate::ir::launch::GridForm::Native,
};

fn kernel(body: &str) -> Kernel {
    parse(&format!("kernel @k(x: global u32, mut y: global u32, n: u32) {{ {body} }}")).unwrap()
}

/// The level of the value that the source calls by that name.
fn level(kernel: &Kernel, class: &LaunchClass, name: &str) -> Level {
    let named = kernel.values.iter().find(|(_, value)| value.name.as_deref() == Some(name));
    Uniformity::of(kernel, Some(class)).value(named.unwrap().0)
}

#[test]
fn geometry_memory_and_arithmetic() {
    let kernel = kernel(
        "v0:tid = thread_id.x v1:n = scalar n v2:at = add v0, v1 v3:twice = add v0, v0 v4:same = load x[v1]
         v5:own = load x[v0] v6:written = load y[v1] v7:warp = shr v0, 5 v8:quad = shr v0, 2 v9:block = cta_id.x
         v10:wide = cvt.u64 v0 v11:lane = lane_id v12:row = thread_id.y v13:half = div v0, 64",
    );
    for (name, want) in [
        ("tid", Level::Varying),
        ("n", Level::Cta),
        ("at", Level::Varying),
        ("twice", Level::Unknown),
        ("same", Level::Cta),
        ("own", Level::Unknown),
        ("written", Level::Unknown),
        ("warp", Level::Warp),
        ("quad", Level::Unknown),
        ("block", Level::Cta),
        ("wide", Level::Varying),
        ("lane", Level::Varying),
        ("row", Level::Cta),
        ("half", Level::Warp),
    ] {
        assert_eq!(level(&kernel, &CLASS, name), want, "{name}");
    }
    // Threads beyond an extent load 0, and in CTAs of unknown shape a row is anything.
    let cut = LaunchClass { extent: ExtentKind::Axes, ..CLASS };
    assert_eq!(level(&kernel, &cut, "same"), Level::Unknown);
    let any = LaunchClass { cta: None, ..CLASS };
    assert_eq!(level(&kernel, &any, "warp"), Level::Unknown);
    assert_eq!(level(&kernel, &any, "row"), Level::Varying);
    // In one warp the warp is the CTA; one thread agrees with itself about anything.
    let warp = LaunchClass { cta: Some([32, 1, 1]), ..CLASS };
    assert_eq!(level(&kernel, &warp, "warp"), Level::Cta);
    let one = LaunchClass { cta: Some([1, 1, 1]), ..CLASS };
    assert_eq!(level(&kernel, &one, "own"), Level::Cta);
}

#[test]
fn warp_operations_agree_within_their_warp() {
    let kernel = kernel(
        "v0 = thread_id.x v1 = load x[v0] v2:sum = warp_reduce.sum v1 v3:first = shuffle.idx v1, 0
         v4:next = shuffle.down v1, 1 v5 = scalar n v6:copy = shuffle.xor v5, 1 v7 = gt v1, 3
         if v7 { v8:parted = warp_reduce.sum v1 } else { }",
    );
    for (name, want) in [
        ("sum", Level::Warp),
        ("first", Level::Warp),
        ("next", Level::Unknown),
        ("copy", Level::Cta),
        // The lanes that meet there are those that take part.
        ("parted", Level::Warp),
    ] {
        assert_eq!(level(&kernel, &CLASS, name), want, "{name}");
    }
}

#[test]
fn locals_take_the_control_they_are_written_under() {
    let kernel = kernel(
        "local l0: u32 local l1: u32 local l2: u32
         v0 = thread_id.x v1 = scalar n v2 = load x[v0] v3 = gt v2, 3 v4 = lt v1, 3
         set l0, v1 set l1, v1 set l2, v1
         if v3 { set l0, 7 } else { }
         if v4 { set l1, 7 } else { }
         v5:parted = get l0 v6:whole = get l1
         loop { v7:late = get l2 v8 = gt v7, 9 if v8 { break } else { } v9 = add v7, v2 set l2, v9 }",
    );
    assert_eq!(level(&kernel, &CLASS, "parted"), Level::Unknown);
    assert_eq!(level(&kernel, &CLASS, "whole"), Level::Cta);
    // What the loop's end adds is read at its beginning one iteration later.
    assert_eq!(level(&kernel, &CLASS, "late"), Level::Unknown);
}

#[test]
fn control_of_loops_is_that_of_their_bounds_and_exits() {
    let body_of = |kernel: &Kernel| {
        let mut last = kernel.body;
        kernel.walk(kernel.body, &mut |_, inst| {
            if let Op::For(For { body, .. }) | Op::Loop(Loop { body }) = &inst.op {
                last = *body;
            }
        });
        Uniformity::of(kernel, Some(&CLASS)).control(last)
    };
    let uniform = kernel("v0 = scalar n for v1: u32 = 0 to v0 step 1 unroll 1 { cta_barrier }");
    assert_eq!(body_of(&uniform), Level::Cta);
    let warp = kernel("v0 = warp_id v2 = scalar n for v1: u32 = v0 to v2 step 4 unroll 1 { cta_barrier }");
    assert_eq!(body_of(&warp), Level::Warp);
    let thread = kernel("v0 = thread_id.x v2 = scalar n for v1: u32 = v0 to v2 step 128 unroll 1 { }");
    assert_eq!(body_of(&thread), Level::Unknown);
    let exit = kernel(
        "v0 = thread_id.x v1 = load x[v0] v2 = gt v1, 3
         for v3: u32 = 0 to 9 step 1 unroll 1 { if v2 { break } else { } }",
    );
    assert_eq!(body_of(&exit), Level::Unknown);
    let level_exit = kernel("v0 = scalar n v2 = gt v0, 3 loop { if v2 { break } else { } }");
    assert_eq!(body_of(&level_exit), Level::Cta);
}
