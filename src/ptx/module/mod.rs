//! A PTX module as data: directives, variables, functions, entries and their bodies.
//!
//! Instructions come from `ptx::isa`; this module adds only directives, labels and layout. Entry: text for
//! [`parse`], typed values for [`Module::print`]. Exit: `parse(print(m)) == m` for a module that passes
//! [`Module::check`] and whose labels are numbered in the order in which they stand ([`Entry::renumber_labels`]).
//! A body is flat: [`parse`] dissolves nested scopes, and gives what shadows a name of the body another one. Debug
//! sections are kept as text. Not here: vector registers, attributes and aliases, which [`parse`] refuses by name.

mod canonical;
mod check;
mod expand;
mod function;
#[cfg(test)]
mod function_tests;
mod parse;
mod print;
#[cfg(test)]
mod tests;
mod variable;

use super::isa::{
    FunctionId, GlobalId, Inst, LabelId, Names, Op, ParamId, ParseError, PtxVersion, Reg, RegTable,
    ScalarType, SmTarget, Symbol, TableId, VarId,
};
use crate::entity::{Arena, SecondaryMap};

pub use canonical::canonical;
pub use check::{ModuleError, Problem};
pub use expand::{ASSERT_FAIL, CALL_STACK_BYTES, CallError, CallProblem, Expanded, PRINT, expand};
pub use function::{Function, FunctionParam, PrototypeParam, Table, TableKind};
pub use parse::{parse, parse_partly};
pub use variable::{Extent, Initial, Linkage, VarSpace, Variable};

/// A PTX module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// `.version`.
    pub version: PtxVersion,
    /// `.target`.
    pub target: SmTarget,
    /// `.target …, debug`: the sections hold what a debugger reads.
    pub debug: bool,
    /// Comment lines at the top.
    pub comments: Vec<String>,
    /// Source files that `.loc` names.
    pub files: Vec<SourceFile>,
    /// Variables at module scope.
    pub globals: Arena<GlobalId, Variable>,
    /// Functions that are not kernels, in the order in which the text first names them.
    pub functions: Arena<FunctionId, Function>,
    /// Kernels.
    pub entries: Vec<Entry>,
    /// Debug sections.
    pub sections: Vec<Section>,
}

/// `.section .debug_str { … }`: passed through, read by nobody here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name with its dot.
    pub name: String,
    /// Labels and data, one a line.
    pub lines: Vec<String>,
}

/// `.file 1 "src/x.rs"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The number that `.loc` gives.
    pub index: u32,
    /// The path.
    pub path: String,
    /// Time of the last change and bytes.
    pub stamp: Option<(u64, u64)>,
}

impl SourceFile {
    /// A file of which only number and path are known.
    pub fn new(index: u32, path: impl Into<String>) -> Self {
        Self { index, path: path.into(), stamp: None }
    }
}

/// Space of the memory that a pointer parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointerSpace {
    /// Unknown.
    Generic,
    /// Device memory.
    Global,
    /// Shared memory.
    Shared,
    /// Constant memory.
    Const,
    /// Local memory.
    Local,
}

/// `.ptr .global .align 16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointerAttr {
    /// Where it points to.
    pub space: PointerSpace,
    /// Alignment of what it points to.
    pub align: Option<u32>,
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name.
    pub name: String,
    /// Type of an element.
    pub ty: ScalarType,
    /// Elements of an aggregate.
    pub array: Option<u64>,
    /// Alignment in bytes, if it is more than the element's.
    pub align: Option<u32>,
    /// What a pointer points to.
    pub pointer: Option<PointerAttr>,
}

impl Param {
    /// A scalar parameter.
    pub fn scalar(name: impl Into<String>, ty: ScalarType) -> Self {
        Self { name: name.into(), ty, array: None, align: None, pointer: None }
    }

    /// Bytes.
    pub fn bytes(&self) -> u64 {
        self.array.unwrap_or(1).saturating_mul(u64::from(self.ty.bytes()))
    }

    /// Alignment in bytes.
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or_else(|| self.ty.bytes())
    }
}

impl std::fmt::Display for Param {
    /// As a text declares it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        print::param(&mut out, self);
        f.write_str(&out)
    }
}

