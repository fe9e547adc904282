//! Where arrays live.
//!
//! A per-thread array whose every index is a constant within it is one register an element: it costs no memory at all.
//! Any other per-thread array is a `.local` variable. Shared arrays are `.shared` variables as long as all of them
//! together fit what a target gives a CTA unasked; beyond that all of them lie in the dynamic shared memory, at the
//! offsets of [`Kernel::shared_layout`], and the launch asks for that many bytes. All or none: a kernel has static or
//! dynamic shared memory, so that what it needs of the one never depends on how an assembler lays out the other.

use std::collections::{BTreeMap, BTreeSet};

use super::state::Lowering;
use crate::entity::SecondaryMap;
use crate::ir::constant::Constants;
use crate::ir::op::{MemBase, Op, Place};
use crate::ir::{ArrayId, ArraySpace, Kernel, ValueId};
use crate::ptx::isa::types::{AddressType, ScalarType};
use crate::ptx::isa::{Address, Def, MovAddress, Reg, RegClass, Symbol, SymbolAddress};
use crate::ptx::module::{Extent, Linkage, VarSpace, Variable};
use crate::ptx::regalloc::{Hint, Prefix};

/// The dynamic shared memory. No name of the IR has a `$`, so it clashes with none.
const DYNAMIC: &str = "shared$dynamic";

/// Where an array begins, and that every vector access to it may be one instruction.
const ALIGN: u32 = Kernel::ARRAY_ALIGN;

/// Where one array lives.
#[derive(Clone)]
enum Home {
    /// Each element that is touched in a register.
    Registers(BTreeMap<u32, Reg>),
    /// In memory: a variable, the offset in it, and the 32-bit address of the two.
    Memory { symbol: Symbol, offset: i64, address: Reg },
}

/// Where each array of a kernel lives.
#[derive(Default)]
pub(super) struct Arrays {
    homes: SecondaryMap<ArrayId, Option<Home>>,
}

/// Bytes of dynamic shared memory that a launch of the kernel asks for; the rest is static.
pub(super) fn dynamic_shared(kernel: &Kernel, unasked: u32) -> u32 {
    let bytes = kernel.shared_bytes();
    if bytes > u64::from(unasked) {
        // No target has as much; validate_for() says so.
        u32::try_from(bytes).unwrap_or(u32::MAX)
    } else {
        0
    }
}

/// Elements of a per-thread array that the kernel touches.
#[derive(Clone, Default)]
struct Touched {
    loaded: BTreeSet<u32>,
    stored: BTreeSet<u32>,
    /// Whether some index is no constant, or one beyond the end, where only a guard keeps the access from happening.
    elsewhere: bool,
}

impl Touched {
    /// Whether registers can hold the array. An element that is read and never written is an error, which the emulator
    /// finds in memory only.
    fn fits_registers(&self) -> bool {
        !self.elsewhere && self.loaded.is_subset(&self.stored)
    }
}

/// What the kernel touches of each per-thread array.
fn touched(kernel: &Kernel) -> SecondaryMap<ArrayId, Touched> {
    let constants = Constants::of(kernel);
    let mut touched = SecondaryMap::with_len(Touched::default(), kernel.arrays.len());
    kernel.walk(kernel.body, &mut |_, inst| {
        let (place, width, is_load) = if let Op::Load(load) = &inst.op {
            (load.place, load.width.elements(), true)
        } else if let Op::Store(store) = &inst.op {
            (store.place, store.values.0.len() as u32, false)
        } else {
            return;
        };
        let MemBase::Array(id) = place.base else { return };
        let index = constants.get(place.index).and_then(|index| index.as_int());
        let first = index.and_then(|index| u32::try_from(index).ok());
        let within = |first: &u32| first.checked_add(width).is_some_and(|end| end <= kernel.arrays[id].len);
        match first.filter(within) {
            Some(first) if is_load => touched[id].loaded.extend(first..first + width),
            Some(first) => touched[id].stored.extend(first..first + width),
            None => touched[id].elsewhere = true,
        }
    });
    touched
}

