//! Functions that call themselves: results, frames, divergent depth, and the end of the stack.

use warpsmith::ptx::emu::{Config, FindingKind, GlobalMemory, Program, Schedule, launch};
use warpsmith::ptx::module;

use crate::rig::{Params, words};

const RECURSION: &str = include_str!("../data/ptx/recursion.ptx");

/// Runs one CTA under several schedules; the first parameter is where the words go.
fn run(program: &Program, threads: u32, count: usize, more: impl Fn(Params) -> Params) -> Vec<u32> {
    let schedules = [Schedule::Default, Schedule::Adversarial(3), Schedule::Adversarial(4)];
    let mut results = schedules.map(|schedule| {
        let mut memory = GlobalMemory::new();
        let out = memory.allocate("out", count as u64 * 4);
        let launched = more(Params::default().u64(out)).launch(1, threads);
        launch(program, &launched, &mut memory, &Config { schedule, ..Config::default() })
            .unwrap_or_else(|found| panic!("{found}"));
        words(&memory, out, count)
    });
    assert!(results.iter().all(|result| *result == results[0]), "schedules differ");
    std::mem::take(&mut results[0])
}

fn decode(text: &str, entry: &str) -> Program {
    let parsed = module::parse(text).unwrap();
    parsed.check().unwrap();
    assert_eq!(module::parse(&parsed.print()).as_ref(), Ok(&parsed));
    Program::decode(&parsed, entry).unwrap()
}

fn fib(n: u32) -> u32 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[test]
fn recursion_of_several_kinds_gives_each_lane_its_own() {
    let program = decode(RECURSION, "results");
    let met = run(&program, 48, 48 * 5, |params| params.u32(7));
    for (lane, met) in (0_u32..48).zip(met.chunks_exact(5)) {
        let fact = (1..=u64::from(lane)).fold(1_u64, u64::wrapping_mul) as u32;
        let low = lane & 15;
        // Each activation adds its number and 7, and all but the first the number of the one that called it.
        let pile =
            if lane < 20 { 0 } else { (0..=low).map(|n| n + 7 + if n < low { n + 1 } else { 0 }).sum() };
        assert_eq!(
            met,
            [fact, fib(low), u32::from(lane % 2 == 0), pile, u32::from(lane % 2 == 1)],
            "lane {lane}"
        );
    }
}

/// A module around functions and the body of a kernel `k`, whose result is in `%r9` and whose thread is `%r0`.
fn text(functions: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{functions}\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\n\
         mul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd0, %rd0, %rd1;\n{body}\nst.global.u32 [%rd0], %r9;\nret;\n}}\n"
    )
}

#[test]
fn registers_of_every_class_survive_a_call() {
    // Values go round a loop with the call in it, so that what is written after it is wanted before it.
    let functions = ".func (.param .b32 o) f(.param .b32 n) {\n.reg .b32 n, t, s, i;\n.reg .b16 h;\n.reg .b64 d;\n\
        .reg .b8 c;\n.reg .pred q, odd;\n.reg .f32 x;\nld.param.u32 n, [n];\nand.b32 t, n, 1;\nsetp.ne.u32 odd, t, 0;\n\
        mov.u32 s, 0;\nmov.u32 i, 0;\nL:\nsetp.ge.u32 q, i, n;\n@q bra END;\ncvt.u16.u32 h, n;\ncvt.u64.u32 d, n;\n\
        cvt.rn.f32.u32 x, n;\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], i;\ncall (r), f, (a);\n\
        ld.param.b32 t, [r];\nadd.u32 s, s, t;\ncvt.u32.u16 t, h;\nadd.u32 s, s, t;\ncvt.u32.u64 t, d;\nadd.u32 s, s, t;\n\
        cvt.rzi.u32.f32 t, x;\nadd.u32 s, s, t;\n@odd add.u32 s, s, 1;\nadd.u32 i, i, 1;\nbra L;\nEND:\n\
        st.param.b32 [o], s;\nret;\n}";
    let functions =
        functions.replace(".reg .b8 c;\n", "").replace("ld.param.u32 n, [n]", "ld.param.u32 n, [a0]");
    let functions = functions.replace("f(.param .b32 n)", "f(.param .b32 a0)");
    let program = decode(&text(&functions, "and.b32 %r1, %r0, 7;\ncall (%r9), f, (%r1);"), "k");
    fn f(n: u32) -> u32 {
        (0..n).map(|i| f(i) + 3 * n + n % 2).sum()
    }
    let expected: Vec<u32> = (0..32).map(|lane| f(lane % 8)).collect();
    assert_eq!(run(&program, 32, 32, |params| params), expected);
}

