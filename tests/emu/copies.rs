//! `cp.async`: what lands, when it lands, and what is found when code doesn't wait for it.

use expect_test::expect;
use warpsmith::ptx::emu::{Config, FindingKind, GlobalMemory, Held, Schedule, launch};

use crate::faults::Sound;
use crate::rig::{Params, bytes, program, warp, words};

const DOUBLE_BUFFER: &str = include_str!("../data/ptx/cp_async_double_buffer.ptx");

fn configs() -> impl Iterator<Item = Config> {
    let schedules = std::iter::once(Schedule::Default).chain((1..5).map(Schedule::Adversarial));
    schedules.map(|schedule| Config { schedule, ..Config::default() })
}

/// A word for each position, no two alike.
fn input(count: u32) -> Vec<u32> {
    (0..count).map(|at| 0x0403_0201_u32.wrapping_add(at.wrapping_mul(0x0101_0101)) ^ at << 20).collect()
}

#[test]
fn a_double_buffer_sums_its_tiles() {
    let program = program(DOUBLE_BUFFER);
    for config in configs() {
        for tiles in [0_usize, 1, 2, 5] {
            let values: Vec<f32> = (0..tiles * 512).map(|at| (at % 97) as f32).collect();
            let mut memory = GlobalMemory::new();
            let contents: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
            let from = memory.allocate_with("in", &bytes(&contents));
            let out = memory.allocate("out", 2048);
            let launched = Params::default().u64(from).u64(out).u32(tiles as u32).launch(1, 128);
            launch(&program, &launched, &mut memory, &config).unwrap_or_else(|finding| panic!("{finding}"));
            let sums = words(&memory, out, 512);
            for (at, &sum) in sums.iter().enumerate() {
                let expected = (0..tiles).fold(0.0, |sum, tile| sum + values[tile * 512 + at]);
                assert_eq!(f32::from_bits(sum), expected, "{tiles} tiles, element {at}");
            }
        }
    }
}

/// Each lane's own 16 bytes of shared memory, at `%r2`, and of the input, at `%rd1`.
const SLOTS: &str = ".shared .align 16 .b8 tile[512];
mov.u32 %r1, tile;
shl.b32 %r2, %r0, 4;
add.u32 %r2, %r1, %r2;
mul.wide.u32 %rd2, %r0, 16;
add.s64 %rd1, %rd1, %rd2;
";

/// Adds the four words of the slot into the output.
const SUM: &str = "
ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];
add.u32 %r4, %r4, %r5;
add.u32 %r4, %r4, %r6;
add.u32 %r4, %r4, %r7;
st.global.u32 [%rd0], %r4;";

fn sums(body: &str, input: &[u32]) -> Vec<u32> {
    let body = format!("{SLOTS}{body}{SUM}");
    let mut results = configs().map(|config| match warp(&body, input, &config) {
        Ok((results, _)) => results,
        Err(finding) => panic!("{finding}\n{body}"),
    });
    let first = results.next().unwrap();
    assert!(results.all(|result| result == first), "every schedule gives the same");
    first
}

/// The sum of the words of a slot of which only so many bytes are read.
fn sum_of(input: &[u32], lane: usize, count: usize) -> u32 {
    let contents = bytes(&input[4 * lane..4 * lane + 4]);
    let kept: Vec<u8> = (0..16).map(|at| if at < count { contents[at] } else { 0 }).collect();
    kept.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).fold(0, u32::wrapping_add)
}

#[test]
fn bytes_that_are_not_read_are_zeros() {
    let input = input(128);
    let all = |count: fn(usize) -> usize| -> Vec<u32> {
        (0..32).map(|lane| sum_of(&input, lane, count(lane))).collect()
    };
    let copy = |text: &str| sums(&format!("{text}\ncp.async.wait_all;"), &input);
    assert_eq!(copy("cp.async.cg.shared.global [%r2], [%rd1], 16;"), all(|_| 16));
    assert_eq!(copy("cp.async.ca.shared.global.L2::128B [%r2], [%rd1], 16, 7;"), all(|_| 7));
    let by_lane = "rem.u32 %r3, %r0, 17;\ncp.async.cg.shared.global [%r2], [%rd1], 16, %r3;";
    assert_eq!(copy(by_lane), all(|lane| lane % 17));
    let ignoring = "setp.lt.u32 %p0, %r0, 5;\ncp.async.cg.shared.global [%r2], [%rd1], 16, %p0;";
    assert_eq!(copy(ignoring), all(|lane| if lane < 5 { 0 } else { 16 }));
    let hinted = "createpolicy.fractional.L2::evict_first.b64 %rd3, 0f3F800000;
        setp.lt.u32 %p0, %r0, 5;
        cp.async.cg.shared.global.L2::cache_hint [%r2], [%rd1], 16, !%p0, %rd3;";
    assert_eq!(copy(hinted), all(|lane| if lane < 5 { 16 } else { 0 }));
    let pieces = "cp.async.ca.shared.global [%r2], [%rd1], 8;
        cp.async.ca.shared.global [%r2+8], [%rd1+8], 4;
        cp.async.ca.shared.global [%r2+12], [%rd1+12], 4, 0;";
    assert_eq!(copy(pieces), all(|_| 12));
}

