//! The words that set a tile up.

use super::super::build::with;
use super::super::local::Local;
use super::super::memory::coop_stage;
use super::super::val::{HostInt, IntoVal, Val, host_int};
use super::refuse;
use super::state::{Declared, STRIP, Scope, Setup, Size, Sums, Update, named};
use crate::ir::op::Numerics;
use crate::ir::{DType, Literal};
use crate::numerics::tensor::LANES;

/// The arguments of `coop_tile_setup` behind the element type, as far as they are given.
#[derive(Debug)]
pub struct Given<'a> {
    mode: &'a str,
    scope: &'a str,
    acc: DType,
    transposed: [bool; 3],
    direct: bool,
    declared: Option<[Declared; 2]>,
}

/// The choices of a setup: mode, scope, accumulator, three transpositions, `direct`, and the extents of A and of B.
#[diagnostic::on_unimplemented(
    message = "these are not the arguments of `coop_tile_setup`",
    note = "behind name, m, n, k and dtype come mode, scope, accumulator dtype, ta, tb, tc, direct, and a_is_tg, a_ei, a_eo, \
            b_is_tg, b_ei, b_eo"
)]
pub trait Choices<'a> {
    /// What they say.
    fn given(self) -> Given<'a>;
}

impl<'a> Choices<'a> for () {
    fn given(self) -> Given<'a> {
        let transposed = [false; 3];
        Given {
            mode: "overwrite",
            scope: "simdgroup",
            acc: DType::F32,
            transposed,
            direct: false,
            declared: None,
        }
    }
}

macro_rules! choices {
    ($(($($argument:ident: $ty:ty),*) $set:expr;)*) => {$(
        impl<'a> Choices<'a> for ($($ty,)*) {
            fn given(self) -> Given<'a> {
                let ($($argument,)*) = self;
                let set: fn(Given<'a>, $($ty),*) -> Given<'a> = $set;
                set(().given(), $($argument),*)
            }
        }
    )*};
}

choices! {
    (mode: &'a str) |given, mode| Given { mode, ..given };
    (mode: &'a str, scope: &'a str) |given, mode, scope| Given { mode, scope, ..given };
    (mode: &'a str, scope: &'a str, acc: DType) |given, mode, scope, acc| Given { mode, scope, acc, ..given };
    (mode: &'a str, scope: &'a str, acc: DType, ta: bool) |given, mode, scope, acc, ta| {
        Given { mode, scope, acc, transposed: [ta, false, false], ..given }
    };
    (mode: &'a str, scope: &'a str, acc: DType, ta: bool, tb: bool) |given, mode, scope, acc, ta, tb| {
        Given { mode, scope, acc, transposed: [ta, tb, false], ..given }
    };
    (mode: &'a str, scope: &'a str, acc: DType, ta: bool, tb: bool, tc: bool) |given, mode, scope, acc, ta, tb, tc| {
        Given { mode, scope, acc, transposed: [ta, tb, tc], ..given }
    };
    (mode: &'a str, scope: &'a str, acc: DType, ta: bool, tb: bool, tc: bool, direct: bool)
        |given, mode, scope, acc, ta, tb, tc, direct| {
            Given { mode, scope, acc, transposed: [ta, tb, tc], direct, ..given }
        };
}

/// Mode, scope, accumulator, ta, tb, tc, direct, then the place and the extents of A and of B.
type Full<'a, AI, AO, BI, BO> = (&'a str, &'a str, DType, bool, bool, bool, bool, bool, AI, AO, bool, BI, BO);

impl<'a, AI: IntoVal, AO: IntoVal, BI: IntoVal, BO: IntoVal> Choices<'a> for Full<'a, AI, AO, BI, BO> {
    fn given(self) -> Given<'a> {
        let (mode, scope, acc, ta, tb, tc, direct, a_is_tg, a_ei, a_eo, b_is_tg, b_ei, b_eo) = self;
        let a = Declared { is_shared: a_is_tg, inner: a_ei.val(), outer: a_eo.val() };
        let b = Declared { is_shared: b_is_tg, inner: b_ei.val(), outer: b_eo.val() };
        Given { declared: Some([a, b]), ..(mode, scope, acc, ta, tb, tc, direct).given() }
    }
}

/// `coop_tile_setup(name, m, n, k, dtype[, …])`: a tile C of m × n for products of depth k whose factors have elements of
/// `dtype`; bf16 is `coop_stage(bf16)`, f16. C is zeros. A setup named `X_acc` has the C of the setup `X`.
pub fn coop_tile_setup<'a>(
    name: &str,
    m: impl HostInt,
    n: impl HostInt,
    k: impl HostInt,
    dtype: DType,
    choices: impl Choices<'a>,
) {
    let given = choices.given();
    let Some(size) = size(host_int(m), host_int(n), host_int(k)) else { return };
    let (Some(update), Some(scope)) = (update(given.mode), scope(given.scope)) else { return };
    let act = coop_stage(dtype);
    if !matches!(act, DType::F16 | DType::F32) {
        refuse(
            format!("a cooperative tile with factors of `{dtype}`"),
            "factors are f16, f32, or bf16, which is staged as f16",
        );
        return;
    }
    if given.acc != DType::F32 {
        refuse(
            format!("a cooperative tile that accumulates in `{}`", given.acc),
            "C is f32; give `coop_tile_store_c` the type that it is stored as",
        );
        return;
    }
    let [transposed_a, transposed_b, transposed_c] = given.transposed;
    declare(Setup {
        name: name.to_owned(),
        size,
        act,
        update,
        scope,
        transposed_a,
        transposed_b,
        transposed_c,
        direct: given.direct,
        declared: given.declared,
        sums: usize::MAX,
        a: None,
        b: None,
    });
}

