//! The words that move a tile's matrices between memory and registers.

use super::super::build::with;
use super::super::compare::and;
use super::super::geometry::{warp_id, warps_per_cta};
use super::super::local::Local;
use super::super::matrix::halves_packed;
use super::super::matrix_memory::MatrixMemory;
use super::super::ops::compare;
use super::super::reduce::when;
use super::super::select::select_lazy;
use super::super::val::{Int, IntoVal, Val};
use super::refuse;
use super::spread::Spread;
use super::state::{Declared, Factor, Held, Scope, Setup, View, used};
use crate::ir::op::{CompareOp, MemBase, Numerics, Width};
use crate::ir::{DType, Literal};
use crate::numerics::tensor::Operand;

/// What may follow the extents: an offset in elements, whether the product reads the memory itself, or both.
#[diagnostic::on_unimplemented(
    message = "these are not the arguments of a cooperative tile's load or store",
    note = "behind name, memory, is_tg, dtype, ei and eo come an offset, `direct`, or both in this order"
)]
pub trait Tail {
    /// The offset and `direct`, as far as they are given.
    fn given(self) -> (Option<Val>, bool);
}

impl Tail for () {
    fn given(self) -> (Option<Val>, bool) {
        (None, false)
    }
}

impl<T: IntoVal> Tail for (T,) {
    fn given(self) -> (Option<Val>, bool) {
        let one = self.0.val();
        match one.as_int() {
            // A `bool` says whether it is direct, everything else is an offset.
            Some(flag) if one.dtype() == DType::Bool => (None, flag != 0),
            _ => (Some(one), false),
        }
    }
}

impl<T: IntoVal> Tail for (T, bool) {
    fn given(self) -> (Option<Val>, bool) {
        (Some(self.0.val()), self.1)
    }
}

/// What a word names.
struct Named {
    memory: MemBase,
    is_shared: bool,
    dtype: DType,
    inner: Val,
    outer: Val,
    tail: (Option<Val>, bool),
}

impl Named {
    /// The view, if the word's claims hold.
    fn view(self, tile: &str) -> Option<View> {
        let Self { memory, is_shared, dtype, inner, outer, tail: (offset, _) } = self;
        let name = with(|build| memory.name(build.ir.kernel()).to_owned());
        if is_shared == is_global(memory) {
            let (is, says) =
                if is_shared { ("a buffer", "a shared array") } else { ("a shared array", "a buffer") };
            refuse(
                format!("`{name}` is {is}, but `is_tg` of `{tile}` says that it is {says}"),
                "give `true` for shared arrays and `false` for buffers",
            );
            return None;
        }
        let dtypes = [dtype, with(|build| memory.dtype(build.ir.kernel()))];
        let is_float = |dtype: &DType| matches!(dtype, DType::F16 | DType::BF16 | DType::F32);
        if let Some(other) = dtypes.iter().find(|dtype| !is_float(dtype)) {
            refuse(
                format!("a cooperative tile in elements of `{other}`"),
                "memory of a tile holds f16, bf16 or f32; convert while staging",
            );
            return None;
        }
        let offset = offset.map(|offset| if is_global(memory) { offset.cast::<u64>() } else { offset });
        Some(View { memory, dtype, inner, outer, offset })
    }
}

fn is_global(memory: MemBase) -> bool {
    matches!(memory, MemBase::Param(_))
}

/// Runs `f` in the warps that hold a strip.
pub(super) fn on_strip(scope: Scope, strip: usize, f: impl FnOnce()) {
    match scope {
        Scope::Simdgroup => f(),
        Scope::Threadgroup => {
            let owner = if strip == 0 { Int(0).val() } else { Int(strip as i128).val() % warps_per_cta() };
            when(compare(CompareOp::Eq, warp_id(), owner), f);
        }
    }
}

/// `coop_tile_load_a(name, memory, is_tg, dtype, ei, eo[, offset | direct[, direct]])`: A(i, l) is
/// `memory[offset + i · ei + l]`, or `memory[offset + l · ei + i]` with `ta`; zero beyond `ei` or `eo`.
pub fn coop_tile_load_a(
    name: &str,
    memory: impl MatrixMemory,
    is_tg: bool,
    dtype: DType,
    ei: impl IntoVal,
    eo: impl IntoVal,
    tail: impl Tail,
) {
    let Some(memory) = memory.matrix_memory() else { return };
    let (inner, outer, tail) = (ei.val(), eo.val(), tail.given());
    load(name, Factor::A, Named { memory, is_shared: is_tg, dtype, inner, outer, tail });
}

/// `coop_tile_load_b(name, memory, is_tg, dtype, ei, eo[, offset | direct[, direct]])`: B(l, j) is
/// `memory[offset + l · ei + j]`, or `memory[offset + j · ei + l]` with `tb`; zero beyond `ei` or `eo`.
pub fn coop_tile_load_b(
    name: &str,
    memory: impl MatrixMemory,
    is_tg: bool,
    dtype: DType,
    ei: impl IntoVal,
    eo: impl IntoVal,
    tail: impl Tail,
) {
    let Some(memory) = memory.matrix_memory() else { return };
    let (inner, outer, tail) = (ei.val(), eo.val(), tail.given());
    load(name, Factor::B, Named { memory, is_shared: is_tg, dtype, inner, outer, tail });
}

