//! The forms of a warp's matrix multiplication: shape, element types, scaling.
//!
//! A [`Form`] is what an `mma.sync` opcode says apart from its syntax; [`Form::all`] lists every dense one. The oracle,
//! the emulator, lowering and the reader of golden files name forms by it. Deliberately not here: who holds which element
//! (`layout`), what is computed (`model`), which target has a form (`ptx::isa`).

use std::fmt;
use std::str::FromStr;

use crate::numerics::soft::Direction;

/// Rows of A, columns of B, and the depth that one instruction sums over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// Rows of A and of C.
    pub m: u8,
    /// Columns of B and of C.
    pub n: u8,
    /// Columns of A, rows of B.
    pub k: u8,
}

impl Shape {
    const fn new(m: u8, n: u8, k: u8) -> Self {
        Self { m, n, k }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}n{}k{}", self.m, self.n, self.k)
    }
}

macro_rules! named {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $each:literal])* $variant:ident = $text:literal,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[doc = $each])* $variant,)* }

        impl $name {
            /// Every one, in manual order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// As PTX spells it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named! {
    /// The type of the elements of A or of B.
    Element {
        /// binary16.
        F16 = "f16",
        /// The upper half of a binary32.
        BF16 = "bf16",
        /// A binary32 whose low 13 bits are not looked at.
        TF32 = "tf32",
        /// binary64.
        F64 = "f64",
        /// fp8 with four exponent bits.
        E4M3 = "e4m3",
        /// fp8 with five exponent bits.
        E5M2 = "e5m2",
        /// fp6 with three exponent bits.
        E3M2 = "e3m2",
        /// fp6 with two exponent bits.
        E2M3 = "e2m3",
        /// fp4.
        E2M1 = "e2m1",
        /// Eight bits, two's complement.
        S8 = "s8",
        /// Eight bits.
        U8 = "u8",
        /// Four bits, two's complement.
        S4 = "s4",
        /// Four bits.
        U4 = "u4",
    }
}

named! {
    /// The type of the elements of C and of D.
    Accumulator {
        /// binary32.
        F32 = "f32",
        /// binary16.
        F16 = "f16",
        /// 32 bits, two's complement.
        S32 = "s32",
        /// binary64.
        F64 = "f64",
    }
}

impl Element {
    /// Bits of one element, without padding.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F64 => 64,
            Self::TF32 => 32,
            Self::F16 | Self::BF16 => 16,
            Self::E4M3 | Self::E5M2 | Self::S8 | Self::U8 => 8,
            Self::E3M2 | Self::E2M3 => 6,
            Self::E2M1 | Self::S4 | Self::U4 => 4,
        }
    }
}

impl Accumulator {
    /// Bits of one element.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 => 16,
            Self::F32 | Self::S32 => 32,
            Self::F64 => 64,
        }
    }
}

named! {
    /// The type of a block's scale.
    Scale {
        /// A power of two, 2^(x − 127).
        UE8M0 = "ue8m0",
        /// e4m3 whose sign is ignored.
        UE4M3 = "ue4m3",
    }
}

named! {
    /// Which elements of a factor a lane holds of a quad-pair product.
    Major {
        /// Those of a row.
        Row = "row",
        /// Those of a column.
        Column = "col",
    }
}

/// Which unit an opcode asks for, how its factors are spread, and how they are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// No `.kind`, A by rows and B by columns.
    Plain,
    /// Four products at once, each by the lanes of two quads: `m8n8k4` of f16. The rows of their A and of their C follow
    /// one another, and so do the columns of their B.
    QuadPairs {
        /// What a lane holds of A.
        a: Major,
        /// What a lane holds of B.
        b: Major,
    },
    /// `.kind::f8f6f4`: a byte an element, no scales.
    F8F6F4,
    /// `.kind::mxf8f6f4`, one scale per 32 of K.
    MxF8F6F4,
    /// `.kind::mxf4`, two scales of 32 of K.
    MxF4,
    /// `.kind::mxf4nvf4` with two scales of 32 of K.
    MxF4NvF4X2,
    /// `.kind::mxf4nvf4` with four scales of 16 of K.
    MxF4NvF4X4,
}

