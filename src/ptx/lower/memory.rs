//! Loads and stores, and the addresses they use.
//!
//! An address is a base register, a byte offset from the index, and a constant folded into the instruction. A constant
//! summand of an index is folded wherever that is exact: always in 64-bit arithmetic and in the 32-bit shared window,
//! which both wrap as addresses do; for a 32-bit index of global memory, which is widened first, only where the sum
//! provably does not wrap. A vector access is one instruction where the launch class says that buffers start at a
//! multiple of its size, else it is split, and the selection says so.

use super::arith::yes;
use super::state::Lowering;
use crate::ir::op::{BinaryOp, Load, MemBase, Op, Place, Store};
use crate::ir::{ArraySpace, DType, ParamKind, ValueId};
use crate::ptx::isa::modifier::{CmpOp, MulHalf, Nc, Sat, Space, VecWidth};
use crate::ptx::isa::types::CvtType;
use crate::ptx::isa::types::{IntType, MemType, MovType, PackType, SetpType};
use crate::ptx::isa::{
    Add, Address, AndPred, Def, Guard, Inst, Ld, Mad, MovPack, MovUnpack, Reg, RegClass, St, Use, VecDef,
    VecUse,
};

pub(super) fn mem_type(dtype: DType) -> MemType {
    match dtype {
        DType::Bool | DType::U8 => MemType::U8,
        DType::I8 => MemType::S8,
        DType::U16 => MemType::U16,
        DType::I16 => MemType::S16,
        DType::F16 | DType::BF16 => MemType::B16,
        DType::I32 | DType::U32 => MemType::B32,
        DType::F32 => MemType::F32,
        DType::I64 | DType::U64 => MemType::B64,
        DType::F64 => MemType::F64,
        DType::Storage(storage) => {
            if storage.bits() <= 8 {
                MemType::U8
            } else {
                MemType::B32
            }
        }
    }
}

fn vec_width(lanes: usize) -> Option<VecWidth> {
    match lanes {
        2 => Some(VecWidth::V2),
        4 => Some(VecWidth::V4),
        _ => None,
    }
}

/// Memory as one access sees it.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) space: Space,
    pub(super) read_only: bool,
    pub(super) dtype: DType,
    pub(super) address: Address,
    pub(super) guard: Option<Reg>,
}

impl Access {
    /// The same that many elements further.
    pub(super) fn element(&self, part: usize) -> Self {
        let offset = self.address.offset + part as i64 * i64::from(self.dtype.size());
        Self { address: Address { offset, ..self.address }, ..*self }
    }
}

