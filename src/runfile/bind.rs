//! Binds arguments to the parameters of an entry: checks each, reads its file, lays out the bytes of the launch.
//!
//! Entry: arguments that stand for themselves. Exit: as many as the entry has parameters, each of its parameter's size and
//! kind, with their files read; or an error that names the parameter as the text declares it. Not here: memory of a device.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::argument::{Argument, Scalar, ScalarArgument};
use super::error::{Mismatch, RunError};
use super::npy::{Array, ElementKind, ElementType};
use super::save::writers_path;
use crate::ir::DType;
use crate::ptx::isa::{ScalarType, TypeKind};
use crate::ptx::module::{Entry, Param};

/// Bytes of the largest buffer: its file has to be made in the host's memory.
const LARGEST: u64 = 1 << 32;

/// Bytes of the largest header of a `.npy` file.
const LARGEST_HEADER: u64 = 1 << 20;

/// A buffer of the launch.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The parameter that points to it.
    pub name: String,
    /// The file that is read or written.
    pub path: PathBuf,
    /// Whether the file is written when the launch has ended.
    pub written: bool,
    /// What the user calls its elements: a type, or what the file says.
    pub dtype: String,
    /// What a file calls its elements.
    pub ty: ElementType,
    /// Its shape.
    pub shape: Vec<u64>,
    /// What it holds before the launch; `None` for nothing.
    pub contents: Option<Vec<u8>>,
    /// Its bytes.
    pub bytes: u64,
}

/// Where a buffer's address goes among the bytes of the parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub(super) offset: usize,
    pub(super) buffer: usize,
}

/// Arguments, ready for a device.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    pub(super) buffers: Vec<Buffer>,
    /// The parameters, with zeros for addresses.
    pub(super) params: Vec<u8>,
    pub(super) pointers: Vec<Pointer>,
    /// Start and size of each parameter.
    pub(super) spans: Vec<(usize, usize)>,
}

impl Bound {
    /// The bytes of the parameters with the addresses of the buffers in them.
    pub(super) fn params_with(&self, addresses: &[u64]) -> Vec<u8> {
        let mut params = self.params.clone();
        for pointer in &self.pointers {
            let address = addresses[pointer.buffer].to_le_bytes();
            params[pointer.offset..pointer.offset + address.len()].copy_from_slice(&address);
        }
        params
    }
}

/// Binds them.
pub(super) fn bind(text: &Path, entry: &Entry, arguments: &[Argument]) -> Result<Bound, RunError> {
    if arguments.len() != entry.params.len() {
        return Err(RunError::Count {
            entry: entry.name.clone(),
            given: arguments.len(),
            declared: entry.params.values().map(Param::to_string).collect(),
        });
    }
    shared_files(text, arguments)?;
    let mut bound = Bound::default();
    for (index, (param, argument)) in entry.params.values().zip(arguments).enumerate() {
        let refuse = |problem| RunError::Argument {
            number: index + 1,
            argument: argument.to_string(),
            declaration: param.to_string(),
            problem,
        };
        let start = bound.params.len().next_multiple_of(param.alignment().max(1) as usize);
        bound.params.resize(start, 0);
        match argument {
            Argument::Scalar(scalar) => {
                fits(*scalar, param).map_err(refuse)?;
                let bytes = (scalar.ty.bits() / 8) as usize;
                bound.params.extend_from_slice(&scalar.bits.to_le_bytes()[..bytes]);
            }
            Argument::Bytes { path } => {
                let bytes = read(path, &param.name)?;
                let (given, declared) = (bytes.len() as u64, param.bytes());
                if given != declared {
                    return Err(refuse(Mismatch::Size { given, declared }));
                }
                bound.params.extend_from_slice(&bytes);
            }
            Argument::File { .. } | Argument::Out { .. } => {
                if param.bytes() != 8 || param.ty.is_float() {
                    return Err(refuse(Mismatch::NotAPointer));
                }
                bound.pointers.push(Pointer { offset: start, buffer: bound.buffers.len() });
                bound.buffers.push(buffer(param, argument)?);
                bound.params.extend_from_slice(&[0; 8]);
            }
        }
        bound.spans.push((start, bound.params.len() - start));
    }
    Ok(bound)
}

/// Refuses a file that is written and named twice: which of the two would be left is nobody's promise. The text itself counts
/// as one that is read, and beside each result a file with its writers may be written.
fn shared_files(text: &Path, arguments: &[Argument]) -> Result<(), RunError> {
    let whole = |path: &Path| {
        fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or(path.to_owned())
    };
    let mut seen: Vec<(PathBuf, bool)> = vec![(whole(text), false)];
    for argument in arguments {
        let (path, written) = match argument {
            Argument::File { written, path } => (path, *written),
            Argument::Out { path, .. } => (path, true),
            Argument::Bytes { path } => (path, false),
            Argument::Scalar(_) => continue,
        };
        let beside = written.then(|| (whole(&writers_path(path)), true));
        for (file, written) in [(whole(path), written)].into_iter().chain(beside) {
            if seen.iter().any(|(other, other_written)| *other == file && (written || *other_written)) {
                return Err(RunError::SharedFile { path: path.clone() });
            }
            seen.push((file, written));
        }
    }
    Ok(())
}

