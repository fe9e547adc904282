//! Round trips of modules, the refusals of the parser and of the check, and the layout of the text.

use proptest::prelude::*;

use super::*;
use crate::entity::EntityId as _;
use crate::ptx::isa::modifier::{Ftz, Nc, Rounding, Sat, Space, Uni};
use crate::ptx::isa::sample::{Choice as _, POOL, Random};
use crate::ptx::isa::types::{FloatType, MemType, MovType};
use crate::ptx::isa::{AddFloat, Address, Bra, Call, CallSite, Callee, Def, Ld, RegClass, Ret, Use, VecDef};

const EXAMPLES: [(&str, &str); 7] = [
    ("vector_add", include_str!("../../../tests/data/ptx/vector_add.ptx")),
    ("reduce_sum", include_str!("../../../tests/data/ptx/reduce_sum.ptx")),
    ("line_info", include_str!("../../../tests/data/ptx/line_info.ptx")),
    ("device_functions", include_str!("../../../tests/data/ptx/device_functions.ptx")),
    ("variables", include_str!("../../../tests/data/ptx/variables.ptx")),
    ("debug_sections", include_str!("../../../tests/data/ptx/debug_sections.ptx")),
    ("triton_sum", include_str!("../../../tests/data/ptx/triton_sum.ptx")),
];

fn newest() -> Module {
    let target = SmTarget::parse("sm_121a").expect("a target");
    Module { version: PtxVersion::CEILING, ..Module::new(target) }
}

fn shared(name: String, linkage: Linkage, extent: Extent) -> Variable {
    Variable {
        name,
        space: VarSpace::Shared,
        linkage,
        align: Some(16),
        ty: ScalarType::B8,
        extent,
        initial: Vec::new(),
    }
}

/// An entry with the registers, variables and labels that samples draw from.
fn pool_entry(name: String) -> Entry {
    let mut entry = Entry::new(name);
    for class in RegClass::ALL {
        for index in 0..POOL {
            entry.regs.new_reg(class, format!("%{}_{index}", &class.spelling()[1..]));
        }
    }
    for index in 0..POOL {
        entry.vars.push(shared(format!("buf{index}"), Linkage::Internal, Extent::Array(64)));
        entry.new_label(format!("$L_{index}"));
    }
    entry
}

fn random_statement(random: &mut Random) -> Statement {
    let mut statement: Statement = match random.operand(12) {
        0 => StatementKind::Comment(format!("note {}", random.operand(100)).into()).into(),
        1 => {
            let inlined = (random.operand(2) == 0)
                .then(|| Box::new(InlinedAt { function: "$L_0".into(), file: 1, line: 3, column: 7 }));
            StatementKind::Loc { file: 1, line: random.operand(500) as u32, column: 9, inlined }.into()
        }
        2 => StatementKind::Pragma("nounroll".into()).into(),
        _ => {
            let row = random.operand(Op::rows().len());
            let op = Op::sample(row, random).expect("a row has a form that its check passes");
            // What only another chip has goes with another module.
            if !op.requires().admits(newest().target) {
                return random_statement(random);
            }
            if random.operand(4) == 0 {
                Inst::guarded(random.reg(RegClass::Pred), random.operand(2) == 1, op).into()
            } else {
                Inst::from(op).into()
            }
        }
    };
    if !matches!(statement.kind, StatementKind::Comment(_)) && random.operand(3) == 0 {
        statement.comment = Some(format!("x = {}; // again", random.operand(100)).into());
    }
    statement
}

/// A function that samples may call.
fn random_function(index: usize, random: &mut Random) -> Function {
    let linkage = [Linkage::Internal, Linkage::Visible, Linkage::Weak][random.operand(3)];
    let mut code = Entry { visible: false, ..Entry::new(format!("fn{index}")) };
    let defined = random.operand(3) > 0;
    if defined {
        let reg = code.regs.new_reg(RegClass::B32, "%r_a");
        code.push(crate::ptx::isa::Mov { ty: MovType::B32, dst: Def(reg), src: Use::Int(7) });
        let callee = Callee::Function(FunctionId::from_index(random.operand(POOL)));
        let (results, arguments) = (smallvec::smallvec![], vec![]);
        code.push(Call { uni: Uni(true), site: CallSite { results, callee, arguments, table: None } });
        code.push(Ret { uni: Uni(false) });
    }
    let (results, arguments, no_return) = (Vec::new(), Vec::new(), random.operand(2) == 1);
    Function { linkage, no_return, results, arguments, code, defined }
}

