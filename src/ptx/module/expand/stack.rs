//! Functions that call themselves, perhaps through others: one copy of their statements, and a frame of local memory for
//! each activation.
//!
//! Each lane has a stack of [`CALL_STACK_BYTES`] in local memory, there only in entries that need it. A call puts what the
//! activation around it still wants of its registers on top, then the frame of the new one: the number of the call,
//! where the frame around it begins, the function's `.local` and `.param` variables, and room for operands that are
//! values. It jumps; `ret` compares the number with those of the calls and jumps back. A parameter is a register with the
//! address of the variable that the caller gives: what nobody wrote stays unwritten. Registers of functions outside the
//! cycle need no saving: nothing in the cycle can call them while they are active.

use std::collections::BTreeMap;

use super::super::{Entry, Extent, Function, FunctionParam, Linkage, StatementKind, VarSpace, Variable};
use super::build::{add, bits_type, compare, copy, jump, jump_if, load, number_of, store};
use super::call::{Site, takes};
use super::{CallError, Copying, Expander, Home, Place};
use crate::entity::Arena;
use crate::ptx::isa::modifier::{CmpOp, Space};
use crate::ptx::isa::types::{AddressType, IntType, MemType, SetpType};
use crate::ptx::isa::{
    Address, Call, CallOperand, Callee, Def, Exit, FunctionId, Inst, LabelId, MovAddress, ParamId, Reg,
    RegClass, ScalarType, Symbol, Use,
};

/// Bytes of the stack of each lane. Hardware has 1,024 unless the host asks for more; saved registers take more room here.
pub const CALL_STACK_BYTES: u32 = 32 << 10;

/// Bytes at the start of a frame: the number of the call, and the address of the frame around it.
const HEADER: u64 = 16;
const OUTER: i64 = 8;

/// Alignment of frames, unless a variable wants more.
const FRAME_ALIGN: u32 = 16;

/// What the activations of an entry share.
pub(super) struct Stack {
    /// Start of the frame of the activation that runs.
    pub(super) frame: Reg,
    /// Address after what is in use.
    top: Reg,
    /// Address after the stack.
    end: Reg,
    /// Activations on the stack.
    depth: Reg,
    /// The number of a call, or a predicate in 32 bits.
    number: Reg,
    symbol: Symbol,
    align: u32,
    /// For the number of each call: the function, and what stands behind the call.
    calls: Vec<(FunctionId, LabelId)>,
    /// Functions whose statements are not there yet.
    pending: Vec<FunctionId>,
}

/// What a function that calls itself has beside its registers.
pub(super) struct Frame {
    /// Bytes of a frame.
    bytes: u64,
    /// Where an operand that is a value lies.
    slots: Arena<ParamId, u64>,
    /// Takes each result and argument, in the order of the declaration, until all are there.
    staged: Vec<Reg>,
    /// The first and last position at which each register is wanted.
    spans: BTreeMap<Reg, (usize, usize)>,
    body: LabelId,
    end: LabelId,
}

fn align_up(bytes: u64, align: u32) -> u64 {
    bytes.next_multiple_of(u64::from(align.clamp(1, CALL_STACK_BYTES)))
}

fn local(reg: Reg, offset: u64) -> Address {
    Address::reg(reg, offset.cast_signed())
}

