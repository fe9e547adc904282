//! Functions, arguments in `.param` space, initial values and generic addresses, in texts as other compilers write them.

use warpsmith::ptx::emu::{Config, FindingKind, GlobalMemory, Program, Schedule, launch};
use warpsmith::ptx::module;

use crate::rig::{Params, bytes, words};

const FUNCTIONS: &str = include_str!("../data/ptx/device_functions.ptx");
const VARIABLES: &str = include_str!("../data/ptx/variables.ptx");
const DEBUG: &str = include_str!("../data/ptx/debug_sections.ptx");
const TRITON: &str = include_str!("../data/ptx/triton_sum.ptx");

fn decode(text: &str, entry: &str) -> Program {
    let parsed = module::parse(text).unwrap();
    let printed = parsed.print();
    let again = module::parse(&printed).unwrap();
    assert_eq!(again, parsed, "{printed}");
    Program::decode(&parsed, entry).unwrap()
}

/// Runs one CTA of a kernel whose first parameter is where the words go, under both schedules.
fn run(text: &str, entry: &str, threads: u32, count: usize, more: impl Fn(Params) -> Params) -> Vec<u32> {
    let program = decode(text, entry);
    let mut results = Vec::new();
    for schedule in [Schedule::Default, Schedule::Adversarial(3), Schedule::Adversarial(4)] {
        let mut memory = GlobalMemory::new();
        let out = memory.allocate("out", count as u64 * 4);
        let launched = more(Params::default().u64(out)).launch(1, threads);
        launch(&program, &launched, &mut memory, &Config { schedule, ..Config::default() })
            .unwrap_or_else(|found| panic!("{found}"));
        results.push(words(&memory, out, count));
    }
    assert!(results.iter().all(|result| *result == results[0]), "schedules differ");
    results.swap_remove(0)
}

#[test]
fn functions_run_where_they_are_called() {
    let clamp = |a: u32, b: u32| (a + b).min(40);
    let expected: Vec<u32> = (0..64)
        .map(|lane| {
            let first = if lane % 2 == 1 { clamp(lane, 5) } else { lane };
            100 + lane + (clamp(first, 1) << 8)
        })
        .collect();
    assert_eq!(run(FUNCTIONS, "mix", 64, 64, |params| params.u32(5)), expected);
}

#[test]
fn a_failed_assertion_is_a_trap_at_its_own_line() {
    let text = FUNCTIONS.replace("setp.lt.u32 	%p1, %r2, 64;", "setp.lt.u32 	%p1, %r2, 9;");
    let program = decode(&text, "mix");
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 256);
    let launched = Params::default().u64(out).u32(5).launch(1, 64);
    let found = launch(&program, &launched, &mut memory, &Config::default()).unwrap_err();
    assert!(matches!(found.kind, FindingKind::Trap), "{found}");
    let line = found.site.as_ref().unwrap().line as usize;
    assert!(text.lines().nth(line - 1).unwrap().contains("call.uni"), "line {line}");
    assert_eq!(found.thread, Some([9, 0, 0]));
    assert!(found.to_string().contains("__assertfail"), "{found}");
}

#[test]
fn variables_hold_their_initial_values() {
    let float = |value: f32| value.to_bits();
    let high = (3.0_f64.to_bits() >> 32) as u32;
    let found = run(VARIABLES, "initials", 1, 12, |params| params);
    let pieces = found[6];
    // The address of a variable of the module begins a page, so that its lowest byte is 0.
    assert_eq!(pieces & 0xff, 0);
    assert_eq!(pieces >> 8, 1, "the fifth byte of an address that 32 bits don't reach");
    let expected = [float(1.5), high, 0, 5, float(-2.0), 4, pieces, 0, 11, float(4.0), 0, float(-2.0)];
    assert_eq!(found, expected);
}

