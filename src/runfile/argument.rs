//! Arguments of a launch as a user writes them: `in:x.npy`, `out:f32:1024:z.npy`, `u32:7`, `bytes:params.bin`.
//!
//! Entry: text. Exit: an [`Argument`] whose own parts are in order. Not here: whether it fits a parameter (`bind`).

use std::path::PathBuf;
use std::str::FromStr;

use crate::diag::{Code, Help};
use crate::ir::{DType, Literal, host};

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A buffer with the contents of a file.
    File {
        /// Whether the file is written when the launch has ended.
        written: bool,
        /// The file.
        path: PathBuf,
    },
    /// A buffer without contents, written to a file when the launch has ended.
    Out {
        /// Type of its elements.
        dtype: DType,
        /// Its shape.
        shape: Vec<u64>,
        /// The file.
        path: PathBuf,
    },
    /// A number.
    Scalar(Scalar),
    /// A value passed by its bytes.
    Bytes {
        /// The file that holds them.
        path: PathBuf,
    },
}

/// A number as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its type, as written.
    pub ty: ScalarArgument,
    /// Its bits.
    pub bits: u64,
}

/// Type of a number as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarArgument {
    /// A signed integer of so many bits.
    Signed(u32),
    /// An unsigned integer of so many bits.
    Unsigned(u32),
    /// So many bits of anything.
    Bits(u32),
    /// A float.
    Float(DType),
}

impl ScalarArgument {
    fn parse(name: &str) -> Option<Self> {
        if let Some(dtype) = DType::parse(name).filter(|dtype| dtype.is_float()) {
            return Some(Self::Float(dtype));
        }
        let bits = name.get(1..)?.parse().ok().filter(|bits| matches!(bits, 8 | 16 | 32 | 64))?;
        match name.as_bytes()[0] {
            b's' | b'i' => Some(Self::Signed(bits)),
            b'u' => Some(Self::Unsigned(bits)),
            b'b' => Some(Self::Bits(bits)),
            _ => None,
        }
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Signed(bits) | Self::Unsigned(bits) | Self::Bits(bits) => bits,
            Self::Float(dtype) => dtype.bits(),
        }
    }

    /// The bits of a number.
    fn value(self, text: &str) -> Result<u64, ArgumentSyntax> {
        let no_number = || ArgumentSyntax::Value { value: text.to_owned(), ty: self };
        let outside = || ArgumentSyntax::Range { value: text.to_owned(), ty: self };
        if let Self::Float(dtype) = self {
            let value: f64 = text.parse().map_err(|_| no_number())?;
            let bits = match text.parse::<f32>() {
                // By way of an f64 a decimal could be rounded twice.
                Ok(value) if dtype == DType::F32 => value.to_bits().into(),
                Ok(_) | Err(_) => host::literal_of(value, dtype).bits,
            };
            // What is too large becomes an infinity, also on the way to an f64; the word for one has no digit.
            let is_infinite = Literal::from_bits(dtype, bits).as_f64().is_some_and(f64::is_infinite);
            let is_asked_for = !text.contains(|letter: char| letter.is_ascii_digit());
            return if is_infinite && !is_asked_for { Err(outside()) } else { Ok(bits) };
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (digits, radix) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(hex) => (hex, 16),
            None => (digits, 10),
        };
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
            return Err(no_number());
        }
        let magnitude = u64::from_str_radix(digits, radix).map(i128::from).map_err(|_| outside())?;
        let value = if negative { -magnitude } else { magnitude };
        let (least, most) = self.integers();
        let is_held = (least..=most).contains(&value);
        is_held.then_some(value as u64 & (u64::MAX >> (64 - self.bits()))).ok_or_else(outside)
    }

    /// The least and the greatest integer.
    fn integers(self) -> (i128, i128) {
        let bits = self.bits();
        match self {
            Self::Signed(_) => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            Self::Unsigned(_) | Self::Bits(_) | Self::Float(_) => (0, (1_i128 << bits) - 1),
        }
    }

    /// The least and the greatest number, as text.
    fn range(self) -> String {
        match self {
            Self::Float(DType::F16) => "-65504 to 65504".to_owned(),
            Self::Float(DType::BF16) => "-3.3895314e38 to 3.3895314e38".to_owned(),
            Self::Float(DType::F32) => format!("{:?} to {:?}", f32::MIN, f32::MAX),
            Self::Float(_) => format!("{:?} to {:?}", f64::MIN, f64::MAX),
            Self::Signed(_) | Self::Unsigned(_) | Self::Bits(_) => {
                let (least, most) = self.integers();
                format!("{least} to {most}")
            }
        }
    }
}

impl std::fmt::Display for ScalarArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Signed(bits) => write!(f, "s{bits}"),
            Self::Unsigned(bits) => write!(f, "u{bits}"),
            Self::Bits(bits) => write!(f, "b{bits}"),
            Self::Float(dtype) => dtype.fmt(f),
        }
    }
}