impl Kind {
    /// The products of one instruction.
    pub const fn products(self) -> usize {
        match self {
            Self::QuadPairs { .. } => 4,
            Self::Plain
            | Self::F8F6F4
            | Self::MxF8F6F4
            | Self::MxF4
            | Self::MxF4NvF4X2
            | Self::MxF4NvF4X4 => 1,
        }
    }

    /// What a lane holds of A and of B: elements of a row of A and of a column of B, but of quad pairs also otherwise.
    pub const fn majors(self) -> [Major; 2] {
        match self {
            Self::QuadPairs { a, b } => [a, b],
            Self::Plain
            | Self::F8F6F4
            | Self::MxF8F6F4
            | Self::MxF4
            | Self::MxF4NvF4X2
            | Self::MxF4NvF4X4 => [Major::Row, Major::Column],
        }
    }

    /// The scales of a row of A or a column of B; none where operands are not scaled.
    pub const fn scales(self) -> usize {
        match self {
            Self::Plain | Self::QuadPairs { .. } | Self::F8F6F4 => 0,
            Self::MxF8F6F4 => 1,
            Self::MxF4 | Self::MxF4NvF4X2 => 2,
            Self::MxF4NvF4X4 => 4,
        }
    }

    /// The type of the scales.
    pub const fn scale(self) -> Option<Scale> {
        match self {
            Self::Plain | Self::QuadPairs { .. } | Self::F8F6F4 => None,
            Self::MxF8F6F4 | Self::MxF4 | Self::MxF4NvF4X2 => Some(Scale::UE8M0),
            Self::MxF4NvF4X4 => Some(Scale::UE4M3),
        }
    }

    /// As names of forms carry it; nothing for a plain one.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::QuadPairs { a: Major::Row, b: Major::Column } => "row.col",
            Self::QuadPairs { a: Major::Row, b: Major::Row } => "row.row",
            Self::QuadPairs { a: Major::Column, b: Major::Column } => "col.col",
            Self::QuadPairs { a: Major::Column, b: Major::Row } => "col.row",
            Self::F8F6F4 => "f8f6f4",
            Self::MxF8F6F4 => "mxf8f6f4",
            Self::MxF4 => "mxf4",
            Self::MxF4NvF4X2 => "mxf4nvf4.2x",
            Self::MxF4NvF4X4 => "mxf4nvf4.4x",
        }
    }
}

/// One dense form of `mma.sync`: D = A · B + C.
///
/// Its name is shape, kind, saturation or a rounding other than to nearest, and the types of D, A, B and C:
///
/// ```
/// use warpsmith::numerics::tensor::Form;
///
/// let form: Form = "m16n8k16.f32.bf16.bf16.f32".parse().unwrap();
/// assert_eq!(form.to_string(), "m16n8k16.f32.bf16.bf16.f32");
/// assert!("m16n8k16.f32.bf16.f16.f32".parse::<Form>().is_err());
/// assert!("m16n8k32.sat.s32.s8.u8.s32".parse::<Form>().unwrap().saturates);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Form {
    /// The shape.
    pub shape: Shape,
    /// Elements of A.
    pub a: Element,
    /// Elements of B.
    pub b: Element,
    /// Elements of C and D.
    pub acc: Accumulator,
    /// The unit and the scales.
    pub kind: Kind,
    /// Whether an integer sum is clamped (`.satfinite`) instead of wrapping.
    pub saturates: bool,
    /// How a sum of f64 is rounded; the others have [`Direction::Rn`], whatever their units do.
    pub rounding: Direction,
}