fn random_module(seed: u64) -> Module {
    let mut random = Random::new(seed);
    let mut module = newest();
    module.comments = (0..random.operand(3)).map(|line| format!("line {line}")).collect();
    module.files.push(SourceFile::new(1, "src/kernels/x.rs"));
    module.sections.push(Section { name: ".debug_str".to_owned(), lines: vec!["$L_0:".to_owned()] });
    module.globals.push(shared("dyn".to_owned(), Linkage::Extern, Extent::Unsized));
    for index in 0..POOL {
        module.functions.push(random_function(index, &mut random));
    }
    for number in 0..=random.operand(2) {
        let mut entry = pool_entry(format!("k{number}"));
        entry.visible = random.operand(2) == 1;
        entry.params.push(Param::scalar("p_n", ScalarType::U32));
        let pointer = Some(PointerAttr { space: PointerSpace::Global, align: Some(16) });
        entry.params.push(Param { pointer, ..Param::scalar("p_x", ScalarType::U64) });
        let aggregate = Param { array: Some(48), align: Some(16), ..Param::scalar("p_a", ScalarType::B8) };
        entry.params.push(aggregate);
        entry.bounds.max_threads = (random.operand(2) == 1).then_some([128, 2, 1]);
        entry.bounds.min_ctas = (random.operand(2) == 1).then_some(2);
        // Labels stand in another order than that of their ids.
        let targets = [3, 1, 3].map(LabelId::from_index).to_vec();
        let callees = vec![FunctionId::from_index(2), FunctionId::from_index(0)];
        let prototype = TableKind::Prototype {
            results: vec![PrototypeParam::Param(Param::scalar("_", ScalarType::B32))],
            arguments: vec![PrototypeParam::Reg(ScalarType::B64, "_".to_owned())],
            no_return: random.operand(2) == 1,
        };
        let kinds = [
            TableKind::Branches(targets.clone()),
            TableKind::Callees(callees),
            prototype,
            TableKind::Branches(targets),
        ];
        for (index, kind) in kinds.into_iter().enumerate() {
            entry.tables.push(Table { name: format!("$T_{index}"), kind });
        }
        // Statements may be inlined at this place.
        entry.body.push(StatementKind::Loc { file: 1, line: 3, column: 7, inlined: None }.into());
        for label in [2, 0, 3, 1] {
            for _ in 0..random.operand(8) {
                entry.body.push(random_statement(&mut random));
            }
            entry.place(LabelId::from_index(label));
        }
        entry.renumber_labels();
        module.entries.push(entry);
    }
    module
}

proptest! {
    #[test]
    fn a_module_parses_as_it_prints(seed: u64) {
        let module = random_module(seed);
        let text = module.print();
        let met = parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&met, &module, "{}", text);
        prop_assert_eq!(met.print(), text);
    }

    #[test]
    fn damaged_text_is_an_error_and_no_panic(seed: u64) {
        let mut random = Random::new(seed);
        let mut text = EXAMPLES[random.operand(EXAMPLES.len())].1.to_owned();
        let signs = ["{", "}", ";", ",", "[", "]", "<", "0x", "-", "\"", "/*", "@", ".reg", "$L:", "\u{e9}", "%r1"];
        for _ in 0..=random.operand(3) {
            let at = random.operand(text.len());
            if text.is_char_boundary(at) && random.operand(2) == 0 {
                text.insert_str(at, signs[random.operand(signs.len())]);
            } else if text.is_char_boundary(at) {
                text.truncate(at);
            }
        }
        if let Ok(module) = parse(&text) {
            let printed = module.print();
            prop_assert_eq!(parse(&printed), Ok(module), "{}", printed);
        }
    }

    #[test]
    fn a_random_module_fails_its_check_by_state_space_only(seed: u64) {
        // Samples name a shared variable in any space, which is the one thing that a row can't know.
        if let Err(errors) = random_module(seed).check() {
            for error in errors {
                prop_assert!(matches!(error.problem, Problem::Space { .. }), "{}", error);
            }
        }
    }
}

