//! Which declared types of registers each operand takes, asked of the real assembler and of our parser.
//!
//! The assembler is found as in `isa_forms`; without one the test says so and passes, unless
//! `WARPSMITH_REQUIRE_PTXAS=1`.

#[path = "support/assembler.rs"]
#[allow(dead_code, reason = "each test binary uses its part")]
mod assembler;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use assembler::Assembler;
use warpsmith::entity::EntityId as _;
use warpsmith::ptx::isa::lex::lex;
use warpsmith::ptx::isa::sample::POOL;
use warpsmith::ptx::isa::{
    FunctionId, LabelId, Names, Op, PtxVersion, Reg, RegClass, RegTable, Resolve, ScalarType, SmTarget,
    Symbol, TableId, VarId,
};

/// Forms of one row that are tried; a row with more is thinned evenly.
const FORMS_PER_ROW: usize = 40;

const TARGETS: [&str; 9] =
    ["sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "sm_121", "sm_120f", "sm_100a"];

/// The types that declare a register.
const TYPES: [ScalarType; 17] = [
    ScalarType::Pred,
    ScalarType::B8,
    ScalarType::U8,
    ScalarType::S8,
    ScalarType::B16,
    ScalarType::U16,
    ScalarType::S16,
    ScalarType::F16,
    ScalarType::B32,
    ScalarType::U32,
    ScalarType::S32,
    ScalarType::F32,
    ScalarType::F16x2,
    ScalarType::B64,
    ScalarType::U64,
    ScalarType::S64,
    ScalarType::F64,
];

/// Registers `%u32_0` and so on, and what samples name besides.
struct Pool {
    regs: RegTable,
    /// Whether the declarations count, or the classes alone.
    typed: bool,
}

impl Names for Pool {
    fn reg(&self, reg: Reg) -> &str {
        self.regs.name(reg)
    }

    fn symbol(&self, symbol: Symbol) -> &str {
        if matches!(symbol, Symbol::Function(_)) { "fn0" } else { "buf0" }
    }

    fn label(&self, _label: LabelId) -> &str {
        "$L_0"
    }

    fn table(&self, _table: TableId) -> &str {
        "$T_0"
    }
}

impl Resolve for Pool {
    /// The registers of a class stand type by type.
    fn reg(&self, name: &str) -> Option<Reg> {
        let (ty, index) = name.strip_prefix('%')?.split_once('_')?;
        let index: usize = index.parse().ok()?;
        let ty = TYPES.into_iter().find(|of| &of.spelling()[1..] == ty)?;
        let place = TYPES.into_iter().filter(|of| of.class() == ty.class()).position(|of| of == ty)?;
        Some(Reg::new(ty.class(), place * POOL + index))
    }

    fn declared(&self, reg: Reg) -> Option<ScalarType> {
        let mut of_class = TYPES.into_iter().filter(|ty| ty.class() == reg.class());
        of_class.nth(reg.index() / POOL).filter(|_| self.typed)
    }

    fn symbol(&self, name: &str) -> Option<Symbol> {
        match name {
            "buf0" => Some(Symbol::Var(VarId::from_index(0))),
            "fn0" => Some(Symbol::Function(FunctionId::from_index(0))),
            _ => None,
        }
    }

    fn label(&self, name: &str) -> Option<LabelId> {
        (name == "$L_0").then(|| LabelId::from_index(0))
    }

    fn table(&self, name: &str) -> Option<TableId> {
        (name == "$T_0").then(|| TableId::from_index(0))
    }
}

fn pool(typed: bool) -> Pool {
    let mut regs = RegTable::new();
    for class in RegClass::ALL {
        for index in 0..POOL {
            regs.new_reg(class, format!("%{}_{index}", &class.spelling()[1..]));
        }
    }
    Pool { regs, typed }
}

fn read(pool: &Pool, line: &str) -> Option<Op> {
    Op::parse(&lex(line).expect("printed text has tokens"), pool).ok().map(|(op, _)| op)
}

/// Each operand's registers declared as each type: those in one pair of braces together.
fn variants(line: &str) -> Vec<(ScalarType, String)> {
    let is_reg = |text: &str| pool(false).regs.iter().any(|(_, name)| name == text);
    let tokens = lex(line).expect("printed text has tokens");
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    let mut braced = false;
    for token in &tokens {
        if token.is("{") {
            groups.push(BTreeSet::new());
        }
        braced = (braced || token.is("{")) && !token.is("}");
        if is_reg(token.text) {
            let start = token.column as usize - 1;
            match groups.last_mut() {
                Some(group) if braced => _ = group.insert(start),
                _ => groups.push(BTreeSet::from([start])),
            }
        }
    }
    let mut variants = Vec::new();
    for group in groups.iter().filter(|group| !group.is_empty()) {
        for ty in TYPES {
            let mut text = line.to_owned();
            for &start in group.iter().rev() {
                let digit = start + line[start..].find('_').expect("a register's name has its number");
                text.replace_range(start + 1..digit, &ty.spelling()[1..]);
            }
            variants.push((ty, text));
        }
    }
    variants
}

fn module(target: SmTarget, version: PtxVersion, lines: &[(ScalarType, String)]) -> (String, usize) {
    let mut text =
        format!(".version {version}\n.target {target}\n.address_size 64\n.func fn0() {{ ret; }}\n");
    text.push_str(".visible .entry forms()\n{\n");
    for ty in TYPES {
        let name = &ty.spelling()[1..];
        let _ = writeln!(text, ".reg .{name} %{name}_0, %{name}_1, %{name}_2, %{name}_3;");
    }
    text.push_str(".shared .align 16 .b8 buf0[64];\n$L_0:\n$T_0: .branchtargets $L_0;\n");
    let first = text.lines().count() + 1;
    for (_, line) in lines {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("ret;\n}\n");
    (text, first)
}

/// Where we take more: the assembler takes a pair of f16 for an integer in some instructions of 32 bits and not in
/// others, has rules of its own for registers beside immediates in a vector, and wants bits beside factors of e2m3.
fn is_lax(ty: ScalarType, line: &str) -> bool {
    let immediate =
        |item: &str| item.trim().starts_with(|first: char| first.is_ascii_digit() || first == '-');
    let braces = line.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let scaled = line.starts_with("mma.") && line.contains(".kind::") && line.contains(".e2m3");
    ty == ScalarType::F16x2 || scaled || braces.flat_map(|items| items.split(',')).any(immediate)
}

#[test]
fn the_assembler_agrees_about_declared_types() {
    let Some(assembler) = Assembler::find_or_skip().unwrap_or_else(|why| panic!("{why}")) else { return };
    let mut by_need: BTreeMap<(SmTarget, PtxVersion), Vec<(ScalarType, String)>> = BTreeMap::new();
    for row in 0..Op::rows().len() {
        let shared = |op: &Op| !matches!(op, Op::CvtaSymbol(row) if !row.space.is_shared());
        let forms: Vec<_> = Op::forms(row, 7).into_iter().filter(shared).collect();
        for op in forms.iter().step_by(forms.len().div_ceil(FORMS_PER_ROW)) {
            let need = op.requires();
            let mut targets = TARGETS.iter().filter_map(|name| SmTarget::parse(name));
            let target = targets.find(|&target| need.admits(target)).expect("a target of the list admits it");
            let (mut opcode, mut operands) = (String::new(), String::new());
            op.print_opcode(&mut opcode);
            op.print_operands(&mut operands, &pool(false));
            let lines = by_need.entry((target, need.ptx.max(target.floor()))).or_default();
            lines.extend(variants(&format!("{opcode} {operands};")));
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (classes, types) = (pool(false), pool(true));
    let (mut wrong, mut count) = (String::new(), 0);
    for ((target, version), mut lines) in by_need {
        // A predicate in the place of a number may be another form, with other needs.
        lines.retain(|(_, line)| read(&classes, line).is_some_and(|op| op.requires().ptx <= version));
        let (text, first) = module(target, version, &lines);
        let path = folder.path().join("declared.ptx");
        std::fs::write(&path, text).expect("the folder takes a file");
        let said = assembler.assemble(&path, &target.to_string(), &["-O0", "--compile-only"]);
        let said = said.err().unwrap_or_default();
        let at = |message: &str| message.split("line ").nth(1)?.split(';').next()?.parse::<usize>().ok();
        let refused: BTreeSet<usize> =
            said.lines().filter(|message| !message.contains("info ")).filter_map(at).collect();
        for (index, (ty, line)) in lines.iter().enumerate() {
            let theirs = !refused.contains(&(first + index));
            let ours = read(&types, line).is_some();
            count += 1;
            if ours != theirs && !(ours && is_lax(*ty, line)) {
                let _ = writeln!(wrong, "{} {target}: {line}", if ours { "taken" } else { "refused" });
            }
        }
    }
    assert!(wrong.is_empty(), "we differ from the assembler about declared types; we have:\n{wrong}");
    assert!(count > 1000, "only {count} operands were tried");
    eprintln!("{count} operands agree");
}
