//! Fragments of a warp's matrix multiplication, and the copies that feed them.
//!
//! A [`Fragment`] knows its form, so that `mma` needs no shape, and says which row and column each of its elements has,
//! so that no kernel writes a lane map. Deliberately not here: tiles that are portable to other targets.

use std::borrow::Borrow;

use super::build::{Build, with};
use super::error::BuildError;
use super::geometry::simd_lane_id;
use super::local::{Local, Readable, Sa, Traceable};
use super::memory::Shared;
use super::tensor::Vectored;
use super::types::KernelType;
use super::val::{HostInt, Int, IntoVal, Val, host_int};
use crate::ir::op::{
    BinaryOp, Bitcast, Count, CpAsync, CpAsyncCommit, CpAsyncWait, LdMatrix, MatrixCount, MatrixOrder,
    MemBase, Mma, Numerics, Place, ScaleWord, Scales, TypeError, ValueList, register_type,
};
use crate::ir::{DType, Literal, ValueId};
use crate::numerics::Storage;
use crate::numerics::soft::Direction;
use crate::numerics::tensor::{
    Accumulator, CHUNK, Element, Form, Kind, LANES, LINE, Layout, Operand, Shape, Swizzle, container_shift,
};

/// The form of a name such as `m16n8k16.f32.bf16.bf16.f32`: shape, then the types of D, A, B and C.
pub fn form(name: &str) -> Form {
    name.parse().unwrap_or_else(|error: crate::numerics::tensor::NotAForm| no_form(error.to_string()))
}

/// The form `m × n × k` of the element types, accumulator last.
pub fn mma_form<A: KernelType, B: KernelType, C: KernelType>(m: u8, n: u8, k: u8) -> Form {
    let (a, b, c) = (A::dtype(), B::dtype(), C::dtype());
    let acc = Accumulator::ALL.iter().find(|&&acc| accumulator_type(acc) == c);
    let found = element(a).zip(element(b)).zip(acc).map(|((a, b), &acc)| {
        let shape = Shape { m, n, k };
        Form { shape, a, b, acc, kind: Kind::Plain, saturates: false, rounding: Direction::Rn }
    });
    let found = found.filter(Form::exists);
    found.unwrap_or_else(|| no_form(format!("there is no `mma` of m{m}n{n}k{k} with {a} · {b} + {c}")))
}

/// Some form, so that building goes on to the next mistake.
fn no_form(what: String) -> Form {
    let help = "the forms are those of `mma.sync`, named like `m16n8k16.f32.bf16.bf16.f32`";
    with(|build| build.error(BuildError::Refused { what, help }));
    Form::all().next().expect("there are forms")
}

fn accumulator_type(acc: Accumulator) -> DType {
    match acc {
        Accumulator::F32 => DType::F32,
        Accumulator::F16 => DType::F16,
        Accumulator::S32 => DType::I32,
        Accumulator::F64 => DType::F64,
    }
}

/// The dtype of an element in a kernel; 4-bit integers are the low bits of 8.
fn element_type(element: Element) -> DType {
    match element {
        Element::F16 => DType::F16,
        Element::BF16 => DType::BF16,
        Element::TF32 => DType::Storage(Storage::TF32),
        Element::F64 => DType::F64,
        Element::E4M3 => DType::Storage(Storage::E4M3),
        Element::E5M2 => DType::Storage(Storage::E5M2),
        Element::E3M2 => DType::Storage(Storage::E3M2),
        Element::E2M3 => DType::Storage(Storage::E2M3),
        Element::E2M1 => DType::Storage(Storage::E2M1),
        Element::S8 | Element::S4 => DType::I8,
        Element::U8 | Element::U4 => DType::U8,
    }
}

fn element(dtype: DType) -> Option<Element> {
    Element::ALL.iter().copied().find(|&element| element_type(element) == dtype)
}

/// What a lane holds of one operand.
#[derive(Clone, Debug)]
pub struct Fragment {
    form: Form,
    operand: Operand,
    registers: Vec<Val>,
}

impl Fragment {
    /// An accumulator of zeros.
    pub fn zeros(form: Form) -> Self {
        let zero = Val::constant(Literal::from_bits(register_type(&form, Operand::C), 0));
        let registers = vec![zero; Layout::of(&form, Operand::C).registers()];
        Self { form, operand: Operand::C, registers }
    }

