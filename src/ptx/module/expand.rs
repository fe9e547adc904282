//! Puts functions in the place of their calls, so that what runs or reads a body needs to know nothing of calls.
//!
//! Entry: a module that passes its check. Exit: an entry without calls but those of `__assertfail`, which end the
//! launch. Each statement keeps its line, and each register and label the name it has in the text, so that several may
//! share one: the result is for running, not for printing. A function that does not call itself is active once in a
//! thread at a time; its registers and variables are therefore there once, however often it is called, and only its
//! statements are copied. `brx.idx` becomes a row of comparisons that ends in a trap, since hardware promises nothing
//! for a number past the end of the list. Not here: calls through a register, calls of what the module does not
//! define, and recursion, which are errors with their line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::{
    Entry, Extent, Function, FunctionParam, Label, Linkage, Module, Statement, StatementKind, TableKind,
    VarSpace, Variable,
};
use crate::entity::Arena;
use crate::ptx::isa::modifier::{CmpOp, Ftz, Nc, Space, Uni};
use crate::ptx::isa::types::{MemType, MovType, SetpType};
use crate::ptx::isa::{
    Address, Bra, BrxIdx, Call, CallOperand, Callee, Def, FunctionId, Guard, Inst, LabelId, Ld, Mov, MovPred,
    Op, PairedDef, ParamId, PredUse, Reg, RegClass, ScalarType, Setp, St, Symbol, Trap, Use, VarId, VecDef,
    VecUse,
};

/// Most statements of an expanded entry. A function that calls another twice, which calls a third twice, and so on,
/// doubles with each.
const MOST_STATEMENTS: usize = 1 << 18;

/// Most functions that are in a call of each other at one place.
const MOST_DEEP: usize = 256;

/// The function in which device code of `assert` ends.
pub const ASSERT_FAIL: &str = "__assertfail";

/// A call that can't be put in place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct CallError {
    /// Line of the call; 0 if the module was not read from text.
    pub line: u32,
    /// Why.
    pub problem: CallProblem,
}

/// Why a call can't be put in place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallProblem {
    /// Only a declaration is there.
    #[error("`{name}` is called, but the module does not define it")]
    Undefined {
        /// The function.
        name: String,
    },
    /// The function is being called already.
    #[error("`{name}` calls itself, perhaps through others, which the emulator does not do")]
    Recursive {
        /// The function.
        name: String,
    },
    /// The function depends on a register.
    #[error("a call through a register, which the emulator does not do")]
    Indirect,
    /// The operands are not those of the declaration.
    #[error("the operands of this call of `{name}` are not those that it declares")]
    Operands {
        /// The function.
        name: String,
    },
    /// More calls in calls than go.
    #[error("calls of functions that call others are more than {limit} deep here")]
    TooDeep {
        /// How many go.
        limit: usize,
    },
    /// More statements than go.
    #[error("with all calls in place the kernel has more than {limit} statements")]
    TooLarge {
        /// How many go.
        limit: usize,
    },
}

impl CallError {
    /// What to do about it.
    pub const fn help(&self) -> &'static str {
        match &self.problem {
            CallProblem::Undefined { .. } => {
                "compile the kernel without this call (no `printf`, `malloc` or function of another file), or define the function in the module"
            }
            CallProblem::Recursive { .. } => "write the recursion as a loop",
            CallProblem::Indirect => "call the functions by name, one behind each comparison",
            CallProblem::Operands { .. } => "call it with the results and arguments of its declaration",
            CallProblem::TooDeep { .. } | CallProblem::TooLarge { .. } => {
                "compile with fewer functions kept apart (`__noinline__`, `-G`)"
            }
        }
    }
}

/// An entry with the functions that it calls in the place of the calls; the entry itself if it has none.
///
/// # Errors
/// The first call that can't be put in place.
pub fn expand<'a>(module: &'a Module, entry: &'a Entry) -> Result<Cow<'a, Entry>, CallError> {
    let flat = |(_, inst): (usize, &Inst)| !matches!(inst.op, Op::Call(_) | Op::BrxIdx(_));
    if entry.insts().all(flat) {
        return Ok(Cow::Borrowed(entry));
    }
    let out = Entry { body: Vec::with_capacity(entry.body.len()), ..entry.clone() };
    let mut expander =
        Expander { module, out, places: HashMap::new(), active: Vec::new(), location: None, flag: None };
    expander.out.body.clear();
    expander.entry(entry)?;
    Ok(Cow::Owned(expander.out))
}

