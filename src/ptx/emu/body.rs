//! `body!`: turns an expression over one lane into an operation on a warp.
//!
//! Entry: a closure-like text whose arguments name the operands a, b, c, e in order with their widths. Exit: a
//! [`Bind`](super::simd::Bind) whose loop over the lanes the compiler vectorises: 32 results are computed into a
//! local array, then the lanes of the mask are written. `; flags` after the arguments gives the expression what the
//! instruction's modifiers say; `FMA` stands for the level's constant.

macro_rules! body {
    (|$a:ident: $a_ty:ty $(; $flags:ident)?| -> $out:ty $value:block) => {
        $crate::ptx::emu::body::lanes!([$a: $a_ty = a] [$($flags)?] $out, $value)
    };
    (|$a:ident: $a_ty:ty, $b:ident: $b_ty:ty $(; $flags:ident)?| -> $out:ty $value:block) => {
        $crate::ptx::emu::body::lanes!([$a: $a_ty = a, $b: $b_ty = b] [$($flags)?] $out, $value)
    };
    (|$a:ident: $a_ty:ty, $b:ident: $b_ty:ty, $c:ident: $c_ty:ty $(; $flags:ident)?| -> $out:ty $value:block) => {
        $crate::ptx::emu::body::lanes!([$a: $a_ty = a, $b: $b_ty = b, $c: $c_ty = c] [$($flags)?] $out, $value)
    };
    (|$a:ident: $a_ty:ty, $b:ident: $b_ty:ty, $c:ident: $c_ty:ty, $e:ident: $e_ty:ty $(; $flags:ident)?|
        -> $out:ty $value:block) => {
        $crate::ptx::emu::body::lanes!(
            [$a: $a_ty = a, $b: $b_ty = b, $c: $c_ty = c, $e: $e_ty = e] [$($flags)?] $out, $value)
    };
}

macro_rules! lanes {
    ([$($arg:ident: $ty:ty = $field:ident),+] [$($flags:ident)?] $out:ty, $value:block) => {{
        struct Local;

        impl $crate::ptx::emu::simd::Body for Local {
            #[inline(always)]
            #[allow(unused_variables, reason = "few operations ask for the flags")]
            fn run<const FMA: bool>(
                micro: &$crate::ptx::emu::micro::Micro,
                file: &mut $crate::ptx::emu::file::File,
                mask: u32,
            ) {
                $(let $flags = $crate::ptx::emu::micro::Flags(micro.flags);)?
                let mut out = [<$out>::default(); $crate::ptx::emu::file::LANES];
                {
                    $(let $arg = file.read::<$ty>(micro.$field);)+
                    for lane in 0..$crate::ptx::emu::file::LANES {
                        $(let $arg: $ty = $arg[lane];)+
                        out[lane] = $value;
                    }
                }
                file.write::<$out>(micro.d, &out, mask);
            }
        }

        $crate::ptx::emu::simd::Exec::of::<Local> as $crate::ptx::emu::simd::Bind
    }};
}

/// The same for a comparison: the result is a predicate, joined with predicate `c` as the flags say, and its
/// counterpart goes to predicate `e`.
macro_rules! compare {
    (|$a:ident, $b:ident: $ty:ty $(; $flags:ident)?| $value:block) => {{
        struct Local;

        impl $crate::ptx::emu::simd::Body for Local {
            #[inline(always)]
            fn run<const FMA: bool>(
                micro: &$crate::ptx::emu::micro::Micro,
                file: &mut $crate::ptx::emu::file::File,
                mask: u32,
            ) {
                $(let $flags = $crate::ptx::emu::micro::Flags(micro.flags);)?
                let ($a, $b) = (file.read::<$ty>(micro.a), file.read::<$ty>(micro.b));
                let mut bits = [0_u32; $crate::ptx::emu::file::LANES];
                for lane in 0..$crate::ptx::emu::file::LANES {
                    let ($a, $b): ($ty, $ty) = ($a[lane], $b[lane]);
                    bits[lane] = u32::from($value) << lane;
                }
                let result = bits.iter().fold(0, |all, bit| all | bit);
                $crate::ptx::emu::setp::finish(micro, file, result, mask);
            }
        }

        $crate::ptx::emu::simd::Exec::of::<Local> as $crate::ptx::emu::simd::Bind
    }};
}

pub(super) use {body, compare, lanes};