    /// The fragment in registers that something else filled, `ldmatrix` for instance: as many as the layout has, of the
    /// type of the operand's registers (`u32` for factors, but f64).
    pub fn of(form: Form, operand: Operand, registers: impl IntoIterator<Item = Val>) -> Self {
        let mut fragment = Self { form, operand, registers: Vec::new() };
        fragment.set_registers(registers);
        fragment
    }

    /// Makes each element from its row and column; `value` is converted to the element type.
    pub fn from_elements(form: Form, operand: Operand, mut value: impl FnMut(Val, Val) -> Val) -> Self {
        let places = Self { form, operand, registers: Vec::new() };
        Self::from_values(form, operand, |index| {
            let (row, column) = places.position(index);
            value(row, column)
        })
    }

    /// Makes each element from its index in the lane; `value` is converted to the element type.
    pub(crate) fn from_values(form: Form, operand: Operand, mut value: impl FnMut(usize) -> Val) -> Self {
        let layout = Layout::of(&form, operand);
        let each = layout.per_register();
        let mut fragment = Self { form, operand, registers: Vec::new() };
        for register in 0..layout.registers() {
            let parts: Vec<Val> = (0..each).map(|part| value(register * each + part)).collect();
            let word = fragment.pack(&parts);
            fragment.registers.push(word);
        }
        fragment
    }

    /// The form that it belongs to.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Its registers.
    pub fn registers(&self) -> &[Val] {
        &self.registers
    }

    /// Replaces its registers by as many of the same type.
    pub fn set_registers(&mut self, registers: impl IntoIterator<Item = Val>) {
        let (wanted, dtype) = (self.layout().registers(), register_type(&self.form, self.operand));
        let mut registers: Vec<Val> = registers.into_iter().collect();
        let wrong = registers.iter().find(|register| register.is_strong() && register.dtype() != dtype);
        if let Some(wrong) = wrong {
            let what = format!(
                "a register of {:?} of {} is `{dtype}`, not `{}`",
                self.operand,
                self.form,
                wrong.dtype()
            );
            let help = "give the words as they are packed; `from_elements` packs values";
            with(|build| build.error(BuildError::Refused { what, help }));
        }
        if registers.len() != wanted {
            let (form, operand, found) = (self.form, self.operand, registers.len());
            with(|build| build.error(TypeError::Registers { form, operand, wanted, found }.into()));
            registers.resize(wanted, Val::constant(Literal::from_bits(dtype, 0)));
        }
        self.registers = registers;
    }

    /// Elements that a lane holds.
    pub fn len(&self) -> usize {
        self.layout().per_lane()
    }

    /// Never: a lane holds at least one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How its elements are spread.
    pub fn layout(&self) -> Layout {
        Layout::of(&self.form, self.operand)
    }

    /// Row and column of the lane's element `index`.
    pub fn position(&self, index: usize) -> (Val, Val) {
        let layout = self.layout();
        let start = layout.position(0, index);
        let lane = simd_lane_id();
        let parts: Vec<_> = layout
            .lane_bits()
            .iter()
            .map(|part| {
                let next = layout.position(1 << part.first, index);
                let moved = if part.first == 0 { lane } else { lane >> Int(i128::from(part.first)) };
                let is_top = part.first + part.count == LANES.ilog2();
                let value = if is_top { moved } else { moved & Int((1 << part.count) - 1) };
                (value, [next.0 - start.0, next.1 - start.1])
            })
            .collect();
        let axis = |start: usize, axis: usize| {
            let zero = Int(start as i128).val().cast::<u32>();
            parts
                .iter()
                .filter(|(_, factors)| factors[axis] > 0)
                .fold(zero, |sum, (value, factors)| *value * Int(factors[axis] as i128) + sum)
        };
        (axis(start.0, 0), axis(start.1, 1))
    }

    /// The lane's element `index`, in the element type.
    pub fn element(&self, index: usize) -> Val {
        let layout = self.layout();
        let each = layout.per_register();
        let Some(&word) = self.registers.get(index / each) else {
            let len = self.len();
            with(|build| build.error(BuildError::HostIndex { index: index as i128, len }));
            return Val::constant(Literal::from_bits(self.dtype(), 0));
        };
        let dtype = self.dtype();
        if each == 1 && dtype.bits() == layout.register_bits() && dtype.storage().is_none() {
            return word;
        }
        let shift = (index % each) as u32 * layout.element_bits() + self.container_shift();
        with(|build| {
            let moved = build.binary(BinaryOp::Shr, word, Val::constant(Literal::u32(shift)));
            let mask = u32::MAX >> (32 - self.element_bits());
            let bits = build.binary(BinaryOp::And, moved, Val::constant(Literal::u32(mask)));
            build.reinterpret(bits, dtype)
        })
    }

