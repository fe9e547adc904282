//! Known texts with known numbers.

use super::*;
use crate::ptx::emu::{Config, GlobalMemory, LaunchConfig, Profile, Program, launch};
use crate::ptx::module::parse;

const TEXT: &str = "
.version 8.8
.target sm_121
.address_size 64
.file 1 \"src/k.rs\"
.visible .entry k(.param .u64 x, .param .u64 y)
.reqntid 64, 1, 1
{
  .reg .b32 %r<4>; .reg .b32 %f<6>; .reg .b64 %rd<5>; .reg .pred %p;
  .shared .align 16 .b8 tile[1024];
  ld.param.u64 %rd0, [x];
  ld.param.u64 %rd1, [y];
  mov.u32 %r0, %tid.x;
  .loc 1 10 1
  mad.wide.u32 %rd2, %r0, 16, %rd0;
  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd2];
  .loc 1 11 1
  fma.rn.f32 %f4, %f0, %f1, %f2;
  add.rn.f32 %f4, %f4, %f3;
  .loc 1 12 1
  mov.u32 %r1, tile;
  mad.lo.u32 %r1, %r0, 8, %r1;
  st.shared.f32 [%r1], %f4;
  .loc 1 13 1
  setp.lt.u32 %p, %r0, 8;
  mad.wide.u32 %rd3, %r0, 128, %rd1;
  @%p st.global.f32 [%rd3], %f4;
  ret;
}
";

fn subject(module: &Module) -> Subject<'_> {
    let entry = &module.entries[0];
    let target = Target::SM_121;
    Subject { module, entry, target, block: Some([64, 1, 1]), dynamic_shared: Some(100), assembled: None }
}

/// Whether it is that line of the source; the PTX text has a line of that number too.
fn is_source(place: &Place, line: u32) -> bool {
    place.file.is_some() && place.line == line
}

#[test]
fn a_text_alone() {
    let module = parse(TEXT).unwrap();
    let found = inspect(&subject(&module));
    assert_eq!(found.resources.shared.static_bytes, 1024);
    assert_eq!(found.resources.shared.dynamic_bytes, Some(100));
    assert_eq!(found.resources.registers.assembler, None);
    let occupied = found.resources.occupancy.unwrap();
    // Two warps; 24 CTAs is all that fit, which are the 48 warps too.
    assert_eq!((occupied.ctas, occupied.warps, occupied.limit, occupied.estimated), (24, 48, "warps", true));
    let accesses: Vec<_> = found
        .accesses
        .iter()
        .map(|access| (access.direction, access.space, access.vector, access.bytes, access.place.line))
        .collect();
    let expected = [
        (Direction::Load, "global", 4, 16, 10),
        (Direction::Store, "shared", 1, 4, 12),
        (Direction::Store, "global", 1, 4, 13),
    ];
    assert_eq!(accesses, expected);
    let line = found.lines.iter().find(|line| is_source(&line.place, 11)).unwrap();
    assert_eq!((line.work.flops, line.work.instructions, line.intensity), (3.0, 2.0, None));
    assert_eq!((found.total.flops, found.total.global_bytes, found.total.shared_bytes), (3.0, 20.0, 4.0));
    assert_eq!(found.total.intensity(), Some(0.15));
    let of = |family| found.mix.iter().find(|share| share.family == family).unwrap().instructions;
    assert_eq!(of(Family::Float), 2);
    assert_eq!((of(Family::Global), of(Family::Shared), of(Family::Control)), (2, 1, 1));
    assert_eq!(
        found.mix.iter().map(|share| share.instructions).sum::<usize>(),
        module.entries[0].insts().count()
    );
}

#[test]
fn the_assembler_has_the_last_word() {
    let module = parse(TEXT).unwrap();
    let usage = Usage { registers: 200, shared_bytes: 2048, spill_load_bytes: 8, ..Usage::default() };
    let found = inspect(&Subject { assembled: Some(&usage), ..subject(&module) });
    let Resources { registers, shared, occupancy } = found.resources;
    assert_eq!(
        (registers.assembler, registers.best(), registers.spill_load_bytes),
        (Some(200), 200, Some(8))
    );
    assert_eq!(shared.static_bytes, 2048);
    let occupied = occupancy.unwrap();
    assert_eq!((occupied.ctas, occupied.limit, occupied.estimated), (4, "registers", false));
}

#[test]
fn a_run_by_lines() {
    let module = parse(TEXT).unwrap();
    let program = Program::decode(&module, "k").unwrap();
    let mut memory = GlobalMemory::new();
    let (x, y) = (memory.allocate_with("x", &[0; 1024]), memory.allocate("y", 64 * 128));
    let launched = LaunchConfig {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 0,
        params: [x, y].iter().flat_map(|address| address.to_le_bytes()).collect(),
    };
    let config = Config { profile: true, ..Config::default() };
    let stats = launch(&program, &launched, &mut memory, &config).unwrap();
    let run = run(&Profile::new(&program, &stats));
    let line = |number| {
        let found = run.lines.iter().find(|line| is_source(line.place.as_ref().unwrap(), number));
        found.unwrap()
    };
    // 32 lanes of 16 bytes: 16 sectors, all of them used.
    assert_eq!((line(10).sectors_per_request, line(10).sector_use), (Some(16.0), Some(1.0)));
    assert_eq!((line(11).flops, line(11).issued, line(11).active), (3.0 * 64.0, 4, 1.0));
    // Every second word: two lanes a bank.
    assert_eq!((line(12).conflict_ways, line(12).shared_bytes), (Some(2.0), 256));
    // 8 of 64 lanes store, each to a sector of its own, of which it uses an eighth; the second warp asks for nothing.
    assert_eq!((line(13).global_bytes, line(13).sector_use), (32, Some(0.125)));
    assert_eq!(line(13).sectors_per_request, Some(8.0));
    assert!(line(13).active < 1.0);
    assert_eq!(run.total.flops, 192.0);
    assert_eq!(run.total.intensity, Some(192.0 / (1024.0 + 32.0)));
}

