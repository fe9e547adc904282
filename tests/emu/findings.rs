//! Each kind of finding, planted, with its message.

use expect_test::{Expect, expect};
use warpsmith::ptx::emu::{Config, Finding, GlobalMemory, Program, Schedule, launch};
use warpsmith::ptx::module;

use crate::rig::{Params, kernel, program, warp};

fn found(result: Result<impl Sized, Box<Finding>>, expected: &Expect) {
    match result {
        Ok(_) => panic!("nothing was found"),
        Err(finding) => expected.assert_eq(&finding.to_string()),
    }
}

/// A body in which `%rd0` is where the lane stores, `%rd1` an input of 32 words, `%r0` the lane.
fn in_warp(body: &str, expected: &Expect) {
    found(warp(body, &[7; 32], &Config::default()), expected);
}

/// A body without memory, in CTAs of `block` threads.
fn in_block(block: u32, body: &str, config: &Config) -> Result<(), Box<Finding>> {
    let program = program(&kernel("", &format!("mov.u32 %r0, %tid.x;\n{body}\nret;")));
    launch(&program, &Params::default().launch(1, block), &mut GlobalMemory::new(), config).map(|_| ())
}

fn block(threads: u32, body: &str, expected: &Expect) {
    found(in_block(threads, body, &Config::default()), expected);
}