    /// Every element with its row and column.
    pub fn elements(&self) -> impl Iterator<Item = (Val, Val, Val)> + '_ {
        (0..self.len()).map(|index| {
            let (row, column) = self.position(index);
            (row, column, self.element(index))
        })
    }

    fn dtype(&self) -> DType {
        match self.operand {
            Operand::A => element_type(self.form.a),
            Operand::B => element_type(self.form.b),
            Operand::C => accumulator_type(self.form.acc),
        }
    }

    fn element_bits(&self) -> u32 {
        match self.operand {
            Operand::A => self.form.a.bits(),
            Operand::B => self.form.b.bits(),
            Operand::C => self.form.acc.bits(),
        }
    }

    fn container_shift(&self) -> u32 {
        match self.operand {
            Operand::A => container_shift(&self.form, self.form.a),
            Operand::B => container_shift(&self.form, self.form.b),
            Operand::C => 0,
        }
    }

    fn pack(&self, parts: &[Val]) -> Val {
        let (layout, dtype) = (self.layout(), self.dtype());
        with(|build| {
            if let [value] = parts
                && dtype == register_type(&self.form, self.operand)
            {
                return build.adopt(*value, dtype);
            }
            let mut word = Val::constant(Literal::u32(0));
            for (part, &value) in parts.iter().enumerate() {
                let value = build.adopt(value, dtype);
                let bits = build.bits_of(value);
                let mask = u32::MAX >> (32 - self.element_bits());
                let bits = build.binary(BinaryOp::And, bits, Val::constant(Literal::u32(mask)));
                let shift = part as u32 * layout.element_bits() + self.container_shift();
                let moved = build.binary(BinaryOp::Shl, bits, Val::constant(Literal::u32(shift)));
                word = build.binary(BinaryOp::Or, word, moved);
            }
            word
        })
    }
}

impl Build {
    /// The bits of a value of at most 32 as a `u32`.
    fn bits_of(&mut self, value: Val) -> Val {
        let to = unsigned(value.dtype());
        let bits = if value.dtype() == to {
            value
        } else {
            let a = self.id(value);
            self.value(Bitcast { to, a })
        };
        self.convert(bits, DType::U32)
    }

    /// The value whose bits are the low ones of a `u32`.
    fn reinterpret(&mut self, bits: Val, to: DType) -> Val {
        let bits = self.convert(bits, unsigned(to));
        if bits.dtype() == to {
            return bits;
        }
        let a = self.id(bits);
        self.value(Bitcast { to, a })
    }

    fn registers(&mut self, fragment: &Fragment) -> ValueList {
        let dtype = register_type(&fragment.form, fragment.operand);
        let ids = fragment.registers.iter().map(|&register| {
            let register = self.adopt(register, dtype);
            self.id(register)
        });
        ValueList(ids.collect())
    }
}

/// Two values of 16 bits in one word, the first in the lower half.
pub(super) fn halves_packed(halves: [Val; 2]) -> Val {
    with(|build| {
        let [low, high] = halves.map(|half| build.bits_of(half));
        let high = build.binary(BinaryOp::Shl, high, Val::constant(Literal::u32(16)));
        build.binary(BinaryOp::Or, low, high)
    })
}

fn unsigned(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        _ => DType::U32,
    }
}

/// An accumulator that a loop carries: what `let mut` makes of a [`Fragment`].
#[derive(Clone, Debug)]
pub struct FragmentVar {
    form: Form,
    operand: Operand,
    registers: Vec<Local>,
}

impl FragmentVar {
    /// What it holds now.
    pub fn read(&self) -> Fragment {
        let registers = self.registers.iter().map(|register| register.read()).collect();
        Fragment { form: self.form, operand: self.operand, registers }
    }

    /// The lane's element `index`, as it is now.
    pub fn element(&self, index: usize) -> Val {
        self.read().element(index)
    }