#[test]
fn foreign_modules_parse_check_and_print_back() {
    for (name, text) in EXAMPLES {
        let module = parse(text).unwrap_or_else(|error| panic!("{name}:{error}\n{}", error.help()));
        assert_eq!(module.check(), Ok(()), "{name}");
        let again =
            parse(&module.print()).unwrap_or_else(|error| panic!("{name}:{error}\n{}", module.print()));
        assert_eq!(again, module, "{name}");
    }
}

#[test]
fn instructions_know_their_line() {
    let (_, text) = EXAMPLES[0];
    let module = parse(text).expect("parses");
    let entry = &module.entries[0];
    for (at, inst) in entry.insts() {
        let line = entry.body[at].line as usize;
        let written = text.lines().nth(line - 1).expect("the line is in the text");
        assert!(written.contains(inst.op.opcode()), "line {line}: {written}");
    }
    let wide = entry.body.iter().find(|statement| statement.comment.is_some()).expect("a comment is kept");
    assert_eq!(wide.comment.as_deref(), Some("64-bit byte offset: never shl.b32 then widen"));
}

#[test]
fn labels_lead_to_statements() {
    let module = parse(EXAMPLES[1].1).expect("parses");
    let entry = &module.entries[0];
    let positions = entry.label_positions();
    let names: Vec<_> = entry.labels.values().map(|label| label.name.as_str()).collect();
    assert_eq!(names, ["LOOP", "LOOP_END", "DONE"]);
    for (_, inst) in entry.insts() {
        if let Some(label) = inst.op.target() {
            let at = positions[label].expect("the label is placed");
            assert_eq!(entry.body[at].kind, StatementKind::Label(label));
        }
    }
}

fn small() -> Module {
    let mut module = Module::new(SmTarget::plain(80));
    module.comments.push("scale, for sm_80".to_owned());
    let mut entry = Entry::new("scale");
    let x = entry.params.push(Param::scalar("p_x", ScalarType::U64));
    entry.bounds.max_threads = Some([256, 1, 1]);
    let base = entry.regs.new_reg(RegClass::B64, "%rd_x");
    let value = entry.regs.new_reg(RegClass::B32, "%f_x");
    let guard = entry.regs.new_reg(RegClass::Pred, "%p_guard");
    let done = entry.new_label("$L_done");
    let load = |ty, space, dst, addr| Ld {
        order: None,
        scope: None,
        space: Some(space),
        cache: None,
        nc: Nc(false),
        l1: None,
        l2: None,
        vec: None,
        ty,
        dst: VecDef::one(dst),
        addr,
    };
    entry.push(load(MemType::U64, Space::Param, base, Address::symbol(Symbol::Param(x), 0)));
    entry.push(Inst::guarded(guard, true, Bra { uni: Uni(false), target: done }));
    entry.push(load(MemType::F32, Space::Global, value, Address::reg(base, -4)));
    let (round, ftz, sat, ty) = (Some(Rounding::Rn), Ftz(false), Sat(false), FloatType::F32);
    entry.push(AddFloat { round, ftz, sat, ty, dst: Def(value), a: value.into(), b: value.into() });
    entry.body[3].comment = Some("twice".into());
    entry.place(done);
    entry.push(Ret { uni: Uni(false) });
    module.entries.push(entry);
    module
}

