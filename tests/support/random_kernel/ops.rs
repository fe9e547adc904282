//! Operations on values and on memory.

use warpsmith::ir::op::{
    Axis, Binary, BinaryOp, Bitcast, Compare, CompareOp, Convert, Fma, Guard, Load, MemBase, Op, Place,
    Select, Shape, Stride, Unary, UnaryOp, Width,
};
use warpsmith::ir::{DType, ParamId, ValueId};
use warpsmith::numerics::{CastMode, Storage};

use super::{Generator, Known, OWN};

impl Generator {
    /// A value of that type: one in scope, one converted, or a constant.
    pub(super) fn operand(&mut self, dtype: DType) -> ValueId {
        let fitting: Vec<ValueId> =
            self.pool.iter().rev().filter(|known| known.dtype == dtype).map(|known| known.value).collect();
        let constant = self.pool.is_empty() || self.tape.one_in(8);
        if constant {
            let literal = self.tape.literal(dtype);
            self.builder.constant(literal)
        } else if fitting.is_empty() {
            let newest = self.tape.below(self.pool.len().min(8));
            let known = self.pool[self.pool.len() - 1 - newest];
            let value = self.builder.convert(known.value, dtype);
            self.know(value);
            value
        } else {
            self.tape.pick(&fitting)
        }
    }

    /// A type: mostly one that something in scope has, so that values meet.
    fn dtype(&mut self) -> DType {
        if self.pool.is_empty() || self.tape.one_in(4) {
            return self.tape.pick(&super::numbers());
        }
        self.pool[self.tape.below(self.pool.len())].dtype
    }

    /// A `u32` below `len`.
    pub(super) fn small_index(&mut self, len: u32) -> ValueId {
        let (any, len) = (self.operand(DType::U32), self.u32(len));
        self.binary(BinaryOp::Rem, any, len)
    }

    /// The same index in a random index type.
    fn as_index(&mut self, index: ValueId) -> ValueId {
        let dtype = self.tape.pick(&[DType::U32, DType::I32, DType::U64, DType::I64]);
        self.builder.convert(index, dtype)
    }

    pub(super) fn operation(&mut self) {
        let dtype = self.dtype();
        let op: Op = match self.tape.below(8) {
            0..=2 => self.random_binary(dtype),
            3 => self.random_unary(dtype),
            4 => {
                let dtype = if dtype.is_float() { dtype } else { DType::F32 };
                Fma { a: self.operand(dtype), b: self.operand(dtype), c: self.operand(dtype) }.into()
            }
            5 => {
                let ops: &[CompareOp] = if dtype == DType::Bool {
                    &[CompareOp::Eq, CompareOp::Ne]
                } else {
                    &[
                        CompareOp::Eq,
                        CompareOp::Ne,
                        CompareOp::Lt,
                        CompareOp::Le,
                        CompareOp::Gt,
                        CompareOp::Ge,
                    ]
                };
                let op = self.tape.pick(ops);
                Compare { op, a: self.operand(dtype), b: self.operand(dtype) }.into()
            }
            6 => Select { cond: self.operand(DType::Bool), a: self.operand(dtype), b: self.operand(dtype) }
                .into(),
            _convert => self.random_conversion(dtype),
        };
        let value = self.builder.value(op);
        self.know(value);
    }

    fn random_unary(&mut self, dtype: DType) -> Op {
        let ops: &[UnaryOp] = if dtype.is_float() {
            use UnaryOp::{Abs, Ceil, Floor, Neg, Round, Sqrt, Trunc};
            &[Neg, Abs, Sqrt, Floor, Ceil, Trunc, Round]
        } else if dtype == DType::Bool {
            &[UnaryOp::Not]
        } else {
            use UnaryOp::{Abs, Clz, Ctz, Neg, Not, Popcount};
            &[Neg, Abs, Not, Popcount, Clz, Ctz]
        };
        Unary { op: self.tape.pick(ops), a: self.operand(dtype) }.into()
    }

    fn random_binary(&mut self, dtype: DType) -> Op {
        use BinaryOp::{
            Add, And, Copysign, Div, Max, MaxNan, Min, MinNan, Mul, MulHi, Or, Rem, Shl, Shr, Sub, Xor,
        };
        let ops: &[BinaryOp] = if dtype.is_float() {
            &[Add, Sub, Mul, Div, Min, Max, MinNan, MaxNan, Copysign]
        } else if dtype == DType::Bool {
            &[And, Or, Xor]
        } else {
            &[Add, Sub, Mul, Div, Rem, Min, Max, And, Or, Xor, Shl, Shr, MulHi]
        };
        let op = self.tape.pick(ops);
        let a = self.operand(dtype);
        let b = if op == Copysign {
            let sign = self.operand(DType::I32);
            self.builder.convert(sign, dtype)
        } else {
            self.operand(dtype)
        };
        Binary { op, a, b }.into()
    }