impl<'a> Expander<'a> {
    /// The stack, made for its first use.
    pub(super) fn stack(&mut self) -> &mut Stack {
        let (module, graph, out) = (self.module, &self.graph, &mut self.out);
        self.stack.get_or_insert_with(|| {
            let recursive = module.functions.iter().filter(|(id, _)| graph.is_recursive(*id));
            let variables = recursive.flat_map(|(_, function)| function.code.vars.values());
            let align = variables.map(Variable::alignment).fold(FRAME_ALIGN, u32::max).min(CALL_STACK_BYTES);
            let symbol = Symbol::Var(out.vars.push(Variable {
                name: "(stack of calls)".to_owned(),
                space: VarSpace::Local,
                linkage: Linkage::Internal,
                align: Some(align),
                ty: ScalarType::B8,
                extent: Extent::Array(u64::from(CALL_STACK_BYTES)),
                initial: Vec::new(),
            }));
            let mut reg = |class, name: &str| out.regs.new_reg(class, name);
            Stack {
                frame: reg(RegClass::B64, "(frame)"),
                top: reg(RegClass::B64, "(top of the stack)"),
                end: reg(RegClass::B64, "(end of the stack)"),
                depth: reg(RegClass::B32, "(depth)"),
                number: reg(RegClass::B32, "(number)"),
                symbol,
                align,
                calls: Vec::new(),
                pending: Vec::new(),
            }
        })
    }

    /// The place of a function that calls itself.
    pub(super) fn moving_place(&mut self, id: FunctionId, function: &Function, regs: [Vec<Reg>; 6]) -> Place {
        let code = &function.code;
        let stack = self.stack();
        stack.pending.push(id);
        let align = stack.align;
        let mut bytes = HEADER;
        let mut room = |size: u64, align: u32| {
            let start = align_up(bytes, align);
            // What has no room here at all is found when it is called.
            bytes = start + size.min(u64::from(CALL_STACK_BYTES));
            start
        };
        let mut place = Place { regs, vars: Arena::new(), params: Arena::new(), frame: None };
        for variable in code.vars.values() {
            let moves = matches!(variable.space, VarSpace::Local | VarSpace::Param);
            place.vars.push(if moves {
                Home::Frame(room(variable.bytes(), variable.alignment().max(8)))
            } else {
                Home::Fixed(Symbol::Var(self.out.vars.push(variable.clone())))
            });
        }
        let slots = code.params.values().map(|param| room(param.bytes(), param.alignment())).collect();
        let bytes = align_up(bytes, align);
        for param in code.params.values() {
            place.params.push(Home::Pointer(self.out.regs.new_reg(RegClass::B64, param.name.as_str())));
        }
        let declared = function.results.iter().chain(&function.arguments);
        let staged = declared.map(|declared| {
            let class = match declared {
                FunctionParam::Param(_) => RegClass::B64,
                FunctionParam::Reg(reg) => reg.class(),
            };
            self.out.regs.new_reg(class, "(operand)")
        });
        let staged = staged.collect();
        let spans = spans(function, &place);
        let body = self.new_label(code.name.as_str());
        let end = self.new_label(format!("(end of {})", code.name));
        place.frame = Some(Frame { bytes, slots, staged, spans, body, end });
        place
    }

