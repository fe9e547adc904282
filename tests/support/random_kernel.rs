//! Random kernels that are valid, end, stay in bounds, race with nobody, and give the same bits on every judge, each
//! with a launch and arguments.
//!
//! How that is kept:
//! - a thread reads and writes the written buffers and its private array only at indices of its own; shared memory is
//!   exchanged between two barriers, in launches whose threads are all within the extent;
//! - indices are remainders by a length, or guarded;
//! - barriers stand where control is uniform over the CTA; shuffles that could meet an inactive lane only where every
//!   warp is full, under divergence they read the first active lane;
//! - the sign of a computed NaN is never looked at: `copysign` takes its sign from an integer, and no `bitcast` takes
//!   a float from memory that the kernel wrote.

mod block;
mod ops;

use proptest::prelude::*;
use warpsmith::ir::op::{
    Axis, Binary, BinaryOp, GeomReg, Geometry, LocalSet, MemBase, Scalar, Shape, Store, Stride, ValueList,
};
use warpsmith::ir::{
    ArrayId, ArraySpace, Builder, DType, Kernel, Keyword, Launch, Literal, LocalId, Mode, ParamId, ParamKind,
    ValueId,
};

use super::tape::Tape;

/// A kernel with something to run it on.
#[derive(Clone, Debug)]
pub(crate) struct RandomCase {
    pub(crate) kernel: Kernel,
    pub(crate) launch: Launch,
    /// One for each parameter, in order.
    pub(crate) arguments: Vec<Argument>,
}

/// What a parameter gets.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    pub(crate) content: Content,
    /// Extents and strides of a strided view; empty for a flat buffer and for a scalar.
    pub(crate) shape: Vec<u64>,
    pub(crate) strides: Vec<u64>,
}

/// A scalar's bits, or those of each element of a buffer.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Scalar(u64),
    Buffer(Vec<u64>),
}

/// Random cases of up to a few hundred instructions.
pub(crate) fn random_case() -> impl Strategy<Value = RandomCase> {
    proptest::collection::vec(any::<u32>(), 8..400).prop_map(build)
}

/// For whom control is the same where instructions go now; later ones include earlier ones.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Control {
    Cta,
    Warp,
    Divergent,
}

/// A value in scope.
#[derive(Clone, Copy)]
struct Known {
    value: ValueId,
    dtype: DType,
    /// Whether it came from memory that the kernel wrote, so that a NaN in it may be a computed one.
    from_own_memory: bool,
}

/// Elements that each thread owns in a written buffer.
const OWN: u32 = 4;

struct Generator {
    tape: Tape,
    builder: Builder,
    launch: Launch,
    pool: Vec<Known>,
    control: Control,
    /// Loops around the place where instructions go, for `break`; whether it may be divergent.
    loops: Vec<Control>,
    inputs: Vec<(ParamId, DType, u32)>,
    outputs: Vec<(ParamId, DType)>,
    scalars: Vec<(ParamId, DType)>,
    locals: Vec<(LocalId, DType)>,
    private: (ArrayId, DType, u32),
    shared: Option<(ArrayId, DType)>,
    /// First of the own elements in the written buffers.
    own: ValueId,
    arguments: Vec<Argument>,
}

fn launch(tape: &mut Tape) -> Launch {
    let cta = tape.pick(&[32u32, 64, 1, 7, 33, 96]);
    match tape.below(3) {
        0 => Launch::ctas(Mode::Reduction, [1 + tape.below(3) as u64, 1, 1], [cta, 1, 1]),
        1 => Launch::linear(1 + tape.below(3 * cta as usize) as u64, cta),
        _axes => {
            let cta = tape.pick(&[[8u32, 4, 1], [4, 2, 3], [33, 1, 1], [32, 2, 1]]);
            let extent = [40, 5, 4].map(|most| 1 + tape.below(most) as u64);
            Launch::threads(Mode::Grid3D, extent, cta)
        }
    }
}