/// A text that names no form.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{name}` is no form of `mma.sync`: a name is like `m16n8k16.f32.bf16.bf16.f32`, shape, then the types of D, A, B, C{}",
    alternatives(.near)
)]
pub struct NotAForm {
    /// The text.
    pub name: String,
    /// Forms of the same shape with the same types.
    pub near: Vec<Form>,
}

fn alternatives(forms: &[Form]) -> String {
    let names: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
    if names.is_empty() { String::new() } else { format!("; there is {}", names.join(", ")) }
}

impl NotAForm {
    /// Looks for forms that the text may have meant: what differs are words between shape and types.
    fn new(text: &str) -> Self {
        let ends = |name: &str| {
            let words: Vec<&str> = name.split('.').collect();
            let types = words.len().saturating_sub(4);
            (words[0].to_owned(), words[types..].join("."))
        };
        let near = Form::all().filter(|form| ends(&form.to_string()) == ends(text)).collect();
        Self { name: text.to_owned(), near }
    }
}

use Accumulator as Acc;
use Element as El;

/// Shapes and element types that go together; every pair of `elements` is a form, or only equal ones.
struct Group {
    shapes: &'static [(u8, u8, u8)],
    elements: &'static [Element],
    are_mixed: bool,
    accumulators: &'static [Accumulator],
    kind: Kind,
}

/// The table of section 5 of the PTX facts, single-bit forms left out.
const GROUPS: &[Group] = &[
    quad_pairs(Major::Row, Major::Column),
    quad_pairs(Major::Row, Major::Row),
    quad_pairs(Major::Column, Major::Column),
    quad_pairs(Major::Column, Major::Row),
    group(&[(16, 8, 8), (16, 8, 16)], &[El::F16], false, &[Acc::F16, Acc::F32], Kind::Plain),
    group(&[(16, 8, 8), (16, 8, 16)], &[El::BF16], false, &[Acc::F32], Kind::Plain),
    group(&[(16, 8, 4), (16, 8, 8)], &[El::TF32], false, &[Acc::F32], Kind::Plain),
    group(&[(16, 8, 16), (16, 8, 32)], &[El::E4M3, El::E5M2], true, &[Acc::F16, Acc::F32], Kind::Plain),
    group(&[(16, 8, 32)], NARROW, true, &[Acc::F16, Acc::F32], Kind::F8F6F4),
    group(&[(16, 8, 32)], NARROW, true, &[Acc::F32], Kind::MxF8F6F4),
    group(&[(16, 8, 64)], &[El::E2M1], false, &[Acc::F32], Kind::MxF4),
    group(&[(16, 8, 64)], &[El::E2M1], false, &[Acc::F32], Kind::MxF4NvF4X2),
    group(&[(16, 8, 64)], &[El::E2M1], false, &[Acc::F32], Kind::MxF4NvF4X4),
    group(&[(8, 8, 16), (16, 8, 16), (16, 8, 32)], &[El::S8, El::U8], true, &[Acc::S32], Kind::Plain),
    group(&[(8, 8, 32), (16, 8, 32), (16, 8, 64)], &[El::S4, El::U4], true, &[Acc::S32], Kind::Plain),
    group(&[(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)], &[El::F64], false, &[Acc::F64], Kind::Plain),
];

/// What `kind::f8f6f4` and `kind::mxf8f6f4` take.
const NARROW: &[Element] = &[El::E4M3, El::E5M2, El::E3M2, El::E2M3, El::E2M1];

const fn group(
    shapes: &'static [(u8, u8, u8)],
    elements: &'static [Element],
    are_mixed: bool,
    accumulators: &'static [Accumulator],
    kind: Kind,
) -> Group {
    Group { shapes, elements, are_mixed, accumulators, kind }
}

const fn quad_pairs(a: Major, b: Major) -> Group {
    group(&[(8, 8, 4)], &[El::F16], false, &[Acc::F16, Acc::F32], Kind::QuadPairs { a, b })
}