impl Lowering<'_> {
    pub(super) fn access(&mut self, place: &Place, guard: Option<ValueId>) -> Access {
        let dtype = place.base.dtype(self.kernel);
        let guard = guard.map(|guard| self.reg(guard));
        let guard = self.both(guard, self.predicate);
        let (space, read_only) = match place.base {
            MemBase::Param(id) => {
                let kind = self.kernel.params[id].kind;
                (Space::Global, matches!(kind, ParamKind::Buffer { written: false, alias: false, .. }))
            }
            MemBase::Array(id) => match self.kernel.arrays[id].space {
                ArraySpace::Shared => (Space::Shared, false),
                ArraySpace::Private => (Space::Local, false),
            },
        };
        let address = self.address(place, dtype.size(), space);
        Access { space, read_only, dtype, address, guard }
    }

    /// The conjunction of two conditions that may be absent.
    pub(super) fn both(&mut self, a: Option<Reg>, b: Option<Reg>) -> Option<Reg> {
        let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
        if a == b {
            return Some(a);
        }
        let dst = self.temp(RegClass::Pred);
        self.emit(AndPred { dst: Def(dst), a: yes(a), b: yes(b) });
        Some(dst)
    }

    fn address(&mut self, place: &Place, size: u32, space: Space) -> Address {
        let size = i64::from(size);
        let (index, constant) = self.split_index(place.index, space);
        let offset = constant * size;
        let Some(index) = index else {
            return match place.base {
                MemBase::Param(id) => Address::reg(self.base(id), offset),
                MemBase::Array(id) => Address::symbol(self.array_symbol(id), offset),
            };
        };
        let dtype = self.dtype(index);
        let index = self.reg(index);
        let base = match place.base {
            MemBase::Param(id) => self.base(id),
            MemBase::Array(id) => self.array_address(id),
        };
        let dst = if space == Space::Global {
            self.wide_address(dtype, index, base, size)
        } else {
            // Shared and local windows are far below 4 GiB: 32-bit arithmetic wraps as their addresses do.
            let index = self.low_half(dtype, index);
            let dst = self.temp(RegClass::B32);
            self.emit(Mad {
                half: MulHalf::Lo,
                sat: Sat(false),
                ty: IntType::U32,
                dst: Def(dst),
                a: index.into(),
                b: Use::Int(size),
                c: base.into(),
            });
            dst
        };
        Address::reg(dst, offset)
    }

    fn wide_address(&mut self, dtype: DType, index: Reg, base: Reg, size: i64) -> Reg {
        let dst = self.temp(RegClass::B64);
        let (a, c) = (index.into(), base.into());
        let sat = Sat(false);
        match (dtype.bits(), size) {
            (64, 1) => self.emit(Add { sat, ty: IntType::S64, dst: Def(dst), a, b: c }),
            (64, _) => {
                self.emit(Mad {
                    half: MulHalf::Lo,
                    sat,
                    ty: IntType::S64,
                    dst: Def(dst),
                    a,
                    b: Use::Int(size),
                    c,
                });
            }
            _ => {
                let ty = if dtype.is_signed() { IntType::S32 } else { IntType::U32 };
                self.emit(Mad { half: MulHalf::Wide, sat, ty, dst: Def(dst), a, b: Use::Int(size), c });
            }
        }
        dst
    }

    fn low_half(&mut self, dtype: DType, index: Reg) -> Reg {
        if dtype.bits() < 64 {
            return index;
        }
        let low = self.temp(RegClass::B32);
        self.cvt(CvtType::U32, CvtType::U64, low, index);
        low
    }

    /// An index as a value and a constant summand, in elements, where adding them apart is exact.
    fn split_index(&mut self, index: ValueId, space: Space) -> (Option<ValueId>, i64) {
        if let Some(constant) = self.constant(index).and_then(|literal| literal.as_int()) {
            // Beyond 2^63 elements an address wraps anyway.
            return (None, constant as i64);
        }
        let Some(Op::Binary(sum)) = self.definition(index) else { return (Some(index), 0) };
        if sum.op != BinaryOp::Add {
            return (Some(index), 0);
        }
        let (value, constant) = match (self.constant(sum.a), self.constant(sum.b)) {
            (None, Some(constant)) => (sum.a, constant),
            (Some(constant), None) => (sum.b, constant),
            _ => return (Some(index), 0),
        };
        let exact = space != Space::Global || self.dtype(index).bits() == 64 || self.cannot_wrap(index);
        match constant.as_int().and_then(|constant| i32::try_from(constant).ok()) {
            Some(constant) if exact => (Some(value), i64::from(constant)),
            Some(_) | None => (Some(index), 0),
        }
    }

    pub(super) fn load(&mut self, op: &Load, results: &[Reg]) {
        let access = self.access(&op.place, op.guard.0);
        if let Some(guard) = access.guard {
            // Lanes that don't load get 0.
            for &dst in results {
                self.zero(dst);
            }
            return self.load_parts(&access, results, Some(guard));
        }
        self.load_parts(&access, results, None);
    }

    fn load_parts(&mut self, access: &Access, results: &[Reg], guard: Option<Reg>) {
        let size = access.dtype.size();
        let whole = self.vector_is_aligned(access, results.len());
        if results.len() == 8 && size == 2 && whole && matches!(access.dtype, DType::F16 | DType::BF16) {
            return self.load_packed(access, results, guard);
        }
        let lanes = if whole { results.len().min(4) } else { 1 };
        for (part, chunk) in results.chunks(lanes).enumerate() {
            let offset = (part * lanes) as i64 * i64::from(size);
            let unused = access.dtype.storage().is_some_and(|storage| storage.mask() != storage.full());
            if access.dtype == DType::Bool {
                self.load_bool(access, offset, chunk[0], guard);
            } else if unused {
                self.load_codes(access, offset, chunk, guard);
            } else {
                self.emit_load(access, offset, chunk, mem_type(access.dtype), guard);
            }
        }
    }

    fn emit_load(&mut self, access: &Access, offset: i64, dst: &[Reg], ty: MemType, guard: Option<Reg>) {
        let addr = Address { base: access.address.base, offset: access.address.offset + offset };
        let load = Ld {
            order: None,
            scope: None,
            space: Some(access.space),
            cache: None,
            nc: Nc(access.read_only),
            l1: None,
            l2: None,
            vec: vec_width(dst.len()),
            ty,
            dst: VecDef::of(dst),
            addr,
        };
        self.emit_guarded(load, guard);
    }

    fn load_bool(&mut self, access: &Access, offset: i64, dst: Reg, guard: Option<Reg>) {
        let byte = self.temp(RegClass::B32);
        if guard.is_some() {
            self.zero(byte);
        }
        self.emit_load(access, offset, &[byte], MemType::U8, guard);
        let set = self.setp(CmpOp::Ne, SetpType::U32, byte, Use::Int(0));
        self.copy(dst, set);
    }

    /// Codes narrower than their place in memory: the bits beside them are ignored.
    fn load_codes(&mut self, access: &Access, offset: i64, dst: &[Reg], guard: Option<Reg>) {
        let words: Vec<Reg> = dst.iter().map(|_| self.temp(RegClass::B32)).collect();
        if guard.is_some() {
            for &word in &words {
                self.zero(word);
            }
        }
        self.emit_load(access, offset, &words, mem_type(access.dtype), guard);
        for (&word, &dst) in words.iter().zip(dst) {
            self.bits_and(access.dtype, dst, word, Use::Int(access.dtype.mask().cast_signed()));
        }
    }

    /// Eight halves as four words: there is no `.v8.b16`.
    fn load_packed(&mut self, access: &Access, results: &[Reg], guard: Option<Reg>) {
        let words: Vec<Reg> = (0..4).map(|_| self.temp(RegClass::B32)).collect();
        if guard.is_some() {
            for &word in &words {
                self.zero(word);
            }
        }
        self.emit_load(access, 0, &words, MemType::B32, guard);
        for (&word, pair) in words.iter().zip(results.chunks(2)) {
            self.emit(MovUnpack { ty: PackType::B32, dst: VecDef::of(pair), src: word.into() });
        }
    }

    /// Whether a vector of that many elements may be one access; says so once where it may not.
    pub(super) fn vector_is_aligned(&mut self, access: &Access, elements: usize) -> bool {
        let bytes = elements as u32 * access.dtype.size();
        let aligned = access.space != Space::Global || self.class.align >= bytes;
        if elements > 1 && !aligned {
            self.choose(format!(
                "vector accesses of {bytes} bytes are split: buffers are known to start at multiples of {} only",
                self.class.align
            ));
        }
        aligned
    }

    pub(super) fn store(&mut self, op: &Store) {
        let access = self.access(&op.place, None);
        let size = access.dtype.size();
        let values = &op.values.0;
        let whole = self.vector_is_aligned(&access, values.len());
        if values.len() == 8 && size == 2 && whole && matches!(access.dtype, DType::F16 | DType::BF16) {
            let halves: Vec<Use> = values.iter().map(|&value| self.reg(value).into()).collect();
            let words: Vec<Use> = halves.chunks(2).map(|pair| self.pack(pair).into()).collect();
            return self.emit_store(&access, 0, &words, MemType::B32);
        }
        let lanes = if whole { values.len().min(4) } else { 1 };
        for (part, chunk) in values.chunks(lanes).enumerate() {
            let uses: Vec<Use> = chunk.iter().map(|&value| self.stored(access.dtype, value)).collect();
            self.emit_store(&access, (part * lanes) as i64 * i64::from(size), &uses, mem_type(access.dtype));
        }
    }

    pub(super) fn pack(&mut self, pair: &[Use]) -> Reg {
        let word = self.temp(RegClass::B32);
        self.emit(MovPack { ty: PackType::B32, dst: Def(word), src: VecUse::of(pair) });
        word
    }

    fn stored(&mut self, dtype: DType, value: ValueId) -> Use {
        let src = self.reg(value);
        if dtype != DType::Bool {
            return src.into();
        }
        let byte = self.temp(RegClass::B32);
        self.selp(DType::U32, byte, src, Use::Int(1), Use::Int(0));
        byte.into()
    }

    fn emit_store(&mut self, access: &Access, offset: i64, src: &[Use], ty: MemType) {
        let addr = Address { base: access.address.base, offset: access.address.offset + offset };
        let store = St {
            order: None,
            scope: None,
            space: Some(access.space),
            cache: None,
            l1: None,
            vec: vec_width(src.len()),
            ty,
            addr,
            src: VecUse::of(src),
        };
        self.emit_guarded(store, access.guard);
    }

    /// Emits under a condition, if there is one.
    pub(super) fn emit_guarded(&mut self, inst: impl Into<Inst>, guard: Option<Reg>) {
        let mut inst = inst.into();
        inst.guard = guard.map(|pred| Guard { pred, negated: false });
        self.emit(inst);
    }

    /// The type of a move of a register of that class.
    pub(super) fn mov_type(class: RegClass) -> MovType {
        match class {
            RegClass::B64 => MovType::B64,
            RegClass::B16 => MovType::B16,
            RegClass::Pred | RegClass::B8 | RegClass::B32 | RegClass::B128 => MovType::B32,
        }
    }
}
