//! One call: the function's statements in its place, or a jump to where they stand, and before and behind them what takes
//! operands to parameters and results back.

use super::super::{Entry, Function, FunctionParam, Statement, VarSpace};
use super::build::{bits_type, compare, copy, jump, jump_if, load, store};
use super::{ASSERT_FAIL, CallError, CallProblem, Copying, Expander, Home, MOST_DEEP, PRINT, Place};
use crate::entity::Arena;
use crate::ptx::isa::modifier::{CmpOp, Space};
use crate::ptx::isa::types::{AddressType, MemType, SetpType};
use crate::ptx::isa::{
    Address, Call, CallOperand, CallSite, Callee, Def, FunctionId, Guard, MovAddress, ParamId, Reg, RegClass,
    Symbol, Use,
};

/// A call in the code around it, with the registers of the expanded entry.
#[derive(Clone, Copy)]
pub(super) struct Site<'c> {
    pub(super) code: &'c Entry,
    /// Position of the call in the code.
    pub(super) at: usize,
    pub(super) line: u32,
    pub(super) call: &'c Call,
    pub(super) copying: &'c Copying<'c>,
}

impl Site<'_> {
    /// Each operand with the parameter that it is for, and whether it is a result.
    pub(super) fn operands(&self, function: &Function) -> Option<Vec<(CallOperand, FunctionParam, bool)>> {
        let site = &self.call.site;
        let same =
            site.results.len() == function.results.len() && site.arguments.len() == function.arguments.len();
        let results = site.results.iter().zip(&function.results).map(|(&given, &param)| (given, param, true));
        let arguments = site.arguments.iter().zip(&function.arguments);
        let arguments = arguments.map(|(&given, &param)| (given, param, false));
        same.then(|| results.chain(arguments).collect())
    }

    fn fail<T>(&self, problem: CallProblem) -> Result<T, CallError> {
        Err(CallError { line: self.line, problem })
    }

    /// The call without its operands, for where it comes to an end.
    pub(super) fn bare(&self) -> Call {
        let site =
            CallSite { results: [].into_iter().collect(), arguments: Vec::new(), ..self.call.site.clone() };
        Call { site, ..self.call.clone() }
    }
}

