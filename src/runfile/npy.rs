//! `.npy` files: a header in Python's notation, then the elements.
//!
//! Entry: bytes of a file of version 1, 2 or 3, as NumPy writes them; an array and a file's name. Exit: elements as they lie
//! in memory, little-endian and in C order, or an error that names what the file has instead. Written files are version 1.0,
//! with the header padded to 64 bytes as the format asks. It is written here and not taken from a crate because a launch
//! needs the bytes of elements of any type, not Rust values of one, and a refusal has to name what NumPy calls it.
//! Deliberately not here: Fortran order, big-endian, object, structured, complex and text elements.

use std::fmt;
use std::path::Path;
use std::{fs, io};

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// `b`: 0 or 1.
    Bool,
    /// `i`.
    Signed,
    /// `u`.
    Unsigned,
    /// `f`.
    Float,
}

/// Type of an element: what NumPy calls its `descr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementType {
    /// What it is.
    pub kind: ElementKind,
    /// Bytes: 1, 2, 4 or 8.
    pub bytes: u32,
}

impl ElementType {
    /// A type; its size is not checked.
    pub const fn new(kind: ElementKind, bytes: u32) -> Self {
        Self { kind, bytes }
    }

    fn parse(descr: &str) -> Result<Self, NpyError> {
        let unsupported = || NpyError::Element { descr: descr.to_owned() };
        let mut letters = descr.chars();
        let (order, kind) = (letters.next(), letters.next());
        if order == Some('>') {
            return Err(NpyError::BigEndian { descr: descr.to_owned() });
        }
        let kind = match kind {
            Some('b') => ElementKind::Bool,
            Some('i') => ElementKind::Signed,
            Some('u') => ElementKind::Unsigned,
            Some('f') => ElementKind::Float,
            Some('O') => return Err(NpyError::Object),
            Some(_) | None => return Err(unsupported()),
        };
        let bytes: u32 = letters.as_str().parse().map_err(|_| unsupported())?;
        let is_known = match kind {
            ElementKind::Bool => bytes == 1,
            ElementKind::Signed | ElementKind::Unsigned => matches!(bytes, 1 | 2 | 4 | 8),
            ElementKind::Float => matches!(bytes, 2 | 4 | 8),
        };
        let order_fits = matches!(order, Some('<' | '=')) || (order == Some('|') && bytes == 1);
        if is_known && order_fits { Ok(Self { kind, bytes }) } else { Err(unsupported()) }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = if self.bytes == 1 { '|' } else { '<' };
        let kind = match self.kind {
            ElementKind::Bool => 'b',
            ElementKind::Signed => 'i',
            ElementKind::Unsigned => 'u',
            ElementKind::Float => 'f',
        };
        write!(f, "{order}{kind}{}", self.bytes)
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Type of an element.
    pub ty: ElementType,
    /// Extents, the slowest axis first; none for a single element.
    pub shape: Vec<u64>,
    /// The elements, little-endian, in C order.
    pub data: Vec<u8>,
}

/// Why a file is not an array that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpyError {
    /// No bytes at all.
    #[error("the file is empty")]
    Empty,
    /// Other bytes at its start.
    #[error("not a .npy file: it doesn't begin with `\\x93NUMPY`")]
    Magic,
    /// A version that is not known.
    #[error("version {major}.{minor} of the format; known are 1, 2 and 3")]
    Version {
        /// Before the dot.
        major: u8,
        /// After it.
        minor: u8,
    },
    /// The file ends in its header.
    #[error("the file ends within its header")]
    ShortHeader,
    /// A header that is not as the format says.
    #[error("a header that can't be read: {what} in `{header}`")]
    Header {
        /// What is wrong.
        what: &'static str,
        /// Its text.
        header: String,
    },
    /// Columns first.
    #[error("the array is in Fortran order")]
    FortranOrder,
    /// Big-endian elements.
    #[error("big-endian elements (`{descr}`)")]
    BigEndian {
        /// As the file says.
        descr: String,
    },
    /// Python objects.
    #[error("elements that are Python objects")]
    Object,
    /// Records.
    #[error("structured elements")]
    Structured,
    /// Another type of element.
    #[error("elements of type `{descr}`")]
    Element {
        /// As the file says.
        descr: String,
    },
    /// Fewer or more bytes than the shape says.
    #[error("{} of elements, but the shape {} of `{ty}` takes {expected}", crate::diag::count(*met, "byte"), shape_text(.shape))]
    Size {
        /// The type.
        ty: ElementType,
        /// The shape.
        shape: Vec<u64>,
        /// Bytes that it takes.
        expected: u128,
        /// Bytes behind the header.
        met: usize,
    },
}

