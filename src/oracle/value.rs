//! Lanes: one contiguous buffer per SSA value, one word per thread of the CTA.
//!
//! What holds: a value's word has the width of its dtype (a `bool` takes a byte that is 0 or 1); every thread of the
//! CTA has a word. Words of threads that are not active are leftovers and never observed: an SSA value is used only
//! where its definition's threads, or fewer, are active. So operations run over whole ranges without looking at masks,
//! and the compiler turns them into vector code.

use std::ops::Range;

use half::{bf16, f16};

use crate::entity::EntityId;
use crate::ir::{DType, Kernel, ValueId};

/// The words of one value.
#[derive(Clone, Debug)]
pub(crate) enum Lanes {
    B8(Vec<u8>),
    B16(Vec<u16>),
    B32(Vec<u32>),
    B64(Vec<u64>),
}

impl Lanes {
    /// Zeros, as wide as the type.
    pub(crate) fn new(dtype: DType, threads: usize) -> Self {
        match dtype.size() {
            1 => Self::B8(vec![0; threads]),
            2 => Self::B16(vec![0; threads]),
            4 => Self::B32(vec![0; threads]),
            _ => Self::B64(vec![0; threads]),
        }
    }

    /// Every word the low bits of `bits`.
    pub(crate) fn fill(&mut self, bits: u64) {
        match self {
            Self::B8(words) => words.fill(bits as u8),
            Self::B16(words) => words.fill(bits as u16),
            Self::B32(words) => words.fill(bits as u32),
            Self::B64(words) => words.fill(bits),
        }
    }

    const TAKEN: Self = Self::B8(Vec::new());
}

/// An unsigned integer as wide as a value.
pub(crate) trait Word: Copy + Default + Eq + 'static {
    const BYTES: usize;
    const MISMATCH: &'static str = "lanes are as wide as their value's dtype";

    fn lanes(lanes: &Lanes) -> &[Self];
    fn lanes_mut(lanes: &mut Lanes) -> &mut [Self];
    /// From little-endian bytes, `BYTES` of them.
    fn read(bytes: &[u8]) -> Self;
    fn write(self, bytes: &mut [u8]);
    /// With zeros above.
    fn widen(self) -> u64;
}

macro_rules! word {
    ($($word:ident $variant:ident),*) => {
        $(impl Word for $word {
            const BYTES: usize = size_of::<$word>();

            #[inline]
            fn lanes(lanes: &Lanes) -> &[Self] {
                let Lanes::$variant(words) = lanes else { unreachable!("{}", Self::MISMATCH) };
                words
            }

            #[inline]
            fn lanes_mut(lanes: &mut Lanes) -> &mut [Self] {
                let Lanes::$variant(words) = lanes else { unreachable!("{}", Self::MISMATCH) };
                words
            }

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("the slice has BYTES bytes"))
            }

            #[inline]
            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn widen(self) -> u64 {
                self as u64
            }
        })*
    };
}

word!(u8 B8, u16 B16, u32 B32, u64 B64);

/// A Rust type that a dtype's words stand for.
pub(crate) trait Scalar: Copy {
    type Word: Word;
    fn of(word: Self::Word) -> Self;
    fn word(self) -> Self::Word;
}

macro_rules! scalar {
    ($($scalar:ident: $word:ident, |$w:ident| $of:expr, |$s:ident| $to:expr;)*) => {
        $(impl Scalar for $scalar {
            type Word = $word;
            #[inline]
            fn of($w: $word) -> Self {
                $of
            }
            #[inline]
            fn word(self) -> $word {
                let $s = self;
                $to
            }
        })*
    };
}

scalar! {
    bool: u8, |w| w != 0, |s| s as u8;
    i8: u8, |w| w as i8, |s| s as u8;
    i16: u16, |w| w as i16, |s| s as u16;
    i32: u32, |w| w as i32, |s| s as u32;
    i64: u64, |w| w as i64, |s| s as u64;
    u8: u8, |w| w, |s| s;
    u16: u16, |w| w, |s| s;
    u32: u32, |w| w, |s| s;
    u64: u64, |w| w, |s| s;
    f16: u16, |w| f16::from_bits(w), |s| s.to_bits();
    bf16: u16, |w| bf16::from_bits(w), |s| s.to_bits();
    f32: u32, |w| f32::from_bits(w), |s| s.to_bits();
    f64: u64, |w| f64::from_bits(w), |s| s.to_bits();
}

/// Runs `$body` with `$T` standing for the Rust type of an integer dtype; `$other` for any other dtype.
macro_rules! with_int {
    ($dtype:expr, $T:ident => $body:expr, $other:expr) => {
        match $dtype {
            $crate::ir::DType::I8 => {
                type $T = i8;
                $body
            }
            $crate::ir::DType::I16 => {
                type $T = i16;
                $body
            }
            $crate::ir::DType::I32 => {
                type $T = i32;
                $body
            }
            $crate::ir::DType::I64 => {
                type $T = i64;
                $body
            }
            $crate::ir::DType::U8 => {
                type $T = u8;
                $body
            }
            $crate::ir::DType::U16 => {
                type $T = u16;
                $body
            }
            $crate::ir::DType::U32 => {
                type $T = u32;
                $body
            }
            $crate::ir::DType::U64 => {
                type $T = u64;
                $body
            }
            $crate::ir::DType::Bool
            | $crate::ir::DType::F16
            | $crate::ir::DType::BF16
            | $crate::ir::DType::F32
            | $crate::ir::DType::F64
            | $crate::ir::DType::Storage(_) => $other,
        }
    };
}
pub(crate) use with_int;

