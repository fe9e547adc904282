//! What must hold of a module before it is printed.
//!
//! Checked: names are spelled well and unique in their scope; every label is placed once; every id is one of this
//! entry or module; each instruction's own check; the version and target that each instruction needs; a symbol's
//! state space; size of parameters; spaces and linkage of variables; that a call of a named function gives and takes
//! what the function declares. Not checked: what the instructions compute, whether a register is written before it is
//! read, what debug sections hold, and calls through a register.

use std::collections::HashSet;

use super::{
    Entry, Extent, Function, FunctionParam, Initial, Linkage, Module, StatementKind, TableKind, VarSpace,
    Variable,
};
use crate::diag::Code;
use crate::entity::SecondaryMap;
use crate::ptx::isa::modifier::Space;
use crate::ptx::isa::{
    CallOperand, Callee, FormError, Inst, Op, PtxVersion, Reg, RegClass, ScalarType, Symbol, TypeKind, Use,
};

/// Bytes of parameters that every version takes.
pub(super) const SMALL_PARAM_BYTES: u64 = 4352;
/// Bytes of parameters from PTX 8.1 on.
const LARGE_PARAM_BYTES: u64 = 32_764;

/// Something wrong with a module, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", place(self.entry.as_deref(), *is_function, *statement))]
pub struct ModuleError {
    /// The entry or function, or `None` for the module itself.
    pub entry: Option<String>,
    /// Whether it is a function.
    pub is_function: bool,
    /// Position in the body.
    pub statement: Option<usize>,
    /// What is wrong.
    pub problem: Problem,
}

fn place(name: Option<&str>, is_function: bool, statement: Option<usize>) -> String {
    let what = if is_function { "function" } else { "entry" };
    match (name, statement) {
        (Some(name), Some(at)) => format!("{what} `{name}`, statement {at}: "),
        (Some(name), None) => format!("{what} `{name}`: "),
        (None, _) => String::new(),
    }
}

/// What is wrong with a module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// An instruction that is refused, or that needs another version or target.
    #[error(transparent)]
    Form(#[from] FormError),
    /// A name that PTX doesn't spell so.
    #[error("`{name}` is not a PTX name")]
    BadName {
        /// The name.
        name: String,
    },
    /// A name that is taken.
    #[error("`{name}` names two things")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// A label that no statement places, or that two do.
    #[error("label `{name}` is placed {times} times")]
    Label {
        /// Its name.
        name: String,
        /// How often.
        times: usize,
    },
    /// An id of another entry or module.
    #[error("a {what} is not one of this entry")]
    Foreign {
        /// The kind of thing.
        what: &'static str,
    },
    /// A variable used by an access to another state space.
    #[error("`{name}` does not lie in the state space that the instruction names")]
    Space {
        /// Its name.
        name: String,
    },
    /// A variable where it may not be declared, or a linkage that doesn't go with it.
    #[error("variable `{name}`: {rule}")]
    Variable {
        /// Its name.
        name: String,
        /// The rule.
        rule: &'static str,
    },
    /// Too many bytes of parameters.
    #[error("parameters take {bytes} bytes, but at most {limit}")]
    ParamBytes {
        /// How many.
        bytes: u64,
        /// How many go.
        limit: u64,
    },
    /// A call that gives or takes something else than the function declares.
    #[error("call of `{name}`: {rule}")]
    Call {
        /// The function.
        name: String,
        /// What doesn't fit.
        rule: &'static str,
    },
    /// Both `.maxntid` and `.reqntid`.
    #[error("`.maxntid` and `.reqntid` exclude each other")]
    BothBounds,
    /// A comment, path or pragma that would end its line or string.
    #[error("`{text}` would not stay on its line")]
    Text {
        /// The text.
        text: String,
    },
}