impl Lowering<'_> {
    /// Gives every array its place.
    pub(super) fn declare_arrays(&mut self) {
        let kernel = self.kernel;
        let touched = touched(kernel);
        let unasked = self.target.limits().shared_static_bytes;
        let dynamic = self.declare_dynamic(dynamic_shared(kernel, unasked), unasked);
        let mut layout = kernel.shared_layout().into_iter();
        for (id, array) in kernel.arrays.iter() {
            let home = match array.space {
                ArraySpace::Private if touched[id].fits_registers() => {
                    Home::Registers(self.element_registers(id, &touched[id].stored))
                }
                ArraySpace::Private => self.variable(id, VarSpace::Local),
                ArraySpace::Shared => {
                    let (_, offset) = layout.next().expect("the layout has every shared array, in order");
                    match dynamic {
                        None => self.variable(id, VarSpace::Shared),
                        Some(symbol) => self.memory(id, symbol, offset.cast_signed()),
                    }
                }
            };
            self.arrays.homes[id] = Some(home);
        }
    }

    /// Declares the dynamic shared memory, if the kernel has any.
    fn declare_dynamic(&mut self, bytes: u32, unasked: u32) -> Option<Symbol> {
        if bytes == 0 {
            return None;
        }
        self.choose(format!(
            "the shared arrays take {bytes} bytes, over the {unasked} that a CTA has unasked: they are dynamic shared \
             memory, for which the launch asks"
        ));
        Some(Symbol::Global(self.globals.push(Variable {
            name: DYNAMIC.into(),
            space: VarSpace::Shared,
            linkage: Linkage::Extern,
            align: Some(ALIGN),
            ty: ScalarType::B8,
            extent: Extent::Unsized,
            initial: Vec::new(),
        })))
    }

    fn variable(&mut self, id: ArrayId, space: VarSpace) -> Home {
        let array = &self.kernel.arrays[id];
        let variable = self.entry.vars.push(Variable {
            name: format!("s_{}", array.name),
            space,
            linkage: Linkage::Internal,
            align: Some(ALIGN),
            ty: ScalarType::B8,
            extent: Extent::Array(array.bytes().max(1)),
            initial: Vec::new(),
        });
        self.memory(id, Symbol::Var(variable), 0)
    }

    fn memory(&mut self, id: ArrayId, symbol: Symbol, offset: i64) -> Home {
        let name = self.kernel.arrays[id].name.clone();
        let address = self.named(RegClass::B32, Prefix::Int, Some(&name));
        let src = SymbolAddress { symbol, offset };
        self.emit(MovAddress { ty: AddressType::U32, dst: Def(address), src });
        Home::Memory { symbol, offset, address }
    }

    fn element_registers(&mut self, id: ArrayId, elements: &BTreeSet<u32>) -> BTreeMap<u32, Reg> {
        let array = &self.kernel.arrays[id];
        let (class, prefix) = (self.class_of(array.dtype), super::state::prefix(array.dtype));
        let register = |&element: &u32| {
            let reg = self.entry.regs.new_reg(class, "");
            let name = Some(format!("{}{element}", array.name).into());
            self.hints.set_local(reg, Hint { prefix, name });
            (element, reg)
        };
        elements.iter().map(register).collect()
    }

    /// The registers that hold so many elements from a place on, where its array lives in registers.
    pub(super) fn elements(&self, place: &Place, count: usize) -> Option<Vec<Reg>> {
        let MemBase::Array(id) = place.base else { return None };
        let Some(Home::Registers(registers)) = &self.arrays.homes[id] else { return None };
        let index = self.constant(place.index).and_then(|index| index.as_int());
        let first = index.and_then(|index| u32::try_from(index).ok());
        let first = first.expect("declare_arrays() saw that every index is a constant within the array");
        Some((first..).take(count).map(|element| registers[&element]).collect())
    }

    /// Loads of elements in registers; lanes that don't load get 0, as from memory.
    pub(super) fn load_elements(&mut self, elements: &[Reg], results: &[Reg], guard: Option<Reg>) {
        let guard = self.both(guard, self.predicate);
        for (&dst, &element) in results.iter().zip(elements) {
            if guard.is_some() {
                self.zero(dst);
            }
            self.copy_guarded(dst, element, guard);
        }
    }

    /// Stores to elements in registers.
    pub(super) fn store_elements(&mut self, elements: &[Reg], values: &[ValueId]) {
        for (&element, &value) in elements.iter().zip(values) {
            match (self.constant(value), self.predicate) {
                (Some(literal), None) => self.set_constant(element, literal),
                (_, guard) => {
                    let src = self.reg(value);
                    self.copy_guarded(element, src, guard);
                }
            }
        }
    }

    /// The 32-bit address of an array.
    pub(super) fn array_address(&self, array: ArrayId) -> Reg {
        self.home_in_memory(array).2
    }

    /// The address of a byte of an array, as the assembler resolves it.
    pub(super) fn array_byte(&self, array: ArrayId, byte: i64) -> Address {
        let (symbol, offset, _) = self.home_in_memory(array);
        Address::symbol(symbol, offset + byte)
    }

    fn home_in_memory(&self, array: ArrayId) -> (Symbol, i64, Reg) {
        match &self.arrays.homes[array] {
            Some(Home::Memory { symbol, offset, address }) => (*symbol, *offset, *address),
            Some(Home::Registers(_)) | None => {
                unreachable!("declare_arrays() places every array, and elements in registers have no address")
            }
        }
    }
}
