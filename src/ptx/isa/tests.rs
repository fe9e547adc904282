//! Round trips and operand walks over every row; a new row is covered by being a row.

use proptest::prelude::*;

use super::lex::lex;
use super::modifier::{BoolOp, CmpOp, Ftz, Relu, Rounding, Sat, ShflMode};
use super::sample::{Choice as _, POOL, Random};
use super::types::{FloatType, IntType};
use super::*;
use crate::entity::EntityId as _;

/// Names for the pool of registers, variables and labels that samples use.
struct PoolNames {
    regs: RegTable,
    vars: Vec<String>,
    labels: Vec<String>,
    functions: Vec<String>,
    tables: Vec<String>,
}

impl PoolNames {
    fn new() -> Self {
        let mut regs = RegTable::new();
        for class in RegClass::ALL {
            for index in 0..POOL {
                regs.new_reg(class, format!("%{}_{index}", &class.spelling()[1..]));
            }
        }
        let names = |stem: &str| (0..POOL).map(|index| format!("{stem}{index}")).collect();
        Self { regs, vars: names("buf"), labels: names("$L_"), functions: names("fn"), tables: names("$T_") }
    }
}

impl Names for PoolNames {
    fn reg(&self, reg: Reg) -> &str {
        self.regs.name(reg)
    }

    fn symbol(&self, symbol: Symbol) -> &str {
        match symbol {
            Symbol::Var(id) => &self.vars[id.index()],
            Symbol::Function(id) => &self.functions[id.index()],
            Symbol::Param(_) | Symbol::Global(_) => unreachable!("samples use variables of the body"),
        }
    }

    fn label(&self, label: LabelId) -> &str {
        &self.labels[label.index()]
    }

    fn table(&self, table: TableId) -> &str {
        &self.tables[table.index()]
    }
}

impl Resolve for PoolNames {
    fn reg(&self, name: &str) -> Option<Reg> {
        self.regs.iter().find(|(_, met)| *met == name).map(|(reg, _)| reg)
    }

    fn symbol(&self, name: &str) -> Option<Symbol> {
        let index = |names: &[String]| names.iter().position(|met| met == name);
        let variable = index(&self.vars).map(|index| Symbol::Var(VarId::from_index(index)));
        variable.or_else(|| Some(Symbol::Function(FunctionId::from_index(index(&self.functions)?))))
    }

    fn label(&self, name: &str) -> Option<LabelId> {
        self.labels.iter().position(|met| met == name).map(LabelId::from_index)
    }

    fn table(&self, name: &str) -> Option<TableId> {
        self.tables.iter().position(|met| met == name).map(TableId::from_index)
    }
}

fn parse(text: &str) -> Result<Inst, ParseError> {
    let tokens = lex(text)?;
    let (inst, taken) = Inst::parse(&tokens, &PoolNames::new())?;
    assert_eq!(taken, tokens.len(), "all of `{text}` is taken");
    Ok(inst)
}

fn print(inst: &Inst) -> String {
    inst.display(&PoolNames::new()).to_string()
}

fn random_inst(row: usize, seed: u64) -> Inst {
    let mut random = Random::new(seed);
    let op = Op::sample(row, &mut random).expect("a row has a form that its check passes");
    match random.operand(3) {
        0 => Inst::guarded(random.reg(RegClass::Pred), random.operand(2) == 1, op),
        _ => op.into(),
    }
}

