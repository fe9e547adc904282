//! The arguments of the entry point and how they bind.
//!
//! Order, which is also that of the binding indices: buffers and scalars as in the source, then for each strided
//! parameter its shape and its strides, then extents, then the grid where it is linearised. What the hardware knows of a
//! thread comes last and only where it is used.

use std::collections::{BTreeMap, BTreeSet};

use crate::backend::{AbiKind, AbiParam};
use crate::entity::{EntityId, SecondaryMap};
use crate::ir::{GridForm, Kernel, LaunchClass, ParamId, ParamKind};
use crate::msl::ast::{Argument, ArgumentKind, Expr, Ident, Position, Scalar};
use crate::msl::keywords::Names;

/// Buffer arguments of one Metal function: indices 0 to 30.
pub(super) const MAX_BINDINGS: usize = 31;

/// The arguments of the entry point.
pub(super) struct Signature {
    bound: Vec<Argument>,
    params: Vec<AbiParam>,
    names: SecondaryMap<ParamId, Option<Ident>>,
    /// Names of what is passed beside the parameters.
    beside: BTreeMap<Beside, Ident>,
    positions: BTreeMap<Position, Ident>,
    used: BTreeSet<Position>,
}

/// What is passed beside the parameters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Beside {
    /// Extent of a parameter, by its index, on an axis.
    Shape(usize, u8),
    /// Stride of a parameter, by its index, on an axis.
    Stride(usize, u8),
    /// The launch's exact extent on an axis.
    Extent(u8),
    /// CTAs of a linearised grid on an axis.
    GridDim(u8),
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl Signature {
    pub(super) fn new(kernel: &Kernel, class: &LaunchClass, names: &mut Names) -> Self {
        let mut signature = Self {
            bound: Vec::new(),
            params: Vec::new(),
            names: SecondaryMap::default(),
            beside: BTreeMap::new(),
            positions: BTreeMap::new(),
            used: BTreeSet::new(),
        };
        for (id, param) in kernel.params.iter() {
            let name = names.claim(&param.name);
            signature.names[id] = Some(name.clone());
            // `check_declarations` reports a type that Metal lacks; the text is then never written.
            let scalar = Scalar::of(param.dtype).unwrap_or(Scalar::Float);
            match param.kind {
                ParamKind::Buffer { written, .. } => {
                    let index = signature.next_index();
                    let kind = ArgumentKind::Device { element: scalar, written, index };
                    signature.bind(name, kind, AbiKind::Buffer(id), 8);
                }
                ParamKind::Scalar => {
                    signature.bind_constant(name, scalar, AbiKind::Scalar(id), param.dtype.size());
                }
            }
        }
        for (id, param) in kernel.params.iter() {
            for axis in 0..param.rank() {
                let wanted = format!("{}_shape_{axis}", param.name);
                signature.pass(names, &wanted, Beside::Shape(id.index(), axis), AbiKind::Shape(id, axis), 8);
            }
            for axis in 0..param.rank() {
                let wanted = format!("{}_stride_{axis}", param.name);
                signature.pass(
                    names,
                    &wanted,
                    Beside::Stride(id.index(), axis),
                    AbiKind::Stride(id, axis),
                    8,
                );
            }
        }
        for (axis, word) in (0u8..).zip(AXES).take(class.extent.axes()) {
            let wanted = format!("extent_{word}");
            signature.pass(names, &wanted, Beside::Extent(axis), AbiKind::Extent(axis), 4);
        }
        if class.grid == GridForm::Linear {
            for (axis, word) in (0u8..).zip(AXES) {
                let wanted = format!("grid_dim_{word}");
                signature.pass(names, &wanted, Beside::GridDim(axis), AbiKind::GridDim(axis), 4);
            }
        }
        for (position, wanted) in [
            (Position::ThreadInThreadgroup, "thread_id"),
            (Position::ThreadgroupInGrid, "cta_id"),
            (Position::ThreadsPerThreadgroup, "cta_dim"),
            (Position::ThreadgroupsPerGrid, "grid_dim"),
            (Position::ThreadIndexInThreadgroup, "thread_index"),
        ] {
            signature.positions.insert(position, names.claim(wanted));
        }
        signature
    }

    fn next_index(&self) -> u32 {
        // Far fewer arguments than u32::MAX fit a machine; MAX_BINDINGS refuses all but a few.
        u32::try_from(self.bound.len()).unwrap_or(u32::MAX)
    }

    fn bind(&mut self, name: Ident, argument: ArgumentKind, kind: AbiKind, size: u32) {
        self.params.push(AbiParam { name: name.as_str().into(), kind, size });
        self.bound.push(Argument { name, kind: argument });
    }

    fn bind_constant(&mut self, name: Ident, scalar: Scalar, kind: AbiKind, size: u32) {
        let index = self.next_index();
        self.bind(name, ArgumentKind::Constant { scalar, index }, kind, size);
    }

    fn pass(&mut self, names: &mut Names, wanted: &str, beside: Beside, kind: AbiKind, size: u32) {
        let name = names.claim(wanted);
        self.beside.insert(beside, name.clone());
        let scalar = if size == 8 { Scalar::Ulong } else { Scalar::Uint };
        self.bind_constant(name, scalar, kind, size);
    }

    /// The name of a parameter.
    pub(super) fn param(&self, param: ParamId) -> Ident {
        self.names[param].clone().expect("new() named every parameter of the kernel")
    }

    /// A use of something passed beside the parameters.
    pub(super) fn beside(&self, beside: Beside) -> Expr {
        let name = self.beside.get(&beside);
        Expr::Name(name.cloned().expect("the type rules admit only axes that new() passes"))
    }

    /// The name of what the hardware knows; it is then an argument.
    pub(super) fn position(&mut self, position: Position) -> Ident {
        self.used.insert(position);
        self.positions[&position].clone()
    }

    /// The number of bindings, where it is more than Metal has.
    pub(super) fn bindings_beyond_limit(&self) -> Option<usize> {
        (self.bound.len() > MAX_BINDINGS).then_some(self.bound.len())
    }

    /// The arguments of the entry point, and what the launcher passes.
    pub(super) fn finish(self) -> (Vec<Argument>, Vec<AbiParam>) {
        let mut arguments = self.bound;
        let positions = self.positions.into_iter().filter(|(position, _)| self.used.contains(position));
        arguments.extend(
            positions.map(|(position, name)| Argument { name, kind: ArgumentKind::Builtin(position) }),
        );
        (arguments, self.params)
    }
}