    fn random_conversion(&mut self, dtype: DType) -> Op {
        let same_width: Vec<DType> = super::numbers()
            .into_iter()
            .filter(|to| to.bits() == dtype.bits() && *to != dtype && *to != DType::Bool)
            .collect();
        if !same_width.is_empty() && self.tape.one_in(2) {
            let to = self.tape.pick(&same_width);
            let clean =
                self.pool.iter().rev().find(|known| known.dtype == dtype && !known.from_own_memory).copied();
            let a = match clean {
                Some(known) => known.value,
                None => {
                    let literal = self.tape.literal(dtype);
                    self.builder.constant(literal)
                }
            };
            return Bitcast { to, a }.into();
        }
        let (to, mut a) = (self.dtype(), self.operand(dtype));
        if self.tape.one_in(6) {
            let storage = self.tape.pick(&Storage::ALL);
            let modes: Vec<_> = CastMode::ALL.into_iter().filter(|&mode| storage.takes(mode)).collect();
            let mode = self.tape.pick(&modes);
            a = self.builder.value(Convert { to: DType::Storage(storage), mode, a });
        }
        Convert::new(to, a).into()
    }

    /// A load from an input: scalar, vector, or guarded with an index that may be anything.
    pub(super) fn memory(&mut self) {
        let (param, dtype, len) = self.inputs[self.tape.below(self.inputs.len())];
        let base = MemBase::Param(param);
        if self.builder.kernel().params[param].rank() > 0 && self.tape.one_in(2) {
            let index = self.strided_index(param);
            let load = Load { width: Width::X1, place: Place { base, index }, guard: Guard(None) };
            let value = self.builder.value(load);
            return self.know(value);
        }
        if self.tape.one_in(3) {
            let index = self.operand(DType::U32);
            let bound = self.u32(len);
            let guard = self.builder.value(Compare { op: CompareOp::Lt, a: index, b: bound });
            let load = Load { width: Width::X1, place: Place { base, index }, guard: Guard(Some(guard)) };
            let value = self.builder.value(load);
            return self.know(value);
        }
        let widths = [Width::X1, Width::X2, Width::X4, Width::X8];
        let fits = |width: &Width| {
            *width == Width::X1 || (dtype != DType::Bool && width.elements() * dtype.size() <= 16)
        };
        let widths: Vec<Width> = widths.into_iter().filter(fits).collect();
        let width = self.tape.pick(&widths);
        let vector = self.small_index(len / width.elements());
        let elements = self.u32(width.elements());
        let index = self.binary(BinaryOp::Mul, vector, elements);
        let index = self.as_index(index);
        let values = self.builder.push(Load { width, place: Place { base, index }, guard: Guard(None) });
        values.into_iter().for_each(|value| self.know(value));
    }

    /// The place of a random element of a view of two axes, by its shape and strides.
    fn strided_index(&mut self, param: ParamId) -> ValueId {
        let mut sum = None;
        for axis in [0, 1].map(Axis) {
            let any = self.operand(DType::U64);
            let shape = self.builder.value(Shape { param, axis });
            let stride = self.builder.value(Stride { param, axis });
            let place = self.binary(BinaryOp::Rem, any, shape);
            let offset = self.binary(BinaryOp::Mul, place, stride);
            sum = Some(sum.map_or(offset, |sum| self.binary(BinaryOp::Add, sum, offset)));
        }
        sum.expect("there are two axes")
    }

    /// A load or store of the thread's own elements of a written buffer, or of its private array.
    pub(super) fn own_memory(&mut self) {
        let private = self.tape.one_in(2);
        let (base, dtype, index) = if private {
            let (array, dtype, len) = self.private;
            (MemBase::Array(array), dtype, self.small_index(len))
        } else {
            let (param, dtype) = self.outputs[self.tape.below(self.outputs.len())];
            let slot = self.small_index(OWN);
            let own = self.own;
            (MemBase::Param(param), dtype, self.binary(BinaryOp::Add, own, slot))
        };
        if self.tape.one_in(2) {
            let load = Load { width: Width::X1, place: Place { base, index }, guard: Guard(None) };
            let value = self.builder.value(load);
            return self.pool.push(Known { value, dtype, from_own_memory: true });
        }
        let wide = !private && dtype != DType::Bool && dtype.size() <= 4 && self.tape.one_in(2);
        let (index, count) = if wide { (self.own, OWN) } else { (self.as_index(index), 1) };
        let values: Vec<ValueId> = (0..count).map(|_| self.operand(dtype)).collect();
        self.store(base, index, &values);
    }
}