/// Limits of a launch, in threads, CTAs and registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchBounds {
    /// `.maxntid`: at most so many threads; x, y, z.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: exactly so many threads; x, y, z.
    pub required_threads: Option<[u32; 3]>,
    /// `.minnctapersm`.
    pub min_ctas: Option<u32>,
    /// `.maxnreg`.
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster`: CTAs of a cluster; x, y, z.
    pub cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: a launch has to name the cluster.
    pub explicit_cluster: bool,
    /// `.maxclusterrank`: at most so many CTAs.
    pub max_cluster_rank: Option<u32>,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The name.
    pub name: String,
}

/// `function_name …, inlined_at …` of a `.loc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedAt {
    /// Where the function's name stands in a debug section: a label, perhaps with `+n`.
    pub function: Box<str>,
    /// Number of the `.file` that the call stands in.
    pub file: u32,
    /// Line of the call.
    pub line: u32,
    /// Column of the call.
    pub column: u32,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// An instruction.
    Inst(Inst),
    /// `name:`.
    Label(LabelId),
    /// `.loc`: the statements after it come from here.
    Loc {
        /// Number of the `.file`.
        file: u32,
        /// Line from 1.
        line: u32,
        /// Column from 1.
        column: u32,
        /// Where the function of that place was inlined.
        inlined: Option<Box<InlinedAt>>,
    },
    /// A comment on a line of its own.
    Comment(Box<str>),
    /// `.pragma "…"`.
    Pragma(Box<str>),
}

/// A line of a body. Its place in the text doesn't count when statements are compared.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// A comment after it on the same line.
    pub comment: Option<Box<str>>,
    /// Line of the text it was read from; 0 for one that was built.
    pub line: u32,
}

impl PartialEq for Statement {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.comment == other.comment
    }
}

impl Eq for Statement {}

impl From<StatementKind> for Statement {
    fn from(kind: StatementKind) -> Self {
        Self { kind, comment: None, line: 0 }
    }
}

impl From<Inst> for Statement {
    fn from(inst: Inst) -> Self {
        StatementKind::Inst(inst).into()
    }
}

/// A kernel, or what a [`Function`] executes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// Whether the driver finds it.
    pub visible: bool,
    /// `.weak` instead of `.visible`: of several modules one gives it.
    pub weak: bool,
    /// Parameters in order.
    pub params: Arena<ParamId, Param>,
    /// Limits of a launch.
    pub bounds: LaunchBounds,
    /// Registers.
    pub regs: RegTable,
    /// Variables of the body.
    pub vars: Arena<VarId, Variable>,
    /// Labels.
    pub labels: Arena<LabelId, Label>,
    /// Lists of targets and prototypes.
    pub tables: Arena<TableId, Table>,
    /// `.pragma`s before the body.
    pub pragmas: Vec<Box<str>>,
    /// Statements in order.
    pub body: Vec<Statement>,
    /// What of the body is not supported, where [`parse_partly`] met such a thing: the body is then empty.
    pub lacking: Option<Box<ParseError>>,
}