#[test]
fn out_of_bounds() {
    in_warp(
        "st.global.u32 [%rd0+4], %r0;",
        &expect![[r#"
        out of bounds: store of 4 bytes at global address 0x200000080, `out` of 128 bytes at offset 128
          kernel k
          at line 15: st.global.u32 [%rd0+4], %r0;
          cta (0, 0, 0), thread (31, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]],
    );
    in_warp(
        "ld.global.u32 %r1, [%rd1+-4];",
        &expect![[r#"
        out of bounds: load of 4 bytes at global address 0x20001fffc, `in` of 128 bytes at offset -4
          kernel k
          at line 15: ld.global.u32 %r1, [%rd1+-4];
          cta (0, 0, 0), thread (0, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]],
    );
    in_warp(
        "mov.u32 %r1, 0;\nst.shared.u32 [%r1], %r0;",
        &expect![[r#"
        out of bounds: store of 4 bytes at shared address 0x0, below all variables, which begin at 0x400
          kernel k
          at line 16: st.shared.u32 [%r1], %r0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: take the address from the variable (`mov.u32 %r, tile;`): no space begins at 0 here"#]],
    );
}

#[test]
fn misaligned() {
    in_warp(
        "ld.global.v2.u32 {%r1, %r2}, [%rd1+4];",
        &expect![[r#"
        misaligned: load of 8 bytes at global address 0x200020004, `in` of 128 bytes at offset 4
          kernel k
          at line 15: ld.global.v2.u32 {%r1, %r2}, [%rd1+4];
          cta (0, 0, 0), thread (0, 0, 0)
          help: use a narrower access, or align pointer and pitch to the vector"#]],
    );
}

#[test]
fn uninitialised() {
    in_warp(
        "ld.global.u32 %r1, [%rd0];",
        &expect![[r#"
        uninitialised: load of 4 bytes at global address 0x200000000, `out` of 128 bytes at offset 0
          kernel k
          at line 15: ld.global.u32 %r1, [%rd0];
          cta (0, 0, 0), thread (0, 0, 0)
          help: write the bytes before they are read, with a barrier between if another thread does, or give the buffer contents"#]],
    );
    in_warp(
        ".shared .align 4 .b8 tile[8];\nst.shared.u8 [tile], %h0;\nld.shared.u32 %r1, [tile];",
        &expect![[r#"
            uninitialised: load of 4 bytes at shared address 0x400, `tile` of 8 bytes at offset 0
              kernel k
              at line 17: ld.shared.u32 %r1, [tile];
              cta (0, 0, 0), thread (0, 0, 0)
              help: write the bytes before they are read, with a barrier between if another thread does, or give the buffer contents"#]],
    );
    in_warp(
        ".local .align 4 .b8 mine[8];\nld.local.u32 %r1, [mine+4];",
        &expect![[r#"
            uninitialised: load of 4 bytes at local address 0x104, `mine` of 8 bytes at offset 4
              kernel k
              at line 16: ld.local.u32 %r1, [mine+4];
              cta (0, 0, 0), thread (0, 0, 0)
              help: write the bytes before they are read; code that is not optimised (`nvcc -G`) copies parts of objects that nothing has set, which `--no-sanitize` lets pass"#]],
    );
}

#[test]
fn read_only_load_of_written_memory() {
    in_warp(
        "st.global.u32 [%rd0], %r0;\nld.global.nc.u32 %r1, [%rd0];",
        &expect![[r#"
        read-only load of written memory: load of 4 bytes at global address 0x200000000, `out` of 128 bytes at offset 0
          kernel k
          at line 16: ld.global.nc.u32 %r1, [%rd0];
          cta (0, 0, 0), thread (0, 0, 0)
          help: load without `.nc`"#]],
    );
}

#[test]
fn the_source_line_is_named() {
    let text = kernel("", ".loc 1 12 9\ntrap;\nret;").replace(".visible", ".file 1 \"src/k.rs\"\n.visible");
    let program = program(&text);
    let result =
        launch(&program, &Params::default().launch(1, 1), &mut GlobalMemory::new(), &Config::default());
    found(
        result,
        &expect![[r#"
        trap
          kernel k
          at line 12: trap; (src/k.rs:12)
          cta (0, 0, 0), thread (0, 0, 0)
          help: the kernel asked for it"#]],
    );
}

#[test]
fn masks() {
    block(
        32,
        "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra A;\nA:\nbar.warp.sync 0x0000ffff;",
        &expect![[r#"
        lane outside its own mask 0x0000ffff
          kernel k
          at line 14: bar.warp.sync 65535;
          cta (0, 0, 0), thread (16, 0, 0)
          help: compute the mask with a ballot before the branch, of lanes that exist"#]],
    );
    block(
        16,
        "bar.warp.sync 0xffffffff;",
        &expect![[r#"
        mask 0xffffffff names absent lanes 0xffff0000
          kernel k
          at line 11: bar.warp.sync 0xffffffff;
          cta (0, 0, 0), thread (0, 0, 0)
          help: compute the mask with a ballot before the branch, of lanes that exist"#]],
    );
    // Lanes that name each other give different masks.
    block(
        32,
        "mov.u32 %r1, 0xffffffff;\nsetp.lt.u32 %p0, %r0, 16;\n@%p0 mov.u32 %r1, 0x0000ffff;\n\
         bar.warp.sync %r1;",
        &expect![[r#"
            mask 0xffffffff meets mask 0x0000ffff at line 14: bar.warp.sync %r1;
              kernel k
              at line 14: bar.warp.sync %r1;
              cta (0, 0, 0), thread (16, 0, 0)
              help: compute the mask with a ballot before the branch, of lanes that exist"#]],
    );
    // Named lanes wait at another operation.
    block(
        32,
        "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra A;\nbar.warp.sync 0xffffffff;\nbra B;\nA:\n\
         vote.sync.ballot.b32 %r1, %p0, 0xffffffff;\nB:",
        &expect![[r#"
            lanes 0x0000ffff of mask 0xffffffff wait elsewhere, at line 16: vote.sync.ballot.b32 %r1, %p0, 0xffffffff;
              kernel k
              at line 13: bar.warp.sync 0xffffffff;
              cta (0, 0, 0), thread (16, 0, 0)
              help: let all lanes of the mask execute the same operation"#]],
    );
}

#[test]
fn shuffle_from_an_inactive_lane() {
    block(
        32,
        "setp.ge.u32 %p0, %r0, 8;\n@%p0 bra END;\nshfl.sync.idx.b32 %r1, %r0, 9, 0x1f, 0xff;\nEND:",
        &expect![[r#"
            shuffle reads from inactive lane 9
              kernel k
              at line 13: shfl.sync.idx.b32 %r1, %r0, 9, 31, 255;
              cta (0, 0, 0), thread (0, 0, 0)
              help: read from lanes of the mask only"#]],
    );
}

#[test]
fn barrier_divergence() {
    // Half a warp at each of two barriers.
    block(
        64,
        "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra A;\nbar.sync 0;\nbra B;\nA:\nbar.sync 0;\nB:",
        &expect![[r#"
            barrier divergence: lanes 0xffff0000 wait here, lanes 0x0000ffff are at line 16: bar.sync 0;
              kernel k
              at line 13: bar.sync 0;
              cta (0, 0, 0), thread (16, 0, 0)
              help: hoist the barrier out of the branch, or use `barrier.cta.sync`"#]],
    );
    // Half a warp leaves past the barrier.
    block(
        32,
        "setp.lt.u32 %p0, %r0, 16;\n@%p0 bar.sync 0;",
        &expect![[r#"
        barrier divergence: lanes 0x0000ffff wait here, lanes 0xffff0000 are at line 13: ret;
          kernel k
          at line 12: @%p0 bar.sync 0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: hoist the barrier out of the branch, or use `barrier.cta.sync`"#]],
    );
}

/// What every schedule says about a body in a CTA of 64 threads: the finding without the sanitizer, and with it.
fn under_all_schedules(body: &str, check: impl Fn(Result<(), Box<Finding>>, bool)) {
    let adversarial = (0..8).map(Schedule::Adversarial);
    for schedule in std::iter::once(Schedule::Default).chain(adversarial) {
        for sanitize in [false, true] {
            let config = Config { schedule, sanitize, ..Config::default() };
            check(in_block(64, body, &config), sanitize);
        }
    }
}

#[test]
fn a_barrier_that_a_thread_never_reaches() {
    // Thread 40 skips the barrier and ends; hardware then waits for the others only.
    let body = "setp.eq.u32 %p0, %r0, 40;\n@%p0 bra END;\nbarrier.sync 0;\nEND:";
    let expected = expect![[r#"
        barrier divergence: 63 of 64 threads reach this barrier, thread (40, 0, 0) has ended
          kernel k
          at line 13: barrier.sync 0;
          cta (0, 0, 0), thread (0, 0, 0)
          help: hoist the barrier out of the branch, so that every thread reaches the same one"#]];
    under_all_schedules(body, |result, sanitize| match sanitize {
        false => assert_eq!(result, Ok(())),
        true => found(result, &expected),
    });
    // A whole warp ends before an aligned barrier; the source line is named.
    let body = ".loc 1 3 1\nsetp.ge.u32 %p0, %r0, 32;\n@%p0 ret;\n.loc 1 4 1\nbar.sync 0;";
    let text = kernel("", &format!("mov.u32 %r0, %tid.x;\n{body}\nret;"));
    let program = program(&text.replace(".visible", ".file 1 \"src/k.rs\"\n.visible"));
    let launched = Params::default().launch(1, 64);
    found(
        launch(&program, &launched, &mut GlobalMemory::new(), &Config::default()),
        &expect![[r#"
            barrier divergence: 32 of 64 threads reach this barrier, thread (32, 0, 0) has ended
              kernel k
              at line 16: bar.sync 0; (src/k.rs:4)
              cta (0, 0, 0), thread (0, 0, 0)
              help: hoist the barrier out of the branch, so that every thread reaches the same one"#]],
    );
}

#[test]
fn threads_that_end_after_the_last_barrier_are_no_defect() {
    let body = "bar.sync 0;\nbar.sync 0;\nsetp.ge.u32 %p0, %r0, 7;\n@%p0 ret;";
    under_all_schedules(body, |result, _| assert_eq!(result, Ok(())));
}

#[test]
fn barriers_at_different_instructions() {
    // Parts of a warp meet at two unaligned barriers.
    let parts = "setp.eq.u32 %p0, %r0, 40;\n@%p0 bra A;\nbarrier.sync 0;\nbra B;\nA:\nbarrier.sync 0;\nB:";
    block(
        64,
        parts,
        &expect![[r#"
            barrier divergence: threads wait here, others of the CTA wait for the same barrier at line 13: barrier.sync 0;
              kernel k
              at line 16: barrier.sync 0;
              cta (0, 0, 0), thread (40, 0, 0)
              help: hoist the barrier out of the branch, so that every thread reaches the same one"#]],
    );
    under_all_schedules(parts, |result, sanitize| assert_eq!(result.is_err(), sanitize));
    // Whole warps meet at two aligned barriers.
    let warps = "setp.ge.u32 %p0, %r0, 32;\n@%p0 bra A;\nbar.sync 0;\nbra B;\nA:\nbar.sync 0;\nB:";
    block(
        64,
        warps,
        &expect![[r#"
            barrier divergence: threads wait here, others of the CTA wait for the same barrier at line 13: bar.sync 0;
              kernel k
              at line 16: bar.sync 0;
              cta (0, 0, 0), thread (32, 0, 0)
              help: hoist the barrier out of the branch, so that every thread reaches the same one"#]],
    );
    under_all_schedules(warps, |result, sanitize| assert_eq!(result.is_err(), sanitize));
    // A count says that the threads have different roles.
    let counted = warps.replace("bar.sync 0;", "bar.sync 1, 64;");
    under_all_schedules(&counted, |result, _| assert_eq!(result, Ok(())));
}

#[test]
fn counts_and_deadlock() {
    block(
        32,
        "bar.sync 0, 64;",
        &expect![[r#"
        deadlock: 32 threads wait for what no thread will do
          kernel k
          at line 11: bar.sync 0, 64;
          cta (0, 0, 0), thread (0, 0, 0)
          32 threads at line 11: bar.sync 0, 64;
          help: let every thread that a barrier counts reach it"#]],
    );
    block(
        64,
        "setp.lt.u32 %p0, %r0, 32;\n@%p0 bra A;\nbar.sync 1, 64;\nbra B;\nA:\nbar.sync 1, 96;\nB:",
        &expect![[r#"
            barrier 1 is waited for by 64 threads here, and by 96 at line 16: bar.sync 1, 96;
              kernel k
              at line 13: bar.sync 1, 64;
              cta (0, 0, 0), thread (32, 0, 0)
              help: let all threads of a barrier give the same count"#]],
    );
    block(
        32,
        "mov.u32 %r1, 16;\nbar.sync %r1;",
        &expect![[r#"
        barrier 16 with 0 threads
          kernel k
          at line 12: bar.sync %r1;
          cta (0, 0, 0), thread (0, 0, 0)
          help: barriers are 0 to 15, counts are multiples of 32"#]],
    );
}

#[test]
fn hang() {
    let config = Config { step_budget: 1000, ..Config::default() };
    found(
        in_block(32, "L:\nbra L;", &config),
        &expect![[r#"
            HANG at line 12: no end after 1000 instructions of one CTA
              kernel k
              at line 12: bra L;
              cta (0, 0, 0), thread (0, 0, 0)
              help: look for a loop that never ends, or raise the step budget (`--steps` of `run` and `sanitize`)"#]],
    );
}

#[test]
fn a_lane_that_spins_lets_its_warp_go_on() {
    // Lane 0 waits at a lower position for a word that lane 1 stores.
    let body = ".shared .align 4 .b8 flag[4];\nmov.u32 %r1, 0;\nst.shared.u32 [flag], %r1;\nbar.warp.sync 0xffffffff;\n\
                setp.ne.u32 %p0, %r0, 0;\n@%p0 bra STORE;\nWAIT:\nld.volatile.shared.u32 %r1, [flag];\n\
                setp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\nbra END;\nSTORE:\nmov.u32 %r1, 1;\n\
                st.volatile.shared.u32 [flag], %r1;\nEND:";
    let config = Config { step_budget: 100_000, ..Config::default() };
    assert_eq!(in_block(32, body, &config), Ok(()));
}

#[test]
fn divergent_uniform_branch() {
    block(
        32,
        "setp.lt.u32 %p0, %r0, 3;\n@%p0 bra.uni A;\nA:",
        &expect![[r#"
        lanes 0x00000007 take a uniform branch, lanes 0xfffffff8 do not
          kernel k
          at line 12: @%p0 bra.uni A;
          cta (0, 0, 0), thread (0, 0, 0)
          help: drop `.uni`, or make the predicate equal in all lanes"#]],
    );
}

#[test]
fn a_launch_that_breaks_a_rule() {
    let program = program(&kernel(".param .u32 n", "ret;"));
    let run = |launched| launch(&program, &launched, &mut GlobalMemory::new(), &Config::default());
    found(
        run(Params::default().u32(1).launch(1, 1025)),
        &expect![[r#"
        launch refused: a CTA has 1 to 1,024 threads (given 1025, limit 1024)
          kernel k
          cta (0, 0, 0)
          help: change the launch to meet the rule"#]],
    );
    found(
        run(Params::default().launch(1, 32)),
        &expect![[r#"
        launch refused: parameters have the entry's size (given 0, limit 4)
          kernel k
          cta (0, 0, 0)
          help: change the launch to meet the rule"#]],
    );
}

#[test]
fn what_the_emulator_lacks_is_said_when_decoding() {
    let text = kernel(
        ".param .u64 t",
        "ld.param.u64 %rd0, [t];\nred.relaxed.gpu.global.min.noftz.v2.f16x2 [%rd0], {%r0, %r1};\nret;",
    );
    let module = module::parse(&text).unwrap();
    let error = Program::decode(&module, "k").err().unwrap();
    expect!["line 11: the emulator lacks the least and greatest of floats in memory: `red.relaxed.gpu.global.min.noftz.v2.f16x2 [%rd0], {%r0, %r1};`"]
        .assert_eq(&error.to_string());
    let error = Program::decode(&module, "other").err().unwrap();
    expect!["no entry `other` in the module; entries: k"].assert_eq(&format!("{error}; {}", error.help()));
}

#[test]
fn the_first_cta_with_a_defect_is_reported_by_any_number_of_workers() {
    let program = program(&kernel("", "mov.u32 %r0, %ctaid.x;\nsetp.ge.u32 %p0, %r0, 40;\n@%p0 trap;\nret;"));
    for workers in [1, 2, 5] {
        let config = Config { workers, ..Config::default() };
        let result = launch(&program, &Params::default().launch(300, 32), &mut GlobalMemory::new(), &config);
        assert_eq!(result.unwrap_err().cta, [40, 0, 0], "{workers} workers");
    }
}