fn size(m: i128, n: i128, k: i128) -> Option<Size> {
    let fits = matches!(m, 8 | 16 | 32) && matches!(n, 16 | 32) && matches!(k, 16 | 32);
    if !fits {
        refuse(
            format!("a cooperative tile of {m}×{n}×{k}"),
            "m is 8, 16 or 32, n and k are 16 or 32; cover a larger matrix with several tiles",
        );
        return None;
    }
    Some(Size { m: m as usize, n: n as usize, k: k as usize })
}

fn update(mode: &str) -> Option<Update> {
    match mode {
        "overwrite" => Some(Update::Overwrite),
        "accumulate" => Some(Update::Accumulate),
        other => {
            refuse(format!("`{other}` is no mode of a cooperative tile"), "`overwrite` or `accumulate`");
            None
        }
    }
}

fn scope(scope: &str) -> Option<Scope> {
    match scope {
        "simdgroup" => Some(Scope::Simdgroup),
        "threadgroup" => Some(Scope::Threadgroup),
        other => {
            refuse(format!("`{other}` is no scope of a cooperative tile"), "`simdgroup` or `threadgroup`");
            None
        }
    }
}

/// Enters a setup; said again in the same words, as in a loop that unrolls, it stays what it is, and its C is zeros again.
fn declare(setup: Setup) {
    let known = with(|build| build.tiles.find(&setup.name).map(|place| build.tiles.setups[place].clone()));
    if let Some(known) = known {
        if !known.agrees(&setup) {
            refuse(
                format!("the cooperative tile `{}` is set up twice, differently", setup.name),
                "give the second another name",
            );
        }
        // A C that is shared belongs to whoever made it.
        let made = with(|build| build.tiles.setups.iter().find(|other| other.sums == known.sums).cloned());
        if made.is_some_and(|maker| maker.name == known.name) {
            let sums = with(|build| build.tiles.sums[known.sums].clone());
            let zero = Val::constant(Literal::f32(0.0));
            sums.strips.iter().flatten().for_each(|register| register.write(zero));
        }
        return;
    }
    let partner = with(|build| {
        let owner = setup.name.strip_suffix("_acc").and_then(|name| build.tiles.find(name));
        let place = owner.or_else(|| build.tiles.find(&format!("{}_acc", setup.name)))?;
        Some(build.tiles.setups[place].clone())
    });
    let sums = match partner {
        Some(partner) => {
            if !fits(&setup, &partner) {
                return;
            }
            partner.sums
        }
        None => fresh_sums(&setup),
    };
    with(|build| build.tiles.setups.push(Setup { sums, ..setup }));
}

fn fresh_sums(setup: &Setup) -> usize {
    let per_strip = setup.size.m * STRIP / LANES;
    let zero = Val::constant(Literal::f32(0.0));
    let strips = (0..setup.size.strips()).map(|strip| {
        let local = |index| {
            let name = format!("{}_c{}", setup.name, strip * per_strip + index);
            Local::new(zero, Some(&name))
        };
        (0..per_strip).map(local).collect()
    });
    let sums = Sums { numerics: Numerics::Ieee, is_used: false, strips: strips.collect() };
    with(|build| {
        build.tiles.sums.push(sums);
        build.tiles.sums.len() - 1
    })
}

/// Whether two setups can have one C.
fn fits(one: &Setup, other: &Setup) -> bool {
    let shape = |setup: &Setup| (setup.size.m, setup.size.n, setup.scope);
    let fits = shape(one) == shape(other);
    if !fits {
        refuse(
            format!(
                "`{}` and `{}` can't share C: they differ in rows, columns or scope",
                one.name, other.name
            ),
            "set both up with the same m, n and scope; only the depth may differ",
        );
    }
    fits
}

/// From here on the tile `name` has the C of the tile `owner`.
pub fn coop_tile_share(name: &str, owner: &str) {
    let (Some((place, setup, sums)), Some((_, owner, _))) = (named(name), named(owner)) else { return };
    if sums.is_used && setup.sums != owner.sums {
        refuse(
            format!("`{name}` shares another C after its own was used"),
            "share right after `coop_tile_setup`",
        );
        return;
    }
    if fits(&setup, &owner) {
        with(|build| build.tiles.setups[place].sums = owner.sums);
    }
}

/// How the products of a tile, and of those that share its C, are rounded: `Numerics::Ieee`, which they are without this
/// word, or `Numerics::TensorCore`, for f16. Said before the tile is loaded, multiplied, zeroed or stored.
pub fn coop_tile_numerics(name: &str, numerics: Numerics) {
    let Some((_, setup, sums)) = named(name) else { return };
    if sums.is_used && sums.numerics != numerics {
        refuse(
            format!("the numerics of `{name}` changes after it was used"),
            "say `coop_tile_numerics` right after `coop_tile_setup`",
        );
        return;
    }
    with(|build| build.tiles.sums[setup.sums].numerics = numerics);
}