    /// Jumps to the one copy of a function, and comes back; `None` if the operands do not fit.
    pub(super) fn activate(
        &mut self,
        (id, function): (FunctionId, &Function),
        (place, frame): (&Place, &Frame),
        site: Site<'_>,
    ) -> Option<()> {
        let line = site.line;
        let operands = site.operands(function)?;
        let (saved, bytes) = self.saved(id, site);
        let &mut Stack { frame: base, top, depth, number, .. } = self.stack();
        self.make_room(bytes + frame.bytes, id, site);
        for &(reg, offset) in &saved {
            self.save(reg, local(top, offset), line);
        }
        for (&operand, &staged) in operands.iter().zip(&frame.staged) {
            self.stage(operand, staged, (function, frame), bytes, site)?;
        }
        for (&(_, declared, is_result), &staged) in operands.iter().zip(&frame.staged) {
            let to = match (declared, is_result) {
                (FunctionParam::Param(param), _) => pointer(place, param),
                (FunctionParam::Reg(reg), false) => place.reg(reg),
                (FunctionParam::Reg(_), true) => continue,
            };
            let op = copy(to, Use::Reg(staged))?;
            self.push(line, op);
        }
        let back = self.new_label("(past the call)");
        let stack = self.stack();
        let call = stack.calls.len() as i64;
        stack.calls.push((id, back));
        self.push(line, store(Space::Local, MemType::B64, local(top, bytes + OUTER as u64), Use::Reg(base)));
        self.push(line, add(IntType::U64, base, top, bytes.cast_signed()));
        self.push(line, add(IntType::U64, top, base, frame.bytes.cast_signed()));
        self.push(line, store(Space::Local, MemType::B32, local(base, 0), Use::Int(call)));
        self.push(line, add(IntType::U32, depth, depth, 1));
        self.push(line, jump(frame.body));
        self.label(line, back);
        // A result in a register may be one that is about to be restored.
        for (&(_, declared, is_result), &staged) in operands.iter().zip(&frame.staged) {
            if let (FunctionParam::Reg(reg), true) = (declared, is_result) {
                let op = copy(staged, place.reg(reg).into())?;
                self.push(line, op);
            }
        }
        self.push(line, add(IntType::U64, top, base, -bytes.cast_signed()));
        self.push(line, load(Space::Local, MemType::B64, base, Address::reg(base, OUTER)));
        self.push(line, add(IntType::U32, depth, depth, -1));
        for &(reg, offset) in &saved {
            self.restore(reg, local(top, offset), number, line);
        }
        for ((operand, declared, _), &staged) in
            operands.iter().zip(&frame.staged).filter(|((.., result), _)| *result)
        {
            let &CallOperand::Value(Use::Reg(reg)) = operand else { continue };
            let op = match *declared {
                FunctionParam::Param(param) => {
                    let ty = bits_type(function.code.params[param].ty.class())?;
                    load(Space::Local, ty, reg, local(top, bytes + frame.slots[param]))
                }
                FunctionParam::Reg(_) => copy(reg, Use::Reg(staged))?,
            };
            self.push(line, op);
        }
        Some(())
    }

    /// Takes an operand to where it waits for the others; the frame of the new activation begins `bytes` above the top.
    fn stage(
        &mut self,
        (operand, declared, is_result): (CallOperand, FunctionParam, bool),
        staged: Reg,
        (function, frame): (&Function, &Frame),
        bytes: u64,
        site: Site<'_>,
    ) -> Option<()> {
        let line = site.line;
        let top = self.stack().top;
        if let CallOperand::Value(value) = operand {
            takes(function, declared, value)?;
        }
        match (declared, operand) {
            (FunctionParam::Param(param), CallOperand::Symbol(symbol)) => {
                let home = self.given(symbol, param, function, site)?;
                self.take_address(staged, home, line);
            }
            (FunctionParam::Param(param), CallOperand::Value(_) | CallOperand::Sink) => {
                let slot = bytes + frame.slots[param];
                if let (CallOperand::Value(value), false) = (operand, is_result) {
                    let ty = bits_type(function.code.params[param].ty.class())?;
                    self.push(line, store(Space::Local, ty, local(top, slot), value));
                }
                self.push(line, add(IntType::U64, staged, top, slot.cast_signed()));
            }
            (FunctionParam::Reg(_), CallOperand::Value(value)) if !is_result => {
                let op = copy(staged, value)?;
                self.push(line, op);
            }
            (FunctionParam::Reg(_), CallOperand::Value(_)) => {}
            (FunctionParam::Reg(_), CallOperand::Sink) if is_result => {}
            (FunctionParam::Reg(_), CallOperand::Sink | CallOperand::Symbol(_)) => return None,
        }
        Some(())
    }