impl NpyError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Empty | Self::Magic | Self::Version { .. } | Self::ShortHeader | Self::Header { .. } => {
                "write the file with `numpy.save(path, array)`"
            }
            Self::FortranOrder => "save `numpy.ascontiguousarray(array)`",
            Self::BigEndian { .. } => "save `array.astype(array.dtype.newbyteorder('<'))`",
            Self::Object | Self::Structured | Self::Element { .. } => {
                "elements are bool, integers of 8 to 64 bits, or f16, f32, f64; save bf16 and fp8 as their raw unsigned bits"
            }
            Self::Size { .. } => "the file was cut off or has something behind the array: write it again",
        }
    }
}

/// `(3, 4)` as Python writes it.
pub fn shape_text(shape: &[u64]) -> String {
    let axes: Vec<_> = shape.iter().map(u64::to_string).collect();
    if let [only] = axes.as_slice() { format!("({only},)") } else { format!("({})", axes.join(", ")) }
}

impl Array {
    /// Elements.
    pub fn len(&self) -> u64 {
        self.data.len() as u64 / u64::from(self.ty.bytes)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The bits of an element in a word.
    pub fn bits(&self, element: u64) -> u64 {
        let size = self.ty.bytes as usize;
        let start = element as usize * size;
        self.data[start..start + size].iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// It is no `.npy` file, or one of a kind that is not read.
    pub fn parse(file: &[u8]) -> Result<Self, NpyError> {
        if file.is_empty() {
            return Err(NpyError::Empty);
        }
        let rest = file.strip_prefix(MAGIC).ok_or(NpyError::Magic)?;
        let (&[major, minor], rest) = rest.split_first_chunk::<2>().ok_or(NpyError::ShortHeader)?;
        let (bytes, rest) = match major {
            1 => {
                let (length, rest) = rest.split_first_chunk::<2>().ok_or(NpyError::ShortHeader)?;
                (usize::from(u16::from_le_bytes(*length)), rest)
            }
            2 | 3 => {
                let (length, rest) = rest.split_first_chunk::<4>().ok_or(NpyError::ShortHeader)?;
                (u32::from_le_bytes(*length) as usize, rest)
            }
            _ => return Err(NpyError::Version { major, minor }),
        };
        let (header, data) = rest.split_at_checked(bytes).ok_or(NpyError::ShortHeader)?;
        let (ty, shape) = Header::parse(&String::from_utf8_lossy(header))?;
        let elements = shape.iter().try_fold(1_u128, |product, &extent| product.checked_mul(extent.into()));
        let expected =
            elements.and_then(|elements| elements.checked_mul(ty.bytes.into())).unwrap_or(u128::MAX);
        if expected != data.len() as u128 {
            return Err(NpyError::Size { ty, shape, expected, met: data.len() });
        }
        Ok(Self { ty, shape, data: data.to_vec() })
    }

    /// The bytes of a file of version 1.0.
    pub fn to_file(&self) -> Vec<u8> {
        let mut header = format!(
            "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
            self.ty,
            shape_text(&self.shape)
        );
        // Magic, version and length stand before it, a line break ends it, and together they fill whole 64 bytes.
        let unpadded = MAGIC.len() + 4 + header.len() + 1;
        header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
        header.push('\n');
        let mut file = Vec::with_capacity(MAGIC.len() + 4 + header.len() + self.data.len());
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&[1, 0]);
        // A shape has at most a few axes of 20 digits.
        file.extend_from_slice(&(header.len() as u16).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(&self.data);
        file
    }
}

/// Puts a file in its place in one step: what was there before stays whole until all is written.
///
/// # Errors
/// The folder can't be written.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    // What a link leads to is replaced, not the link.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let aside = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let written = fs::write(&aside, contents).and_then(|()| fs::rename(&aside, path));
    if written.is_err() {
        // What is left aside is of no use; that it can't be removed changes nothing about the error.
        let _ = fs::remove_file(&aside);
    }
    written
}

/// Reads the dictionary of a header.
struct Header<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Header<'a> {
    fn parse(text: &'a str) -> Result<(ElementType, Vec<u64>), NpyError> {
        let mut header = Self { text, rest: text.trim_end() };
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        header.take('{', "no `{` at the start")?;
        while !header.eat('}') {
            let key = header.string()?;
            header.take(':', "no `:` behind a key")?;
            match key {
                "descr" if header.eat('[') => return Err(NpyError::Structured),
                "descr" => descr = Some(header.string()?),
                "fortran_order" => fortran = Some(header.flag()?),
                "shape" => shape = Some(header.shape()?),
                _ => return Err(header.error("an unknown key")),
            }
            if !header.eat(',') && !header.rest.trim_start().starts_with('}') {
                return Err(header.error("no `,` behind a value"));
            }
        }
        if !header.rest.trim().is_empty() {
            return Err(header.error("text behind the dictionary"));
        }
        let missing = |what| NpyError::Header { what, header: shown(text) };
        let ty = ElementType::parse(descr.ok_or(missing("no `descr`"))?)?;
        let shape = shape.ok_or(missing("no `shape`"))?;
        match fortran.ok_or(missing("no `fortran_order`"))? {
            true => Err(NpyError::FortranOrder),
            false => Ok((ty, shape)),
        }
    }