impl Problem {
    /// What to do about it.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Form(error) => error.help(),
            Self::BadName { .. } => {
                "start with a letter, `_`, `$` or `%`, and go on with letters, digits, `_` and `$`"
            }
            Self::Duplicate { .. } => "give one of the two another name",
            Self::Label { .. } => "place each label exactly once",
            Self::Foreign { .. } => "use ids of the entry that holds the instruction",
            Self::Space { .. } => "name the variable's own state space in the instruction",
            Self::Variable { .. } => "change the declaration as the rule says",
            Self::ParamBytes { .. } => "pass a pointer to the data instead",
            Self::Call { .. } => "call it with the results and arguments of its declaration",
            Self::BothBounds => "leave out one of them",
            Self::Text { .. } => "remove line breaks and quotes",
        }
    }

    /// What kind of mistake it is.
    pub const fn code(&self) -> Code {
        match self {
            Self::Form(error) => error.code(),
            Self::BadName { .. } => Code::PtxName,
            Self::Duplicate { .. } => Code::PtxDuplicate,
            Self::Label { .. } => Code::PtxLabel,
            Self::Foreign { .. } => Code::PtxForeignId,
            Self::Space { .. } => Code::PtxSpace,
            Self::Variable { .. } => Code::PtxVariable,
            Self::ParamBytes { .. } => Code::PtxParamBytes,
            Self::Call { .. } => Code::PtxCall,
            Self::BothBounds => Code::PtxBounds,
            Self::Text { .. } => Code::PtxText,
        }
    }
}

/// What is wrong with the initial values of a variable.
fn initial_rule(variable: &Variable) -> Option<&'static str> {
    let elements = variable.extent.elements();
    let (ty, bits) = (variable.ty, variable.ty.bits());
    let wide = |value: &Initial| matches!(value, Initial::Bits(value) if bits < 64 && value >> bits != 0);
    let address = |value: &Initial| matches!(value, Initial::Address { .. });
    let foreign =
        |value: &Initial| matches!(value, Initial::Address { symbol: Symbol::Param(_) | Symbol::Var(_), .. });
    let typed = matches!(ty, ScalarType::F32 | ScalarType::F64)
        || matches!(ty.kind(), TypeKind::Bits | TypeKind::Signed | TypeKind::Unsigned);
    match variable.space {
        _ if variable.initial.is_empty() => None,
        VarSpace::Shared | VarSpace::Local | VarSpace::Param => {
            Some("only `.global` and `.const` have initial values")
        }
        _ if variable.linkage == Linkage::Extern => Some("an external variable has no initial values"),
        _ if !typed || bits > 64 => Some("initial values go with integers, `.f32` and `.f64`"),
        _ if variable.initial.len() as u64 > elements => Some("more initial values than elements"),
        _ if variable.initial.iter().any(wide) => Some("an initial value wider than its element"),
        _ if ty.is_float() && variable.initial.iter().any(address) => Some("an address is no float"),
        _ if variable.initial.iter().any(foreign) => Some("an address is one of the module"),
        VarSpace::Global | VarSpace::Const => None,
    }
}

/// Bytes of an entry's parameters, each at its own alignment.
pub(super) fn param_bytes(entry: &Entry) -> u64 {
    entry.params.values().fold(0_u64, |end, param| {
        end.checked_next_multiple_of(u64::from(param.alignment()).max(1))
            .unwrap_or(u64::MAX)
            .saturating_add(param.bytes())
    })
}

pub(super) fn module(module: &Module) -> Result<(), Vec<ModuleError>> {
    let mut checker = Checker { module, entry: None, is_function: false, errors: Vec::new() };
    let mut names = HashSet::new();
    for global in module.globals.values() {
        checker.name(&global.name, &mut names);
        checker.variable(global, true);
    }
    for file in &module.files {
        checker.text(None, &file.path, true);
    }
    for comment in &module.comments {
        checker.text(None, comment, false);
    }
    let functions = module.functions.values().map(|function| (&function.code, Some(function)));
    let entries = module.entries.iter().map(|entry| (entry, None));
    for (code, function) in functions.chain(entries) {
        checker.entry = None;
        checker.name(&code.name, &mut names);
        (checker.entry, checker.is_function) = (Some(code), function.is_some());
        checker.code(code, function);
    }
    if checker.errors.is_empty() { Ok(()) } else { Err(checker.errors) }
}