/// Reads a file that is not too large.
fn read(path: &Path, name: &str) -> Result<Vec<u8>, RunError> {
    // A pipe or a device has no length, and is read as far as it goes.
    let length = fs::metadata(path).map_or(0, |found| found.len());
    if length > LARGEST + LARGEST_HEADER {
        return Err(RunError::TooLarge { name: name.to_owned(), bytes: length.into(), limit: LARGEST });
    }
    fs::read(path).map_err(|error| RunError::Read { path: path.to_owned(), error })
}

fn buffer(param: &Param, argument: &Argument) -> Result<Buffer, RunError> {
    let name = param.name.clone();
    let (buffer, bytes) = match argument {
        Argument::Out { dtype, shape, path } => {
            let elements =
                shape.iter().try_fold(1_u128, |product, &extent| product.checked_mul(extent.into()));
            let elements = if shape.contains(&0) { Some(0) } else { elements };
            let bytes = elements.and_then(|elements| elements.checked_mul(dtype.size().into()));
            let (path, ty) = (path.clone(), element_type(*dtype));
            let (shape, dtype) = (shape.clone(), dtype.name().to_owned());
            let buffer = Buffer { name, path, written: true, dtype, ty, shape, contents: None, bytes: 0 };
            (buffer, bytes.unwrap_or(u128::MAX))
        }
        Argument::File { written, path } => {
            let array = Array::parse(&read(path, &param.name)?)
                .map_err(|error| RunError::Array { path: path.clone(), error })?;
            let (path, dtype, bytes) = (path.clone(), array.ty.to_string(), array.data.len() as u128);
            let Array { ty, shape, data } = array;
            let contents = Some(data);
            (Buffer { name, path, written: *written, dtype, ty, shape, contents, bytes: 0 }, bytes)
        }
        Argument::Scalar(_) | Argument::Bytes { .. } => {
            unreachable!("the caller hands in arguments that are buffers")
        }
    };
    match u64::try_from(bytes).ok().filter(|&bytes| bytes <= LARGEST) {
        None => Err(RunError::TooLarge { name: buffer.name, bytes, limit: LARGEST }),
        Some(bytes) => {
            if buffer.written {
                writable(&buffer.path)?;
            }
            Ok(Buffer { bytes, ..buffer })
        }
    }
}

/// Refuses before the launch what could not be written after it.
fn writable(path: &Path) -> Result<(), RunError> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    };
    let error = match fs::metadata(path) {
        Ok(found) if found.is_file() => return Ok(()),
        Ok(found) if found.is_dir() => ErrorKind::IsADirectory.into(),
        // A device or a pipe would be replaced by a file.
        Ok(_) => io::Error::new(ErrorKind::PermissionDenied, "it is no regular file"),
        Err(_) if folder.is_dir() => return Ok(()),
        Err(_) => ErrorKind::NotFound.into(),
    };
    Err(RunError::Write { path: path.to_owned(), error })
}

/// What a file calls the elements of a type: NumPy has no bf16 and no fp8, and 8- and 16-bit floats go as raw bits.
fn element_type(dtype: DType) -> ElementType {
    let kind = match dtype {
        DType::Bool => ElementKind::Bool,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => ElementKind::Signed,
        DType::F32 | DType::F64 => ElementKind::Float,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 | DType::F16 | DType::BF16 | DType::Storage(_) => {
            ElementKind::Unsigned
        }
    };
    ElementType::new(kind, dtype.size())
}

/// Whether a number may be passed for a parameter.
fn fits(scalar: Scalar, param: &Param) -> Result<(), Mismatch> {
    let (given, declared) = (u64::from(scalar.ty.bits() / 8), param.bytes());
    if given != declared {
        return Err(Mismatch::Size { given, declared });
    }
    let is_half = |dtype| matches!(dtype, DType::F16 | DType::BF16);
    let wrong = |given, declared| Err(Mismatch::Kind { given, declared });
    match (scalar.ty, param.ty.kind()) {
        // An aggregate's bytes are anything, and compilers pass half floats as 16 bits or integers.
        _ if param.array.is_some() => Ok(()),
        (ScalarArgument::Float(DType::BF16), TypeKind::Float) if param.ty == ScalarType::F16 => {
            wrong("bf16", "f16")
        }
        (ScalarArgument::Bits(_), _) | (_, TypeKind::Bits | TypeKind::Packed | TypeKind::Pred) => Ok(()),
        (ScalarArgument::Float(dtype), TypeKind::Unsigned | TypeKind::Signed) if is_half(dtype) => Ok(()),
        (ScalarArgument::Float(_), TypeKind::Float) => Ok(()),
        (ScalarArgument::Float(_), TypeKind::Unsigned | TypeKind::Signed) => wrong("a float", "an integer"),
        (ScalarArgument::Signed(_) | ScalarArgument::Unsigned(_), TypeKind::Float) => {
            wrong("an integer", "a float")
        }
        (ScalarArgument::Signed(_) | ScalarArgument::Unsigned(_), TypeKind::Unsigned | TypeKind::Signed) => {
            Ok(())
        }
    }
}
