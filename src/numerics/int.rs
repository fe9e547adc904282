//! Integer operations: everything wraps, and nothing traps.

/// An integer type of the IR.
pub trait Int: Copy + Ord {
    /// Width in bits.
    const WIDTH: u32;

    /// The bits, zero-extended.
    fn bits(self) -> u64;
    /// The value of the low bits.
    fn of_bits(bits: u64) -> Self;

    /// `a + b`, wrapping.
    fn iadd(self, other: Self) -> Self;
    /// `a − b`, wrapping.
    fn isub(self, other: Self) -> Self;
    /// `a · b`, the low half.
    fn imul(self, other: Self) -> Self;
    /// `a · b`, the high half, as signed as the type is.
    fn imul_hi(self, other: Self) -> Self;
    /// `a / b` toward zero; all ones for `b = 0`; MIN for MIN / −1.
    fn idiv(self, other: Self) -> Self;
    /// The remainder with the sign of `a`; `a` for `b = 0`; 0 for MIN % −1.
    fn irem(self, other: Self) -> Self;
    /// The smaller.
    fn imin(self, other: Self) -> Self;
    /// The larger.
    fn imax(self, other: Self) -> Self;
    /// `−a`, wrapping: MIN stays.
    fn ineg(self) -> Self;
    /// `|a|`, wrapping: MIN stays.
    fn iabs(self) -> Self;

    /// `a << count`; 0 from the width on. A count is unsigned: pass the [`bits`](Self::bits) of its own type.
    fn ishl(self, count: u64) -> Self;
    /// `a >> count`, arithmetic for signed types; from the width on 0, or the sign in every bit.
    fn ishr(self, count: u64) -> Self;

    /// How many bits are 1.
    fn ipopcount(self) -> u32;
    /// How many bits above the highest 1; the width for 0.
    fn iclz(self) -> u32;
    /// How many bits below the lowest 1; the width for 0.
    fn ictz(self) -> u32;
}

macro_rules! int {
    ($int:ident, $unsigned:ident, $wide:ident, $abs:expr) => {
        impl Int for $int {
            const WIDTH: u32 = $int::BITS;

            #[inline]
            fn bits(self) -> u64 {
                self as $unsigned as u64
            }

            #[inline]
            fn of_bits(bits: u64) -> Self {
                bits as $int
            }

            #[inline]
            fn iadd(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn isub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline]
            fn imul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline]
            fn imul_hi(self, other: Self) -> Self {
                ((self as $wide * other as $wide) >> Self::WIDTH) as $int
            }

            #[inline]
            fn idiv(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }

            #[inline]
            fn irem(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_rem(other) }
            }

            #[inline]
            fn imin(self, other: Self) -> Self {
                self.min(other)
            }

            #[inline]
            fn imax(self, other: Self) -> Self {
                self.max(other)
            }

            #[inline]
            fn ineg(self) -> Self {
                self.wrapping_neg()
            }

            #[inline]
            fn iabs(self) -> Self {
                $abs(self)
            }

            #[inline]
            fn ishl(self, count: u64) -> Self {
                let shifted = self.wrapping_shl(count as u32);
                if count < Self::WIDTH as u64 { shifted } else { 0 }
            }

            #[inline]
            fn ishr(self, count: u64) -> Self {
                let shifted = self.wrapping_shr(count as u32);
                // Past the width: one place at a time, the sign comes down to every bit, or 0 does.
                if count < Self::WIDTH as u64 { shifted } else { (self >> (Self::WIDTH - 1)) >> 1 }
            }

            #[inline]
            fn ipopcount(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn iclz(self) -> u32 {
                self.leading_zeros()
            }

            #[inline]
            fn ictz(self) -> u32 {
                self.trailing_zeros()
            }
        }
    };
}

int!(i8, u8, i16, i8::wrapping_abs);
int!(i16, u16, i32, i16::wrapping_abs);
int!(i32, u32, i64, i32::wrapping_abs);
int!(i64, u64, i128, i64::wrapping_abs);
int!(u8, u8, u16, std::convert::identity);
int!(u16, u16, u32, std::convert::identity);
int!(u32, u32, u64, std::convert::identity);
int!(u64, u64, u128, std::convert::identity);