    /// Gives it other contents, of the same form.
    pub fn write(&self, fragment: &Fragment) {
        if (self.form, self.operand) != (fragment.form, fragment.operand) {
            let what = format!(
                "a fragment {:?} of {} is assigned {:?} of {}",
                self.operand, self.form, fragment.operand, fragment.form
            );
            let help = "bind the other to a variable of its own";
            with(|build| build.error(BuildError::Refused { what, help }));
            return;
        }
        for (register, &value) in self.registers.iter().zip(&fragment.registers) {
            register.write(value);
        }
    }
}

impl Readable for FragmentVar {
    type Value = Fragment;

    fn read_value(&self) -> Fragment {
        self.read()
    }
}

impl Sa<'_, FragmentVar> {
    /// Writes a fragment.
    pub fn set(self, fragment: impl Borrow<Fragment>) {
        self.0.write(fragment.borrow());
    }
}

impl Traceable for Fragment {
    type Bound = FragmentVar;

    fn bind_as(self, name: &str) -> FragmentVar {
        let Self { form, operand, registers } = self;
        FragmentVar { form, operand, registers: registers.bind_as(name) }
    }
}

/// The element of a tile in shared memory at which row-major element `index` lies, `swizzle` applied. The tile starts at
/// a multiple of 1,024 bytes; `T` is the type of its elements.
pub fn swizzled<T: KernelType>(swizzle: Swizzle, index: impl IntoVal) -> Val {
    let size = T::dtype().size().ilog2();
    let index = index.val();
    if swizzle == Swizzle::None {
        return index;
    }
    let line = (index >> Int((LINE - size).into())) & Int(swizzle.mask() as i128);
    index ^ (line << Int((CHUNK - size).into()))
}

/// D = A · B + C as the target's matrix unit computes it: the bits are those of an architecture.
pub fn mma(a: &Fragment, b: &Fragment, c: &Fragment) -> Fragment {
    multiply(Numerics::TensorCore, a, b, c, None)
}

/// D = A · B + C by f32 fused multiply-adds over ascending k from C: the same bits on every target, far slower.
pub fn mma_ieee(a: &Fragment, b: &Fragment, c: &Fragment) -> Fragment {
    multiply(Numerics::Ieee, a, b, c, None)
}

/// The word that holds a lane's scales, and which of its bytes and whose words count.
#[derive(Clone, Copy, Debug)]
pub struct BlockScale {
    /// A `u32`.
    pub word: Val,
    /// The first byte that counts.
    pub byte: u8,
    /// Which threads of a quad give scales: 0 or 1 for A, whose pairs of threads do, 0 to 3 for B.
    pub thread: u8,
}

/// A word of scales, the first byte and the threads that count.
pub fn block_scale(word: impl IntoVal, byte: impl HostInt, thread: impl HostInt) -> BlockScale {
    // What is no byte is no selector either, which `mma` says.
    let small = |number: i128| u8::try_from(number).unwrap_or(u8::MAX);
    BlockScale { word: word.val(), byte: small(host_int(byte)), thread: small(host_int(thread)) }
}

/// [`mma`] of a block-scaled form: D = (A · scales of its rows) · (B · scales of its columns) + C.
pub fn mma_scaled(a: &Fragment, b: &Fragment, c: &Fragment, scales: [BlockScale; 2]) -> Fragment {
    multiply(Numerics::TensorCore, a, b, c, Some(scales))
}

fn multiply(
    numerics: Numerics,
    a: &Fragment,
    b: &Fragment,
    c: &Fragment,
    scales: Option<[BlockScale; 2]>,
) -> Fragment {
    let form = c.form;
    let registers = with(|build| {
        let fits = a.form == form && b.form == form;
        if !fits || (a.operand, b.operand, c.operand) != (Operand::A, Operand::B, Operand::C) {
            let what = format!(
                "`mma` of {:?} of {}, {:?} of {} and {:?} of {}",
                a.operand, a.form, b.operand, b.form, c.operand, c.form
            );
            build.error(BuildError::Refused { what, help: "give A, B and C, in that order and of one form" });
            return c.registers.clone();
        }
        let scales = Scales(scales.map(|scales| {
            scales.map(|BlockScale { word, byte, thread }| {
                let word = build.adopt(word, DType::U32);
                ScaleWord { word: build.id(word), byte, thread }
            })
        }));
        let (a, b, c) = (build.registers(a), build.registers(b), build.registers(c));
        let ids = build.ir.push(Mma { numerics, form, a, b, c, scales });
        ids.into_iter().map(|id| build.val(id)).collect()
    });
    Fragment { form, operand: Operand::C, registers }
}

