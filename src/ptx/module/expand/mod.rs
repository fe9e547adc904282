//! Puts functions in the place of their calls, so that what runs or reads a body needs to know nothing of calls.
//!
//! Entry: a module that passes its check. Exit: an entry in which a call is left only where something comes to an end, or leaves the kernel: of
//! `__assertfail`, of `vprintf`, whose operands are then in registers, through a register that holds no function's address, or of a function for whose activation there
//! is no room; `brx.idx` likewise only where its number is past the end of the list. Each statement keeps its line, and each
//! register and label the name it has in the text, so that several may share one: the result is for running, not for
//! printing. A function that does not call itself is active once in a thread at a time; its registers and variables are
//! therefore there once, however often it is called, and only its statements are copied. What calls itself has one copy of
//! its statements and a frame for each activation ([`stack`]). `brx.idx` and calls through a register become rows of
//! comparisons. Not here: calls of what the module does not define, which are errors with their line.

mod build;
mod call;
mod error;
mod graph;
mod stack;

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::{
    Entry, Extent, Function, Label, Linkage, Module, Statement, StatementKind, Table, TableKind, VarSpace,
    Variable,
};
use crate::entity::Arena;
use crate::ptx::isa::modifier::{CmpOp, Space};
use crate::ptx::isa::types::{IntType, SetpType};
use crate::ptx::isa::{
    Address, Base, Bra, BrxIdx, Cvta, FunctionId, Guard, Inst, LabelId, Op, ParamId, Reg, RegClass, Symbol,
    TableId, Use, VarId,
};

pub use error::{CallError, CallProblem};
pub use stack::CALL_STACK_BYTES;

use build::{add, compare, jump_if, low_half};
use graph::Graph;
use stack::{Frame, Stack};

/// Most statements of an expanded entry. A function that calls another twice, which calls a third twice, and so on,
/// doubles with each.
const MOST_STATEMENTS: usize = 1 << 18;

/// Most functions that are in a call of each other at one place.
const MOST_DEEP: usize = 256;

/// The function in which device code of `assert` ends.
pub const ASSERT_FAIL: &str = "__assertfail";

/// The function in which device code of `printf` ends.
pub const PRINT: &str = "vprintf";

/// What [`expand`] makes.
#[derive(Debug)]
pub struct Expanded<'a> {
    /// The entry with its calls in place.
    pub entry: Cow<'a, Entry>,
    /// The register that holds how many activations are on the stack, if the entry needs one.
    pub depth: Option<Reg>,
}

/// An entry with the functions that it calls in the place of the calls; the entry itself if it has none.
///
/// # Errors
/// The first call that can't be put in place.
pub fn expand<'a>(module: &'a Module, entry: &'a Entry) -> Result<Expanded<'a>, CallError> {
    lacking(entry)?;
    let flat = |(_, inst): (usize, &Inst)| !matches!(inst.op, Op::Call(_) | Op::BrxIdx(_));
    if entry.insts().all(flat) {
        return Ok(Expanded { entry: Cow::Borrowed(entry), depth: None });
    }
    let out = Entry { body: Vec::with_capacity(entry.body.len()), ..entry.clone() };
    let mut expander = Expander {
        module,
        out,
        graph: Graph::new(module),
        places: HashMap::new(),
        stack: None,
        depth: 0,
        location: None,
        flag: None,
        pointer: None,
    };
    expander.out.body.clear();
    expander.entry(entry)?;
    let depth = expander.finish_stack()?;
    Ok(Expanded { entry: Cow::Owned(expander.out), depth })
}

/// That a body was not left out when the text was read.
fn lacking(code: &Entry) -> Result<(), CallError> {
    match &code.lacking {
        None => Ok(()),
        Some(error) => Err(CallError { line: error.line, problem: CallProblem::Lacking(error.clone()) }),
    }
}

/// Where a variable or parameter of the text is.
#[derive(Clone, Copy, Debug)]
enum Home {
    /// It has one address.
    Fixed(Symbol),
    /// So many bytes from the start of the frame of this activation.
    Frame(u64),
    /// Where the register says.
    Pointer(Reg),
}

/// Where the registers and variables of a function are in the expanded entry.
struct Place {
    /// Registers by class, in the order of the function's own.
    regs: [Vec<Reg>; 6],
    vars: Arena<VarId, Home>,
    /// What stands for each parameter where the caller gives no variable of its own.
    params: Arena<ParamId, Home>,
    /// For a function that calls itself.
    frame: Option<Frame>,
}