    fn error(&self, what: &'static str) -> NpyError {
        NpyError::Header { what, header: shown(self.text) }
    }

    fn eat(&mut self, wanted: char) -> bool {
        let rest = self.rest.trim_start().strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take(&mut self, wanted: char, what: &'static str) -> Result<(), NpyError> {
        if self.eat(wanted) { Ok(()) } else { Err(self.error(what)) }
    }

    fn string(&mut self) -> Result<&'a str, NpyError> {
        let quote = if self.eat('\'') { '\'' } else { '"' };
        if quote == '"' {
            self.take('"', "no string where one belongs")?;
        }
        let Some((string, rest)) = self.rest.split_once(quote) else {
            return Err(self.error("a string without end"));
        };
        self.rest = rest;
        Ok(string)
    }

    fn flag(&mut self) -> Result<bool, NpyError> {
        let rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(self.error("neither `True` nor `False`"))
    }

    fn shape(&mut self) -> Result<Vec<u64>, NpyError> {
        self.take('(', "no `(` before the shape")?;
        let mut shape = Vec::new();
        while !self.eat(')') {
            let rest = self.rest.trim_start();
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let extent = rest[..digits].parse().map_err(|_| self.error("an extent that is no number"))?;
            shape.push(extent);
            // Python 2 wrote long integers with an `L`.
            self.rest = rest[digits..].strip_prefix('L').unwrap_or(&rest[digits..]);
            if !self.eat(',') && !self.rest.trim_start().starts_with(')') {
                return Err(self.error("a shape without end"));
            }
        }
        Ok(shape)
    }
}