/// The same for a float dtype.
macro_rules! with_float {
    ($dtype:expr, $T:ident => $body:expr, $other:expr) => {
        match $dtype {
            $crate::ir::DType::F16 => {
                type $T = half::f16;
                $body
            }
            $crate::ir::DType::BF16 => {
                type $T = half::bf16;
                $body
            }
            $crate::ir::DType::F32 => {
                type $T = f32;
                $body
            }
            $crate::ir::DType::F64 => {
                type $T = f64;
                $body
            }
            $crate::ir::DType::Bool
            | $crate::ir::DType::I8
            | $crate::ir::DType::I16
            | $crate::ir::DType::I32
            | $crate::ir::DType::I64
            | $crate::ir::DType::U8
            | $crate::ir::DType::U16
            | $crate::ir::DType::U32
            | $crate::ir::DType::U64
            | $crate::ir::DType::Storage(_) => $other,
        }
    };
}
pub(crate) use with_float;

/// The same for every dtype that has arithmetic.
macro_rules! with_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::ir::DType::Bool => { type $T = bool; $body }
            dtype => $crate::oracle::value::with_int!(dtype, $T => $body,
                $crate::oracle::value::with_float!(dtype, $T => $body,
                    unreachable!("storage formats have no arithmetic, and bool is matched above"))),
        }
    };
}
pub(crate) use with_dtype;

/// The same for the unsigned integer as wide as a dtype.
macro_rules! with_word {
    ($dtype:expr, $W:ident => $body:expr) => {
        match $dtype.size() {
            1 => {
                type $W = u8;
                $body
            }
            2 => {
                type $W = u16;
                $body
            }
            4 => {
                type $W = u32;
                $body
            }
            _ => {
                type $W = u64;
                $body
            }
        }
    };
}
pub(crate) use with_word;

/// The lanes of every value of a kernel.
#[derive(Debug)]
pub(crate) struct Registers {
    lanes: Vec<Lanes>,
}

impl Registers {
    pub(crate) fn new(kernel: &Kernel, threads: usize) -> Self {
        Self { lanes: kernel.values.values().map(|value| Lanes::new(value.dtype, threads)).collect() }
    }

    /// The words of a value.
    #[inline]
    pub(crate) fn words<W: Word>(&self, value: ValueId) -> &[W] {
        W::lanes(&self.lanes[value.index()])
    }

    /// The words of a value, to write.
    #[inline]
    pub(crate) fn words_mut<W: Word>(&mut self, value: ValueId) -> &mut [W] {
        W::lanes_mut(&mut self.lanes[value.index()])
    }

    /// The lanes of a value, whatever their width.
    pub(crate) fn lanes_mut(&mut self, value: ValueId) -> &mut Lanes {
        &mut self.lanes[value.index()]
    }

    /// Takes a value's lanes out while its operands are read; [`put`](Self::put) gives them back. Moves a pointer.
    #[inline]
    pub(crate) fn take(&mut self, value: ValueId) -> Lanes {
        std::mem::replace(&mut self.lanes[value.index()], Lanes::TAKEN)
    }

    /// Gives a value its lanes back.
    #[inline]
    pub(crate) fn put(&mut self, value: ValueId, lanes: Lanes) {
        self.lanes[value.index()] = lanes;
    }

    /// `dst = f(a)` in each lane of the range.
    #[inline]
    pub(crate) fn map<A: Scalar, R: Scalar>(
        &mut self,
        range: Range<usize>,
        dst: ValueId,
        a: ValueId,
        f: impl Fn(A) -> R,
    ) {
        let mut out = self.take(dst);
        let a = &self.words::<A::Word>(a)[range.clone()];
        for (out, &a) in R::Word::lanes_mut(&mut out)[range].iter_mut().zip(a) {
            *out = f(A::of(a)).word();
        }
        self.put(dst, out);
    }

    /// `dst = f(a, b)` in each lane of the range.
    #[inline]
    pub(crate) fn map2<A: Scalar, R: Scalar>(
        &mut self,
        range: Range<usize>,
        dst: ValueId,
        (a, b): (ValueId, ValueId),
        f: impl Fn(A, A) -> R,
    ) {
        let mut out = self.take(dst);
        let a = &self.words::<A::Word>(a)[range.clone()];
        let b = &self.words::<A::Word>(b)[range.clone()];
        for ((out, &a), &b) in R::Word::lanes_mut(&mut out)[range].iter_mut().zip(a).zip(b) {
            *out = f(A::of(a), A::of(b)).word();
        }
        self.put(dst, out);
    }

    /// `dst = f(c, a, b)` in each lane of the range.
    #[inline]
    pub(crate) fn map3<C: Scalar, A: Scalar>(
        &mut self,
        range: Range<usize>,
        dst: ValueId,
        (c, a, b): (ValueId, ValueId, ValueId),
        f: impl Fn(C, A, A) -> A,
    ) {
        let mut out = self.take(dst);
        let c = &self.words::<C::Word>(c)[range.clone()];
        let a = &self.words::<A::Word>(a)[range.clone()];
        let b = &self.words::<A::Word>(b)[range.clone()];
        for (((out, &c), &a), &b) in A::Word::lanes_mut(&mut out)[range].iter_mut().zip(c).zip(a).zip(b) {
            *out = f(C::of(c), A::of(a), A::of(b)).word();
        }
        self.put(dst, out);
    }
}
