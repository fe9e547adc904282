//! Files of recorded results of matrix units: what went in, and what came out, bit by bit.
//!
//! On entry: foreign bytes. On exit: sections whose tiles lie within them, or an error that says what is wrong; nothing
//! panics. The layout, little-endian throughout:
//!
//! ```text
//! header, 16 bytes      magic "MMAG" | u32 version = 1 | u32 forms | u32 flags = 1 (D is present)
//! directory             one 64-byte entry per form:
//!     name[32]          ASCII, padded with zero bytes: of a `Form`, of a `Wgmma`, or of nothing known here
//!     u32 M, N, K       the instruction's shape
//!     u32 tiles
//!     u32 ab_bytes      bytes of one element of A and of B: 1, 2, 4 or 8
//!     u32 cd_bytes      bytes of one element of C and of D
//!     u64 offset        of this form's first tile, from the start of the file
//! tile                  A[M][K]  B[K][N]  C[M][N]  D[M][N], back to back; the form's tiles follow one another
//! ```
//!
//! Matrices are row-major and nothing pads them; the sections fill the file from the directory to its end, in any order.
//! A form of several products has in each tile all of their A, one below the other, then B side by side, C and D; only who
//! knows its name knows how large its tiles are.
//! There is no place for block scales. Deliberately not here: what D should be (`check`).

use std::fmt;

use super::form::{Accumulator, Element, Form};
use super::wgmma::Wgmma;

const MAGIC: [u8; 4] = *b"MMAG";
const VERSION: u32 = 1;
/// Flags: D is present.
const HAS_RESULTS: u32 = 1;
const HEADER: usize = 16;
const ENTRY: usize = 64;
const NAME: usize = 32;

/// What a section's name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// One `mma.sync`.
    Mma(Form),
    /// One `wgmma`, C added.
    Wgmma(Wgmma),
}

impl Operation {
    /// The products of one instruction.
    const fn products(&self) -> usize {
        match self {
            Self::Mma(form) => form.kind.products(),
            Self::Wgmma(_) => 1,
        }
    }

    fn named(name: &str) -> Option<Self> {
        let mma = name.parse().map(Self::Mma).ok();
        mma.or_else(|| name.parse().map(Self::Wgmma).ok())
    }

    /// M, N, K, and the bytes of an element of A and B, and of C and D.
    fn layout(&self) -> [usize; 5] {
        let (shape, element, acc) = match self {
            Self::Mma(form) => {
                let shape = form.shape;
                ([shape.m as usize, shape.n as usize, shape.k as usize], form.a, form.acc)
            }
            Self::Wgmma(form) => ([Wgmma::ROWS, form.columns as usize, form.depth()], form.a, form.acc),
        };
        let ab = match element {
            Element::F64 => 8,
            Element::TF32 => 4,
            Element::F16 | Element::BF16 => 2,
            Element::E4M3
            | Element::E5M2
            | Element::E3M2
            | Element::E2M3
            | Element::E2M1
            | Element::S8
            | Element::U8
            | Element::S4
            | Element::U4 => 1,
        };
        let cd = match acc {
            Accumulator::F16 => 2,
            Accumulator::F32 | Accumulator::S32 => 4,
            Accumulator::F64 => 8,
        };
        [shape[0], shape[1], shape[2], ab, cd]
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mma(form) => write!(f, "{form}"),
            Self::Wgmma(form) => write!(f, "{form}"),
        }
    }
}

/// A file of recorded results.
#[derive(Clone, Debug)]
pub struct Golden<'a> {
    sections: Vec<Section<'a>>,
}

/// The tiles of one form.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    name: String,
    operation: Option<Operation>,
    shape: [usize; 3],
    products: usize,
    ab_bytes: usize,
    cd_bytes: usize,
    tiles: usize,
    bytes: &'a [u8],
}

/// What went into one instruction, and what came out: row-major, the bits of an element in the low bits of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedTile {
    /// M × K, those of several products one below the other.
    pub a: Vec<u64>,
    /// K × N, side by side.
    pub b: Vec<u64>,
    /// M × N, one below the other.
    pub c: Vec<u64>,
    /// As C, as the file has it.
    pub d: Vec<u64>,
}

