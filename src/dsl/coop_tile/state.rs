//! What a build knows of its cooperative tiles.

use super::super::build::with;
use super::super::local::Local;
use super::super::val::Val;
use super::refuse;
use crate::ir::DType;
use crate::ir::op::{MemBase, Numerics};

/// Rows, columns and depth of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
}

/// Columns that belong to one warp.
pub(super) const STRIP: usize = 8;

impl Size {
    pub(super) fn strips(self) -> usize {
        self.n / STRIP
    }
}

/// Who computes a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// A warp.
    Simdgroup,
    /// The warps of the CTA, each its strips.
    Threadgroup,
}

/// What a product does with C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Update {
    /// C = A · B.
    Overwrite,
    /// C += A · B.
    Accumulate,
}

/// A factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Factor {
    A,
    B,
}

/// Memory that a word names: rows of `inner` elements, `outer` of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(super) memory: MemBase,
    /// The type that elements pass through between memory and the tile.
    pub(super) dtype: DType,
    pub(super) inner: Val,
    pub(super) outer: Val,
    pub(super) offset: Option<Val>,
}

/// What a setup says a factor's memory is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    pub(super) is_shared: bool,
    pub(super) inner: Val,
    pub(super) outer: Val,
}

/// Where a loaded factor is.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// In registers: those of A; those of each strip of B.
    Registers(Vec<Vec<Local>>),
    /// In memory until a product reads it; the offset of the latest load stands in the local.
    Memory(View, Local),
}

/// A setup.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(super) name: String,
    pub(super) size: Size,
    /// The type of the factors' elements in the tile.
    pub(super) act: DType,
    pub(super) update: Update,
    pub(super) scope: Scope,
    pub(super) transposed_a: bool,
    pub(super) transposed_b: bool,
    pub(super) transposed_c: bool,
    pub(super) direct: bool,
    pub(super) declared: Option<[Declared; 2]>,
    /// The index of its C.
    pub(super) sums: usize,
    pub(super) a: Option<Held>,
    pub(super) b: Option<Held>,
}

impl Setup {
    /// Whether another call of the same word says the same.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let words = |setup: &Self| {
            let flags = [setup.transposed_a, setup.transposed_b, setup.transposed_c, setup.direct];
            (setup.size, setup.act, setup.update, setup.scope, flags)
        };
        let declared = match (self.declared, other.declared) {
            (None, None) => true,
            (Some(these), Some(those)) => these.iter().zip(&those).all(|(this, that)| this.agrees(that)),
            (None, Some(_)) | (Some(_), None) => false,
        };
        words(self) == words(other) && declared
    }
}

impl Declared {
    /// Whether both say the same memory, as far as that is known while building.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let differ = |a: Val, b: Val| a.as_int().zip(b.as_int()).is_some_and(|(a, b)| a != b);
        self.is_shared == other.is_shared
            && !differ(self.inner, other.inner)
            && !differ(self.outer, other.outer)
    }
}

/// A C, which several setups may share.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    pub(super) numerics: Numerics,
    /// Whether something was loaded, multiplied or stored, so that its numerics stands.
    pub(super) is_used: bool,
    /// Registers of each strip.
    pub(super) strips: Vec<Vec<Local>>,
}

/// All tiles of a build.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiles {
    pub(super) setups: Vec<Setup>,
    pub(super) sums: Vec<Sums>,
}

impl Tiles {
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.setups.iter().position(|setup| setup.name == name)
    }
}

/// The setup of a name with its place and its C; `None` after a mistake, which is recorded.
pub(super) fn named(name: &str) -> Option<(usize, Setup, Sums)> {
    let found = with(|build| {
        let tiles = &build.tiles;
        let place = tiles.find(name)?;
        let setup = tiles.setups[place].clone();
        let sums = tiles.sums[setup.sums].clone();
        Some((place, setup, sums))
    });
    if found.is_none() {
        let known = with(|build| {
            build.tiles.setups.iter().map(|setup| format!("`{}`", setup.name)).collect::<Vec<_>>()
        });
        let known = match known.as_slice() {
            [] => "none is set up".to_owned(),
            known => format!("there are {}", known.join(", ")),
        };
        refuse(
            format!("no cooperative tile is named `{name}`: {known}"),
            "set it up first: `coop_tile_setup(name, m, n, k, dtype, …)`",
        );
    }
    found
}

/// As [`named`], for a word after which the numerics can't change.
pub(super) fn used(name: &str) -> Option<(usize, Setup, Sums)> {
    let (place, setup, sums) = named(name)?;
    with(|build| build.tiles.sums[setup.sums].is_used = true);
    Some((place, setup, sums))
}
