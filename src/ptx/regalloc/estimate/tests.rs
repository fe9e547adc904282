//! The facts that the model weighs, on bodies where they are known; the model itself is judged by
//! `tests/register_estimate.rs`.

use super::*;
use crate::ptx::module::parse;

fn features(body: &str) -> Features {
    estimate("", body).features
}

fn estimate(bounds: &str, body: &str) -> Estimate {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u32 n)\n{bounds}\n{{\n\
         .reg .pred %p; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .b32 %f<20>; .shared .b32 tile[64];\n{body}\nret;\n}}\n"
    );
    let module = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    Estimate::of(&module.entries[0])
}

#[test]
fn what_is_read_in_place_costs_nothing() {
    let found = features(
        "ld.param.u64 %rd0, [x];\nmov.u32 %r0, 7;\nmov.u32 %r1, tile;\nmov.u32 %r2, %tid.x;\n\
         st.global.u32 [%rd0], %r2;\nst.shared.u32 [%r1], %r0;",
    );
    assert_eq!((found.pressure, found.uniform), (1.0, 0.0), "only the index of the thread has a register");
}

#[test]
fn what_is_equal_for_the_warp_is_counted_apart() {
    let found = features(
        "ld.param.u64 %rd0, [x];\nmov.u32 %r0, %ctaid.x;\nadd.u32 %r1, %r0, 3;\nmul.wide.u32 %rd1, %r1, 4;\n\
         add.u64 %rd2, %rd0, %rd1;\nmov.u32 %r2, %tid.x;\nst.global.u32 [%rd2], %r2;",
    );
    assert_eq!((found.pressure, found.uniform), (1.0, 2.0));
}

#[test]
fn loads_go_first_unless_something_orders_them() {
    let work = "ld.global.f32 %f0, [%rd0];\nst.shared.f32 [tile], %f0;\nld.global.f32 %f1, [%rd0+4];\n\
                st.shared.f32 [tile+4], %f1;\nld.global.nc.f32 %f2, [%rd0+8];\nst.shared.f32 [tile+8], %f2;";
    let start = "ld.param.u64 %rd0, [x];\n";
    assert_eq!(features(&format!("{start}{work}")).loaded, 3.0);
    // A read-only load passes the stores before it; the others wait for them.
    assert_eq!(features(&format!("{start}{work}")).pressure, 2.0);
    let read_only = work.replace("global.f32", "global.nc.f32");
    assert_eq!(features(&format!("{start}{read_only}")).pressure, 3.0);
    let parted = read_only.replace(";\nld", ";\nbar.sync 0;\nld");
    assert_eq!(features(&format!("{start}{parted}")).pressure, 1.0);
}

#[test]
fn bytes_of_a_vector_stay_packed() {
    let found = features(
        "ld.param.u64 %rd0, [x];\nld.global.v4.u8 {%r0, %r1, %r2, %r3}, [%rd0];\n\
         st.shared.v4.u8 [tile], {%r0, %r1, %r2, %r3};",
    );
    assert_eq!((found.pressure, found.loaded), (1.0, 1.0));
}

#[test]
fn shared_loads_count_in_innermost_loops() {
    let found = features(
        "mov.u32 %r0, 0;\nmov.u32 %r9, %tid.x;\nOUTER:\nld.shared.u32 %r5, [tile];\nmov.u32 %r1, 0;\nINNER:\n\
         ld.shared.v2.u32 {%r2, %r3}, [%r9];\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\n\
         setp.lt.u32 %p, %r1, 9;\n@%p bra INNER;\nadd.u32 %r0, %r0, %r5;\nsetp.lt.u32 %p, %r0, 9;\n@%p bra OUTER;",
    );
    assert_eq!(found.loop_shared, 2.0);
}

#[test]
fn divisions_that_are_routines_are_seen() {
    let found = features("div.rn.f32 %f0, %f1, %f2;\nrem.u64 %rd0, %rd1, %rd2;");
    assert!(found.divides_floats && found.divides_wide);
    let found = features("div.full.f32 %f0, %f1, %f2;\ndiv.u32 %r0, %r1, %r2;");
    assert!(!found.divides_floats && !found.divides_wide);
}

#[test]
fn the_bounds_of_a_launch_are_kept() {
    let mut body = String::from("ld.param.u64 %rd0, [x];\n");
    for register in 0..20 {
        body += &format!("ld.global.nc.f32 %f{register}, [%rd0+{}];\n", 4 * register);
    }
    for register in 0..20 {
        body += &format!("st.global.f32 [%rd0+{}], %f{register};\n", 4 * register);
    }
    let free = estimate("", &body).registers;
    assert!(free > 20, "{free}");
    assert_eq!(estimate(".maxnreg 16", &body).registers, 16);
    assert_eq!(most(&LaunchBounds { required_threads: Some([1024, 1, 1]), ..LaunchBounds::default() }), 64);
    assert_eq!(most(&LaunchBounds { max_threads: Some([256, 2, 1]), ..LaunchBounds::default() }), 128);
    let huge = LaunchBounds { max_threads: Some([u32::MAX; 3]), ..LaunchBounds::default() };
    assert_eq!(most(&huge), FLOOR);
    assert_eq!(estimate("", "").registers, FLOOR);
}
