//! Every form of every row goes through the real assembler, at the lowest version and target that the row claims.
//!
//! The assembler is `WARPSMITH_PTXAS`, else `ptxas` on the path. Without one the test says so and passes, unless
//! `WARPSMITH_REQUIRE_PTXAS=1`.

#[path = "support/assembler.rs"]
#[allow(dead_code, reason = "each test binary uses its part")]
mod assembler;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use assembler::Assembler;
use warpsmith::entity::EntityId as _;
use warpsmith::ptx::isa::sample::POOL;
use warpsmith::ptx::isa::{
    Inst, LabelId, Names, Op, PtxVersion, Reg, RegClass, RegTable, SmTarget, Symbol, TableId,
};

/// Forms of one row that are assembled; a row with more is thinned evenly.
const FORMS_PER_ROW: usize = 1200;

/// The targets whose assembler is asked, lowest first.
const TARGETS: [&str; 9] =
    ["sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "sm_121", "sm_120f", "sm_100a"];

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

fn assembler() -> Option<Assembler> {
    Assembler::find_or_skip().unwrap_or_else(|why| panic!("{why}"))
}

/// A module with one instruction a line; returns its text and the line of the first instruction.
fn module(target: SmTarget, version: PtxVersion, lines: &[String]) -> (String, usize) {
    let mut text = format!(".version {version}\n.target {target}\n.address_size 64\n");
    for index in 0..POOL {
        let _ = writeln!(text, ".func fn{index}() {{ ret; }}");
    }
    text.push_str(".visible .entry forms()\n{\n");
    for class in RegClass::ALL.into_iter().filter(|&class| class != RegClass::B128) {
        let name = &class.spelling()[1..];
        let _ = writeln!(text, ".reg {} %{name}_0, %{name}_1, %{name}_2, %{name}_3;", class.spelling());
    }
    for index in 0..POOL {
        let _ = writeln!(text, ".shared .align 16 .b8 buf{index}[64];");
        let _ = writeln!(text, "$L_{index}:");
        let _ = writeln!(text, "$T_{index}: .branchtargets $L_0, $L_{index};");
    }
    let first = text.lines().count() + 1;
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("ret;\n}\n");
    (text, first)
}

/// Forms by the lowest target that admits them and the lowest version.
fn forms() -> BTreeMap<(SmTarget, PtxVersion), Vec<String>> {
    let names = PoolNames::new();
    let mut by_need: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in 0..Op::rows().len() {
        // The variables of this test lie in shared memory; other spaces would need variables of their own.
        let shared = |op: &Op| !matches!(op, Op::CvtaSymbol(row) if !row.space.is_shared());
        let forms: Vec<_> = Op::forms(row, 7).into_iter().filter(shared).collect();
        let step = forms.len().div_ceil(FORMS_PER_ROW);
        for op in forms.into_iter().step_by(step) {
            let need = op.requires();
            let mut targets = TARGETS.iter().filter_map(|name| SmTarget::parse(name));
            let target = targets.find(|&target| need.admits(target));
            let target = target.expect("a target of the list admits every row");
            let version = need.ptx.max(target.floor());
            by_need.entry((target, version)).or_default().push(Inst::from(op).display(&names).to_string());
        }
    }
    by_need
}

#[test]
fn the_assembler_takes_every_form() {
    let Some(assembler) = assembler() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut refused = String::new();
    let mut count = 0;
    for ((target, version), lines) in forms() {
        count += lines.len();
        let (text, first) = module(target, version, &lines);
        let path = folder.path().join(format!("{target}_{version}.ptx"));
        std::fs::write(&path, text).expect("the folder takes a file");
        let Err(said) = assembler.assemble(&path, &target.to_string(), &["-O0", "--compile-only"]) else {
            continue;
        };
        // A remark, such as that `setmaxnreg` is ignored, is no refusal.
        for message in said.lines().filter(|message| !message.contains("info ")) {
            let line =
                message.split("line ").nth(1).and_then(|rest| rest.split(';').next()?.parse::<usize>().ok());
            let form = line.and_then(|line| lines.get(line.checked_sub(first)?)).map_or("", String::as_str);
            let _ = writeln!(refused, "{target} {version}: {form}    <- {message}");
        }
    }
    assert!(refused.is_empty(), "the assembler refuses forms that the check passes:\n{refused}");
    assert!(count > 1000, "only {count} forms were tried");
    eprintln!("{count} forms assembled");
}

/// Every form of the matrix instructions, on targets of every generation: those that admit it, by their assembler too;
/// those that don't, not.
#[test]
fn the_assembler_agrees_about_matrix_forms() {
    let Some(assembler) = assembler() else { return };
    let names = PoolNames::new();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let is_matrix = |row: &str| ["Mma", "LdMatrix", "StMatrix", "MovMatrix"].contains(&row);
    let rows = Op::rows().enumerate().filter(|(_, row)| is_matrix(row));
    let forms: Vec<Op> = rows.flat_map(|(row, _)| Op::forms(row, 11)).collect();
    let mut wrong = String::new();
    for name in ["sm_80", "sm_89", "sm_90", "sm_100a", "sm_120", "sm_120f", "sm_121a"] {
        let target = SmTarget::parse(name).expect("a target");
        let (admitted, refused): (Vec<&Op>, Vec<&Op>) =
            forms.iter().partition(|form| form.requires().admits(target));
        let mut by_version: BTreeMap<PtxVersion, Vec<String>> = BTreeMap::new();
        for form in admitted {
            let version = form.requires().ptx.max(target.floor());
            let line = Inst::from(form.clone()).display(&names).to_string();
            by_version.entry(version).or_default().push(line);
        }
        for (version, lines) in by_version {
            let (text, _) = module(target, version, &lines);
            let path = folder.path().join("admitted.ptx");
            std::fs::write(&path, text).expect("the folder takes a file");
            if let Err(said) = assembler.assemble(&path, name, &["-O0", "--compile-only"]) {
                let _ = writeln!(wrong, "{name} {version}: refused:\n{said}");
            }
        }
        let lines: Vec<_> =
            refused.iter().map(|&form| Inst::from(form.clone()).display(&names).to_string()).collect();
        let (text, first) = module(target, PtxVersion::new(9, 0), &lines);
        let path = folder.path().join("refused.ptx");
        std::fs::write(&path, text).expect("the folder takes a file");
        let said = assembler.assemble(&path, name, &["-O0", "--compile-only"]).err().unwrap_or_default();
        for (index, line) in lines.iter().enumerate() {
            if !said.contains(&format!("line {};", first + index)) {
                let _ = writeln!(wrong, "{name}: taken: {line}");
            }
        }
    }
    assert!(wrong.is_empty(), "the rows and the assembler disagree:\n{wrong}");
}

/// Modules of this crate's own printer, made from modules that people wrote.
#[test]
fn the_assembler_takes_printed_modules() {
    let Some(assembler) = assembler() else { return };
    let texts = [
        include_str!("data/ptx/vector_add.ptx"),
        include_str!("data/ptx/reduce_sum.ptx"),
        include_str!("data/ptx/line_info.ptx"),
        include_str!("data/ptx/mma_bf16_m16n8k16.ptx"),
        include_str!("data/ptx/mma_e4m3_m16n8k32.ptx"),
        include_str!("data/ptx/mma_mxfp8_m16n8k32.ptx"),
        include_str!("data/ptx/mma_nvfp4_m16n8k64.ptx"),
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (index, text) in texts.into_iter().enumerate() {
        let module = warpsmith::ptx::module::parse(text).expect("the examples parse");
        let path = folder.path().join(format!("{index}.ptx"));
        std::fs::write(&path, module.print()).expect("the folder takes a file");
        let said = assembler.assemble(&path, &module.target.to_string(), &[]);
        assert_eq!(said, Ok(()), "{}", module.print());
    }
}
