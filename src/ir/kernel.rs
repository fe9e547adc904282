//! The kernel: arenas of parameters, locals, arrays, values, instructions and regions.
//!
//! On entry nothing holds; a `Kernel` is plain data that anyone may build. `validate` says whether it is one that the
//! backends and the oracle take. Values are SSA: each is defined once, by an instruction or as the counter of a `for`,
//! and may be used after its definition in the same region and the regions nested in it. Mutable variables are
//! [`Local`]s, read and written by instructions.

use smallvec::SmallVec;

use super::launch::Mode;
use super::op::{ApproxOp, AtomicOp, Keyword, Op};
use super::types::DType;
use crate::diag::{Sources, Span};
use crate::entity::Arena;

crate::typed_id! { /// An SSA value of one kernel.
pub ValueId, "v" }
crate::typed_id! { /// A mutable scalar variable of one kernel.
pub LocalId, "l" }
crate::typed_id! { /// A parameter of one kernel.
pub ParamId, "p" }
crate::typed_id! { /// A shared or per-thread array of one kernel.
pub ArrayId, "a" }
crate::typed_id! { /// An instruction of one kernel.
pub InstId, "i" }
crate::typed_id! { /// A region (block of instructions) of one kernel.
pub RegionId, "r" }

/// A kernel for one choice of dtypes.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    /// Path of the module that holds it, `a::b`.
    pub module: String,
    /// Its name, with the suffix of its variant.
    pub name: String,
    /// The dtypes given for its type parameters, in order.
    pub dtypes: Vec<DType>,
    /// The mode, where the kernel itself fixes it; else the launch says.
    pub mode: Option<Mode>,
    /// The CTA shape, where the kernel itself fixes it.
    pub cta: Option<[u32; 3]>,
    /// Source files that spans refer to.
    pub sources: Sources,
    /// Where the kernel's function stands.
    pub span: Span,
    /// Parameters in source order.
    pub params: Arena<ParamId, Param>,
    /// Mutable variables.
    pub locals: Arena<LocalId, Local>,
    /// Shared and per-thread arrays.
    pub arrays: Arena<ArrayId, Array>,
    /// All values.
    pub values: Arena<ValueId, Value>,
    /// All instructions.
    pub insts: Arena<InstId, Inst>,
    /// All regions; an instruction stands in exactly one, unless a pass dropped it.
    pub regions: Arena<RegionId, Region>,
    /// The outermost region.
    pub body: RegionId,
}

/// A kernel parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name, unique among parameters and arrays: arguments bind by it.
    pub name: String,
    /// Element type of a buffer, type of a scalar.
    pub dtype: DType,
    /// What it is.
    pub kind: ParamKind,
    /// Where it is declared.
    pub span: Span,
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// A device buffer.
    Buffer {
        /// Whether the kernel may write it; a written buffer is readable too, and uploaded.
        written: bool,
        /// Axes of a strided view, whose shape and strides are passed beside it; 0 for a flat buffer.
        rank: u8,
        /// Whether other arguments may overlap it.
        alias: bool,
    },
    /// A value passed at launch.
    Scalar,
}

impl Param {
    /// Whether it is a buffer that the kernel may write.
    pub fn is_written(&self) -> bool {
        matches!(self.kind, ParamKind::Buffer { written: true, .. })
    }

    /// Whether it is a buffer.
    pub fn is_buffer(&self) -> bool {
        matches!(self.kind, ParamKind::Buffer { .. })
    }

    /// Axes of a strided view, else 0.
    pub fn rank(&self) -> u8 {
        match self.kind {
            ParamKind::Buffer { rank, .. } => rank,
            ParamKind::Scalar => 0,
        }
    }
}

/// A mutable scalar variable; reading it before it was written is an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name in the source, if any.
    pub name: Option<Box<str>>,
    /// Its type.
    pub dtype: DType,
}

/// Where an array lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArraySpace {
    /// One for each CTA.
    Shared,
    /// One for each thread.
    Private,
}

impl Keyword for ArraySpace {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Shared, "shared"), (Self::Private, "private")];
}