struct Checker<'a> {
    module: &'a Module,
    entry: Option<&'a Entry>,
    is_function: bool,
    errors: Vec<ModuleError>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, statement: Option<usize>, problem: impl Into<Problem>) {
        let entry = self.entry.map(|entry| entry.name.clone());
        let is_function = self.is_function && entry.is_some();
        self.errors.push(ModuleError { entry, is_function, statement, problem: problem.into() });
    }

    fn name(&mut self, name: &'a str, names: &mut HashSet<&'a str>) {
        if !is_name(name) {
            self.report(None, Problem::BadName { name: name.to_owned() });
        }
        if !names.insert(name) {
            self.report(None, Problem::Duplicate { name: name.to_owned() });
        }
    }

    fn text(&mut self, at: Option<usize>, text: &str, quoted: bool) {
        let trimmed = quoted || text.trim() == text;
        if text.contains(['\n', '\r']) || (quoted && text.contains('"')) || !trimmed {
            self.report(at, Problem::Text { text: text.to_owned() });
        }
    }

    fn variable(&mut self, variable: &Variable, module_scope: bool) {
        let rule = match (variable.space, module_scope) {
            (VarSpace::Global | VarSpace::Const, false) => {
                Some("`.global` and `.const` stand at module scope")
            }
            (VarSpace::Local | VarSpace::Param, true) => Some("`.local` and `.param` stand in a body"),
            (VarSpace::Shared | VarSpace::Local | VarSpace::Param, false)
                if variable.linkage != Linkage::Internal =>
            {
                Some("a variable of a body has no linkage")
            }
            _ if variable.extent == Extent::Unsized && variable.linkage != Linkage::Extern => {
                Some("`[]` goes with `.extern`")
            }
            _ if !variable.align.is_none_or(u32::is_power_of_two) => Some("an alignment is a power of two"),
            _ if variable.ty.class() == RegClass::Pred => Some("predicates lie in registers only"),
            _ => initial_rule(variable),
        };
        if let Some(rule) = rule {
            self.report(None, Problem::Variable { name: variable.name.clone(), rule });
        }
    }

    /// An entry, or the code of a function.
    fn code(&mut self, entry: &'a Entry, function: Option<&Function>) {
        let mut names = HashSet::new();
        for param in entry.params.values() {
            if function.is_none() || param.name != "_" {
                self.name(&param.name, &mut names);
            }
            let rule = match param.ty {
                _ if !param.alignment().is_power_of_two() => Some("an alignment is a power of two"),
                ScalarType::Pred
                | ScalarType::BF16
                | ScalarType::F16x2
                | ScalarType::BF16x2
                | ScalarType::TF32 => Some("a parameter has no such type; pass its bits as `.b16` or `.b32`"),
                _ => None,
            };
            if let Some(rule) = rule {
                self.report(None, Problem::Variable { name: param.name.clone(), rule });
            }
        }
        for (_, name) in entry.regs.iter().filter(|(_, name)| function.is_none() || *name != "_") {
            self.name(name, &mut names);
        }
        entry.labels.values().for_each(|label| self.name(&label.name, &mut names));
        for variable in entry.vars.values() {
            self.name(&variable.name, &mut names);
            self.variable(variable, false);
        }
        self.tables(entry, &mut names);
        let bytes = param_bytes(entry);
        let large = self.module.version >= PtxVersion::new(8, 1);
        let limit = if large { LARGE_PARAM_BYTES } else { SMALL_PARAM_BYTES };
        if bytes > limit {
            self.report(None, Problem::ParamBytes { bytes, limit });
        }
        if entry.bounds.max_threads.is_some() && entry.bounds.required_threads.is_some() {
            self.report(None, Problem::BothBounds);
        }
        entry.pragmas.iter().for_each(|text| self.text(None, text, true));
        self.labels(entry);
        for (at, statement) in entry.body.iter().enumerate() {
            match &statement.kind {
                StatementKind::Inst(inst) => self.inst(entry, at, inst),
                StatementKind::Comment(text) => self.text(Some(at), text, false),
                StatementKind::Pragma(text) => self.text(Some(at), text, true),
                StatementKind::Label(_) | StatementKind::Loc { .. } => {}
            }
            if let Some(comment) = &statement.comment {
                self.text(Some(at), comment, false);
            }
        }
    }

    fn tables(&mut self, entry: &'a Entry, names: &mut HashSet<&'a str>) {
        for table in entry.tables.values() {
            self.name(&table.name, names);
            let foreign = match &table.kind {
                TableKind::Branches(labels) if labels.iter().any(|&label| !entry.labels.contains(label)) => {
                    Some("label")
                }
                TableKind::Callees(all) if all.iter().any(|&id| !self.module.functions.contains(id)) => {
                    Some("function")
                }
                TableKind::Branches(_) | TableKind::Callees(_) | TableKind::Prototype { .. } => None,
            };
            if let Some(what) = foreign {
                self.report(None, Problem::Foreign { what });
            }
        }
    }

    fn labels(&mut self, entry: &Entry) {
        let mut times = SecondaryMap::with_len(0, entry.labels.len());
        for statement in &entry.body {
            if let StatementKind::Label(label) = statement.kind
                && entry.labels.contains(label)
            {
                times[label] += 1;
            }
        }
        for (label, met) in entry.labels.iter() {
            if times[label] != 1 {
                let (name, times) = (met.name.clone(), times[label]);
                self.report(None, Problem::Label { name, times });
            }
        }
    }

    fn inst(&mut self, entry: &Entry, at: usize, inst: &Inst) {
        if let Err(error) = inst.check() {
            self.report(Some(at), error);
        }
        let mut foreign = false;
        inst.visit(|_, reg: Reg| foreign |= !entry.regs.contains(reg));
        if foreign {
            self.report(Some(at), Problem::Foreign { what: "register" });
        }
        if inst.op.target().is_some_and(|label| !entry.labels.contains(label)) {
            self.report(Some(at), Problem::Foreign { what: "label" });
        }
        let need = inst.op.requires();
        let form = inst.op.opcode();
        let have = self.module.version;
        if need.ptx > have {
            self.report(Some(at), FormError::PtxTooOld { form, need: need.ptx, have });
        }
        if !need.admits(self.module.target) {
            self.report(Some(at), need.refusal(form, self.module.target));
        }
        if let Op::Call(call) = &inst.op {
            return self.call(entry, at, call);
        }
        let space = named_space(&inst.op);
        inst.op.symbols(|symbol| self.symbol(entry, at, symbol, space));
        if let Op::St(st) = &inst.op
            && st.space == Some(Space::Param)
        {
            inst.op.symbols(|symbol| self.stored_param(entry, at, symbol));
        }
    }

    /// What `st.param` writes: a result of this function, or what goes to another.
    fn stored_param(&mut self, entry: &Entry, at: usize, symbol: Symbol) {
        let function = self.module.functions.values().find(|function| std::ptr::eq(&function.code, entry));
        let result =
            |id| function.is_some_and(|function| function.results.contains(&FunctionParam::Param(id)));
        if let Symbol::Param(id) = symbol
            && !result(id)
        {
            let name = entry.params.get(id).map_or(String::new(), |param| param.name.clone());
            self.report(Some(at), Problem::Variable { name, rule: "an argument is not stored to" });
        }
    }

    fn call(&mut self, entry: &Entry, at: usize, call: &crate::ptx::isa::Call) {
        let Callee::Function(id) = call.site.callee else { return };
        let Some(function) = self.module.functions.get(id) else {
            return self.report(Some(at), Problem::Foreign { what: "function" });
        };
        let lists =
            [(&call.site.results[..], &function.results), (&call.site.arguments[..], &function.arguments)];
        let rule = lists.into_iter().find_map(|(given, declared)| {
            if given.len() != declared.len() {
                return Some("another number of results or arguments than the function declares");
            }
            given.iter().zip(declared).find_map(|(&given, param)| operand_rule(entry, given, function, param))
        });
        if let Some(rule) = rule {
            let name = function.code.name.clone();
            self.report(Some(at), Problem::Call { name, rule });
        }
    }

    fn symbol(&mut self, entry: &Entry, at: usize, symbol: Symbol, space: Option<Space>) {
        if let Symbol::Function(id) = symbol {
            if !self.module.functions.contains(id) {
                self.report(Some(at), Problem::Foreign { what: "function" });
            } else if space.is_some() {
                let name = self.module.functions[id].code.name.clone();
                self.report(Some(at), Problem::Space { name });
            }
            return;
        }
        let declared = match symbol {
            Symbol::Param(id) => entry.params.get(id).map(|param| (param.name.as_str(), Space::Param)),
            Symbol::Var(id) => entry.vars.get(id).map(|var| (var.name.as_str(), var.space.into())),
            Symbol::Global(id) => {
                self.module.globals.get(id).map(|var| (var.name.as_str(), var.space.into()))
            }
            Symbol::Function(_) => None,
        };
        let Some((name, lies_in)) = declared else {
            return self.report(Some(at), Problem::Foreign { what: "variable" });
        };
        let same = |space: Space| space == lies_in || (space.is_shared() && lies_in.is_shared());
        if !space.is_none_or(same) {
            let name = name.to_owned();
            self.report(Some(at), Problem::Space { name });
        }
    }
}