/// Why bytes are no file of recorded results.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message says what the fields are")]
pub enum GoldenError {
    #[error("the file {}, not with `MMAG`", begins(.found))]
    Magic { found: Vec<u8> },
    #[error("the file ends in its {part}: {have} bytes of {need}")]
    Truncated { part: &'static str, need: u64, have: u64 },
    #[error("the file has version {found}, and only version 1 is known")]
    Version { found: u32 },
    #[error("the file has flags {found:#x}, and only 1, results present, is known")]
    Flags { found: u32 },
    #[error("`{name}` has the shape {m} x {n} x {k}, which is no matrix")]
    Empty { name: String, m: u32, n: u32, k: u32 },
    #[error("`{name}` has elements of {bytes} bytes, which are 1, 2, 4 or 8")]
    ElementBytes { name: String, bytes: u32 },
    #[error(
        "`{name}` has M, N, K, bytes of A and B, and bytes of C and D {found:?} where the form has {wanted:?}"
    )]
    Layout { name: String, found: [usize; 5], wanted: [usize; 5] },
    #[error("the tiles of `{name}` take {size} bytes from {offset}, but the file has {have}")]
    Outside { name: String, offset: u64, size: u128, have: u64 },
    #[error("the tiles of `{name}` begin at {offset}, but what stands before them ends at {end}")]
    Misplaced { name: String, offset: u64, end: u64 },
    #[error("the last tile ends at {end}, but the file has {have} bytes")]
    Trailing { end: u64, have: u64 },
}

fn begins(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        "begins with nothing".into()
    } else {
        format!("begins with `{}`", bytes.escape_ascii())
    }
}

impl GoldenError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Magic { .. } | Self::Version { .. } | Self::Flags { .. } => {
                "give a file of recorded results, version 1; docs/tensor-cores.md has the layout".into()
            }
            Self::Truncated { .. } | Self::Outside { .. } => "it may be cut short: copy it again".into(),
            Self::Empty { .. }
            | Self::ElementBytes { .. }
            | Self::Layout { .. }
            | Self::Misplaced { .. }
            | Self::Trailing { .. } => {
                "what wrote the file and its directory disagree; docs/tensor-cores.md has the layout".into()
            }
        }
    }
}

/// An entry of the directory as it stands there.
struct Entry {
    name: String,
    numbers: [u32; 6],
    offset: u64,
}

impl Entry {
    fn read(bytes: &[u8]) -> Option<Self> {
        let name = bytes.get(..NAME)?;
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(NAME);
        let name = String::from_utf8_lossy(&name[..end]).into_owned();
        let mut numbers = [0; 6];
        for (index, number) in numbers.iter_mut().enumerate() {
            *number = u32_at(bytes, NAME + 4 * index)?;
        }
        let offset = bytes.get(NAME + 24..ENTRY)?;
        Some(Self { name, numbers, offset: word(offset) })
    }
}

impl<'a> Golden<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// Where the bytes are not laid out as the module says. A name that is not known is no error.
    pub fn read(bytes: &'a [u8]) -> Result<Self, GoldenError> {
        let have = bytes.len() as u64;
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if magic != MAGIC {
            return Err(GoldenError::Magic { found: magic.to_vec() });
        }
        let header = |at| {
            u32_at(bytes, at).ok_or(GoldenError::Truncated { part: "header", need: HEADER as u64, have })
        };
        let (version, forms, flags) = (header(4)?, header(8)?, header(12)?);
        if version != VERSION {
            return Err(GoldenError::Version { found: version });
        }
        if flags != HAS_RESULTS {
            return Err(GoldenError::Flags { found: flags });
        }
        let data = HEADER as u64 + ENTRY as u64 * forms as u64;
        let directory = usize::try_from(data).ok().and_then(|end| bytes.get(HEADER..end));
        let short = || GoldenError::Truncated { part: "directory", need: data, have };
        let directory = directory.ok_or_else(short)?;

        let mut sections = Vec::with_capacity(forms as usize);
        let mut places = Vec::with_capacity(forms as usize);
        for entry in directory.chunks_exact(ENTRY) {
            let entry = Entry::read(entry).ok_or_else(short)?;
            let section = Section::of(&entry, bytes)?;
            places.push((entry.offset, section.bytes.len() as u64, entry.name));
            sections.push(section);
        }
        places.sort();
        let mut end = data;
        for (offset, size, name) in places {
            if offset != end {
                return Err(GoldenError::Misplaced { name, offset, end });
            }
            end += size;
        }
        if end == have { Ok(Self { sections }) } else { Err(GoldenError::Trailing { end, have }) }
    }

    /// The forms, in the order of the directory.
    pub fn sections(&self) -> &[Section<'a>] {
        &self.sections
    }
}