/// Text that is no argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentSyntax {
    /// Nothing that an argument begins with.
    #[error("`{text}` is no argument")]
    Unknown {
        /// The text.
        text: String,
    },
    /// A file's name is missing.
    #[error("`{text}` names no file")]
    NoFile {
        /// The text.
        text: String,
    },
    /// A result without its shape or its file.
    #[error("`{text}` lacks a part")]
    Out {
        /// The text.
        text: String,
    },
    /// An element type that is none.
    #[error("`{name}` is no type of an element")]
    ElementType {
        /// The name.
        name: String,
    },
    /// A shape that is none.
    #[error("`{shape}` is no shape")]
    Shape {
        /// The text.
        shape: String,
    },
    /// Text that is no number of the type.
    #[error("`{value}` is no value of `{ty}`")]
    Value {
        /// The text.
        value: String,
        /// The type.
        ty: ScalarArgument,
    },
    /// A number that the type does not hold.
    #[error("`{value}` is outside of `{ty}`, which holds {}", .ty.range())]
    Range {
        /// The text.
        value: String,
        /// The type.
        ty: ScalarArgument,
    },
}

impl Help for ArgumentSyntax {
    fn code(&self) -> Code {
        Code::ArgumentSyntax
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { .. } => {
                "arguments are `in:FILE.npy`, `inout:FILE.npy`, `out:TYPE:SHAPE:FILE.npy`, `TYPE:VALUE` \
                 (u8 to u64, s8 to s64, b8 to b64, f16, bf16, f32, f64) and `bytes:FILE`"
                    .into()
            }
            Self::NoFile { .. } => "write a file's name behind the last colon".into(),
            Self::Out { .. } => "write `out:TYPE:SHAPE:FILE.npy`, as in `out:f32:32x64:y.npy`".into(),
            Self::ElementType { .. } => {
                let known: Vec<_> = DType::all().map(DType::name).collect();
                format!("types are {}", known.join(", "))
            }
            Self::Shape { .. } => "write the number of elements, or extents as in `32x64`".into(),
            Self::Value { ty: ScalarArgument::Float(_), .. } => {
                "write a decimal number, `inf` or `nan`; for given bits use `b16`, `b32` or `b64` with `0x…`"
                    .into()
            }
            Self::Value { ty, .. } => {
                format!("write digits, or `0x…`: an integer that `{ty}` holds is {}", ty.range())
            }
            Self::Range { ty: ty @ ScalarArgument::Float(_), .. } => {
                format!("write `inf` where infinity is meant; `b{}:0x…` passes bits as they are", ty.bits())
            }
            Self::Range { .. } => {
                "write a number that it holds, or a wider type if the parameter has one".into()
            }
        })
    }
}

impl FromStr for Argument {
    type Err = ArgumentSyntax;

    fn from_str(text: &str) -> Result<Self, ArgumentSyntax> {
        let unknown = || ArgumentSyntax::Unknown { text: text.to_owned() };
        let file = |path: &str| {
            let missing = || ArgumentSyntax::NoFile { text: text.to_owned() };
            Some(PathBuf::from(path)).filter(|path| path.file_name().is_some()).ok_or_else(missing)
        };
        let (kind, rest) = text.split_once(':').ok_or_else(unknown)?;
        match kind {
            "in" | "inout" => Ok(Self::File { written: kind == "inout", path: file(rest)? }),
            "bytes" => Ok(Self::Bytes { path: file(rest)? }),
            "out" => {
                let parts: Vec<_> = rest.splitn(3, ':').collect();
                let &[name, shape, path] = parts.as_slice() else {
                    return Err(ArgumentSyntax::Out { text: text.to_owned() });
                };
                // PTX's name of a signed integer serves as well as that of kernels.
                let signed = name.strip_prefix('s').map(|bits| format!("i{bits}"));
                let dtype = DType::parse(name).or_else(|| DType::parse(&signed?));
                let dtype = dtype.ok_or_else(|| ArgumentSyntax::ElementType { name: name.into() })?;
                Ok(Self::Out { dtype, shape: extents(shape)?, path: file(path)? })
            }
            _ => {
                let ty = ScalarArgument::parse(kind).ok_or_else(unknown)?;
                Ok(Self::Scalar(Scalar { ty, bits: ty.value(rest)? }))
            }
        }
    }
}

/// The extents of a shape. One that 64 bits don't hold is the largest that they do: every limit refuses it.
fn extents(shape: &str) -> Result<Vec<u64>, ArgumentSyntax> {
    let extent = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let extents = shape.split('x').map(extent).collect::<Option<_>>();
    extents.ok_or_else(|| ArgumentSyntax::Shape { shape: shape.into() })
}