/// Where the registers and variables of a function are in the expanded entry.
struct Place {
    /// Registers by class, in the order of the function's own.
    regs: [Vec<Reg>; 6],
    vars: Arena<VarId, VarId>,
    /// What stands for each parameter where the caller gives no variable of its own.
    params: Arena<ParamId, VarId>,
}

/// What one copy of a body puts in the place of what.
struct Copying<'p> {
    /// `None` in the entry, whose ids stay.
    place: Option<&'p Place>,
    params: Arena<ParamId, Symbol>,
    labels: Arena<LabelId, LabelId>,
    /// Where a `ret` leads.
    end: Option<LabelId>,
}

struct Expander<'a> {
    module: &'a Module,
    out: Entry,
    places: HashMap<FunctionId, Rc<Place>>,
    active: Vec<FunctionId>,
    /// The last `.loc` of the code around a call.
    location: Option<StatementKind>,
    /// The predicate of the comparisons that stand for `brx.idx`.
    flag: Option<Reg>,
}

impl<'a> Expander<'a> {
    fn entry(&mut self, entry: &'a Entry) -> Result<(), CallError> {
        let labels = entry.labels.ids().collect();
        self.copy(entry, &Copying { place: None, params: Arena::new(), labels, end: None })
    }

    fn push(&mut self, line: u32, inst: impl Into<Inst>) {
        self.out.body.push(Statement { line, ..Statement::from(inst.into()) });
    }

    fn label(&mut self, line: u32, label: LabelId) {
        self.out.body.push(Statement { line, ..StatementKind::Label(label).into() });
    }

    fn copy(&mut self, code: &'a Entry, copying: &Copying<'_>) -> Result<(), CallError> {
        for statement in &code.body {
            let line = statement.line;
            if self.out.body.len() > MOST_STATEMENTS {
                let problem = CallProblem::TooLarge { limit: MOST_STATEMENTS };
                return Err(CallError { line, problem });
            }
            match &statement.kind {
                StatementKind::Inst(inst) => self.inst(code, inst, line, copying)?,
                StatementKind::Label(label) => self.label(line, copying.labels[*label]),
                StatementKind::Loc { .. } => {
                    self.location = Some(statement.kind.clone());
                    self.out.body.push(statement.clone());
                }
                StatementKind::Comment(_) | StatementKind::Pragma(_) => self.out.body.push(statement.clone()),
            }
        }
        Ok(())
    }

    fn inst(
        &mut self,
        code: &'a Entry,
        inst: &Inst,
        line: u32,
        copying: &Copying<'_>,
    ) -> Result<(), CallError> {
        let mut inst = inst.clone();
        copying.rename(&mut inst);
        let Inst { guard, op } = inst;
        match op {
            Op::Call(call) => self.call(call, guard, line),
            Op::BrxIdx(branch) => {
                self.branch(code, &branch, guard, line, copying);
                Ok(())
            }
            Op::Ret(ret) if let Some(target) = copying.end => {
                self.push(line, Inst { guard, op: Bra { uni: ret.uni, target }.into() });
                Ok(())
            }
            op => {
                self.push(line, Inst { guard, op });
                Ok(())
            }
        }
    }

    /// Leads the lanes whose guard is false past what follows; gives the label that has to stand behind it.
    fn skip(&mut self, guard: Option<Guard>, line: u32) -> Option<LabelId> {
        let Guard { pred, negated } = guard?;
        let target = self.out.labels.push(Label { name: "(past the call)".to_owned() });
        self.push(line, Inst::guarded(pred, !negated, Bra { uni: Uni(false), target }));
        Some(target)
    }

    fn branch(
        &mut self,
        code: &Entry,
        branch: &BrxIdx,
        guard: Option<Guard>,
        line: u32,
        copying: &Copying<'_>,
    ) {
        let past = self.skip(guard, line);
        let targets: Vec<LabelId> = match &code.tables[branch.table].kind {
            TableKind::Branches(labels) => labels.iter().map(|&label| copying.labels[label]).collect(),
            TableKind::Callees(_) | TableKind::Prototype { .. } => Vec::new(),
        };
        let flag =
            *self.flag.get_or_insert_with(|| self.out.regs.new_reg(RegClass::Pred, "(number of the target)"));
        for (number, target) in (0_i64..).zip(targets) {
            self.push(line, equal(flag, branch.index, number));
            self.push(line, Inst::guarded(flag, false, Bra { uni: Uni(false), target }));
        }
        self.push(line, Trap {});
        past.into_iter().for_each(|label| self.label(line, label));
    }