impl From<VarSpace> for Space {
    fn from(space: VarSpace) -> Self {
        match space {
            VarSpace::Shared => Self::Shared,
            VarSpace::Local => Self::Local,
            VarSpace::Global => Self::Global,
            VarSpace::Const => Self::Const,
            VarSpace::Param => Self::Param,
        }
    }
}

/// How an operand of a call differs from what the function declares.
fn operand_rule(
    entry: &Entry,
    given: CallOperand,
    function: &Function,
    declared: &FunctionParam,
) -> Option<&'static str> {
    let (class, bytes) = match *declared {
        FunctionParam::Param(id) => {
            let param = &function.code.params[id];
            (param.array.is_none().then_some(param.ty.class()), param.bytes())
        }
        FunctionParam::Reg(reg) => (Some(reg.class()), u64::from(reg.class().bits().div_ceil(8))),
    };
    let other = match given {
        CallOperand::Symbol(Symbol::Var(id)) => {
            let variable = entry.vars.get(id)?;
            if variable.space != VarSpace::Param {
                return Some("an operand is a register, a number or a `.param` variable");
            }
            variable.bytes() != bytes
        }
        CallOperand::Symbol(Symbol::Param(id)) => entry.params.get(id)?.bytes() != bytes,
        CallOperand::Symbol(Symbol::Global(_) | Symbol::Function(_)) => {
            return Some("an operand is a register, a number or a `.param` variable");
        }
        CallOperand::Value(Use::Reg(reg)) => class != Some(reg.class()),
        CallOperand::Value(Use::Int(_) | Use::F32(_) | Use::F64(_)) => class.is_none(),
        CallOperand::Sink => false,
    };
    other.then_some("an operand has another size than the function declares")
}

/// The state space in which the instruction takes the variable that it names to lie. Without one, as in `mov` and in
/// a generic access, any will do.
fn named_space(op: &Op) -> Option<Space> {
    match op {
        Op::Ld(row) => row.space,
        Op::St(row) => row.space,
        Op::CvtaSymbol(row) => Some(row.space),
        Op::MapASymbol(_) => Some(Space::Shared),
        Op::LdMatrix(row) => row.space,
        Op::StMatrix(row) => row.space,
        _ => None,
    }
}

/// Names: a letter and then letters, digits, `_`, `$`; or `_`, `$` or `%` and at least one of those.
fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    let follows = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let good = match bytes.next() {
        Some(first) if first.is_ascii_alphabetic() => bytes.all(follows),
        Some(b'_' | b'$' | b'%') => name.len() > 1 && bytes.all(follows),
        _ => false,
    };
    good && name != "WARP_SZ"
}