#[test]
fn the_layout_is_for_people() {
    expect_test::expect![[r#"
        // scale, for sm_80
        .version 7.0
        .target sm_80
        .address_size 64

        .visible .entry scale(
            .param .u64 p_x
        )
        .maxntid 256, 1, 1
        {
            .reg .pred %p_guard;
            .reg .b32 %f_x;
            .reg .b64 %rd_x;

            ld.param.u64        %rd_x, [p_x];
            @!%p_guard bra      $L_done;
            ld.global.f32       %f_x, [%rd_x+-4];
            add.rn.f32          %f_x, %f_x, %f_x;                       // twice
        $L_done:
            ret;
        }
    "#]]
    .assert_eq(&small().print());
    assert_eq!(small().check(), Ok(()));
}

#[test]
fn a_long_declaration_is_wrapped() {
    let mut module = small();
    for index in 0..100 {
        module.entries[0].regs.new_reg(RegClass::B32, format!("%r_index{index}"));
    }
    let text = module.print();
    assert!(text.lines().all(|line| line.len() <= 100));
    assert_eq!(text.matches(".reg .b32").count(), 1);
    assert_eq!(parse(&text), Ok(module));
}

#[test]
fn the_version_is_the_lowest_that_is_needed() {
    let mut module = small();
    assert_eq!(module.needed_version(), PtxVersion::new(7, 0));
    if let StatementKind::Inst(Inst { op: Op::Ld(ld), .. }) = &mut module.entries[0].body[2].kind {
        ld.l1 = Some(crate::ptx::isa::modifier::L1Eviction::NoAllocate);
    }
    assert_eq!(module.needed_version(), PtxVersion::new(7, 4));
    let errors = module.check().expect_err("7.0 is declared");
    assert_eq!(
        errors[0].to_string(),
        "entry `scale`, statement 2: `ld` needs PTX 7.4, but the module declares 7.0"
    );
}

/// A body in a module around it.
fn in_entry(body: &str) -> String {
    let regs = ".reg .b32 %r<2>; .reg .f32 %f<2>; .reg .u64 %rd<2>; .reg .f64 %d<2>; .reg .pred %p<2>;";
    format!(".version 7.0\n.target sm_80\n.entry k(.param .u64 p)\n{{\n{regs}\n{body}\n}}\n")
}

#[test]
fn constant_expressions_stand_where_numbers_do() {
    let body = "mov.u32 %r0, (3+4)*2;\nmov.f32 %f0, 1.0/4.0;\nld.global.u32 %r0, [%rd0+(-0x100)];\n\
        ld.global.u32 %r0, [%rd0+4*4];\nbar.red.popc.u32 %r0, 1+1, 32*2, %p0;\n\
        st.global.v2.u32 [%rd0], {1<<4, ~0};\nmov.f64 %d0, (.5);\nshr.u32 %r0, %r1, 7 % 4;";
    let globals = ".global .b32 t[4] = {1<<4, -(3), WARP_SZ*2, 1 ? 0xff : 0};\n.global .u64 p = t+4*2;\n\
        .global .f32 f = -(1.0/4.0);\n.global .b8 s[WARP_SZ];\n.entry k";
    let text = in_entry(body).replace(".entry k", globals);
    let printed = parse(&text).map(|module| module.print()).expect("reads");
    let words: Vec<_> = printed.split_whitespace().collect();
    let printed = words.join(" ");
    for part in [
        "mov.u32 %r0, 14;",
        "mov.f32 %f0, 0f3E800000;",
        "[%rd0+-256]",
        "[%rd0+16]",
        "%r0, 2, 64, %p0;",
        "{16, -1}",
        "mov.f64 %d0, 0d3FE0000000000000;",
        "shr.u32 %r0, %r1, 3;",
        "t+8",
        "s[32]",
        "0fBE800000",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn what_is_not_known_is_refused_by_name_and_place() {
    let cases = [
        (in_entry("mov.u32 %r0, %r2;"), "6:14: unknown register `%r2`"),
        (in_entry("frob.b32 %r0;"), "6:1: unknown instruction `frob.b32`"),
        (in_entry("{ ret; "), "expected `}`, met"),
        (in_entry("{ .reg .b32 %t; }\nmov.u32 %r0, %t;"), "7:14: unknown register `%t`"),
        (in_entry("bra L;\n{ L: ret; }"), "6:5: unknown label `L`"),
        (in_entry("brx.idx %r0, T;\nT: .branchtargets T2;"), "6:14: unknown list of targets `T`"),
        (in_entry("T: .branchtargets L;"), "6:19: unknown label `L`"),
        (in_entry("call f;"), "6:6: unknown register or variable `f`"),
        (in_entry("call %r0, (%r1);"), "a call through a register names a prototype or its targets"),
        (
            in_entry("add.u32 %r0, %f0, 1;"),
            "6:14: `add`: `%f0` is declared `.f32`, but operand `a` takes `.u32`",
        ),
        (
            in_entry("add.u32 %r0, %r1, %p0;"),
            "6:19: `add`: `%p0` is declared `.pred`, but operand `b` takes `.u32`",
        ),
        (in_entry("ld.global.u32 %f0, [%rd0];"), "`%f0` is declared `.f32`, but operand `dst` takes `.u32`"),
        (in_entry("ld.global.u32 %r0, [%d0];"), "`%d0` is declared `.f64`, but operand `addr` takes `.u64`"),
        (
            in_entry(".reg .bf16 %h;"),
            "expected a type of registers; this one is an instruction's only, met `.bf16`",
        ),
        (
            in_entry(".loc 1 2 3, function_name L, inlined_at 1 9 3"),
            "expected a place that a `.loc` before this one names",
        ),
        (
            in_entry(".loc 1 2 3 .loc 1 2 4, function_name L, inlined_at 1 2 3"),
            "unknown label of a debug section `L`",
        ),
        (in_entry("mov.u32 %r0, 1/0;"), "6:15: constant expression: division by zero"),
        (
            in_entry("mov.u32 %r0, %tid;"),
            "special register without `.x`, `.y` or `.z` `%tid` is not supported",
        ),
        (in_entry("mov.v4.u32 {%r0, %r1, %r2, %r3}, %tid;"), "moves of whole vectors"),
        (in_entry("// \u{e9}"), "6:4: unknown character"),
        (in_entry(".loc 1 2 3 .loc 1 2 3, inlined_at 1 2 3;"), "expected `, function_name`"),
        (in_entry(".reg .b32 %r1;"), "6:11: `%r1` is declared twice"),
        (in_entry("L: ret;\nL: ret;"), "7:1: `L` is declared twice"),
        (in_entry(".branchtargets A;"), "6:1: directive `.branchtargets` is not supported"),
        (in_entry("L: ret;\n.reg .b32 L;"), "7:11: `L` is declared twice"),
        (in_entry(".reg .b32 %q<99999999>;"), "`99999999` is not a number that fits"),
        (in_entry("ret"), "expected"),
        (in_entry(".reg .v4 .b32 v;"), "6:6: vector of registers `.v4` is not supported"),
        (
            ".version 7.0\n.target sm_80, map_f64_to_f32\n".to_owned(),
            "2:16: target option `map_f64_to_f32` is not supported",
        ),
        (
            ".version 7.0\n.target sm_80\n.func f() { ret; }\n.func f() { ret; }".to_owned(),
            "4:7: `f` is declared twice",
        ),
        (
            ".version 7.0\n.target sm_80\n.func f();\n.func f(.param .b32 a) { ret; }".to_owned(),
            "4:7: `f` was declared with other results or arguments before",
        ),
        (
            ".version 7.0\n.target sm_80\n.func f(.param .b32 a, .param .b32 a);".to_owned(),
            "3:7: `a` is declared twice",
        ),
        (
            ".version 7.0\n.target sm_80\n.func f(.param .b8 a[]);".to_owned(),
            "3:22: variable number of arguments before `]` is not supported",
        ),
        (
            ".version 7.0\n.target sm_80\n.extern .entry f();".to_owned(),
            "3:1: linkage `.extern` is not supported",
        ),
        (".version 7.0\n.target sm_80\n.alias f, g;".to_owned(), "3:1: directive `.alias` is not supported"),
        (
            ".version 7.0\n.target sm_80\n.global .attribute(.managed) .u32 g;".to_owned(),
            "3:9: expected a type, met `.attribute`",
        ),
        (
            ".version 7.0\n.target sm_80\n.global .u32 g;\n.global .u32 g;".to_owned(),
            "4:15: `g` is declared twice",
        ),
        (
            ".version 7.0\n.target sm_80\n.global .u32 g[2] = {{1}, 2};".to_owned(),
            "3:22: initial value `{` is not supported",
        ),
        (".version 7.0\n.target sm_80\n.global .f32 g = h;".to_owned(), "3:18: expected a number, met `h`"),
        (
            ".version 7.0\n.target sm_80\n.section .debug_str { .b9 1 }".to_owned(),
            "expected a label, `.b8`, `.b16`, `.b32`, `.b64` or }, met `.b9`",
        ),
        (
            ".version 7.0\n.target sm_80\n.shared .b32 g = 4;".to_owned(),
            "3:16: initialiser `=` is not supported",
        ),
        (
            ".version 7.0\n.target sm_80\n.global .b32 g = f;".to_owned(),
            "3:18: unknown variable or function `f`",
        ),
        (
            ".version 7.0\n.target sm_80\n.global .f32 g = 4;".to_owned(),
            "3:18: `4` is not a number that fits",
        ),
        (".target sm_80\n".to_owned(), "1:1: expected `.version`, met `.target`"),
        (
            ".version 7.0\n.target sm_80\n.entry k() .blocksareclusters { ret; }".to_owned(),
            "directive `.blocksareclusters` is not supported",
        ),
    ];
    for (text, part) in cases {
        let error = parse(&text).expect_err(&text).to_string();
        assert!(error.contains(part), "{text}\n{error}");
    }
}

#[test]
fn initial_values_come_back() {
    let text = ".version 7.0\n.target sm_80\n.address_size 64\n\n\
        .global .align 4 .b8 bytes[6] = {65, 0, 255};\n\
        .global .s32 one = -1;\n\
        .const .f32 ones[1] = {0f3F800000};\n\
        .global .f64 two = 0d4000000000000000;\n";
    let module = parse(text).expect("a right text");
    assert_eq!(module.check(), Ok(()));
    let bits = |value: &Initial| if let Initial::Bits(bits) = *value { Some(bits) } else { None };
    let values = module.globals.values().map(|variable| variable.initial.iter().filter_map(bits).collect());
    let values: Vec<Vec<u64>> = values.collect();
    assert_eq!(values, [&[65, 0, 255][..], &[0xffff_ffff], &[0x3f80_0000], &[0x4000_0000_0000_0000]]);
    assert_eq!(module.print(), text.replace("-1", "4294967295"));
    assert_eq!(parse(&module.print()), Ok(module));
}

#[test]
fn the_check_refuses_wrong_initial_values() {
    let global = |ty, extent, linkage, initial: &[u64]| Variable {
        name: "g".to_owned(),
        space: VarSpace::Global,
        linkage,
        align: None,
        ty,
        extent,
        initial: initial.iter().copied().map(Initial::Bits).collect(),
    };
    let cases = [
        (global(ScalarType::B8, Extent::Array(2), Linkage::Internal, &[1, 2, 3]), "more initial values"),
        (global(ScalarType::B8, Extent::Scalar, Linkage::Internal, &[256]), "wider than its element"),
        (global(ScalarType::F16, Extent::Scalar, Linkage::Internal, &[1]), "go with integers"),
        (global(ScalarType::B8, Extent::Unsized, Linkage::Extern, &[1]), "an external variable"),
        (
            Variable {
                space: VarSpace::Shared,
                ..global(ScalarType::B8, Extent::Scalar, Linkage::Internal, &[1])
            },
            "only `.global` and `.const`",
        ),
    ];
    for (variable, part) in cases {
        let mut module = small();
        module.globals.push(variable);
        let text = format!("{:?}", module.check().expect_err(part));
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_check_reports_each_problem() {
    let mut module = small();
    assert_eq!(module.check(), Ok(()));
    let entry = &mut module.entries[0];
    entry.new_label("$L_lost");
    entry.regs.new_reg(RegClass::B32, "%f_x");
    entry.regs.new_reg(RegClass::B32, "9lives");
    entry.vars.push(Variable {
        space: VarSpace::Global,
        ..shared("g".to_owned(), Linkage::Internal, Extent::Scalar)
    });
    entry.params.push(Param { array: Some(5000), ..Param::scalar("p_big", ScalarType::B8) });
    entry.bounds.required_threads = Some([1, 1, 1]);
    entry.body[0].comment = Some("two\nlines".into());
    if let StatementKind::Inst(Inst { op: Op::Ld(ld), .. }) = &mut entry.body[0].kind {
        ld.space = Some(Space::Global);
    }
    entry.push(Bra { uni: Uni(false), target: LabelId::from_index(7) });
    let text: String =
        module.check().expect_err("refused").iter().map(|error| format!("{error}\n")).collect();
    for part in [
        "label `$L_lost` is placed 0 times",
        "`%f_x` names two things",
        "`9lives` is not a PTX name",
        "variable `g`",
        "parameters take 5008 bytes, but at most 4352",
        "exclude each other",
        "would not stay on its line",
        "statement 0: `p_x` does not lie in the state space",
        "statement 6: a label is not one of this entry",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(module.check().expect_err("refused").len(), 9);
}