impl<'a> Expander<'a> {
    pub(super) fn call(
        &mut self,
        (code, at): (&'a Entry, usize),
        call: Call,
        guard: Option<Guard>,
        line: u32,
        copying: &Copying<'_>,
    ) -> Result<(), CallError> {
        let past = self.skip(guard, line);
        let site = Site { code, at, line, call: &call, copying };
        match call.site.callee {
            Callee::Function(id) => self.direct(id, site)?,
            Callee::Pointer(pointer) => self.indirect(pointer, site)?,
        }
        past.into_iter().for_each(|label| self.label(line, label));
        Ok(())
    }

    /// Compares the pointer with the address of each function that it may lead to.
    fn indirect(&mut self, pointer: Reg, site: Site<'_>) -> Result<(), CallError> {
        let line = site.line;
        let done = self.new_label("(past the call)");
        let (flag, address) = (self.flag(), self.pointer());
        for id in self.graph.targets(site.code, &site.call.site) {
            let other = self.new_label("(the next function)");
            let src = Symbol::Function(id).into();
            self.push(line, MovAddress { ty: AddressType::U64, dst: Def(address), src });
            let (a, b) = (Use::Reg(pointer), Use::Reg(address));
            self.push(line, compare(flag, CmpOp::Eq, SetpType::B64, a, b));
            self.push(line, jump_if(flag, true, other));
            self.direct(id, site)?;
            self.push(line, jump(done));
            self.label(line, other);
        }
        let mut bare = site.bare();
        bare.site.table = bare.site.table.map(|table| self.table(site.code, table, site.copying));
        self.push(line, bare);
        self.label(line, done);
        Ok(())
    }

    fn direct(&mut self, id: FunctionId, site: Site<'_>) -> Result<(), CallError> {
        let module = self.module;
        let function = &module.functions[id];
        if !function.defined && function.code.name == ASSERT_FAIL {
            self.push(site.line, site.bare());
            return Ok(());
        }
        if !function.defined && function.code.name == PRINT && self.print(function, site).is_some() {
            return Ok(());
        }
        if !function.defined {
            return site.fail(CallProblem::Undefined { name: function.code.name.clone() });
        }
        let place = self.place(id, function);
        let around = self.location.clone();
        let fits = match &place.frame {
            None => self.in_place(function, &place, site)?,
            Some(frame) => self.activate((id, function), (&place, frame), site),
        };
        if fits.is_none() {
            return site.fail(CallProblem::Operands { name: function.code.name.clone() });
        }
        if let Some(location) = around {
            self.out.body.push(Statement::from(location.clone()));
            self.location = Some(location);
        }
        Ok(())
    }

    /// Calls `vprintf` with its operands in registers; `None` if they are not an `int` and two pointers.
    fn print(&mut self, function: &Function, site: Site<'_>) -> Option<()> {
        let line = site.line;
        let operands = site.operands(function)?;
        let [(result, FunctionParam::Param(taken), true), given @ ..] = &operands[..] else { return None };
        let mut bare = site.bare();
        for &(operand, declared, is_result) in given {
            let (FunctionParam::Param(param), 2, false) = (declared, given.len(), is_result) else {
                return None;
            };
            if function.code.params[param].bytes() != 8 {
                return None;
            }
            let value = match operand {
                CallOperand::Value(value) => value,
                CallOperand::Symbol(symbol) => {
                    let address = self.given(symbol, param, function, site).map(|home| self.address(home))?;
                    let reg = self.out.regs.new_reg(RegClass::B64, "(operand)");
                    self.push(line, load(space_of(address), MemType::B64, reg, address));
                    Use::Reg(reg)
                }
                CallOperand::Sink => return None,
            };
            bare.site.arguments.push(CallOperand::Value(value));
        }
        let reg = match *result {
            CallOperand::Value(Use::Reg(reg)) => reg,
            CallOperand::Value(_) | CallOperand::Symbol(_) | CallOperand::Sink => {
                self.out.regs.new_reg(RegClass::B32, "(result)")
            }
        };
        bare.site.results.push(CallOperand::Value(Use::Reg(reg)));
        self.push(line, bare);
        if let CallOperand::Symbol(symbol) = *result {
            let address = self.given(symbol, *taken, function, site).map(|home| self.address(home))?;
            self.push(line, store(space_of(address), MemType::B32, address, Use::Reg(reg)));
        }
        Some(())
    }

    /// Copies the function here; `None` if the operands do not fit.
    fn in_place(
        &mut self,
        function: &'a Function,
        place: &Place,
        site: Site<'_>,
    ) -> Result<Option<()>, CallError> {
        let line = site.line;
        if self.depth == MOST_DEEP {
            return site.fail(CallProblem::TooDeep { limit: MOST_DEEP });
        }
        let Some(operands) = site.operands(function) else { return Ok(None) };
        let mut params = place.params.clone();
        for &(operand, declared, is_result) in &operands {
            let passed = self.pass(operand, declared, is_result, (function, place), &mut params, site);
            if passed.is_none() {
                return Ok(None);
            }
        }
        let labels = function.code.labels.values().map(|label| self.out.labels.push(label.clone())).collect();
        let end = self.new_label(format!("(end of {})", function.code.name));
        let owner = site.copying.owner;
        self.depth += 1;
        let copying = Copying { place: Some(place), params, labels, end: Some(end), owner };
        self.copy(&function.code, &copying)?;
        self.depth -= 1;
        self.label(line, end);
        for (operand, declared, _) in operands.into_iter().filter(|&(.., is_result)| is_result) {
            let CallOperand::Value(Use::Reg(reg)) = operand else { continue };
            let op = match declared {
                FunctionParam::Param(param) => {
                    let address = self.address(place.params[param]);
                    bits_type(function.code.params[param].ty.class())
                        .map(|ty| load(Space::Param, ty, reg, address))
                }
                FunctionParam::Reg(from) => copy(reg, place.reg(from).into()),
            };
            op.into_iter().for_each(|op| self.push(line, op));
        }
        Ok(Some(()))
    }

    /// Where the variable given for a parameter is; `None` if it is none that fits.
    pub(super) fn given(
        &mut self,
        symbol: Symbol,
        param: ParamId,
        function: &Function,
        site: Site<'_>,
    ) -> Option<Home> {
        let wanted = &function.code.params[param];
        let bytes = match symbol {
            Symbol::Var(id) => {
                let variable = &site.code.vars[id];
                (variable.space == VarSpace::Param).then(|| variable.bytes())?
            }
            // A parameter of the kernel lies where no function looks for its own.
            Symbol::Param(id) if site.copying.place.is_some() => site.code.params[id].bytes(),
            Symbol::Param(_) | Symbol::Global(_) | Symbol::Function(_) => return None,
        };
        if bytes != wanted.bytes() {
            return None;
        }
        let home = site.copying.home(symbol);
        if let Home::Fixed(Symbol::Var(var)) = home {
            let given = &mut self.out.vars[var];
            given.align = Some(given.alignment().max(wanted.alignment()));
        }
        Some(home)
    }

    /// Gives the function what it finds at one parameter; `None` if that does not fit.
    fn pass(
        &mut self,
        operand: CallOperand,
        declared: FunctionParam,
        is_result: bool,
        (function, place): (&Function, &Place),
        params: &mut Arena<ParamId, Home>,
        site: Site<'_>,
    ) -> Option<()> {
        match (operand, declared) {
            (CallOperand::Symbol(symbol), FunctionParam::Param(id)) => {
                params[id] = self.given(symbol, id, function, site)?;
            }
            (CallOperand::Symbol(_), FunctionParam::Reg(_)) => return None,
            (CallOperand::Sink, _) => return is_result.then_some(()),
            (CallOperand::Value(value), declared) => {
                takes(function, declared, value)?;
                if is_result {
                    return Some(());
                }
                let op = match declared {
                    FunctionParam::Param(id) => {
                        let ty = bits_type(function.code.params[id].ty.class())?;
                        let address = self.address(place.params[id]);
                        store(Space::Param, ty, address, value)
                    }
                    FunctionParam::Reg(reg) => copy(place.reg(reg), value)?,
                };
                self.push(site.line, op);
            }
        }
        Some(())
    }
}

/// The space in which an access names a variable that a call passes, or follows a register to it.
fn space_of(address: Address) -> Space {
    if address.is_symbol() { Space::Param } else { Space::Local }
}

/// That a parameter of a function is one value of the class of a register or number given.
pub(super) fn takes(function: &Function, declared: FunctionParam, value: Use) -> Option<()> {
    let class = match declared {
        FunctionParam::Param(id) => {
            let param = &function.code.params[id];
            param.array.is_none().then(|| param.ty.class())?
        }
        FunctionParam::Reg(reg) => reg.class(),
    };
    value.reg().is_none_or(|reg| reg.class() == class).then_some(())
}
