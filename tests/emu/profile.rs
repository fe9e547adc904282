//! Counters of a launch, by the lines of its text.

use warpsmith::ptx::emu::{Config, Count, GlobalMemory, Profile, launch};

use crate::rig::{Params, bytes, kernel, program, warp};

/// The counts of the instruction whose text begins so.
fn counts(body: &str, opcode: &str) -> Count {
    let text = kernel(
        ".param .u64 p_in",
        &format!(
            ".shared .align 16 .b8 tile[8192];\nld.param.u64 %rd0, [p_in];\nmov.u32 %r0, %tid.x;\n\
             mov.u32 %r1, tile;\n{body}\nret;"
        ),
    );
    let program = program(&text);
    let mut memory = GlobalMemory::new();
    let input = memory.allocate_with("in", &bytes(&[7; 4096]));
    let config = Config { profile: true, sanitize: false, ..Config::default() };
    let launched = Params::default().u64(input).launch(1, 64);
    let stats =
        launch(&program, &launched, &mut memory, &config).unwrap_or_else(|finding| panic!("{finding}"));
    let profile = Profile::new(&program, &stats);
    assert_eq!(profile.lines.len(), program.len());
    let found = profile.lines.iter().find(|line| line.site.text.starts_with(opcode)).unwrap();
    assert_eq!(profile.at(found.site.line), found.count, "one instruction stands at the line");
    found.count
}

#[test]
fn shared_accesses_count_their_conflicts() {
    let load = |stride: u32| {
        let body =
            format!("and.b32 %r2, %r0, 31;\nmad.lo.u32 %r2, %r2, {stride}, %r1;\nld.shared.u32 %r3, [%r2];");
        let count = counts(&body, "ld.shared");
        assert_eq!((count.executions, count.lanes, count.shared_bytes), (2, 64, 256));
        (count.wavefronts, count.conflicts)
    };
    assert_eq!(load(4), (2, 0));
    assert_eq!(load(128), (64, 62));
    assert_eq!(load(132), (2, 0));
    assert_eq!(load(0), (2, 0));
    let wide =
        "and.b32 %r2, %r0, 31;\nmad.lo.u32 %r2, %r2, 16, %r1;\nst.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};";
    let count = counts(wide, "st.shared");
    assert_eq!((count.wavefronts, count.conflicts, count.shared_bytes), (8, 0, 1024));
    let atomic = "and.b32 %r2, %r0, 31;\nmad.lo.u32 %r2, %r2, 8, %r1;\nred.shared.add.u32 [%r2], 1;";
    let count = counts(atomic, "red.shared");
    assert_eq!((count.wavefronts, count.conflicts, count.sectors), (4, 2, 0));
}

#[test]
fn global_accesses_count_their_sectors() {
    let load = |stride: u32| {
        let body = format!("mad.wide.u32 %rd1, %r0, {stride}, %rd0;\nld.global.u32 %r3, [%rd1];");
        let count = counts(&body, "ld.global");
        assert_eq!((count.global_bytes, count.wavefronts), (256, 0));
        (count.sectors, count.sectors_per_request())
    };
    assert_eq!(load(4), (8, 4.0));
    assert_eq!(load(64), (64, 32.0));
    assert_eq!(load(0), (2, 1.0));
    // A generic address is counted where it lies.
    let generic = "cvt.u64.u32 %rd1, %r1;\ncvta.shared.u64 %rd1, %rd1;\nld.u32 %r3, [%rd1];";
    let count = counts(generic, "ld.u32");
    assert_eq!((count.sectors, count.shared_bytes, count.wavefronts), (0, 256, 2));
}

#[test]
fn copies_count_on_both_sides() {
    let body = "and.b32 %r2, %r0, 31;
        mad.lo.u32 %r2, %r2, 128, %r1;
        mad.wide.u32 %rd1, %r0, 16, %rd0;
        and.b32 %r3, %r0, 16;
        setp.lt.u32 %p0, %r0, 32;
        @%p0 cp.async.cg.shared.global [%r2], [%rd1], 16, %r3;
        cp.async.wait_all;";
    let count = counts(body, "@%p0 cp.async.cg");
    assert_eq!((count.executions, count.lanes), (2, 32));
    assert_eq!((count.shared_bytes, count.wavefronts, count.conflicts), (512, 32, 28));
    assert_eq!((count.global_bytes, count.sectors), (256, 8));
}

#[test]
fn nothing_is_counted_unless_asked() {
    let (_, stats) = warp("st.global.u32 [%rd0], %r0;", &[0], &Config::default()).unwrap();
    assert!(stats.profile.is_empty());
}

#[test]
fn a_matrix_of_eight_rows_is_a_request() {
    let load = |pitch: u32| {
        let body = format!(
            "and.b32 %r2, %r0, 31;\nmad.lo.u32 %r2, %r2, {pitch}, %r1;\n\
             ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r3, %r4, %r5, %r6}}, [%r2];"
        );
        let count = counts(&body, "ldmatrix");
        (count.wavefronts, count.conflicts, count.shared_bytes)
    };
    assert_eq!(load(16), (8, 0, 1024));
    assert_eq!(load(128), (64, 56, 1024));
    assert_eq!(load(144), (8, 0, 1024));
}