/// Loads `N` (1, 2 or 4) 8×8 matrices of 16-bit elements: lane 8j + r gives the index of the first element of row r of
/// matrix j, 16 bytes from a multiple of 16. What is 16 bytes long may also be narrower elements.
pub fn ldmatrix<const N: usize, T: KernelType>(array: Shared<T>, index: impl IntoVal) -> [Val; N] {
    load_matrices(MatrixOrder::Rows, Shared::base(&array), index.val())
}

/// [`ldmatrix`] with each matrix transposed.
pub fn ldmatrix_trans<const N: usize, T: KernelType>(array: Shared<T>, index: impl IntoVal) -> [Val; N] {
    load_matrices(MatrixOrder::Transposed, Shared::base(&array), index.val())
}

fn load_matrices<const N: usize>(order: MatrixOrder, base: MemBase, index: Val) -> [Val; N] {
    let counts = [MatrixCount::X1, MatrixCount::X2, MatrixCount::X4];
    with(|build| {
        let Some(count) = counts.into_iter().find(|count| count.matrices() == N) else {
            let what = format!("`ldmatrix` of {N} matrices");
            build.error(BuildError::Refused { what, help: "load 1, 2 or 4 at a time" });
            return [Val::constant(Literal::u32(0)); N];
        };
        let index = build.index_id(index);
        let ids = build.ir.push(LdMatrix { count, order, place: Place { base, index } });
        std::array::from_fn(|position| build.val(ids[position]))
    })
}

/// Copies `N` elements from a buffer to shared memory while the thread goes on: 4, 8 or 16 bytes, from multiples of that.
/// They are there after [`cp_async_wait`] for their group, and a barrier for other threads.
pub fn cp_async<const N: usize>(
    to: impl Vectored,
    to_index: impl IntoVal,
    from: impl Vectored,
    from_index: impl IntoVal,
) {
    copy(N, to.base(), to_index.val(), from.base(), from_index.val(), None);
}

/// [`cp_async`] that reads `count` of the `N` elements and writes zeros for the others; with 0, `from_index` may be
/// anything.
pub fn cp_async_count<const N: usize>(
    to: impl Vectored,
    to_index: impl IntoVal,
    from: impl Vectored,
    from_index: impl IntoVal,
    count: impl IntoVal,
) {
    copy(N, to.base(), to_index.val(), from.base(), from_index.val(), Some(count.val()));
}

/// [`cp_async_count`] of as many elements as 16 bytes hold.
pub fn cp_async_16(
    to: impl Vectored,
    to_index: impl IntoVal,
    from: impl Vectored,
    from_index: impl IntoVal,
    count: impl IntoVal,
) {
    let to = to.base();
    let size = with(|build| to.map_or(1, |to| to.dtype(build.ir.kernel()).size()));
    copy(16 / size as usize, to, to_index.val(), from.base(), from_index.val(), Some(count.val()));
}

fn copy(
    width: usize,
    to: Option<MemBase>,
    to_index: Val,
    from: Option<MemBase>,
    from_index: Val,
    count: Option<Val>,
) {
    with(|build| {
        let (Some(to), Some(from)) = (to, from) else {
            let what = "`cp_async` of a strided view".to_owned();
            build.error(BuildError::Refused { what, help: "copy between a flat buffer and a shared array" });
            return;
        };
        let mut place = |base, index| Place { base, index: build.index_id(index) };
        let (to, from) = (place(to, to_index), place(from, from_index));
        let count: Option<ValueId> = count.map(|count| {
            let count = build.adopt(count, DType::U32);
            build.id(count)
        });
        build.ir.push(CpAsync { width: width as u32, to, from, count: Count(count) });
    });
}

/// Makes a group of the thread's copies since the last one; it may be empty.
pub fn cp_async_commit() {
    with(|build| {
        build.ir.push(CpAsyncCommit {});
    });
}

/// Waits until at most `pending` of the thread's latest groups are on their way.
pub fn cp_async_wait(pending: u32) {
    with(|build| {
        build.ir.push(CpAsyncWait { pending });
    });
}