#[test]
fn a_local_array_takes_an_index_of_run_time() {
    let program = decode(VARIABLES, "histogram");
    let input: Vec<u32> = (0..50).map(|index| index * index % 7).collect();
    let mut memory = GlobalMemory::new();
    let values = memory.allocate_with("values", &bytes(&input));
    let out = memory.allocate("out", 128);
    let launched = Params::default().u64(values).u64(out).u32(50).launch(1, 32);
    launch(&program, &launched, &mut memory, &Config::default()).unwrap_or_else(|found| panic!("{found}"));
    let expected: Vec<u32> = (0..32)
        .map(|lane| {
            let count = |bin: u32| input.iter().filter(|&&value| (value + lane) % 4 == bin).count() as u32;
            count(2) << 16 | count(1)
        })
        .collect();
    assert_eq!(words(&memory, out, 32), expected);
}

#[test]
fn debug_directives_change_nothing_and_lead_to_the_source() {
    let expected: Vec<u32> = (0..32).map(|lane| 2 * lane + 1).collect();
    assert_eq!(run(DEBUG, "double_it", 32, 32, |params| params), expected);
    let program = decode(DEBUG, "double_it");
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 4);
    let launched = Params::default().u64(out).launch(1, 32);
    let found = launch(&program, &launched, &mut memory, &Config::default()).unwrap_err();
    assert_eq!(found.site.unwrap().source, Some(("src/double.cu".to_owned(), 6)));
}

#[test]
fn a_text_of_triton_runs() {
    let program = decode(TRITON, "row_sum");
    let rows: Vec<u32> = (0..3 * 50).map(|index| index * 7 + 1).collect();
    let mut memory = GlobalMemory::new();
    let input = memory.allocate_with("rows", &bytes(&rows));
    let out = memory.allocate("sums", 12);
    let mut launched = Params::default().u64(input).u64(out).u32(50).launch(3, 64);
    launched.dynamic_shared = 8;
    launch(&program, &launched, &mut memory, &Config::default()).unwrap_or_else(|found| panic!("{found}"));
    let expected: Vec<u32> = rows.chunks(50).map(|row| row.iter().sum()).collect();
    assert_eq!(words(&memory, out, 3), expected);
}

/// A module around functions and the body of a kernel `k`, whose parameter `p` is at `%rd0` and whose thread is `%r0`.
fn text(functions: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{functions}\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\n\
         mul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd0, %rd0, %rd1;\n{body}\nst.global.u32 [%rd0], %r9;\nret;\n}}\n"
    )
}

fn result(functions: &str, body: &str) -> Vec<u32> {
    run(&text(functions, body), "k", 32, 32, |params| params)
}

#[test]
fn registers_and_numbers_are_arguments_too() {
    let functions = ".func (.reg .b32 o) h(.reg .b32 i, .reg .b32 n) { .reg .pred q; setp.ne.u32 q, n, 0; \
        selp.u32 o, i, 9, q; ret; }\n\
        .func (.param .b32 o) g(.param .b32 i) { .reg .b32 t; ld.param.b32 t, [i]; add.u32 t, t, 1; \
        st.param.b32 [o], t; ret.uni; }";
    let body = "setp.lt.u32 %p0, %r0, 4;\nselp.u32 %r7, 1, 0, %p0;\ncall (%r1), h, (%r0, %r7);\ncall (%r2), h, (7, %r7);\n\
        call (%r3), g, (5);\ncall (_), g, (%r1);\ncall (%r4), g, (%r1);\n\
        shl.b32 %r5, %r3, 8;\nshl.b32 %r6, %r2, 16;\nor.b32 %r9, %r4, %r5;\nor.b32 %r9, %r9, %r6;";
    let expected: Vec<u32> = (0..32)
        .map(|lane: u32| {
            let (h, seven) = if lane < 4 { (lane, 7) } else { (9, 9) };
            (h + 1) | 6 << 8 | seven << 16
        })
        .collect();
    assert_eq!(result(functions, body), expected);
}

#[test]
fn a_guarded_call_is_for_its_lanes_only() {
    let functions = ".func (.param .b32 o) g(.param .b32 i) { .reg .b32 t; .reg .pred q; ld.param.b32 t, [i]; \
        setp.gt.u32 q, t, 20; @q bra BIG; mul.lo.u32 t, t, 3; st.param.b32 [o], t; ret; \
        BIG: st.param.b32 [o], 1000; ret; }";
    let body = "mov.u32 %r9, 1;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 0;\n@!%p0 call (%r9), g, (%r0);";
    let expected: Vec<u32> = (0..32)
        .map(|lane| match lane {
            lane if lane % 2 == 0 => 1,
            21.. => 1000,
            lane => lane * 3,
        })
        .collect();
    assert_eq!(result(functions, body), expected);
}