/// Extents and strides of a view of two axes within `len` elements.
fn view(tape: &mut Tape, len: u32) -> ([u64; 2], [u64; 2]) {
    let choices = match len {
        8 => [([2, 3], [4, 1]), ([3, 2], [1, 4])],
        16 => [([3, 4], [1, 4]), ([4, 2], [0, 9])],
        _forty => [([5, 4], [8, 2]), ([4, 5], [1, 7])],
    };
    tape.pick(&choices)
}

fn build(words: Vec<u32>) -> RandomCase {
    let mut tape = Tape::new(words);
    let launch = launch(&mut tape);
    let mut builder = Builder::new("random", "kernel", Vec::new());
    let fixed = tape.below(4);
    builder.kernel_mut().mode = (fixed & 1 == 0).then_some(launch.mode);
    builder.kernel_mut().cta = (fixed & 2 == 0).then_some(launch.cta);
    let mut arguments = Vec::new();
    let dtypes = numbers();
    let threads = launch.cta_count() * launch.cta_threads();
    let mut buffer = |tape: &mut Tape, builder: &mut Builder, name: String, written: bool, len: u32| {
        let dtype = tape.pick(&dtypes);
        let view = (!written && tape.one_in(3)).then(|| view(tape, len));
        let rank = if view.is_some() { 2 } else { 0 };
        let id = builder.param(name.clone(), dtype, ParamKind::Buffer { written, rank, alias: false });
        let (shape, strides) =
            view.map_or_else(Default::default, |(shape, strides)| (shape.to_vec(), strides.to_vec()));
        // A few random elements, repeated, keep the tape short.
        let some: Vec<u64> = (0..4).map(|_| tape.literal(dtype).bits).collect();
        let content = Content::Buffer(some.into_iter().cycle().take(len as usize).collect());
        arguments.push(Argument { name, dtype, content, shape, strides });
        (id, dtype)
    };
    let mut inputs = Vec::new();
    for index in 0..1 + tape.below(3) {
        let len = tape.pick(&[8u32, 40, 16]);
        let (id, dtype) = buffer(&mut tape, &mut builder, format!("in{index}"), false, len);
        inputs.push((id, dtype, len));
    }
    let len = threads as u32 * OWN;
    let outputs = (0..1 + tape.below(3))
        .map(|index| buffer(&mut tape, &mut builder, format!("out{index}"), true, len))
        .collect();
    let mut scalars = Vec::new();
    for (index, dtype) in [DType::U32, tape.pick(&dtypes)].into_iter().enumerate() {
        let name = format!("s{index}");
        scalars.push((builder.param(name.clone(), dtype, ParamKind::Scalar), dtype));
        let content = Content::Scalar(tape.literal(dtype).bits);
        arguments.push(Argument { name, dtype, content, shape: Vec::new(), strides: Vec::new() });
    }
    let private = (tape.pick(&dtypes), 1 + tape.below(5) as u32);
    let private = (builder.array("mine", ArraySpace::Private, private.0, private.1), private.0, private.1);
    let shared = (launch.extent.is_none() && tape.one_in(2)).then(|| {
        let dtype = tape.pick(&dtypes);
        (builder.array("ours", ArraySpace::Shared, dtype, launch.cta[0]), dtype)
    });
    let own = builder.constant(Literal::u32(0));
    let mut generator = Generator {
        tape,
        builder,
        launch,
        pool: Vec::new(),
        control: Control::Cta,
        loops: Vec::new(),
        inputs,
        outputs,
        scalars,
        locals: Vec::new(),
        private,
        shared,
        own,
        arguments,
    };
    generator.prologue();
    generator.block(3);
    generator.epilogue();
    let (kernel, errors) = generator.builder.finish();
    assert!(errors.is_empty(), "the generator builds operands that fit: {errors:?}");
    RandomCase { kernel, launch, arguments: generator.arguments }
}

/// The types with arithmetic; storage formats are met on the way of a conversion.
fn numbers() -> Vec<DType> {
    DType::all().filter(|dtype| dtype.storage().is_none()).collect()
}

impl Generator {
    fn geometry(&mut self, reg: GeomReg) -> ValueId {
        let value = self.builder.value(Geometry { reg });
        self.know(value);
        value
    }

    /// Makes a value an operand of what follows.
    fn know(&mut self, value: ValueId) {
        let dtype = self.builder.kernel().dtype(value);
        self.pool.push(Known { value, dtype, from_own_memory: false });
    }