impl<'a> Section<'a> {
    fn of(entry: &Entry, bytes: &'a [u8]) -> Result<Self, GoldenError> {
        let name = entry.name.clone();
        let [m, n, k, tiles, ab_bytes, cd_bytes] = entry.numbers;
        if m == 0 || n == 0 || k == 0 {
            return Err(GoldenError::Empty { name, m, n, k });
        }
        if let Some(bytes) = [ab_bytes, cd_bytes].into_iter().find(|bytes| ![1, 2, 4, 8].contains(bytes)) {
            return Err(GoldenError::ElementBytes { name, bytes });
        }
        let found = [m, n, k, ab_bytes, cd_bytes].map(|number| number as usize);
        let operation = Operation::named(&name);
        if let Some(wanted) = operation.map(|operation| operation.layout()).filter(|wanted| *wanted != found)
        {
            return Err(GoldenError::Layout { name, found, wanted });
        }
        let [wide_m, wide_n, wide_k, tiles_wide, ab, cd] = entry.numbers.map(u128::from);
        // Below 2^130 only if each factor were at its limit, and those that are bytes are at most 8: no overflow.
        let products = operation.map_or(1, |operation| operation.products());
        let tile = (ab * wide_k * (wide_m + wide_n) + 2 * cd * wide_m * wide_n) * products as u128;
        let size = tile * tiles_wide;
        let have = bytes.len() as u64;
        let section = usize::try_from(entry.offset).ok().zip(usize::try_from(size).ok());
        let section = section.and_then(|(from, size)| bytes.get(from..from.checked_add(size)?));
        let outside = || GoldenError::Outside { name: entry.name.clone(), offset: entry.offset, size, have };
        Ok(Self {
            name: entry.name.clone(),
            operation,
            shape: [found[0], found[1], found[2]],
            products,
            ab_bytes: found[3],
            cd_bytes: found[4],
            tiles: tiles as usize,
            bytes: section.ok_or_else(outside)?,
        })
    }

    /// As the directory has it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the name stands for, where it is known.
    pub const fn operation(&self) -> Option<Operation> {
        self.operation
    }

    /// M, N and K.
    pub const fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// How many tiles.
    pub const fn tiles(&self) -> usize {
        self.tiles
    }

    /// How many elements of D in all tiles.
    pub const fn results(&self) -> usize {
        // Each takes at least a byte of the section, but one without tiles may claim any shape.
        if self.tiles == 0 { 0 } else { self.tiles * self.products * self.shape[0] * self.shape[1] }
    }

    /// A file of this form alone, its operands with other results, M × N for each tile.
    pub fn with_results(&self, results: &[Vec<u64>]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        for number in [VERSION, 1, HAS_RESULTS] {
            file.extend(number.to_le_bytes());
        }
        let mut name = self.name.as_bytes().to_vec();
        name.resize(NAME, 0);
        file.extend(name);
        let [m, n, k] = self.shape;
        for number in [m, n, k, self.tiles, self.ab_bytes, self.cd_bytes] {
            file.extend((number as u32).to_le_bytes());
        }
        file.extend(((HEADER + ENTRY) as u64).to_le_bytes());
        for (tile, d) in self.each().zip(results) {
            let factors = [(&tile.a, self.ab_bytes), (&tile.b, self.ab_bytes)];
            for (matrix, bytes) in factors.into_iter().chain([(&tile.c, self.cd_bytes), (d, self.cd_bytes)]) {
                file.extend(matrix.iter().flat_map(|word| word.to_le_bytes().into_iter().take(bytes)));
            }
        }
        file
    }

    /// The tiles, in order.
    pub fn each(&self) -> impl Iterator<Item = RecordedTile> + '_ {
        let ([m, n, k], products) = (self.shape, self.products);
        // Without tiles there are no bytes either.
        let size = self.bytes.len().checked_div(self.tiles).unwrap_or(1);
        self.bytes.chunks_exact(size).map(move |mut tile| {
            let mut matrix = |count: usize, bytes: usize| {
                let (this, rest) = tile.split_at(count * bytes);
                tile = rest;
                this.chunks_exact(bytes).map(word).collect()
            };
            RecordedTile {
                a: matrix(products * m * k, self.ab_bytes),
                b: matrix(products * k * n, self.ab_bytes),
                c: matrix(products * m * n, self.cd_bytes),
                d: matrix(products * m * n, self.cd_bytes),
            }
        })
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|bytes| word(bytes) as u32)
}

/// At most eight bytes, the lowest first.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | byte as u64)
}