#[test]
fn vectors_and_halves_count() {
    let text = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x)\n{\n\
        .reg .b16 %h<3>; .reg .b32 %r<5>; .reg .b64 %rd<2>; .reg .pred %p;\n\
        ld.param.u64 %rd0, [x];\n\
        mov.b32 %r0, 0f3F800000;\n\
        red.global.add.v4.f32 [%rd0], {%r0, %r0, %r0, %r0};\n\
        mov.b16 %h0, 0;\n\
        setp.lt.f16 %p, %h0, %h0;\n\
        add.rn.f16 %h1, %h0, %h0;\n\
        ret;\n}\n";
    let module = parse(text).unwrap();
    let found = inspect(&Subject { block: None, ..subject(&module) });
    assert_eq!(found.total.flops, 4.0 + 1.0);
    assert_eq!((found.accesses[0].vector, found.accesses[0].bytes), (4, 16));
    let of = |family| found.mix.iter().find(|share| share.family == family).map(|share| share.instructions);
    assert_eq!((of(Family::Comparison), of(Family::Float)), (Some(1), Some(1)));
}

#[test]
fn what_functions_do_counts_in_their_own_lines() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.func (.reg .f32 o) f(.reg .f32 a)\n{\n\
        fma.rn.f32 o, a, a, a;\nadd.rn.f32 o, o, a; mul.rn.f32 o, o, a;\nret;\n}\n.visible .entry k(.param .u64 p)\n{\n\
        .reg .f32 %f<3>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd0, [p];\nld.global.f32 %f0, [%rd0];\n\
        call (%f1), f, (%f0);\ncall (%f1), f, (%f1);\nst.global.f32 [%rd0], %f1;\nret;\n}\n";
    let module = parse(text).unwrap();
    let program = Program::decode(&module, "k").unwrap();
    let mut memory = GlobalMemory::new();
    let params = memory.allocate_with("p", &[0; 4]).to_le_bytes().to_vec();
    let launched = LaunchConfig { grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared: 0, params };
    let config = Config { profile: true, ..Config::default() };
    let stats = launch(&program, &launched, &mut memory, &config).unwrap();
    let run = run(&Profile::new(&program, &stats));
    let flops =
        |line| run.lines.iter().find(|met| met.place.as_ref().unwrap().line == line).map(|met| met.flops);
    assert_eq!((flops(6), flops(7), flops(8)), (Some(4.0), Some(4.0), Some(0.0)));
    assert_eq!((run.total.flops, run.total.global_bytes), (8.0, 8));
}

#[test]
fn matrix_products_count_for_the_warp() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\
        .reg .b32 %r<10>;\n\
        mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};\n\
        fma.rn.f16x2 %r0, %r1, %r2, %r3;\n\
        add.u32 %r0, %r1, %r2;\n\
        ret;\n}\n";
    let module = parse(text).unwrap();
    let found = inspect(&Subject { block: None, ..subject(&module) });
    assert_eq!(found.total.flops, 2.0 * 16.0 * 8.0 * 16.0 / 32.0 + 4.0);
    assert_eq!(found.resources.occupancy, None);
    assert_eq!(found.lines[0].place.to_string(), "PTX:7");
}

#[test]
fn dynamic_shared_memory_is_unknown_without_a_launch() {
    let extern_line = ".extern .shared .align 16 .b8 pool[];\n";
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let direct = format!(
        "{head}{extern_line}.visible .entry k()\n{{\n.reg .b32 %r0;\nmov.u32 %r0, pool;\nst.shared.u32 [%r0], %r0;\nret;\n}}\n"
    );
    let called = format!(
        "{head}{extern_line}.func f()\n{{\n.reg .b32 %r0;\nmov.u32 %r0, pool;\nst.shared.u32 [%r0], %r0;\nret;\n}}\n\
         .visible .entry k()\n{{\ncall f;\nret;\n}}\n"
    );
    let unused = format!("{head}{extern_line}.visible .entry k()\n{{\nret;\n}}\n");
    let of = |text: &str, dynamic_shared| {
        let module = parse(text).unwrap();
        let resources = inspect(&Subject { dynamic_shared, ..subject(&module) }).resources;
        (resources.shared.dynamic_bytes, resources.occupancy.unwrap().upper_bound)
    };
    for text in [&direct, &called] {
        assert_eq!(of(text, None), (None, true), "{text}");
        assert_eq!(of(text, Some(64)), (Some(64), false), "{text}");
    }
    assert_eq!(of(&unused, None), (Some(0), false));
}