/// An array in shared or per-thread memory, uninitialised at entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Its name, unique among parameters and arrays.
    pub name: String,
    /// Where it lives.
    pub space: ArraySpace,
    /// Element type.
    pub dtype: DType,
    /// Elements.
    pub len: u32,
    /// Where it is declared.
    pub span: Span,
}

impl Array {
    /// Bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.dtype.size()) * u64::from(self.len)
    }
}

/// An SSA value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// Its type.
    pub dtype: DType,
    /// Its name in the source, if any.
    pub name: Option<Box<str>>,
}

/// An instruction: an operation, the values it defines, and where it came from.
#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    /// The operation with its operands.
    pub op: Op,
    /// The values it defines.
    pub results: SmallVec<[ValueId; 1]>,
    /// Where it came from.
    pub span: Span,
}

/// A block of instructions, run in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Region {
    /// The instructions.
    pub insts: Vec<InstId>,
}

impl Kernel {
    /// A kernel with nothing in it but an empty body.
    pub fn new(module: impl Into<String>, name: impl Into<String>, dtypes: Vec<DType>) -> Self {
        let mut regions = Arena::new();
        let body = regions.push(Region::default());
        Self {
            module: module.into(),
            name: name.into(),
            dtypes,
            mode: None,
            cta: None,
            sources: Sources::new(),
            span: Span::default(),
            params: Arena::new(),
            locals: Arena::new(),
            arrays: Arena::new(),
            values: Arena::new(),
            insts: Arena::new(),
            regions,
            body,
        }
    }

    /// The type of a value.
    pub fn dtype(&self, value: ValueId) -> DType {
        self.values[value].dtype
    }

    /// The parameter of that name.
    pub fn param(&self, name: &str) -> Option<ParamId> {
        self.params.iter().find(|(_, param)| param.name == name).map(|(id, _)| id)
    }

    /// Bytes of all shared arrays, each aligned to 16.
    pub fn shared_bytes(&self) -> u64 {
        let shared = self.arrays.values().filter(|array| array.space == ArraySpace::Shared);
        shared.map(|array| array.bytes().next_multiple_of(16)).sum()
    }

    /// `module::name`, then the dtypes if there are any: `a::b::copy<f32>`.
    pub fn path(&self) -> String {
        let mut path = if self.module.is_empty() {
            self.name.clone()
        } else {
            format!("{}::{}", self.module, self.name)
        };
        if !self.dtypes.is_empty() {
            let names: Vec<_> = self.dtypes.iter().map(|dtype| dtype.name()).collect();
            path.push_str(&format!("<{}>", names.join(",")));
        }
        path
    }

    /// The name of the entry point in emitted text: `<module>__<name>__<dtypes>`, `::` written `__`.
    pub fn entry(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        if !self.module.is_empty() {
            parts.push(self.module.replace("::", "__"));
        }
        parts.push(self.name.clone());
        if !self.dtypes.is_empty() {
            let names: Vec<_> = self.dtypes.iter().map(|dtype| dtype.name()).collect();
            parts.push(names.join("_"));
        }
        parts.join("__")
    }

    /// Calls `visit` for every instruction reachable from `region`, outer before inner, in order.
    pub fn walk(&self, region: RegionId, visit: &mut dyn FnMut(InstId, &Inst)) {
        for &id in &self.regions[region].insts {
            let inst = &self.insts[id];
            visit(id, inst);
            inst.op.regions(&mut |inner| self.walk(inner, visit));
        }
    }

    /// The first approximation in it; a kernel without one has defined bits.
    pub fn approximation(&self) -> Option<ApproxOp> {
        let mut first = None;
        self.walk(self.body, &mut |_, inst| {
            if let (Op::Approx(approx), None) = (&inst.op, first) {
                first = Some(approx.op);
            }
        });
        first
    }

    /// Whether bits depend on the order of threads: a float sum in memory that they share.
    pub fn adds_floats_atomically(&self) -> bool {
        self.any(|op| {
            matches!(op, Op::Atomic(op) if op.op == AtomicOp::Add && op.place.base.dtype(self).is_float())
        })
    }

    /// Whether any instruction reachable from the body satisfies `test`.
    pub fn any(&self, mut test: impl FnMut(&Op) -> bool) -> bool {
        let mut found = false;
        self.walk(self.body, &mut |_, inst| found |= test(&inst.op));
        found
    }
}