fn load(name: &str, factor: Factor, memory: Named) {
    let Some((place, setup, sums)) = used(name) else { return };
    let is_direct = memory.tail.1 || setup.direct;
    let is_as_declared = declared_as(&setup, factor, &memory);
    let Some(view) = memory.view(name).filter(|_| is_as_declared) else { return };
    let known = match factor {
        Factor::A => &setup.a,
        Factor::B => &setup.b,
    };
    let held = match (known, is_direct) {
        (Some(Held::Registers(_)), true) | (Some(Held::Memory(..)), false) => {
            refuse(
                format!("{factor:?} of `{name}` is loaded directly in one place and not in another"),
                "load it one way, or set up two tiles that share C",
            );
            return;
        }
        (Some(Held::Memory(known, offset)), true) => {
            if !known.agrees(&view) {
                refuse(
                    format!("direct loads of {factor:?} of `{name}` name different memory or extents"),
                    "only the offset may differ; load without `direct`, or set up two tiles that share C",
                );
                return;
            }
            offset.write(view.first());
            return;
        }
        (None, true) => {
            let offset = Local::new(view.first(), None);
            Held::Memory(view, offset)
        }
        (known, false) => {
            let known = known.as_ref().and_then(|held| match held {
                Held::Registers(locals) => Some(locals.as_slice()),
                Held::Memory(..) => None,
            });
            Held::Registers(load_registers(&setup, sums.numerics, factor, &view, known))
        }
    };
    with(|build| {
        let setup = &mut build.tiles.setups[place];
        match factor {
            Factor::A => setup.a = Some(held),
            Factor::B => setup.b = Some(held),
        }
    });
}

/// Whether the extents that a setup of all arguments gave are those of a load, as far as both are known.
fn declared_as(setup: &Setup, factor: Factor, memory: &Named) -> bool {
    let Some(declared) = setup.declared else { return true };
    let declared = declared[usize::from(factor == Factor::B)];
    let Named { is_shared, inner, outer, .. } = *memory;
    let agrees = declared.agrees(&Declared { is_shared, inner, outer });
    if !agrees {
        refuse(
            format!(
                "{factor:?} of `{}` is loaded with another `is_tg`, `ei` or `eo` than its setup says",
                setup.name
            ),
            "give the load the values of `coop_tile_setup`",
        );
    }
    agrees
}

/// Fills registers, those of A or of each strip of B; `known` are the ones that an earlier load made.
fn load_registers(
    setup: &Setup,
    numerics: Numerics,
    factor: Factor,
    view: &View,
    known: Option<&[Vec<Local>]>,
) -> Vec<Vec<Local>> {
    let fill = |strip: usize| {
        let values = read(setup, numerics, factor, view, strip);
        match known {
            Some(locals) => {
                locals[strip].iter().zip(values).for_each(|(local, value)| local.write(value));
                locals[strip].clone()
            }
            None => values.into_iter().map(|value| Local::new(value, None)).collect(),
        }
    };
    match factor {
        Factor::A => vec![fill(0)],
        Factor::B => {
            let mut strips = Vec::new();
            for strip in 0..setup.size.strips() {
                on_strip(setup.scope, strip, || strips.push(fill(strip)));
            }
            strips
        }
    }
}

/// What a product takes of A, or of a strip of B: f32 values in IEEE order, packed words for the matrix unit.
pub(super) fn read(setup: &Setup, numerics: Numerics, factor: Factor, view: &View, strip: usize) -> Vec<Val> {
    let (operand, transposed) = match factor {
        Factor::A => (Operand::A, setup.transposed_a),
        Factor::B => (Operand::B, setup.transposed_b),
    };
    let spread = Spread::of(numerics, operand, setup.size, strip);
    let mut places = Places::of(view, &spread, transposed);
    let zero = Val::constant(Literal::from_bits(with(|build| view.memory.dtype(build.ir.kernel())), 0));
    let values: Vec<Val> = spread
        .offsets
        .iter()
        .map(|&offset| {
            let (index, exists) = places.at(offset);
            let load = || with(|build| build.load(view.memory, index, Width::X1)[0]);
            let value = match exists {
                Some(exists) => select_lazy(exists, load, || zero),
                None => load(),
            };
            with(|build| {
                let value = build.convert(value, view.dtype);
                build.convert(value, setup.act)
            })
        })
        .collect();
    match numerics {
        Numerics::Ieee => values.into_iter().map(Val::cast::<f32>).collect(),
        Numerics::TensorCore => {
            values.chunks_exact(2).map(|pair| halves_packed([pair[0], pair[1]])).collect()
        }
    }
}