    fn call(&mut self, call: Call, guard: Option<Guard>, line: u32) -> Result<(), CallError> {
        let fail = |problem| Err(CallError { line, problem });
        let Callee::Function(id) = call.site.callee else { return fail(CallProblem::Indirect) };
        let module = self.module;
        let function = &module.functions[id];
        let name = || function.code.name.clone();
        if !function.defined && function.code.name == ASSERT_FAIL {
            self.push(line, Inst { guard, op: call.into() });
            return Ok(());
        }
        if !function.defined {
            return fail(CallProblem::Undefined { name: name() });
        }
        if self.active.contains(&id) {
            return fail(CallProblem::Recursive { name: name() });
        }
        if self.active.len() == MOST_DEEP {
            return fail(CallProblem::TooDeep { limit: MOST_DEEP });
        }
        let place = self.place(id, function);
        let past = self.skip(guard, line);
        let around = self.location.clone();
        let mut params: Arena<ParamId, Symbol> = place.params.values().map(|&var| Symbol::Var(var)).collect();
        for (operands, declared, results) in [
            (&call.site.results[..], &function.results, true),
            (&call.site.arguments[..], &function.arguments, false),
        ] {
            if operands.len() != declared.len() {
                return fail(CallProblem::Operands { name: name() });
            }
            for (&operand, declared) in operands.iter().zip(declared) {
                let fits = self.argument(operand, *declared, (function, &place), results, &mut params, line);
                if !fits {
                    return fail(CallProblem::Operands { name: name() });
                }
            }
        }
        let labels = function.code.labels.values().map(|label| self.out.labels.push(label.clone()));
        let labels = labels.collect();
        let end = self.out.labels.push(Label { name: format!("(end of {})", function.code.name) });
        self.active.push(id);
        self.copy(&function.code, &Copying { place: Some(&place), params, labels, end: Some(end) })?;
        self.active.pop();
        self.label(line, end);
        for (&operand, declared) in call.site.results.iter().zip(&function.results) {
            self.result(operand, *declared, (function, &place), line);
        }
        if let Some(location) = around {
            self.out.body.push(location.clone().into());
            self.location = Some(location);
        }
        past.into_iter().for_each(|label| self.label(line, label));
        Ok(())
    }

    /// Gives the function what it finds at one parameter; says whether it fits.
    fn argument(
        &mut self,
        operand: CallOperand,
        declared: FunctionParam,
        (function, place): (&Function, &Place),
        result: bool,
        params: &mut Arena<ParamId, Symbol>,
        line: u32,
    ) -> bool {
        match (operand, declared) {
            (CallOperand::Symbol(symbol), FunctionParam::Param(id)) => {
                let wanted = &function.code.params[id];
                let Symbol::Var(var) = symbol else { return false };
                let given = &mut self.out.vars[var];
                if given.space != VarSpace::Param || given.bytes() != wanted.bytes() {
                    return false;
                }
                given.align = Some(given.alignment().max(wanted.alignment()));
                params[id] = symbol;
            }
            (CallOperand::Symbol(_), FunctionParam::Reg(_)) => return false,
            (CallOperand::Sink, _) => return result,
            (CallOperand::Value(value), declared) if !takes(function, declared, value) => return false,
            (CallOperand::Value(_), _) if result => {}
            (CallOperand::Value(value), FunctionParam::Param(id)) => {
                let ty = function.code.params[id].ty;
                let slot = place.params[id];
                let Some(store) = store(slot, ty, value) else { return false };
                self.push(line, store);
            }
            (CallOperand::Value(value), FunctionParam::Reg(reg)) => {
                let Some(op) = copy(place.reg(reg), value) else { return false };
                self.push(line, op);
            }
        }
        true
    }

    /// Takes a result that goes to a register.
    fn result(
        &mut self,
        operand: CallOperand,
        declared: FunctionParam,
        (function, place): (&Function, &Place),
        line: u32,
    ) {
        let CallOperand::Value(Use::Reg(reg)) = operand else { return };
        let op = match declared {
            FunctionParam::Param(id) => {
                let slot = place.params[id];
                load(reg, slot, function.code.params[id].ty)
            }
            FunctionParam::Reg(from) => copy(reg, place.reg(from).into()),
        };
        if let Some(op) = op {
            self.push(line, op);
        }
    }

