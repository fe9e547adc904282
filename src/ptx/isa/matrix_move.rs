//! `ldmatrix`, `stmatrix`, `movmatrix`: fragments between shared memory and the registers of a warp.
//!
//! The lanes of a warp execute them together. Each matrix has rows of 16 bytes, whose addresses the lanes give: lane
//! 8j + r that of row r of matrix j, or lane 16j + r for matrices of 16 rows. Who gets which element is the emulator's
//! and lowering's business (`numerics::tensor::Layout`).

use super::modifier::{Modifier, Space, flags, modifiers, strip_word};
use super::reg::RegClass::{self, B32};
use super::row::row;
use super::slot::{Address, Def, FragmentDef, FragmentUse, Rule, Use};
use super::types::ScalarType;
use super::version::Requirement;
use crate::target::Feature;

modifiers! {
    /// Rows and columns of a matrix that is moved.
    MatrixShape {
        /// 8 × 8.
        M8N8 = ".m8n8",
        /// 8 × 16.
        M8N16 = ".m8n16",
        /// 16 × 16.
        M16N16 = ".m16n16",
        /// 16 × 8.
        M16N8 = ".m16n8",
    }
    /// How many matrices are moved.
    MatrixCount {
        /// One.
        X1 = ".x1",
        /// Two.
        X2 = ".x2",
        /// Four.
        X4 = ".x4",
    }
    /// The elements of a matrix in memory and in registers.
    MatrixElement {
        /// 16 bits.
        B16 = ".b16",
        /// 8 bits.
        B8 = ".b8",
        /// 4 bits in memory, 16 of them with 64 bits of padding a row; a byte each in registers.
        B4Padded = ".b8x16.b4x16_p64",
        /// 6 bits in memory, 16 of them with 32 bits of padding a row; a byte each in registers.
        B6Padded = ".b8x16.b6x16_p32",
    }
}

flags! {
    /// The matrix is transposed on its way.
    Trans = ".trans";
}

impl MatrixCount {
    /// The number.
    pub const fn count(self) -> usize {
        match self {
            Self::X1 => 1,
            Self::X2 => 2,
            Self::X4 => 4,
        }
    }
}

impl MatrixShape {
    /// Rows of one matrix as memory holds them, 16 bytes each: so many lanes give addresses.
    pub const fn rows(self) -> usize {
        match self {
            Self::M8N8 | Self::M8N16 | Self::M16N8 => 8,
            Self::M16N16 => 16,
        }
    }
}

row! {
    /// Loads matrices; each lane gets its part of their fragments.
    LdMatrix = "ldmatrix.sync.aligned" [shape: MatrixShape] [count: MatrixCount] [trans: Trans] [space: Option<Space>]
        [element: MatrixElement] {
        dst: FragmentDef(registers(shape, count)), addr: Address(pointer(space)),
    }
    since ptx(6, 5), sm(75); manual "warp-level-matrix-instructions-ldmatrix"; check check_ld; needs ld_needs
}

row! {
    /// Stores matrices, of which each lane holds its part of the fragments.
    StMatrix = "stmatrix.sync.aligned" [shape: MatrixShape] [count: MatrixCount] [trans: Trans] [space: Option<Space>]
        [element: MatrixElement] {
        addr: Address(pointer(space)), src: FragmentUse(registers(shape, count)),
    }
    since ptx(7, 8), sm(90); manual "warp-level-matrix-instructions-stmatrix"; check check_st; needs st_needs
}

row! {
    /// Transposes an 8 × 8 matrix of 16-bit elements, of which each lane holds two.
    MovMatrix = "movmatrix.sync.aligned.m8n8.trans.b16" { dst: Def(B32), src: Use(register()) }
    since ptx(7, 8), sm(75); manual "warp-level-matrix-instructions-movmatrix"; needs mov_needs
}

fn register() -> Rule {
    Rule::from(B32).no_imm()
}

fn registers(shape: MatrixShape, count: MatrixCount) -> Rule {
    let lanes = shape.rows() / 8 * count.count();
    Rule::registers(ScalarType::B32, lanes)
}

/// The registers of an address, which is generic without a space.
fn pointer(space: Option<Space>) -> Rule {
    let word = Rule::from(RegClass::B32);
    if space.is_some() { word.or_wider() } else { RegClass::B64.into() }
}

fn check_space(space: Option<Space>) -> Result<(), &'static str> {
    let own = |space: Space| space.is_shared() && space != Space::SharedCluster;
    if space.is_none_or(own) { Ok(()) } else { Err("matrices lie in shared memory") }
}

fn check_ld(row: &LdMatrix) -> Result<(), &'static str> {
    use MatrixElement::{B4Padded, B6Padded, B8, B16};
    check_space(row.space)?;
    match (row.shape, row.element) {
        (MatrixShape::M8N8, B16) => Ok(()),
        (MatrixShape::M8N8, B8 | B4Padded | B6Padded) => Err("`.m8n8` goes with `.b16`"),
        (MatrixShape::M8N16, B4Padded | B6Padded) if row.trans.0 => {
            Err("`.m8n16` is not transposed; `.m16n16` is")
        }
        (MatrixShape::M8N16, B4Padded | B6Padded) => Ok(()),
        (MatrixShape::M8N16, B16 | B8) => Err("`.m8n16` goes with `.b8x16.b4x16_p64` and `.b8x16.b6x16_p32`"),
        (MatrixShape::M16N16, B16) => Err("`.m16n16` goes with 8-bit elements"),
        (MatrixShape::M16N16, _) if !row.trans.0 => Err("`.m16n16` needs `.trans`"),
        (MatrixShape::M16N16, _) if row.count == MatrixCount::X4 => {
            Err("`.m16n16` goes with `.x1` and `.x2`")
        }
        (MatrixShape::M16N16, B8 | B4Padded | B6Padded) => Ok(()),
        (MatrixShape::M16N8, _) => Err("`.m16n8` is stored, not loaded"),
    }
}

fn check_st(row: &StMatrix) -> Result<(), &'static str> {
    check_space(row.space)?;
    match (row.shape, row.element) {
        (MatrixShape::M8N8, MatrixElement::B16) => Ok(()),
        (MatrixShape::M16N8, MatrixElement::B8) if row.trans.0 => Ok(()),
        (MatrixShape::M16N8, MatrixElement::B8) => Err("`.m16n8` needs `.trans`"),
        (MatrixShape::M8N8 | MatrixShape::M16N8 | MatrixShape::M8N16 | MatrixShape::M16N16, _) => {
            Err("stored are `.m8n8` of `.b16` and `.m16n8` of `.b8`")
        }
    }
}

fn space_needs(space: Option<Space>) -> Requirement {
    if space == Some(Space::SharedCta) { Requirement::new(7, 8, 75) } else { Requirement::NONE }
}

/// 16-bit forms are old; 8-bit ones came with the chips that multiply such elements.
fn element_needs(element: MatrixElement, b16: Feature) -> Requirement {
    match element {
        MatrixElement::B16 => Requirement::of(b16),
        MatrixElement::B8 | MatrixElement::B4Padded | MatrixElement::B6Padded => {
            Requirement::of(Feature::LDMATRIX_B8)
        }
    }
}

fn ld_needs(row: &LdMatrix) -> Requirement {
    element_needs(row.element, Feature::LDMATRIX).and(space_needs(row.space))
}

fn st_needs(row: &StMatrix) -> Requirement {
    element_needs(row.element, Feature::STMATRIX).and(space_needs(row.space))
}

fn mov_needs(_row: &MovMatrix) -> Requirement {
    Requirement::of(Feature::MOVMATRIX)
}