/// `coop_tile_store_c(name, memory, is_tg, dtype, ei, eo[, offset])`: `memory[offset + i · ei + j]`, or
/// `memory[offset + j · ei + i]` with `tc`, gets C(i, j) rounded to `dtype`; nothing beyond `ei` or `eo`.
pub fn coop_tile_store_c(
    name: &str,
    memory: impl MatrixMemory,
    is_tg: bool,
    dtype: DType,
    ei: impl IntoVal,
    eo: impl IntoVal,
    tail: impl Tail,
) {
    let Some(memory) = memory.matrix_memory() else { return };
    let (inner, outer, tail) = (ei.val(), eo.val(), tail.given());
    let Some((_, setup, sums)) = used(name) else { return };
    let memory = Named { memory, is_shared: is_tg, dtype, inner, outer, tail };
    let Some(view) = memory.view(name) else { return };
    for (strip, locals) in sums.strips.iter().enumerate() {
        on_strip(setup.scope, strip, || {
            let spread = Spread::of(sums.numerics, Operand::C, setup.size, strip);
            let mut places = Places::of(&view, &spread, setup.transposed_c);
            for (&offset, local) in spread.offsets.iter().zip(locals) {
                let (index, exists) = places.at(offset);
                let store = || {
                    let value = local.read();
                    with(|build| {
                        let value = build.convert(value, view.dtype);
                        build.store(view.memory, index, &[value]);
                    });
                };
                match exists {
                    Some(exists) => when(exists, store),
                    None => store(),
                }
            }
        });
    }
}

/// The places in memory of a lane's elements.
struct Places<'v> {
    view: &'v View,
    transposed: bool,
    /// Of the lane's origin.
    first: Val,
    /// Inner and outer index of the lane's origin, and the largest that a lane has.
    origin: [Val; 2],
    reach: [usize; 2],
    /// Whether indices are 64 bits wide.
    is_wide: bool,
    /// What was computed for an outer offset, and for an offset on either axis.
    rows: Vec<(usize, Val)>,
    within: [Vec<(usize, Option<Val>)>; 2],
}

impl<'v> Places<'v> {
    fn of(view: &'v View, spread: &Spread, transposed: bool) -> Self {
        let ((row, column), (last_row, last_column)) = (spread.origin(), spread.reach());
        let (origin, reach) = if transposed {
            ([row, column], [last_row, last_column])
        } else {
            ([column, row], [last_column, last_row])
        };
        // What the kernel computes may pass 32 bits in a buffer; constants that pass them are out of bounds anyway.
        let is_wide = is_global(view.memory) && (view.inner.as_int().is_none() || view.offset.is_some());
        let [inner, outer] = if is_wide { origin.map(Val::cast::<u64>) } else { origin };
        let mut first = outer * view.inner + inner;
        if let Some(offset) = view.offset {
            first = first + offset;
        }
        Self {
            view,
            transposed,
            first,
            origin,
            reach,
            is_wide,
            rows: Vec::new(),
            within: [Vec::new(), Vec::new()],
        }
    }

    /// The index of the lane's element at an offset from its origin, and the condition under which it exists, where that
    /// is open.
    fn at(&mut self, (row, column): (usize, usize)) -> (Val, Option<Val>) {
        let (inner, outer) = if self.transposed { (row, column) } else { (column, row) };
        let index = self.row(outer) + Int(inner as i128);
        let conditions = [self.within(0, inner, self.view.inner), self.within(1, outer, self.view.outer)];
        let exists = match conditions {
            [Some(a), Some(b)] => Some(and(a, || b)),
            [one, other] => one.or(other),
        };
        (index, exists)
    }

    fn row(&mut self, outer: usize) -> Val {
        if let Some((_, known)) = self.rows.iter().find(|(known, _)| *known == outer) {
            return *known;
        }
        let inner = if self.is_wide { self.view.inner.cast::<u64>() } else { self.view.inner };
        let row = if outer == 0 { self.first } else { self.first + inner * Int(outer as i128) };
        self.rows.push((outer, row));
        row
    }

    fn within(&mut self, axis: usize, offset: usize, extent: Val) -> Option<Val> {
        if let Some((_, known)) = self.within[axis].iter().find(|(known, _)| *known == offset) {
            return *known;
        }
        let is_within = extent.as_int().is_some_and(|extent| ((offset + self.reach[axis]) as i128) < extent);
        let index = self.origin[axis] + Int(offset as i128);
        let condition = (!is_within).then(|| compare(CompareOp::Lt, index, extent));
        self.within[axis].push((offset, condition));
        condition
    }
}

impl View {
    /// The offset, in the type of a local that holds it.
    fn first(&self) -> Val {
        let offset = self.offset.unwrap_or_else(|| Int(0).val());
        if is_global(self.memory) { offset.cast::<u64>() } else { offset.cast::<u32>() }
    }

    /// Whether two views differ in nothing but the offset.
    fn agrees(&self, other: &Self) -> bool {
        let same = |a: Val, b: Val| match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => a.node == b.node,
            (Some(_), None) | (None, Some(_)) => false,
        };
        self.memory == other.memory
            && self.dtype == other.dtype
            && same(self.inner, other.inner)
            && same(self.outer, other.outer)
    }
}