/// What one copy of a body puts in the place of what.
struct Copying<'p> {
    /// `None` in the entry, whose ids stay.
    place: Option<&'p Place>,
    params: Arena<ParamId, Home>,
    labels: Arena<LabelId, LabelId>,
    /// Where a `ret` leads.
    end: Option<LabelId>,
    /// The function that calls itself whose body this is.
    owner: Option<FunctionId>,
}

struct Expander<'a> {
    module: &'a Module,
    out: Entry,
    graph: Graph<'a>,
    places: HashMap<FunctionId, Rc<Place>>,
    stack: Option<Stack>,
    /// How many functions stand in the place of a call in each other here.
    depth: usize,
    /// The last `.loc` of the code around a call.
    location: Option<StatementKind>,
    /// The predicate of comparisons.
    flag: Option<Reg>,
    /// A register for addresses.
    pointer: Option<Reg>,
}

impl<'a> Expander<'a> {
    fn entry(&mut self, entry: &'a Entry) -> Result<(), CallError> {
        let params = entry.params.ids().map(|id| Home::Fixed(Symbol::Param(id))).collect();
        let labels = entry.labels.ids().collect();
        self.copy(entry, &Copying { place: None, params, labels, end: None, owner: None })
    }

    fn push(&mut self, line: u32, inst: impl Into<Inst>) {
        self.out.body.push(Statement { line, ..Statement::from(inst.into()) });
    }

    fn label(&mut self, line: u32, label: LabelId) {
        self.out.body.push(Statement { line, ..StatementKind::Label(label).into() });
    }

    fn new_label(&mut self, name: impl Into<String>) -> LabelId {
        self.out.labels.push(Label { name: name.into() })
    }

    fn flag(&mut self) -> Reg {
        *self.flag.get_or_insert_with(|| self.out.regs.new_reg(RegClass::Pred, "(comparison)"))
    }

    fn pointer(&mut self) -> Reg {
        *self.pointer.get_or_insert_with(|| self.out.regs.new_reg(RegClass::B64, "(address)"))
    }