/// The start of a header, which may be anything, for a message.
fn shown(text: &str) -> String {
    text.trim().chars().take(120).map(|c| if c.is_control() { '·' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend([version, 0]);
        if version == 1 {
            file.extend((header.len() as u16).to_le_bytes());
        } else {
            file.extend((header.len() as u32).to_le_bytes());
        }
        file.extend(header.as_bytes());
        file.extend(data);
        file
    }

    fn header(descr: &str, fortran: &str, shape: &str) -> String {
        format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}    \n")
    }

    #[test]
    fn every_version_is_read() {
        for version in 1..=3 {
            let text = header("'<f4'", "False", "(2, 1)");
            let array = Array::parse(&file(version, &text, &[1, 2, 3, 4, 5, 6, 7, 8])).unwrap();
            assert_eq!(
                (array.ty.to_string().as_str(), &array.shape[..], array.len()),
                ("<f4", &[2, 1][..], 2)
            );
            assert_eq!(array.bits(1), 0x0807_0605);
        }
        let scalar = Array::parse(&file(1, &header("'|u1'", "False", "()"), &[9])).unwrap();
        assert_eq!((scalar.len(), scalar.shape.len()), (1, 0));
        let none = Array::parse(&file(1, &header("'<i8'", "False", "(3, 0)"), &[])).unwrap();
        assert!(none.is_empty());
    }

    #[test]
    fn what_is_not_read_is_named() {
        let of = |descr, fortran, shape| Array::parse(&file(1, &header(descr, fortran, shape), &[0; 8]));
        for (got, said) in [
            (Array::parse(&[]), "the file is empty"),
            (Array::parse(b"PK\x03\x04"), "not a .npy file"),
            (Array::parse(&MAGIC[..]), "ends within its header"),
            (Array::parse(&file(9, "{}", &[])), "version 9.0"),
            (Array::parse(&file(1, "{}", &[])), "no `descr`"),
            (Array::parse(&file(1, "\u{1}nonsense", &[])), "no `{` at the start in `·nonsense`"),
            (Array::parse(&file(2, "{'descr': '<f4'", &[])), "no `,` behind a value"),
            (of("'<f4'", "True", "(2,)"), "Fortran order"),
            (of("'>f4'", "False", "(2,)"), "big-endian elements (`>f4`)"),
            (of("'|O'", "False", "(1,)"), "Python objects"),
            (of("[('x', '<f4')]", "False", "(2,)"), "structured elements"),
            (of("'<c8'", "False", "(1,)"), "elements of type `<c8`"),
            (of("'<U2'", "False", "(1,)"), "elements of type `<U2`"),
            (of("'<f4'", "Maybe", "(2,)"), "neither `True` nor `False`"),
            (of("'<f4'", "False", "(2"), "an extent that is no number"),
            (of("'<f4'", "False", "(2 2)"), "a shape without end"),
            (of("'<f4'", "False", "(-2,)"), "an extent that is no number"),
            (of("'<f4'", "False", "(3,)"), "8 bytes of elements, but the shape (3,) of `<f4` takes 12"),
            (of("'<f4'", "False", "(1,)"), "8 bytes of elements, but the shape (1,) of `<f4` takes 4"),
            (of("'<f8'", "False", "(18446744073709551615, 18446744073709551615)"), "8 bytes of elements"),
        ] {
            let error = got.unwrap_err();
            assert!(error.to_string().contains(said), "`{said}`: {error}");
            assert!(!error.help().is_empty());
        }
    }

    #[test]
    fn a_file_replaces_another_in_one_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("z.npy");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left aside");
        assert!(write_whole(&folder.path().join("none/z.npy"), b"").is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(kind in 0..4_usize, size in 0..4_u32, shape in prop::collection::vec(0..5_u64, 0..4)) {
            let kind = [ElementKind::Bool, ElementKind::Signed, ElementKind::Unsigned, ElementKind::Float][kind];
            let bytes = match kind {
                ElementKind::Bool => 1,
                ElementKind::Float => 2 << size.min(2),
                ElementKind::Signed | ElementKind::Unsigned => 1 << size,
            };
            let ty = ElementType::new(kind, bytes);
            let data = (0..shape.iter().product::<u64>() * u64::from(bytes)).map(|at| at as u8).collect();
            let array = Array { ty, shape, data };
            let file = array.to_file();
            prop_assert_eq!((file.len() - array.data.len()) % 64, 0);
            prop_assert_eq!(Array::parse(&file), Ok(array));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), version in 1..4_u8) {
            let _ = Array::parse(&bytes);
            let _ = Array::parse(&file(version, &String::from_utf8_lossy(&bytes), &bytes));
        }
    }
}