#[test]
fn the_address_of_an_argument_is_local() {
    let functions = ".func (.param .b32 o) pick(.param .align 4 .b8 s[16], .param .b32 n) { .reg .b32 t, n2; \
        .reg .b64 q, w; mov.b64 q, s; ld.param.u32 n2, [n]; mul.wide.u32 w, n2, 4; add.u64 q, q, w; \
        ld.local.u32 t, [q]; ld.param.u32 n2, [q+-4]; add.u32 t, t, n2; st.param.b32 [o], t; ret; }\n\
        .func zero() { .reg .b32 a; mov.u32 a, 0; ret; }";
    let body = ".param .align 4 .b8 s[16];\n.param .b32 n;\n.param .b32 o;\nand.b32 %r1, %r0, 1;\n\
        add.u32 %r1, %r1, 2;\nst.param.b32 [s], 1;\nst.param.b32 [s+4], 10;\nst.param.b32 [s+8], %r0;\n\
        st.param.b32 [s+12], 1000;\nst.param.b32 [n], %r1;\ncall.uni (o), pick, (s, n);\n\
        ld.param.b32 %r9, [o];\ncall zero;";
    let expected: Vec<u32> =
        (0..32).map(|lane| if lane % 2 == 0 { lane + 10 } else { 1000 + lane }).collect();
    assert_eq!(result(functions, body), expected);
}

#[test]
fn shared_variables_of_a_function_are_there_once() {
    let functions = ".func (.reg .b32 o) count(.reg .b32 start) { .shared .u32 cell; .reg .pred q; mov.u32 o, 0; \
        setp.ne.u32 q, start, 0; @q st.shared.u32 [cell], 0; @q ret; atom.shared.add.u32 o, [cell], 1; ret; }";
    let body = "setp.eq.u32 %p0, %r0, 0;\n@%p0 call (_), count, (1);\nbar.sync 0;\nsetp.lt.u32 %p0, %r0, 10;\n\
        @%p0 call (%r9), count, (0);\n@!%p0 call (%r9), count, (0);";
    let mut tickets = run_once(&text(functions, body));
    tickets.sort_unstable();
    assert_eq!(tickets, (0..32).collect::<Vec<u32>>());
}

fn run_once(text: &str) -> Vec<u32> {
    let program = decode(text, "k");
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 128);
    let launched = Params::default().u64(out).launch(1, 32);
    launch(&program, &launched, &mut memory, &Config::default()).unwrap_or_else(|found| panic!("{found}"));
    words(&memory, out, 32)
}

#[test]
fn a_list_of_targets_leads_each_lane_to_its_own() {
    let body = "and.b32 %r1, %r0, 3;\nsetp.lt.u32 %p0, %r0, 30;\nmov.u32 %r9, 77;\n\
        T: .branchtargets A, B, C, A;\n@%p0 brx.idx %r1, T;\nbra.uni END;\n\
        A: mov.u32 %r9, 1;\nbra.uni END;\nB: mov.u32 %r9, 2;\nbra.uni END;\nC: mov.u32 %r9, 3;\nEND:";
    let expected: Vec<u32> =
        (0..32).map(|lane| if lane < 30 { [1, 2, 3, 1][lane % 4] } else { 77 }).collect();
    assert_eq!(result("", body), expected);
}

#[test]
fn scopes_shadow_and_come_back() {
    let body = "mov.u32 %r9, 0;\n{ .reg .b32 %r9; mov.u32 %r9, 5; L: add.u32 %r8, %r9, 1; bra.uni M; M: }\n\
        { .reg .b32 t; .reg .pred %p0; mov.u32 t, 100; setp.eq.u32 %p0, %r0, 3; @%p0 bra L; add.u32 t, t, 1; L: \
        { .reg .b32 t; mov.u32 t, 7; add.u32 %r9, %r9, t; } add.u32 %r9, %r9, t; }\nadd.u32 %r9, %r9, %r8;";
    let expected: Vec<u32> = (0..32).map(|lane| 7 + 6 + if lane == 3 { 100 } else { 101 }).collect();
    assert_eq!(result("", body), expected);
}