#[test]
fn a_copy_that_reads_nothing_may_name_any_address() {
    let far = |count: u32| format!("{SLOTS}cp.async.cg.shared.global [%r2], [%rd1+65536], 16, {count};{SUM}");
    let far = |count: u32| far(count).replace(SUM, &format!("\ncp.async.wait_all;{SUM}"));
    let (results, _) = warp(&far(0), &input(128), &Config::default()).unwrap();
    assert_eq!(results, [0; 32]);
    let finding = warp(&far(1), &input(128), &Config::default()).unwrap_err();
    assert!(matches!(&finding.kind, FindingKind::OutOfBounds(access) if access.bytes == 1), "{finding}");
    assert_eq!(finding.site.map(|site| site.line), Some(21));
}

#[test]
fn a_guard_leaves_what_was_there() {
    let body = "st.shared.v4.u32 [%r2], {%r0, 0, 0, 0};
        setp.lt.u32 %p0, %r0, 5;
        @%p0 cp.async.cg.shared.global [%r2], [%rd1], 16;
        cp.async.commit_group;
        cp.async.wait_group 0;";
    let input = input(128);
    let expected = (0..32).map(|lane| if lane < 5 { sum_of(&input, lane, 16) } else { lane as u32 });
    assert_eq!(sums(body, &input), expected.collect::<Vec<_>>());
}

/// Two groups into two slots; the sum is of the slot at `%r2`.
const GROUPS: &str = ".shared .align 16 .b8 other[512];
mov.u32 %r3, other;
shl.b32 %r8, %r0, 4;
add.u32 %r3, %r3, %r8;
cp.async.cg.shared.global [FIRST], [%rd1], 16;
cp.async.commit_group;
cp.async.cg.shared.global [SECOND], [%rd1], 16, 4;
cp.async.commit_group;
cp.async.commit_group;
cp.async.wait_group COUNT;";

#[test]
fn groups_land_in_their_order() {
    let input = input(128);
    let body = |first: &str, second: &str, count: &str| {
        GROUPS.replace("FIRST", first).replace("SECOND", second).replace("COUNT", count)
    };
    let all = |count: usize| -> Vec<u32> { (0..32).map(|lane| sum_of(&input, lane, count)).collect() };
    assert_eq!(sums(&body("%r2", "%r3", "2"), &input), all(16));
    assert_eq!(sums(&body("%r3", "%r2", "1"), &input), all(4));
    for (first, second, count) in [("%r2", "%r3", "3"), ("%r3", "%r2", "2")] {
        let body = format!("{SLOTS}{}{SUM}", body(first, second, count));
        let finding = warp(&body, &input, &Config::default()).unwrap_err();
        let FindingKind::InFlight(flight) = &finding.kind else { panic!("{finding}") };
        assert_eq!(flight.held, Held::Group);
        // Two copies to the same bytes have no order, whatever their groups.
    }
    let twice = format!("{SLOTS}{}{SUM}", body("%r2", "%r2", "0"));
    let finding = warp(&twice, &input, &Config::default()).unwrap_err();
    assert!(
        matches!(&finding.kind, FindingKind::InFlight(flight) if flight.access.verb == "store"),
        "{finding}"
    );
}

#[test]
fn without_the_sanitizer_a_missing_wait_reads_old_bytes() {
    let body = format!(
        "{SLOTS}st.shared.v4.u32 [%r2], {{%r0, 0, 0, 0}};
        cp.async.cg.shared.global [%r2], [%rd1], 16;{SUM}"
    );
    let config = Config { sanitize: false, ..Config::default() };
    let (results, _) = warp(&body, &input(128), &config).unwrap();
    assert_eq!(results, (0..32).collect::<Vec<u32>>());
}

/// Each thread copies a word, and reads its neighbour's.
const NEIGHBOURS: Sound = Sound {
    body: ".shared .align 16 .b8 tile[256];
mov.u32 %r1, tile;
shl.b32 %r2, %r0, 2;
add.u32 %r2, %r1, %r2;
mul.wide.u32 %rd1, %r0, 4;
add.s64 %rd1, %rd0, %rd1;
cp.async.ca.shared.global [%r2], [%rd1], 4;
cp.async.commit_group;
cp.async.wait_group 0;
bar.sync 0;
xor.b32 %r3, %r0, 1;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
ld.shared.u32 %r4, [%r3];",
    grid: 2,
    block: 64,
};