impl Form {
    /// Every dense form, each integer one also saturating, each of f64 in every direction.
    pub fn all() -> impl Iterator<Item = Self> {
        GROUPS.iter().flat_map(|group| {
            let pairs = group.elements.iter().flat_map(|&a| group.elements.iter().map(move |&b| (a, b)));
            let pairs = pairs.filter(|(a, b)| group.are_mixed || a == b);
            group.shapes.iter().flat_map(move |&(m, n, k)| {
                let shape = Shape::new(m, n, k);
                pairs.clone().flat_map(move |(a, b)| {
                    group.accumulators.iter().flat_map(move |&acc| {
                        let (kind, rounding) = (group.kind, Direction::Rn);
                        let form = Self { shape, a, b, acc, kind, saturates: false, rounding };
                        let saturating = (acc == Acc::S32).then_some(Self { saturates: true, ..form });
                        let others: &[_] = if acc == Acc::F64 { &Direction::ALL[1..] } else { &[] };
                        let directed = others.iter().map(move |&rounding| Self { rounding, ..form });
                        [form].into_iter().chain(saturating).chain(directed)
                    })
                })
            })
        })
    }

    /// Whether the parts go together.
    pub fn exists(&self) -> bool {
        Self::all().any(|form| form == *self)
    }

    /// Bits that an element of A or B takes in a register: those of its type, or a byte where the kind packs narrower
    /// ones so (`kind::f8f6f4`, `kind::mxf8f6f4`).
    pub const fn container_bits(&self, element: Element) -> u32 {
        match element {
            El::F64 => 64,
            El::TF32 => 32,
            El::F16 | El::BF16 => 16,
            El::E4M3 | El::E5M2 | El::E3M2 | El::E2M3 | El::S8 | El::U8 => 8,
            El::S4 | El::U4 => 4,
            El::E2M1 => match self.kind {
                Kind::MxF4 | Kind::MxF4NvF4X2 | Kind::MxF4NvF4X4 => 4,
                Kind::Plain | Kind::QuadPairs { .. } | Kind::F8F6F4 | Kind::MxF8F6F4 => 8,
            },
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shape)?;
        if self.kind != Kind::Plain {
            write!(f, ".{}", self.kind.name())?;
        }
        if self.saturates {
            f.write_str(".sat")?;
        }
        if self.rounding != Direction::Rn {
            f.write_str(self.rounding.name())?;
        }
        write!(f, ".{}.{}.{}.{}", self.acc, self.a, self.b, self.acc)
    }
}

impl FromStr for Form {
    type Err = NotAForm;

    fn from_str(text: &str) -> Result<Self, NotAForm> {
        Self::all().find(|form| form.to_string() == text).ok_or_else(|| NotAForm::new(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        let forms: Vec<Form> = Form::all().collect();
        let mut names: Vec<String> = forms.iter().map(Form::to_string).collect();
        for (form, name) in forms.iter().zip(&names) {
            assert_eq!(name.parse::<Form>(), Ok(*form));
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), forms.len());
    }

    #[test]
    fn a_name_without_its_order_is_told_what_there_is() {
        let error = "m8n8k4.f32.f16.f16.f32".parse::<Form>().unwrap_err();
        assert_eq!(error.near.len(), 4);
        assert!(error.to_string().contains("there is `m8n8k4.row.col.f32.f16.f16.f32`, "), "{error}");
        assert!("".parse::<Form>().unwrap_err().near.is_empty());
    }

    #[test]
    fn all_holds_the_documented_groups() {
        // 8 quad-pair, 4 f16, 2 bf16, 2 tf32, 16 fp8, 50 f8f6f4, 25 mxf8f6f4, 3 fp4, 24 of 8-bit and 24 of 4-bit
        // integers, 4 f64 in 4 directions.
        assert_eq!(Form::all().count(), 8 + 4 + 2 + 2 + 16 + 50 + 25 + 3 + 24 + 24 + 4 * 4);
    }
}