proptest! {
    #[test]
    fn every_row_parses_as_it_prints(seed: u64) {
        for row in 0..Op::rows().len() {
            let inst = random_inst(row, seed);
            let text = print(&inst);
            let met = parse(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
            // `cvta.shared.u64 d, name` and the like are told apart by what the name is, so that equality is due.
            prop_assert_eq!(met, inst, "{}", text);
        }
    }

    #[test]
    fn both_operand_walks_meet_the_same_registers(seed: u64) {
        for row in 0..Op::rows().len() {
            let mut inst = random_inst(row, seed);
            let mut seen = Vec::new();
            inst.visit(|role, reg| seen.push((role, reg)));
            let mut lent = Vec::new();
            inst.visit_mut(|role, reg| lent.push((role, *reg)));
            prop_assert_eq!(&seen, &lent);
            // Each register of the text is met: as many names start with `%b` or `%p` as registers were shown.
            let text = print(&inst);
            let named = text.matches("%b").count() + text.matches("%pred").count();
            prop_assert_eq!(named, seen.len(), "{}", text);
        }
    }
}

#[test]
fn every_form_parses_as_it_prints() {
    let names = PoolNames::new();
    for row in 0..Op::rows().len() {
        let forms = Op::forms(row, 1);
        assert!(!forms.is_empty());
        for op in forms.into_iter().step_by(7) {
            let inst = Inst::from(op);
            let text = inst.display(&names).to_string();
            assert_eq!(parse(&text).as_ref(), Ok(&inst), "{text}");
        }
    }
}

#[test]
fn instructions_read_as_they_are_written_by_hand() {
    let regs = |class, index| Reg::new(class, index);
    let (b0, b1, p0, p1) =
        (regs(RegClass::B32, 0), regs(RegClass::B32, 1), regs(RegClass::Pred, 0), regs(RegClass::Pred, 1));
    let shfl = Shfl {
        mode: ShflMode::Bfly,
        dst: Def(b0),
        in_range: PairedDef::Reg(p0),
        src: b1.into(),
        lane: Use::Int(16),
        clamp: Use::Int(31),
        members: Use::Int(0xffff_ffff),
    };
    let text = "shfl.sync.bfly.b32 %b32_0|%pred_0, %b32_1, 16, 0x1f, 0xffffffff;";
    assert_eq!(parse(text), Ok(shfl.clone().into()));
    assert_eq!(print(&shfl.into()), "shfl.sync.bfly.b32      %b32_0|%pred_0, %b32_1, 16, 31, 0xffffffff;");
    let setp = SetpBool {
        cmp: CmpOp::Lt,
        op: BoolOp::And,
        ftz: Ftz(false),
        ty: types::SetpType::S32,
        dst: Def(p0),
        complement: PairedDef::Sink,
        a: b0.into(),
        b: Use::Int(-1),
        c: PredUse { reg: p1, negated: true },
    };
    let text = "@!%pred_1 setp.lt.and.s32 %pred_0|_, %b32_0, -1, !%pred_1;";
    assert_eq!(parse(text), Ok(Inst::guarded(p1, true, setp)));
    let add = Add { sat: Sat(false), ty: IntType::U32, dst: Def(b0), a: b0.into(), b: b1.into() };
    assert_eq!(parse("add.u32 %b32_0,%b32_0,%b32_1;"), Ok(add.into()));
    // The words after the first may come in any order, and a float may be written in decimal.
    let pairs = [
        (
            "atom.global.gpu.acq_rel.add.f32 %b32_0, [%b64_0], %b32_1;",
            "atom.acq_rel.gpu.global.add.f32 %b32_0, [%b64_0], %b32_1;",
        ),
        ("cvt.f16.f32.rn %b16_0, %b32_0;", "cvt.rn.f16.f32 %b16_0, %b32_0;"),
        ("mad.u32.hi %b32_0, %b32_1, %b32_1, %b32_1;", "mad.hi.u32 %b32_0, %b32_1, %b32_1, %b32_1;"),
        ("mul.f32 %b32_0, %b32_1, -1.5;", "mul.f32 %b32_0, %b32_1, 0fBFC00000;"),
        ("mul.f64 %b64_0, %b64_1, 15e-1;", "mul.f64 %b64_0, %b64_1, 0d3FF8000000000000;"),
    ];
    for (loose, strict) in pairs {
        assert_eq!(parse(loose), parse(strict));
        assert!(parse(strict).is_ok(), "{strict}");
    }
    assert!(parse("cvt.f32.f16.rn %b16_0, %b32_0;").is_err(), "the order of two types counts");
}

#[test]
fn a_mismatch_lists_the_accepted_forms() {
    let error = parse("shfl.sync.left.b32 %b32_0, %b32_1, 1, 31, -1;").expect_err("refused");
    assert_eq!(error.to_string(), "1:1: no form `shfl.sync.left.b32`");
    assert!(error.help().contains("shfl.sync{.up|.down|.bfly|.idx}.b32 dst in_range src lane clamp members"));
    let error = parse("wgmma.fence.sync.aligned;").expect_err("refused");
    assert_eq!(
        error.to_string(),
        "1:1: `wgmma.fence.sync.aligned` is not supported: products of warp groups, for sm_90a, are not emulated"
    );
    let error = parse("ad.u32 %b32_0, %b32_1, %b32_2;").expect_err("refused");
    assert_eq!(error.to_string(), "1:1: unknown instruction `ad.u32`");
}

#[test]
fn refused_forms_name_the_rule() {
    let cases = [
        ("add.b32 %b32_0, %b32_1, 1;", "no form"),
        ("add.u32 %b32_0, %b64_1, 1;", "is a .b64 register, but takes .b32"),
        ("add.f32 %b32_0, %b32_1, 1;", "`0f` and 8 hex digits"),
        ("add.rn.f16 %b16_0, %b16_1, 15360;", "a register, not an immediate"),
        ("fma.f32 %b32_0, %b32_1, %b32_1, %b32_1;", "no form"),
        ("fma.rz.bf16 %b16_0, %b16_1, %b16_1, %b16_1;", "round to nearest only"),
        ("div.f32 %b32_0, %b32_1, %b32_2;", "no form"),
        (
            "ld.global.v8.b8 {%b16_0,%b16_0,%b16_0,%b16_0,%b16_0,%b16_0,%b16_0,%b16_0}, [%b64_0];",
            "`.v8` goes",
        ),
        ("ld.global.v4.b32 {%b32_0,%b32_1}, [%b64_0];", "has 2 elements, not 4"),
        ("ld.shared.nc.b32 %b32_0, [%b64_0];", "`.nc` goes with `.global` only"),
        ("ld.global.b32 %b32_0, [%b64_0-4];", "expected `]`, met `-`"),
        ("st.param.b32 [%b64_0], %b32_0;", "names a variable"),
        ("st.const.b32 [%b64_0], %b32_0;", "not stored to"),
        ("bar.sync 16;", "from 0 to 15"),
        ("bar.sync 0, 33;", "multiple of 32"),
        ("lop3.b32 %b32_0, %b32_1, %b32_1, %b32_1, 256;", "8 bits"),
        ("setp.lo.s32 %pred_0, %b32_1, %b32_1;", "none of this type"),
        ("setp.eq.f16x2 %pred_0, %b32_1, %b32_1;", "two results"),
        ("mov.u32 %b32_0, %clock64;", "64 bits"),
        ("add.u32 %b32_0, %tid.x, 1;", "unknown register `%tid.x`"),
        ("@%b32_0 ret;", "operand `guard`"),
        ("bra nowhere;", "unknown label `nowhere`"),
        ("cvt.f16.f32 %b16_0, %b32_0;", "names how"),
        ("cvt.s32.f32 %b32_0, %b32_0;", "needs `.rni`"),
        ("ret", "expected"),
    ];
    for (text, part) in cases {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn forms_know_what_they_need() {
    let cases = [
        ("add.bf16 %b16_0, %b16_1, %b16_2;", PtxVersion::new(7, 8), 90),
        ("fma.rn.bf16 %b16_0, %b16_1, %b16_2, %b16_3;", PtxVersion::new(7, 0), 80),
        ("ld.global.L1::no_allocate.b32 %b32_0, [%b64_0];", PtxVersion::new(7, 4), 75),
        ("shfl.sync.idx.b32 %b32_0, %b32_1, 0, 31, -1;", PtxVersion::new(6, 0), 30),
        ("mov.u32 %b32_0, %cluster_ctarank;", PtxVersion::new(7, 8), 90),
    ];
    for (text, ptx, sm) in cases {
        let need = parse(text).expect(text).op.requires();
        assert_eq!((need.ptx, need.sm), (ptx, sm), "{text}");
    }
}

#[test]
fn a_float_row_is_built_from_its_fields() {
    let r = |index| Reg::new(RegClass::B32, index);
    let fma = Fma {
        round: Rounding::Rn,
        ftz: Ftz(false),
        sat: Sat(false),
        relu: Relu(false),
        ty: FloatType::F32,
        dst: Def(r(0)),
        a: r(1).into(),
        b: Use::F32(0x3f80_0000),
        c: r(2).into(),
    };
    let inst = Inst::from(fma);
    assert_eq!(print(&inst), "fma.rn.f32              %b32_0, %b32_1, 0f3F800000, %b32_2;");
    assert_eq!((inst.defs().as_slice(), inst.uses().as_slice()), (&[r(0)][..], &[r(1), r(2)][..]));
}

#[test]
fn an_op_stays_small() {
    assert!(size_of::<Op>() <= 96, "{} bytes", size_of::<Op>());
}