    /// What a call has to save of the activation around it, each with its distance from the top, and the bytes in all.
    fn saved(&mut self, id: FunctionId, site: Site<'_>) -> (Vec<(Reg, u64)>, u64) {
        let mut saved = Vec::new();
        let mut bytes = 0;
        let owner = site.copying.owner.filter(|&owner| self.graph.in_one_cycle(owner, id));
        if let Some(frame) = owner.and_then(|owner| self.places[&owner].frame.as_ref()) {
            let at = site.at + 1;
            let wanted = frame.spans.iter().filter(|(_, (first, last))| (first + 1..*last).contains(&at));
            for (&reg, _) in wanted {
                let Some(ty) = bits_type(reg.class()) else { continue };
                let start = align_up(bytes, ty.scalar().bytes());
                saved.push((reg, start));
                bytes = start + u64::from(ty.scalar().bytes());
            }
        }
        (saved, align_up(bytes, self.stack().align))
    }

    /// Ends where so many bytes do not go on the stack any more.
    fn make_room(&mut self, bytes: u64, id: FunctionId, site: Site<'_>) {
        let line = site.line;
        let (flag, pointer) = (self.flag(), self.pointer());
        let &mut Stack { top, end, .. } = self.stack();
        let room = self.new_label("(room for the call)");
        self.push(line, add(IntType::U64, pointer, top, bytes.cast_signed()));
        self.push(line, compare(flag, CmpOp::Le, SetpType::U64, Use::Reg(pointer), Use::Reg(end)));
        self.push(line, jump_if(flag, false, room));
        let Call { uni, mut site } = site.bare();
        (site.callee, site.table) = (Callee::Function(id), None);
        self.push(line, Call { uni, site });
        self.label(line, room);
    }

    fn save(&mut self, reg: Reg, to: Address, line: u32) {
        let Some(ty) = bits_type(reg.class()) else { return };
        let from = if reg.class() == RegClass::Pred {
            let number = self.stack().number;
            self.push(line, number_of(number, reg));
            number
        } else {
            reg
        };
        self.push(line, store(Space::Local, ty, to, Use::Reg(from)));
    }

    fn restore(&mut self, reg: Reg, from: Address, number: Reg, line: u32) {
        let Some(ty) = bits_type(reg.class()) else { return };
        if reg.class() == RegClass::Pred {
            self.push(line, load(Space::Local, ty, number, from));
            self.push(line, compare(reg, CmpOp::Ne, SetpType::U32, Use::Reg(number), Use::Int(0)));
        } else {
            self.push(line, load(Space::Local, ty, reg, from));
        }
    }

    fn take_address(&mut self, to: Reg, home: Home, line: u32) {
        let inst: Inst = match home {
            Home::Fixed(symbol) => {
                MovAddress { ty: AddressType::U64, dst: Def(to), src: symbol.into() }.into()
            }
            Home::Frame(_) | Home::Pointer(_) => {
                let (reg, offset) = self.register_of(home);
                add(IntType::U64, to, reg, offset).into()
            }
        };
        self.push(line, inst);
    }

    /// Puts the functions behind the entry, and what leads back from them; gives the register of the depth.
    pub(super) fn finish_stack(&mut self) -> Result<Option<Reg>, CallError> {
        if self.stack.is_none() {
            return Ok(None);
        }
        let line = self.out.body.last().map_or(0, |statement| statement.line);
        self.push(line, Exit {});
        let module = self.module;
        let mut done = Vec::new();
        while let Some(id) = self.stack().pending.pop() {
            let code = &module.functions[id].code;
            let place = std::rc::Rc::clone(&self.places[&id]);
            let frame = place.frame.as_ref().expect("only functions with a frame are put here");
            self.label(line_of(code.body.first()), frame.body);
            let labels = code.labels.values().map(|label| self.out.labels.push(label.clone())).collect();
            let (params, end) = (place.params.clone(), Some(frame.end));
            self.copy(code, &Copying { place: Some(&place), params, labels, end, owner: Some(id) })?;
            let line = line_of(code.body.last());
            self.push(line, jump(frame.end));
            done.push((id, frame.end, line));
        }
        for (id, end, line) in done {
            self.label(line, end);
            self.lead_back(id, line);
        }
        let &mut Stack { frame, top, end, depth, symbol, .. } = self.stack();
        let rest = std::mem::take(&mut self.out.body);
        let line = line_of(rest.first());
        self.take_address(top, Home::Fixed(symbol), line);
        self.take_address(frame, Home::Fixed(symbol), line);
        copy(depth, Use::Int(0)).into_iter().for_each(|op| self.push(line, op));
        self.push(line, add(IntType::U64, end, top, i64::from(CALL_STACK_BYTES)));
        self.out.body.extend(rest);
        Ok(Some(depth))
    }