#[test]
fn waits_and_barriers_that_are_missing() {
    NEIGHBOURS.is_clean();
    NEIGHBOURS.fault(("cp.async.wait_group 0;", ""), &[], &expect![[r#"
        in flight: read of shared memory that a `cp.async` at line 19 is still writing: load of 4 bytes at shared address 0x404, `tile` of 256 bytes at offset 4
          kernel k
          at line 26: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (0, 0, 0)
          against line 19: cp.async.ca.shared.global [%r2], [%rd1], 4;
          thread (1, 0, 0)
          help: wait for its group and put a barrier before"#]]);
    NEIGHBOURS.fault(("cp.async.wait_group 0;", "cp.async.wait_group 1;"), &[], &expect![[r#"
        in flight: read of shared memory that a `cp.async` at line 19 is still writing: load of 4 bytes at shared address 0x404, `tile` of 256 bytes at offset 4
          kernel k
          at line 26: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (0, 0, 0)
          against line 19: cp.async.ca.shared.global [%r2], [%rd1], 4;
          thread (1, 0, 0)
          help: wait for its group and put a barrier before"#]]);
    NEIGHBOURS.fault(("cp.async.commit_group;", ""), &[], &expect![[r#"
        in flight: read of shared memory that a `cp.async` at line 19 is still writing: load of 4 bytes at shared address 0x404, `tile` of 256 bytes at offset 4
          kernel k
          at line 26: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (0, 0, 0)
          against line 19: cp.async.ca.shared.global [%r2], [%rd1], 4;
          thread (1, 0, 0)
          help: wait for its group and put a barrier before"#]]);
    NEIGHBOURS.fault(("bar.sync 0;", ""), &["in", "uninitialised"], &expect![[r#"
        race: a read after a write, and no warp barrier lies between them: load of 4 bytes at shared address 0x404, `tile` of 256 bytes at offset 4
          kernel k
          at line 26: ld.shared.u32 %r4, [%r3];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 19: cp.async.ca.shared.global [%r2], [%rd1], 4;
          cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
          help: put a warp barrier that names both lanes between the accesses"#]]);
    // The barrier has to be after the wait.
    NEIGHBOURS.fault(
        ("cp.async.wait_group 0;\nbar.sync 0;", "bar.sync 0;\ncp.async.wait_group 0;"),
        &["in"],
        &expect![[r#"
            race: a read after a write, and no warp barrier lies between them: load of 4 bytes at shared address 0x404, `tile` of 256 bytes at offset 4
              kernel k
              at line 26: ld.shared.u32 %r4, [%r3];
              cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
              against line 19: cp.async.ca.shared.global [%r2], [%rd1], 4;
              cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
              help: put a warp barrier that names both lanes between the accesses"#]],
    );
    // A write while the copy is on its way.
    NEIGHBOURS.fault(
        ("cp.async.commit_group;", "st.shared.u32 [%r2], %r0;\ncp.async.commit_group;"),
        &[],
        &expect![[r#"
            in flight: write of shared memory that a `cp.async` at line 19 is still writing: store of 4 bytes at shared address 0x400, `tile` of 256 bytes at offset 0
              kernel k
              at line 20: st.shared.u32 [%r2], %r0;
              cta (0, 0, 0), thread (0, 0, 0)
              against line 19: cp.async.ca.shared.global [%r2], [%rd1], 4;
              thread (0, 0, 0)
              help: wait for its group and put a barrier before"#]],
    );
    let atomic = "atom.shared.add.u32 %r5, [%r2], 1;\ncp.async.commit_group;";
    NEIGHBOURS.fault(("cp.async.commit_group;", atomic), &[], &expect![[r#"
        in flight: write of shared memory that a `cp.async` at line 19 is still writing: atomic of 4 bytes at shared address 0x400, `tile` of 256 bytes at offset 0
          kernel k
          at line 20: atom.shared.add.u32 %r5, [%r2], 1;
          cta (0, 0, 0), thread (0, 0, 0)
          against line 19: cp.async.ca.shared.global [%r2], [%rd1], 4;
          thread (0, 0, 0)
          help: wait for its group and put a barrier before"#]]);
    // What another thread did before the copy began has to be ordered before it.
    NEIGHBOURS.fault(
        (
            "cp.async.ca.shared.global [%r2], [%rd1], 4;",
            "xor.b32 %r5, %r2, 4;\nst.shared.u32 [%r5], %r0;\ncp.async.ca.shared.global [%r2], [%rd1], 4;",
        ),
        &["in"],
        &expect![[r#"
            race: a write after a write, and no warp barrier lies between them: store of 4 bytes at shared address 0x400, `tile` of 256 bytes at offset 0
              kernel k
              at line 21: cp.async.ca.shared.global [%r2], [%rd1], 4;
              cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
              against line 20: st.shared.u32 [%r5], %r0;
              cta (0, 0, 0), thread (1, 0, 0), warp 0 lane 1
              help: put a warp barrier that names both lanes between the accesses"#]],
    );
}

#[test]
fn addresses_that_are_wrong() {
    NEIGHBOURS.fault(
        ("[%r2], [%rd1], 4;", "[%r2], [%rd1+2], 4;"),
        &[],
        &expect![[r#"
        misaligned: load of 4 bytes at global address 0x200000002, `out` of 256 bytes at offset 2
          kernel k
          at line 19: cp.async.ca.shared.global [%r2], [%rd1+2], 4;
          cta (0, 0, 0), thread (0, 0, 0)
          help: use a narrower access, or align pointer and pitch to the vector"#]],
    );
    NEIGHBOURS.fault(
        ("[%r2], [%rd1], 4;", "[%r2+2], [%rd1], 4;"),
        &[],
        &expect![[r#"
        misaligned: store of 4 bytes at shared address 0x402, `tile` of 256 bytes at offset 2
          kernel k
          at line 19: cp.async.ca.shared.global [%r2+2], [%rd1], 4;
          cta (0, 0, 0), thread (0, 0, 0)
          help: use a narrower access, or align pointer and pitch to the vector"#]],
    );
    NEIGHBOURS.fault(
        ("[%r2], [%rd1], 4;", "[%r2], [%rd1], 8;"),
        &["in"],
        &expect![[r#"
        misaligned: load of 8 bytes at global address 0x200000004, `out` of 256 bytes at offset 4
          kernel k
          at line 19: cp.async.ca.shared.global [%r2], [%rd1], 8;
          cta (0, 0, 0), thread (1, 0, 0)
          help: use a narrower access, or align pointer and pitch to the vector"#]],
    );
    NEIGHBOURS.fault(
        ("[%r2], [%rd1], 4;", "[%r2], [%rd1+256], 4;"),
        &[],
        &expect![[r#"
        out of bounds: load of 4 bytes at global address 0x200000100, `out` of 256 bytes at offset 256
          kernel k
          at line 19: cp.async.ca.shared.global [%r2], [%rd1+256], 4;
          cta (0, 0, 0), thread (0, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]],
    );
    NEIGHBOURS.fault(
        ("[%r2], [%rd1], 4;", "[%r2+4096], [%rd1], 4;"),
        &[],
        &expect![[r#"
        out of bounds: store of 4 bytes at shared address 0x1400, `tile` of 256 bytes at offset 4096
          kernel k
          at line 19: cp.async.ca.shared.global [%r2+4096], [%rd1], 4;
          cta (0, 0, 0), thread (0, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]],
    );
    NEIGHBOURS.fault(
        ("[%r2], [%rd1], 4;", "[%r2], [%rd1], 4, %r1;"),
        &[],
        &expect![[r#"
        copy size: load of 1024 bytes at global address 0x200000000, `out` of 256 bytes at offset 0
          kernel k
          at line 19: cp.async.ca.shared.global [%r2], [%rd1], 4, %r1;
          cta (0, 0, 0), thread (0, 0, 0)
          help: a bulk copy has a multiple of 16 bytes, and `cp.async` reads at most what it writes"#]],
    );
    let far = NEIGHBOURS.body.replace("[%r2], [%rd1], 4;", "[%r2], [%rd1+256], 4, 0;");
    assert_eq!(NEIGHBOURS.run(&far, Schedule::Default, 1), Ok(()));
}

#[test]
fn copies_that_nobody_waits_for_are_dropped() {
    let (before, _) = NEIGHBOURS.body.split_once("cp.async.commit_group;").unwrap();
    for seed in 0..4 {
        assert_eq!(NEIGHBOURS.run(before, Schedule::Adversarial(seed), 1), Ok(()));
    }
}

#[test]
fn a_matrix_load_waits_for_copies_too() {
    let load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];";
    let copy = "cp.async.cg.shared.global [%r2], [%rd1], 16;\ncp.async.wait_all;\nbar.warp.sync 0xffffffff;";
    let body = format!("{SLOTS}{copy}\n{load}\nst.global.u32 [%rd0], %r3;");
    for config in configs() {
        assert!(warp(&body, &input(128), &config).is_ok());
        let finding = warp(&body.replace("cp.async.wait_all;\n", ""), &input(128), &config).unwrap_err();
        assert!(
            matches!(&finding.kind, FindingKind::InFlight(flight) if flight.held == Held::Group),
            "{finding}"
        );
    }
}