#[test]
fn what_can_not_be_called_is_refused_with_its_line() {
    let cases = [
        (
            ".extern .func (.param .b64 r) malloc(.param .b64 n);",
            "call (%rd2), malloc, (%rd0);",
            "line 14: `malloc` is called, but the module does not define it",
        ),
        (
            ".func f(.param .b32 a) { ret; }",
            "call f, (%rd0);",
            "line 14: the operands of this call of `f` are not those that it declares",
        ),
    ];
    for (functions, body, part) in cases {
        let parsed = module::parse(&text(functions, body)).unwrap();
        let error = Program::decode(&parsed, "k").err().unwrap();
        assert!(error.to_string().contains(part), "{error}");
        assert!(!error.help().is_empty());
    }
}

#[test]
fn calls_that_double_too_often_are_refused() {
    let mut functions = ".func f0() { ret; }\n".to_owned();
    for index in 1..40 {
        functions.push_str(&format!(".func f{index}() {{ call f{0}; call f{0}; ret; }}\n", index - 1));
    }
    let parsed = module::parse(&text(&functions, "call f39;")).unwrap();
    let error = Program::decode(&parsed, "k").err().unwrap().to_string();
    assert!(error.contains("more than 262144 statements"), "{error}");
}

#[test]
fn constant_memory_is_read_only_and_has_bounds() {
    let cases = [
        ("cvta.const.u64 %rd2, c;\nst.u32 [%rd2], %r0;\nmov.u32 %r9, 0;", "const"),
        ("mov.u64 %rd2, c;\nld.const.u32 %r9, [%rd2+8];", "const"),
        ("cvta.const.u64 %rd2, c;\natom.add.u32 %r9, [%rd2], 1;", "const"),
    ];
    for (body, part) in cases {
        let program = decode(&text(".const .u32 c[2] = {1, 2};", body), "k");
        let mut memory = GlobalMemory::new();
        let out = memory.allocate("out", 128);
        let launched = Params::default().u64(out).launch(1, 32);
        let found = launch(&program, &launched, &mut memory, &Config::default()).unwrap_err();
        assert!(matches!(found.kind, FindingKind::OutOfBounds(_)), "{found}");
        assert!(found.to_string().contains(part), "{found}");
    }
}

#[test]
fn a_generic_load_finds_each_lanes_own_memory() {
    let functions = ".const .u32 c = 3;\n.global .u32 g = 4;\n.shared .u32 s;";
    let body = ".local .u32 l;\nst.local.u32 [l], 1;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 st.shared.u32 [s], 2;\nbar.sync 0;\n\
        cvta.local.u64 %rd2, l;\ncvta.shared.u64 %rd3, s;\ncvta.const.u64 %rd4, c;\ncvta.global.u64 %rd5, g;\n\
        and.b32 %r1, %r0, 3;\nsetp.eq.u32 %p1, %r1, 1;\nsetp.eq.u32 %p2, %r1, 2;\nsetp.eq.u32 %p3, %r1, 3;\n\
        selp.b64 %rd6, %rd3, %rd2, %p1;\nselp.b64 %rd6, %rd4, %rd6, %p2;\nselp.b64 %rd6, %rd5, %rd6, %p3;\n\
        ld.u32 %r9, [%rd6];";
    let expected: Vec<u32> = (0..32).map(|lane| lane % 4 + 1).collect();
    assert_eq!(result(functions, body), expected);
}

/// nvcc writes so for a pointer whose initial value is the address of a constant.
#[test]
fn a_global_load_takes_the_generic_address_of_a_constant() {
    let functions = ".const .u32 c[2] = {3, 4};\n.const .u64 where = generic(c)+4;\n.global .u32 g = 5;";
    let body = "ld.const.u64 %rd2, [where];\nmov.u64 %rd3, g;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 1;\n\
        selp.b64 %rd4, %rd3, %rd2, %p1;\nld.global.u32 %r9, [%rd4];";
    let expected: Vec<u32> = (0..32).map(|lane| 4 + lane % 2).collect();
    assert_eq!(result(functions, body), expected);
}
