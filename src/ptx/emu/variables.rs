//! Where parameters and variables lie, and what those of the module hold when a launch begins.
//!
//! Entry: a module that passes its check, and an entry whose calls are in place. Exit: an address for every variable but
//! those that the emulator has no room for or that another module defines, whose use is then refused. Static shared
//! variables begin at [`SHARED_BASE`], as on hardware, and the others not at 0 either, so that a null pointer never hits
//! one. What calls pass (`.param` variables) lies in local memory. Constant and global memory without initial value is 0.

use std::collections::HashMap;

use super::global::ModuleVariable;
use super::memory::space_of;
use super::space::{CONST_BASE, FUNCTION_FIRST, LOCAL_BASE, SHARED_BASE, window};
use crate::entity::EntityId as _;
use crate::ptx::isa::{FunctionId, ParamId, Symbol};
use crate::ptx::module::{Entry, Extent, Initial, Linkage, Module, VarSpace, Variable};

/// Alignment of the dynamic shared memory where the module asks for less.
const DYNAMIC_ALIGN: u32 = 16;

/// Bytes of constant memory that a module may have.
const CONST_BYTES: u64 = 65_536;

/// Bytes of local memory that a thread may have.
const LOCAL_BYTES: u64 = 512 << 10;

/// Bytes from the address of a function to that of the next.
const FUNCTION_STRIDE: u64 = 16;

/// The memory of a program before it runs.
pub(super) struct Variables {
    addresses: HashMap<Symbol, (VarSpace, u64)>,
    params: Vec<u32>,
    pub(super) param_bytes: u32,
    /// Address after the last static shared variable, where dynamic shared memory begins.
    pub(super) shared_end: u32,
    /// Address after the last local variable.
    pub(super) local_end: u32,
    /// Names of variables with their address and size, for messages.
    pub(super) named: Vec<(VarSpace, String, u32, u64)>,
    /// The module's variables in global memory.
    pub(super) globals: Vec<ModuleVariable>,
    /// Constant memory from [`CONST_BASE`] on.
    pub(super) constants: Vec<u8>,
}

fn align_up(value: u64, align: u32) -> u64 {
    value.next_multiple_of(u64::from(align.max(1)))
}

/// The address of a function, which leads to no memory.
pub(super) fn function_address(id: FunctionId) -> u64 {
    FUNCTION_FIRST + FUNCTION_STRIDE * id.index() as u64
}

impl Variables {
    pub(super) fn lay_out(module: &Module, entry: &Entry) -> Self {
        let mut variables = Self {
            addresses: HashMap::new(),
            params: Vec::new(),
            param_bytes: 0,
            shared_end: SHARED_BASE,
            local_end: LOCAL_BASE,
            named: Vec::new(),
            globals: Vec::new(),
            constants: Vec::new(),
        };
        variables.lay_out_params(entry);
        variables.lay_out_variables(module, entry);
        variables.fill(module);
        variables
    }

    /// Offset of a parameter.
    pub(super) fn param(&self, id: ParamId) -> u64 {
        u64::from(self.params[id.index()])
    }

    /// Space and address of a variable.
    pub(super) fn find(&self, symbol: Symbol) -> Option<(VarSpace, u64)> {
        self.addresses.get(&symbol).copied()
    }

    fn lay_out_params(&mut self, entry: &Entry) {
        let mut offset = 0;
        for param in entry.params.values() {
            offset = align_up(offset, param.alignment());
            self.params.push(offset as u32);
            offset += param.bytes();
        }
        self.param_bytes = offset as u32;
    }