#[test]
fn operands_in_registers_go_round_too() {
    // The arguments are exchanged at each call: neither may be lost on the way. The inner function is in place.
    let functions = ".func (.reg .b32 o) less(.reg .b32 a) { sub.u32 o, a, 1; ret; }\n\
        .func (.reg .b32 o) f(.reg .b32 a, .reg .b32 b) {\n.reg .pred q;\n.reg .b32 t;\nmov.u32 o, b;\n\
        setp.eq.u32 q, a, 0;\n@q ret;\ncall (t), less, (a);\nmov.u32 o, 100;\n@!q call (o), f, (b, t);\n\
        add.u32 o, o, a;\nret;\n}";
    let program = decode(&text(functions, "call (%r9), f, (%r0, 5);\ncall (_), f, (1, %r0);"), "k");
    fn f(a: u32, b: u32) -> u32 {
        if a == 0 { b } else { f(b, a - 1) + a }
    }
    let expected: Vec<u32> = (0..32).map(|lane| f(lane, 5)).collect();
    assert_eq!(run(&program, 32, 32, |params| params), expected);
}

#[test]
fn a_recursion_that_is_too_deep_says_so_at_its_call() {
    let text = RECURSION
        .replace("setp.gt.u32 	%p1, %r1, 1;", "setp.gt.u32 	%p1, %r1, -1;\n	setp.ge.s32 	%p1, %r1, -9999;");
    let program = decode(&text, "results");
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 48 * 20);
    let launched = Params::default().u64(out).u32(0).launch(1, 48);
    let found = launch(&program, &launched, &mut memory, &Config::default()).unwrap_err();
    let FindingKind::StackFull { depth, bytes: 32_768 } = found.kind else { panic!("{found}") };
    assert!((100..2000).contains(&depth), "{found}");
    let site = found.site.as_ref().unwrap();
    assert!(text.lines().nth(site.line as usize - 1).unwrap().contains("call.uni"), "{found}");
    assert!(site.text.contains("_Z4factj"), "{found}");
    assert!(found.to_string().contains(&format!("{depth} calls deep")), "{found}");
}

const POINTERS: &str = include_str!("../data/ptx/function_pointers.ptx");

#[test]
fn lanes_of_a_warp_call_functions_of_their_own_through_a_register() {
    let program = decode(POINTERS, "apply");
    let met = run(&program, 64, 128, |params| params.u32(2));
    for (lane, met) in (0_u32..64).zip(met.chunks_exact(2)) {
        let own = |a: u32, b: u32| if lane % 2 == 0 { a + b } else { a * b };
        let folded = (1..=lane % 4).fold(1, |sum, n| if lane > 15 { own(sum, n) } else { sum * n });
        assert_eq!(met, [own(lane, 3), folded], "lane {lane}");
    }
}

/// What the kernel of function pointers ends with when lanes take the first entries of its table.
fn pointer_finding(text: &str, entries: u32) -> Box<warpsmith::ptx::emu::Finding> {
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 64 * 8);
    let launched = Params::default().u64(out).u32(entries).launch(1, 64);
    launch(&decode(text, "apply"), &launched, &mut memory, &Config::default()).unwrap_err()
}