    fn u32(&mut self, value: u32) -> ValueId {
        self.builder.constant(Literal::u32(value))
    }

    fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        self.builder.value(Binary { op, a, b })
    }

    /// The thread's place, the scalars, and a first value for everything that is read later.
    fn prologue(&mut self) {
        let linear = match self.launch.mode {
            Mode::Elementwise => self.geometry(GeomReg::ProgramId(0)),
            Mode::Grid3D => {
                let extent = self.launch.extent.expect("launches of this mode have an extent");
                let mut linear = self.geometry(GeomReg::ProgramId(2));
                for axis in [1, 0] {
                    let length = self.u32(extent[usize::from(axis)] as u32);
                    let (rows, place) =
                        (self.binary(BinaryOp::Mul, linear, length), self.geometry(GeomReg::ProgramId(axis)));
                    linear = self.binary(BinaryOp::Add, rows, place);
                }
                linear
            }
            Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D => {
                let cta = self.geometry(GeomReg::ProgramId(0));
                let (dim, thread) = (self.geometry(GeomReg::CtaDim(0)), self.geometry(GeomReg::Tid));
                let first = self.binary(BinaryOp::Mul, cta, dim);
                self.binary(BinaryOp::Add, first, thread)
            }
        };
        let own = self.u32(OWN);
        self.own = self.binary(BinaryOp::Mul, linear, own);
        for reg in [
            GeomReg::LaneId,
            GeomReg::WarpId,
            GeomReg::ThreadId(0),
            GeomReg::WarpsPerCta,
            GeomReg::GridDim(0),
        ] {
            if self.tape.one_in(2) {
                self.geometry(reg);
            }
        }
        for (param, _) in self.scalars.clone() {
            let value = self.builder.value(Scalar { param });
            self.know(value);
        }
        for (param, _, _) in self.inputs.clone() {
            if self.builder.kernel().params[param].rank() > 0 {
                for axis in [0, 1] {
                    let value = self.builder.value(Shape { param, axis: Axis(axis) });
                    self.know(value);
                    let value = self.builder.value(Stride { param, axis: Axis(axis) });
                    self.know(value);
                }
            }
            self.memory();
        }
        for index in 0..2 {
            let dtype = self.tape.pick(&numbers());
            let local = self.builder.local(Some(&format!("var{index}")), dtype);
            let value = self.operand(dtype);
            self.builder.push(LocalSet { local, value });
            self.locals.push((local, dtype));
        }
        let (array, dtype, len) = self.private;
        for index in 0..len {
            let value = self.operand(dtype);
            let index = self.u32(index);
            self.store(MemBase::Array(array), index, &[value]);
        }
    }

    /// Everything computed shows in an output.
    fn epilogue(&mut self) {
        for (param, dtype) in self.outputs.clone() {
            let newest = self.tape.below(self.pool.len().min(6));
            let newest = self.pool[self.pool.len() - 1 - newest].value;
            let (value, own) = (self.builder.convert(newest, dtype), self.own);
            self.store(MemBase::Param(param), own, &[value]);
        }
        for (slot, (local, dtype)) in self.locals.clone().into_iter().enumerate() {
            let same = self.outputs.iter().find(|(_, found)| *found == dtype).copied();
            if let Some((param, _)) = same {
                let value = self.builder.value(warpsmith::ir::op::LocalGet { local });
                let index = self.own_index(slot as u32 + 1);
                self.store(MemBase::Param(param), index, &[value]);
            }
        }
    }

    fn own_index(&mut self, slot: u32) -> ValueId {
        let slot = self.u32(slot);
        let own = self.own;
        self.binary(BinaryOp::Add, own, slot)
    }

    fn store(&mut self, base: MemBase, index: ValueId, values: &[ValueId]) {
        let place = warpsmith::ir::op::Place { base, index };
        self.builder.push(Store { place, values: ValueList(values.iter().copied().collect()) });
    }
}

/// The words by which a failing case is reported: its text form and launch.
impl std::fmt::Display for RandomCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}mode {}, {:?}", self.kernel, self.launch.mode.keyword(), self.launch)
    }
}