    fn lay_out_variables(&mut self, module: &Module, entry: &Entry) {
        let globals = module.globals.iter().map(|(id, variable)| (Symbol::Global(id), variable));
        let locals = entry.vars.iter().map(|(id, variable)| (Symbol::Var(id), variable));
        let mut dynamic = Vec::new();
        let mut dynamic_align = DYNAMIC_ALIGN;
        let mut const_end = CONST_BASE;
        for (symbol, variable) in globals.chain(locals) {
            if variable.space == VarSpace::Shared && variable.extent == Extent::Unsized {
                dynamic_align = dynamic_align.max(variable.alignment());
                dynamic.push(symbol);
                continue;
            }
            let elsewhere = variable.linkage == Linkage::Extern;
            let (end, limit) = match variable.space {
                VarSpace::Shared => (&mut self.shared_end, u64::from(u32::MAX)),
                VarSpace::Local | VarSpace::Param => {
                    (&mut self.local_end, u64::from(LOCAL_BASE) + LOCAL_BYTES)
                }
                // Defined elsewhere: a use is refused.
                VarSpace::Global | VarSpace::Const if elsewhere => continue,
                VarSpace::Global => {
                    let placed = ModuleVariable::place(&variable.name, variable.bytes(), self.globals.last());
                    if let Some(placed) = placed {
                        self.addresses.insert(symbol, (VarSpace::Global, placed.start));
                        self.globals.push(placed);
                    }
                    continue;
                }
                VarSpace::Const => (&mut const_end, u64::from(CONST_BASE) + CONST_BYTES),
            };
            let start = align_up(u64::from(*end), variable.alignment());
            let after = start.saturating_add(variable.bytes());
            // A variable without room has no address either: its use is refused.
            if after > limit {
                continue;
            }
            *end = after as u32;
            let start = start as u32;
            self.addresses.insert(symbol, (variable.space, u64::from(start)));
            let space = if variable.space == VarSpace::Param { VarSpace::Local } else { variable.space };
            self.named.push((space, variable.name.clone(), start, variable.bytes()));
        }
        // All names of the dynamic shared memory are one address, after the static variables.
        self.shared_end = align_up(u64::from(self.shared_end), dynamic_align) as u32;
        for symbol in dynamic {
            self.addresses.insert(symbol, (VarSpace::Shared, u64::from(self.shared_end)));
        }
        self.constants.resize((const_end - CONST_BASE) as usize, 0);
    }

    /// Writes the initial values. A variable that holds the address of one without a place loses its own.
    fn fill(&mut self, module: &Module) {
        let mut lost = Vec::new();
        for (id, variable) in module.globals.iter() {
            let symbol = Symbol::Global(id);
            let Some((space, start)) = self.find(symbol) else { continue };
            let Some(contents) = self.contents(variable) else {
                lost.push(symbol);
                continue;
            };
            let target = match space {
                VarSpace::Global => {
                    let placed = self.globals.iter_mut().find(|placed| placed.start == start);
                    placed.map(|placed| placed.contents.as_mut_slice())
                }
                VarSpace::Const => self.constants.get_mut((start - u64::from(CONST_BASE)) as usize..),
                VarSpace::Shared | VarSpace::Local | VarSpace::Param => None,
            };
            if let Some(target) = target.and_then(|target| target.get_mut(..contents.len())) {
                target.copy_from_slice(&contents);
            }
        }
        for symbol in lost {
            self.addresses.remove(&symbol);
        }
    }

    /// The bytes that have initial values.
    fn contents(&self, variable: &Variable) -> Option<Vec<u8>> {
        let element = variable.ty.bytes() as usize;
        let mut bytes = Vec::with_capacity(variable.initial.len() * element);
        for &value in &variable.initial {
            let bits = match value {
                Initial::Bits(bits) => bits,
                Initial::Address { symbol, generic, offset, mask } => {
                    let address = self.address(symbol, generic)?.wrapping_add_signed(offset);
                    mask.map_or(address, |mask| (address & mask) >> mask.trailing_zeros().min(63))
                }
            };
            bytes.extend(bits.to_le_bytes().into_iter().take(element));
        }
        Some(bytes)
    }

    fn address(&self, symbol: Symbol, generic: bool) -> Option<u64> {
        if let Symbol::Function(id) = symbol {
            return Some(function_address(id));
        }
        let (space, address) = self.find(symbol)?;
        Some(if generic { window(space_of(Some(space))).wrapping_add(address) } else { address })
    }
}