#[test]
fn a_pointer_that_leads_nowhere_is_found_at_its_call() {
    let line = POINTERS.lines().position(|line| line.trim() == "%rd8,").unwrap();
    let other = pointer_finding(POINTERS, 3);
    let FindingKind::NoFunction { name: Some(name), .. } = &other.kind else { panic!("{other}") };
    assert_eq!((name.as_str(), other.thread), ("_Z5otherv", Some([2, 0, 0])), "another signature");
    assert_eq!(other.site.as_ref().unwrap().line as usize, line, "the line of `call`, before the register's");
    // Lane 2 has a function now, and lane 3 takes the null pointer behind it.
    let null = pointer_finding(&POINTERS.replace("_Z5otherv, 0}", "_Z3addjj, 0}"), 4);
    assert_eq!(null.kind, FindingKind::NoFunction { address: 0, name: None });
    assert_eq!(null.thread, Some([3, 0, 0]));
    assert!(null.to_string().contains("0x0 is the address of no function"), "{null}");
}

#[test]
fn a_list_limits_what_a_call_reaches_and_a_guard_who_calls() {
    let functions = ".func (.reg .b32 o) f(.reg .b32 a) { add.u32 o, a, 100; ret; }\n\
        .func (.reg .b32 o) g(.reg .b32 a) { add.u32 o, a, 200; ret; }\n\
        .func (.reg .b32 o) h(.reg .b32 a) { add.u32 o, a, 300; ret; }";
    let body = "mov.u64 %rd2, f;\nmov.u64 %rd3, g;\nsetp.lt.u32 %p0, %r0, 9;\nselp.b64 %rd2, %rd2, %rd3, %p0;\n\
        setp.lt.u32 %p1, %r0, 20;\n@!%p1 mov.u64 %rd2, 0;\nmov.u32 %r9, 7;\nT: .calltargets f, g;\n\
        @%p1 call (%r9), %rd2, (%r0), T;";
    let expected: Vec<u32> = (0..32)
        .map(|lane| match lane {
            0..9 => 100 + lane,
            9..20 => 200 + lane,
            _ => 7,
        })
        .collect();
    assert_eq!(run(&decode(&text(functions, body), "k"), 32, 32, |params| params), expected);
    let program = decode(&text(functions, &body.replace("%rd3, g;", "%rd3, h;")), "k");
    let mut memory = GlobalMemory::new();
    let launched = Params::default().u64(memory.allocate("out", 128)).launch(1, 32);
    let found = launch(&program, &launched, &mut memory, &Config::default()).unwrap_err();
    let FindingKind::NoFunction { name: Some(name), .. } = &found.kind else { panic!("{found}") };
    assert_eq!((name.as_str(), found.thread), ("h", Some([9, 0, 0])));
}

#[test]
fn the_address_of_a_function_is_no_place_of_data() {
    let functions = ".func f() { ret; }\n.global .u64 kept = f;";
    for body in
        ["mov.u64 %rd2, f;\nld.u32 %r9, [%rd2];", "ld.global.u64 %rd2, [kept];\nst.global.u32 [%rd2], %r0;"]
    {
        let program = decode(&text(functions, body), "k");
        let mut memory = GlobalMemory::new();
        let launched = Params::default().u64(memory.allocate("out", 128)).launch(1, 32);
        let found = launch(&program, &launched, &mut memory, &Config::default()).unwrap_err();
        assert!(matches!(found.kind, FindingKind::OutOfBounds(_)), "{found}");
    }
}

#[test]
fn a_number_past_the_end_of_a_list_is_found() {
    let body = "mov.u32 %r9, 0;\nT: .branchtargets A, A;\nadd.u32 %r1, %r0, 0;\nbrx.idx %r1, T;\nA:";
    let program = decode(&text("", body), "k");
    let mut memory = GlobalMemory::new();
    let launched = Params::default().u64(memory.allocate("out", 128)).launch(1, 32);
    let found = launch(&program, &launched, &mut memory, &Config::default()).unwrap_err();
    assert_eq!((found.kind, found.thread), (FindingKind::NoTarget { number: 2 }, Some([2, 0, 0])));
    assert_eq!(found.site.unwrap().text, "brx.idx %r1, T;");
}
