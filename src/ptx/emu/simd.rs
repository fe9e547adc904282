//! Which vector instructions of the host run the lanes: chosen once, when a program is decoded.
//!
//! Each lane operation is compiled for every level; [`Exec`] is a pointer to the one for the level that the host has.
//! Entry: an operation as a [`Body`], whose code is inlined into a function with the level's instructions switched
//! on. Exit: all levels give equal bits; `fma` is fused in hardware where the level has it, else computed through f64
//! rounded to odd. This is the only place of the emulator with `unsafe`: a pointer to a function that needs CPU
//! features can't be called safely, and the safe crates that wrap this dispatch per call or per loop, not once a
//! program.
#![expect(unsafe_code, reason = "calling a function compiled for CPU features that were detected before")]

use super::file::File;
use super::micro::Micro;

/// A level of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Simd(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Simd {
    /// What the target of the build has everywhere.
    pub const PORTABLE: Self = Self(Level::Portable);

    /// The levels that this host has, the best one last.
    pub fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "one level only"))]
        let mut levels = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        if has_avx2() {
            levels.push(Self(Level::Avx2));
            if has_avx512() {
                levels.push(Self(Level::Avx512));
            }
        }
        levels
    }

    /// The best level that this host has.
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::PORTABLE)
    }

    /// The level's name.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
}

/// An operation on all lanes of a warp.
pub(super) trait Body {
    /// Reads the operands, computes 32 lanes, and writes those of the mask. `FMA` says that `mul_add` is one
    /// instruction.
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32);
}

/// An operation compiled for the level that was chosen.
#[derive(Clone, Copy)]
pub(super) struct Exec(unsafe fn(&Micro, &mut File, u32));

/// Makes an [`Exec`] once the level is known.
pub(super) type Bind = fn(Simd) -> Exec;

impl Exec {
    pub(super) fn of<B: Body>(simd: Simd) -> Self {
        match simd.0 {
            Level::Portable => Self(portable::<B>),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => Self(avx2::<B>),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => Self(avx512::<B>),
        }
    }

    #[inline(always)]
    pub(super) fn call(self, micro: &Micro, file: &mut File, mask: u32) {
        // SAFETY: `of` picks a function with CPU features only for a `Simd` of that level, and such a value comes
        // from `available` alone, which has detected each of those features on this host.
        unsafe { (self.0)(micro, file, mask) }
    }
}

fn portable<B: Body>(micro: &Micro, file: &mut File, mask: u32) {
    // Every aarch64 host fuses in hardware; on other hosts without a level `mul_add` would be a library call.
    B::run::<{ cfg!(target_arch = "aarch64") }>(micro, file, mask);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<B: Body>(micro: &Micro, file: &mut File, mask: u32) {
    B::run::<true>(micro, file, mask);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx512<B: Body>(micro: &Micro, file: &mut File, mask: u32) {
    B::run::<true>(micro, file, mask);
}