impl std::fmt::Display for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File { written, path } => {
                write!(f, "{}:{}", if *written { "inout" } else { "in" }, path.display())
            }
            Self::Out { dtype, shape, path } => {
                let axes: Vec<_> = shape.iter().map(u64::to_string).collect();
                write!(f, "out:{dtype}:{}:{}", axes.join("x"), path.display())
            }
            Self::Scalar(Scalar { ty: ty @ ScalarArgument::Float(dtype), bits }) => {
                match Literal::from_bits(*dtype, *bits).as_f64() {
                    Some(value) => write!(f, "{ty}:{value}"),
                    None => write!(f, "{ty}:{bits:#x}"),
                }
            }
            Self::Scalar(Scalar { ty: ty @ ScalarArgument::Signed(width), bits }) => {
                let unused = 64 - width;
                write!(f, "{ty}:{}", (bits << unused).cast_signed() >> unused)
            }
            Self::Scalar(Scalar { ty, bits }) => write!(f, "{ty}:{bits}"),
            Self::Bytes { path } => write!(f, "bytes:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_shown_as_it_was() {
        for text in [
            "in:x.npy",
            "inout:a:b/y.npy",
            "out:f32:1024:z.npy",
            "out:e4m3:32x0:d:z.npy",
            "u8:255",
            "s64:-9223372036854775808",
            "b32:4294967295",
            "f16:1.5",
            "f32:-0",
            "f64:inf",
            "bytes:p.bin",
        ] {
            assert_eq!(text.parse::<Argument>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn numbers_have_their_bits() {
        let bits = |text: &str| match text.parse() {
            Ok(Argument::Scalar(scalar)) => scalar.bits,
            other => unreachable!("{text} is a scalar, not {other:?}"),
        };
        assert_eq!(bits("s8:-1"), 0xff);
        assert_eq!(bits("i32:-0x80000000"), 0x8000_0000);
        assert_eq!(bits("bf16:1"), 0x3f80);
        assert_eq!(bits("f32:nan") & 0x7f80_0000, 0x7f80_0000);
        assert_eq!(bits("b64:0xffffffffffffffff"), u64::MAX);
        assert_eq!(bits("f64:-0.0"), 1 << 63);
        // What rounds is fine, to 0 and to the greatest number too, and infinity where it is asked for.
        assert_eq!(bits("f16:65519"), 0x7bff);
        assert_eq!(bits("f32:1e-400"), 0);
        assert_eq!(bits("f16:inf"), 0x7c00);
        assert_eq!(bits("f32:-Infinity"), 0xff80_0000);
        assert_eq!(bits("b16:0x7c00"), 0x7c00);
        assert_eq!(bits("u8:+255"), 255);
    }

    #[test]
    fn what_is_no_argument_is_refused() {
        for (text, said) in [
            ("", "`` is no argument"),
            ("x.npy", "`x.npy` is no argument"),
            ("in:", "`in:` names no file"),
            ("inout:..", "names no file"),
            ("out:f32:4", "`out:f32:4` lacks a part"),
            ("out:f31:4:z.npy", "`f31` is no type of an element"),
            ("out:f32:4x:z.npy", "`4x` is no shape"),
            ("out:f32:-4:z.npy", "`-4` is no shape"),
            ("u8:256", "`256` is outside of `u8`, which holds 0 to 255"),
            ("u32:-1", "`-1` is outside of `u32`, which holds 0 to 4294967295"),
            ("s8:128", "`128` is outside of `s8`, which holds -128 to 127"),
            ("b8:0x100", "`0x100` is outside of `b8`, which holds 0 to 255"),
            ("u64:99999999999999999999", "is outside of `u64`, which holds 0 to 18446744073709551615"),
            ("s32:3e9", "`3e9` is no value of `s32`"),
            ("s32:", "`` is no value of `s32`"),
            ("u32:0x", "`0x` is no value of `u32`"),
            ("u32:--1", "`--1` is no value of `u32`"),
            ("f32:1e400", "`1e400` is outside of `f32`, which holds -3.4028235e38 to 3.4028235e38"),
            ("f32:-3.5e38", "`-3.5e38` is outside of `f32`"),
            ("f64:1e400", "`1e400` is outside of `f64`, which holds -1.7976931348623157e308 to"),
            ("f16:70000", "`70000` is outside of `f16`, which holds -65504 to 65504"),
            ("f16:1e400", "`1e400` is outside of `f16`"),
            ("bf16:1e39", "`1e39` is outside of `bf16`, which holds -3.3895314e38 to 3.3895314e38"),
            ("f32:one", "`one` is no value of `f32`"),
            ("u7:1", "`u7:1` is no argument"),
            ("é:1", "`é:1` is no argument"),
        ] {
            let error = text.parse::<Argument>().unwrap_err();
            assert!(error.to_string().contains(said), "{text}: {error}");
            assert!(error.help().is_some());
        }
    }
}