    /// The place of a function, made for its first call.
    fn place(&mut self, id: FunctionId, function: &Function) -> Rc<Place> {
        if let Some(place) = self.places.get(&id) {
            return Rc::clone(place);
        }
        let code = &function.code;
        let out = &mut self.out;
        let regs = RegClass::ALL.map(|class| {
            code.regs.regs(class).map(|reg| out.regs.new_reg(class, code.regs.name(reg))).collect()
        });
        let vars = code.vars.values().map(|variable| out.vars.push(variable.clone())).collect();
        let params = code.params.values().map(|param| {
            out.vars.push(Variable {
                name: param.name.clone(),
                space: VarSpace::Param,
                linkage: Linkage::Internal,
                align: param.align,
                ty: param.ty,
                extent: param.array.map_or(Extent::Scalar, Extent::Array),
                initial: Vec::new(),
            })
        });
        let place = Rc::new(Place { regs, vars, params: params.collect() });
        self.places.insert(id, Rc::clone(&place));
        place
    }
}

impl Place {
    fn reg(&self, reg: Reg) -> Reg {
        self.regs[reg.class() as usize][reg.index()]
    }
}

impl Copying<'_> {
    /// Puts this copy's registers, variables and labels in the place of the function's.
    fn rename(&self, inst: &mut Inst) {
        let Some(place) = self.place else { return };
        inst.visit_mut(|_, reg| *reg = place.reg(*reg));
        inst.op.symbols_mut(|symbol| match *symbol {
            Symbol::Param(id) => *symbol = self.params[id],
            Symbol::Var(id) => *symbol = Symbol::Var(place.vars[id]),
            Symbol::Global(_) | Symbol::Function(_) => {}
        });
        match &mut inst.op {
            Op::Bra(bra) => bra.target = self.labels[bra.target],
            // The address of a parameter of a function is one of local memory (PTX ISA, `mov`).
            Op::Ld(ld) if ld.space == Some(Space::Param) && !ld.addr.is_symbol() => {
                ld.space = Some(Space::Local);
            }
            _ => {}
        }
    }
}

/// `flag = index == number`.
fn equal(flag: Reg, index: Use, number: i64) -> Setp {
    let (cmp, ftz, ty, complement) = (CmpOp::Eq, Ftz(false), SetpType::B32, PairedDef::Absent);
    Setp { cmp, ftz, ty, dst: Def(flag), complement, a: index, b: Use::Int(number) }
}

/// Whether a parameter of a function is one value of a register or number given.
fn takes(function: &Function, declared: FunctionParam, value: Use) -> bool {
    let class = match declared {
        FunctionParam::Param(id) => {
            let param = &function.code.params[id];
            if param.array.is_some() {
                return false;
            }
            param.ty.class()
        }
        FunctionParam::Reg(reg) => reg.class(),
    };
    value.reg().is_none_or(|reg| reg.class() == class)
}

fn bits_type(class: RegClass) -> Option<MemType> {
    match class {
        RegClass::B8 => Some(MemType::B8),
        RegClass::B16 => Some(MemType::B16),
        RegClass::B32 => Some(MemType::B32),
        RegClass::B64 => Some(MemType::B64),
        RegClass::Pred | RegClass::B128 => None,
    }
}

fn store(var: VarId, ty: ScalarType, value: Use) -> Option<Op> {
    let ty = bits_type(ty.class())?;
    let addr = Address::symbol(Symbol::Var(var), 0);
    let src = VecUse::one(value);
    let (order, scope, cache, l1, vec) = (None, None, None, None, None);
    Some(St { order, scope, space: Some(Space::Param), cache, l1, vec, ty, addr, src }.into())
}

fn load(reg: Reg, var: VarId, ty: ScalarType) -> Option<Op> {
    let ty = bits_type(ty.class())?;
    let (addr, dst) = (Address::symbol(Symbol::Var(var), 0), VecDef::one(reg));
    let (order, scope, cache, l1, l2, vec) = (None, None, None, None, None, None);
    let nc = Nc(false);
    Some(Ld { order, scope, space: Some(Space::Param), cache, nc, l1, l2, vec, ty, dst, addr }.into())
}

/// Copies a value into a register of its class.
fn copy(dst: Reg, src: Use) -> Option<Op> {
    let ty = match dst.class() {
        RegClass::Pred => {
            let reg = src.reg()?;
            return Some(MovPred { dst: Def(dst), src: PredUse { reg, negated: false } }.into());
        }
        RegClass::B16 => MovType::B16,
        RegClass::B32 => MovType::B32,
        RegClass::B64 => MovType::B64,
        RegClass::B8 | RegClass::B128 => return None,
    };
    Some(Mov { ty, dst: Def(dst), src }.into())
}