    fn copy(&mut self, code: &'a Entry, copying: &Copying<'_>) -> Result<(), CallError> {
        lacking(code)?;
        for (at, statement) in code.body.iter().enumerate() {
            let line = statement.line;
            if self.out.body.len() > MOST_STATEMENTS {
                let problem = CallProblem::TooLarge { limit: MOST_STATEMENTS };
                return Err(CallError { line, problem });
            }
            match &statement.kind {
                StatementKind::Inst(inst) => {
                    self.inst(code, inst, (at, line), copying)?;
                }
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
        (at, line): (usize, u32),
        copying: &Copying<'_>,
    ) -> Result<(), CallError> {
        let mut inst = inst.clone();
        if let Some(place) = copying.place {
            inst.visit_mut(|_, reg| *reg = place.reg(*reg));
        }
        match inst.op {
            Op::Call(call) => return self.call((code, at), call, inst.guard, line, copying),
            Op::BrxIdx(branch) => self.branch(code, branch, inst.guard, line, copying),
            Op::Ret(ret) if let Some(target) = copying.end => {
                self.push(line, Inst { guard: inst.guard, op: Bra { uni: ret.uni, target }.into() });
            }
            Op::Bra(mut bra) => {
                bra.target = copying.labels[bra.target];
                self.push(line, Inst { guard: inst.guard, op: bra.into() });
            }
            _ => {
                let named = self.variables(&mut inst, line, copying);
                named.map_err(|problem| CallError { line, problem })?;
                self.push(line, inst);
            }
        }
        Ok(())
    }

    /// Puts the places of variables and parameters in the place of their names.
    fn variables(&mut self, inst: &mut Inst, line: u32, copying: &Copying<'_>) -> Result<(), CallProblem> {
        // The address of a parameter of a function is one of local memory (PTX ISA, `mov`).
        if let (Op::Ld(ld), Some(_)) = (&mut inst.op, copying.place)
            && ld.space == Some(Space::Param)
            && !ld.addr.is_symbol()
        {
            ld.space = Some(Space::Local);
        }
        let mut moving = None;
        inst.op.symbols(|symbol| match copying.home(symbol) {
            Home::Fixed(_) => {}
            home @ (Home::Frame(_) | Home::Pointer(_)) => moving = Some(home),
        });
        let Some((base, start)) = moving.map(|home| self.register_of(home)) else {
            inst.op.symbols_mut(|symbol| {
                if let Home::Fixed(fixed) = copying.home(*symbol) {
                    *symbol = fixed;
                }
            });
            return Ok(());
        };
        let place = |addr: Address| Address::reg(base, addr.offset.wrapping_add(start));
        match &mut inst.op {
            Op::Ld(ld) => (ld.addr, ld.space) = (place(ld.addr), Some(Space::Local)),
            Op::St(st) => (st.addr, st.space) = (place(st.addr), Some(Space::Local)),
            Op::MovAddress(row) => {
                let (dst, offset) = (row.dst.0, row.src.offset.wrapping_add(start));
                if dst.class() == RegClass::B64 {
                    inst.op = add(IntType::U64, dst, base, offset).into();
                } else {
                    let pointer = self.pointer();
                    self.push(line, add(IntType::U64, pointer, base, offset));
                    inst.op = low_half(dst, pointer).into();
                }
            }
            Op::CvtaSymbol(row) => {
                let (dst, ty, offset) = (row.dst, row.ty, row.src.offset.wrapping_add(start));
                let pointer = self.pointer();
                self.push(line, add(IntType::U64, pointer, base, offset));
                inst.op = Cvta { space: Space::Local, ty, dst, src: Use::Reg(pointer) }.into();
            }
            _ => {
                let mut opcode = String::new();
                inst.op.print_opcode(&mut opcode);
                return Err(CallProblem::OfActivation { opcode });
            }
        }
        Ok(())
    }

    /// Leads the lanes whose guard is false past what follows; gives the label that has to stand behind it.
    fn skip(&mut self, guard: Option<Guard>, line: u32) -> Option<LabelId> {
        let Guard { pred, negated } = guard?;
        let target = self.new_label("(past the call)");
        self.push(line, jump_if(pred, !negated, target));
        Some(target)
    }

    /// A list of the code that is copied, in the expanded entry.
    fn table(&mut self, code: &Entry, table: TableId, copying: &Copying<'_>) -> TableId {
        if copying.place.is_none() {
            return table;
        }
        // Only its name is wanted: what it lists stands in the comparisons.
        let name = code.tables[table].name.clone();
        self.out.tables.push(Table { name, kind: TableKind::Callees(Vec::new()) })
    }

    fn branch(
        &mut self,
        code: &Entry,
        branch: BrxIdx,
        guard: Option<Guard>,
        line: u32,
        copying: &Copying<'_>,
    ) {
        let past = self.skip(guard, line);
        let targets: Vec<LabelId> = match &code.tables[branch.table].kind {
            TableKind::Branches(labels) => labels.iter().map(|&label| copying.labels[label]).collect(),
            TableKind::Callees(_) | TableKind::Prototype { .. } => Vec::new(),
        };
        let flag = self.flag();
        for (number, target) in (0_i64..).zip(targets) {
            self.push(line, compare(flag, CmpOp::Eq, SetpType::B32, branch.index, Use::Int(number)));
            self.push(line, jump_if(flag, false, target));
        }
        let table = self.table(code, branch.table, copying);
        self.push(line, BrxIdx { table, ..branch });
        past.into_iter().for_each(|label| self.label(line, label));
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
        let place = if self.graph.is_recursive(id) {
            self.moving_place(id, function, regs)
        } else {
            let fixed = |variable: Variable| Home::Fixed(Symbol::Var(out.vars.push(variable)));
            let vars = code.vars.values().cloned().map(fixed).collect();
            let fixed = |variable: Variable| Home::Fixed(Symbol::Var(out.vars.push(variable)));
            let params = code.params.values().map(|param| Variable {
                name: param.name.clone(),
                space: VarSpace::Param,
                linkage: Linkage::Internal,
                align: param.align,
                ty: param.ty,
                extent: param.array.map_or(Extent::Scalar, Extent::Array),
                initial: Vec::new(),
            });
            Place { regs, vars, params: params.map(fixed).collect(), frame: None }
        };
        let place = Rc::new(place);
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
    /// Where a variable or parameter of the code that is copied is.
    fn home(&self, symbol: Symbol) -> Home {
        match (symbol, self.place) {
            (Symbol::Param(id), _) => self.params[id],
            (Symbol::Var(id), Some(place)) => place.vars[id],
            (Symbol::Var(_), None) | (Symbol::Global(_) | Symbol::Function(_), _) => Home::Fixed(symbol),
        }
    }
}

impl Expander<'_> {
    /// Where a home without an address of its own begins.
    fn register_of(&mut self, home: Home) -> (Reg, i64) {
        match home {
            Home::Pointer(reg) => (reg, 0),
            Home::Frame(offset) => (self.stack().frame, offset.cast_signed()),
            Home::Fixed(_) => unreachable!("only what moves is asked for"),
        }
    }

    /// The address of a home as an operand of a load or store.
    fn address(&mut self, home: Home) -> Address {
        match home {
            Home::Fixed(symbol) => Address { base: Base::Symbol(symbol), offset: 0 },
            Home::Frame(_) | Home::Pointer(_) => {
                let (reg, offset) = self.register_of(home);
                Address::reg(reg, offset)
            }
        }
    }
}
