//! Types that stand for dtypes: Rust's own numbers, `half`'s, the storage formats, and a kernel's type parameters.

pub use core::primitive::{bool, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64};

pub use half::{bf16, f16};

pub use crate::numerics::{e2m1, e2m3, e3m2, e4m3, e5m2, e8m0, tf32, ue4m3};

use super::build::with;
use crate::ir::DType;

/// A type that stands for a dtype.
pub trait KernelType: Copy + 'static {
    /// The dtype; that of a type parameter is the running build's.
    fn dtype() -> DType;
}

/// The `I`-th type parameter of the kernel that is being built.
#[derive(Clone, Copy, Debug)]
pub struct Dyn<const I: u8>;

impl<const I: u8> KernelType for Dyn<I> {
    fn dtype() -> DType {
        with(|build| {
            let frame = build.frames.last().expect("a build has its own frame");
            frame.get(I as usize).copied().unwrap_or(DType::F32)
        })
    }
}

macro_rules! kernel_types {
    ($($ty:ty = $dtype:ident),*) => {$(
        impl KernelType for $ty {
            fn dtype() -> DType {
                DType::$dtype
            }
        }
    )*};
}

kernel_types!(
    bool = Bool,
    i8 = I8,
    i16 = I16,
    i32 = I32,
    i64 = I64,
    u8 = U8,
    u16 = U16,
    u32 = U32,
    u64 = U64,
    f16 = F16,
    bf16 = BF16,
    f32 = F32,
    f64 = F64,
    e4m3 = E4M3,
    e5m2 = E5M2,
    e2m3 = E2M3,
    e3m2 = E3M2,
    e2m1 = E2M1,
    e8m0 = E8M0,
    ue4m3 = UE4M3,
    tf32 = TF32
);