impl Entry {
    /// A visible entry without parameters or body.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), visible: true, ..Self::default() }
    }

    /// Appends an instruction.
    pub fn push(&mut self, inst: impl Into<Inst>) {
        self.body.push(inst.into().into());
    }

    /// Makes a label; [`place`](Self::place) says where it stands.
    pub fn new_label(&mut self, name: impl Into<String>) -> LabelId {
        self.labels.push(Label { name: name.into() })
    }

    /// Puts a label at the end of the body.
    pub fn place(&mut self, label: LabelId) {
        self.body.push(StatementKind::Label(label).into());
    }

    /// The instructions with the positions of their statements.
    pub fn insts(&self) -> impl DoubleEndedIterator<Item = (usize, &Inst)> {
        self.body.iter().enumerate().filter_map(|(at, statement)| match &statement.kind {
            StatementKind::Inst(inst) => Some((at, inst)),
            StatementKind::Label(_)
            | StatementKind::Loc { .. }
            | StatementKind::Comment(_)
            | StatementKind::Pragma(_) => None,
        })
    }

    /// Where an instruction of this body may jump to.
    pub fn jumps<'a>(&'a self, inst: &'a Inst) -> &'a [LabelId] {
        match &inst.op {
            Op::Bra(bra) => std::slice::from_ref(&bra.target),
            Op::BrxIdx(branch) => match self.tables.get(branch.table).map(|table| &table.kind) {
                Some(TableKind::Branches(labels)) => labels,
                Some(TableKind::Callees(_) | TableKind::Prototype { .. }) | None => &[],
            },
            // No other row names a label.
            _ => &[],
        }
    }

    /// Where each label stands, as a position in the body; `None` for one that is not placed.
    pub fn label_positions(&self) -> SecondaryMap<LabelId, Option<usize>> {
        let mut positions = SecondaryMap::with_len(None, self.labels.len());
        for (at, statement) in self.body.iter().enumerate() {
            if let StatementKind::Label(label) = statement.kind {
                positions[label] = Some(at);
            }
        }
        positions
    }

    /// Numbers the labels in the order in which they stand, as [`parse`] does, and drops those that are not placed
    /// and that no branch names.
    pub fn renumber_labels(&mut self) {
        let mut numbers: SecondaryMap<LabelId, Option<LabelId>> =
            SecondaryMap::with_len(None, self.labels.len());
        let mut labels = Arena::new();
        let mut number = |label: LabelId, old: &Arena<LabelId, Label>| {
            *numbers[label].get_or_insert_with(|| labels.push(old[label].clone()))
        };
        for statement in &mut self.body {
            if let StatementKind::Label(label) = &mut statement.kind {
                *label = number(*label, &self.labels);
            }
        }
        for statement in &mut self.body {
            if let StatementKind::Inst(Inst { op: Op::Bra(bra), .. }) = &mut statement.kind {
                bra.target = number(bra.target, &self.labels);
            }
        }
        for table in self.tables.values_mut() {
            if let TableKind::Branches(labels) = &mut table.kind {
                labels.iter_mut().for_each(|label| *label = number(*label, &self.labels));
            }
        }
        self.labels = labels;
    }
}

impl Module {
    /// A module without variables or entries, with the lowest version that knows the target.
    pub fn new(target: SmTarget) -> Self {
        Self {
            version: target.floor(),
            target,
            comments: Vec::new(),
            debug: false,
            files: Vec::new(),
            globals: Arena::new(),
            functions: Arena::new(),
            entries: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// All code: entries, then functions.
    pub fn codes(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().chain(self.functions.values().map(|function| &function.code))
    }

    /// The same, to change.
    pub fn codes_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut().chain(self.functions.values_mut().map(|function| &mut function.code))
    }

    /// The lowest `.version` that the target, the parameters and all instructions need.
    pub fn needed_version(&self) -> PtxVersion {
        let insts = self.codes().flat_map(Entry::insts).map(|(_, inst)| inst.op.requires().ptx);
        let params = self.entries.iter().map(|entry| {
            let large = check::param_bytes(entry) > check::SMALL_PARAM_BYTES;
            if large { PtxVersion::new(8, 1) } else { PtxVersion::new(1, 0) }
        });
        insts.chain(params).fold(self.target.floor(), PtxVersion::max)
    }

    /// The module as text.
    pub fn print(&self) -> String {
        let mut out = String::new();
        print::module(self, &mut out);
        out
    }

    /// Checks names, labels, spaces, instructions, and the version and target they need; reports all that is wrong.
    ///
    /// # Errors
    /// Each problem with the entry and statement it stands in.
    pub fn check(&self) -> Result<(), Vec<ModuleError>> {
        check::module(self)
    }
}

/// Names of one entry's ids, with the variables and functions of the module.
pub struct EntryNames<'a> {
    /// The module.
    pub module: &'a Module,
    /// The entry.
    pub entry: &'a Entry,
}

impl Names for EntryNames<'_> {
    fn reg(&self, reg: Reg) -> &str {
        self.entry.regs.name(reg)
    }

    fn symbol(&self, symbol: Symbol) -> &str {
        match symbol {
            Symbol::Param(id) => &self.entry.params[id].name,
            Symbol::Var(id) => &self.entry.vars[id].name,
            Symbol::Global(id) => &self.module.globals[id].name,
            Symbol::Function(id) => &self.module.functions[id].code.name,
        }
    }

    fn label(&self, label: LabelId) -> &str {
        &self.entry.labels[label].name
    }

    fn table(&self, table: TableId) -> &str {
        &self.entry.tables[table].name
    }
}