    /// Leads each lane to what stands behind its call of a function.
    fn lead_back(&mut self, id: FunctionId, line: u32) {
        let flag = self.flag();
        let stack = self.stack();
        let (number, frame) = (stack.number, stack.frame);
        let calls = stack.calls.iter().zip(0_i64..).filter(|((callee, _), _)| *callee == id);
        let calls: Vec<(LabelId, i64)> = calls.map(|((_, back), number)| (*back, number)).collect();
        self.push(line, load(Space::Local, MemType::B32, number, local(frame, 0)));
        let Some((&(last, _), others)) = calls.split_last() else { return };
        for &(back, call) in others {
            self.push(line, compare(flag, CmpOp::Eq, SetpType::B32, Use::Reg(number), Use::Int(call)));
            self.push(line, jump_if(flag, false, back));
        }
        self.push(line, jump(last));
    }
}

fn line_of(statement: Option<&super::super::Statement>) -> u32 {
    statement.map_or(0, |statement| statement.line)
}

fn pointer(place: &Place, param: ParamId) -> Reg {
    match place.params[param] {
        Home::Pointer(reg) => reg,
        Home::Fixed(_) | Home::Frame(_) => unreachable!("parameters of a function with a frame are pointers"),
    }
}

/// From the first to the last position, counted from 1, at which each register and pointer of a function may be wanted;
/// jumps back make a span as long as the loop.
fn spans(function: &Function, place: &Place) -> BTreeMap<Reg, (usize, usize)> {
    let code = &function.code;
    let mut spans = BTreeMap::new();
    let mut see = |reg: Reg, at: usize| {
        let (_, last) = spans.entry(reg).or_insert((at, at));
        *last = at;
    };
    let held = |declared: &FunctionParam| match *declared {
        FunctionParam::Reg(reg) => place.reg(reg),
        FunctionParam::Param(param) => pointer(place, param),
    };
    function.arguments.iter().chain(&function.results).for_each(|declared| see(held(declared), 0));
    for (at, inst) in code.insts() {
        inst.visit(|_, reg| see(place.reg(reg), at + 1));
        inst.op.symbols(|symbol| {
            if let Symbol::Param(param) = symbol {
                see(pointer(place, param), at + 1);
            }
        });
    }
    let results = function.results.iter().filter(|declared| matches!(declared, FunctionParam::Reg(_)));
    results.for_each(|declared| see(held(declared), code.body.len() + 1));
    let loops = loops(code);
    let mut changed = true;
    while changed {
        changed = false;
        for (first, last) in spans.values_mut() {
            for &(start, end) in &loops {
                if *first <= end && *last >= start && (start < *first || end > *last) {
                    changed = true;
                    (*first, *last) = (start.min(*first), end.max(*last));
                }
            }
        }
    }
    spans
}

/// The positions of each jump back and of its target, counted from 1, the target first.
fn loops(code: &Entry) -> Vec<(usize, usize)> {
    let positions = code.label_positions();
    let mut loops = Vec::new();
    for (at, statement) in code.body.iter().enumerate() {
        let StatementKind::Inst(inst) = &statement.kind else { continue };
        let targets = code.jumps(inst).iter().filter_map(|&label| positions[label]);
        let back = targets.filter(|&target| target <= at);
        loops.extend(back.map(|target| (target + 1, at + 1)));
    }
    loops
}
