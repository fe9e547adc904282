//! Binary floating-point formats as data.
//!
//! A format is a sign bit (or none), an exponent field and a mantissa field, and what the largest and the smallest
//! exponent mean. Deliberately not here: which storage type has which format, and what its conversions do beyond the
//! largest number (`storage`).

/// What the largest exponent encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Specials {
    /// Infinity where the mantissa is 0, else NaN: the IEEE interchange formats.
    Ieee,
    /// NaN where the mantissa is all ones, else ordinary numbers; there is no infinity (e4m3).
    NanOnly,
    /// Ordinary numbers only (e2m3, e3m2, e2m1).
    None,
}

/// A binary floating-point format of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Width of the exponent field.
    pub exponent_bits: u32,
    /// Width of the mantissa field, without the implicit bit.
    pub mantissa_bits: u32,
    /// What is subtracted from the exponent field.
    pub bias: i32,
    /// What the largest exponent encodes.
    pub specials: Specials,
    /// Whether a sign bit stands above the exponent.
    pub is_signed: bool,
    /// Whether the smallest exponent encodes zero and subnormals; without them it is one more power of two (e8m0).
    pub has_zero: bool,
}

impl Format {
    /// IEEE binary16.
    pub const F16: Self = Self::ieee(5, 10);
    /// The upper half of a binary32.
    pub const BF16: Self = Self::ieee(8, 7);
    /// IEEE binary32.
    pub const F32: Self = Self::ieee(8, 23);
    /// IEEE binary64.
    pub const F64: Self = Self::ieee(11, 52);

    const fn ieee(exponent_bits: u32, mantissa_bits: u32) -> Self {
        let bias = (1 << (exponent_bits - 1)) - 1;
        Self { exponent_bits, mantissa_bits, bias, specials: Specials::Ieee, is_signed: true, has_zero: true }
    }

    /// Width in bits, the sign included.
    #[inline]
    pub const fn width(self) -> u32 {
        self.is_signed as u32 + self.exponent_bits + self.mantissa_bits
    }

    /// The sign bit; nothing in a format without one.
    #[inline]
    pub const fn sign_mask(self) -> u64 {
        (self.is_signed as u64) << (self.exponent_bits + self.mantissa_bits)
    }

    /// Exponent and mantissa.
    #[inline]
    pub const fn magnitude_mask(self) -> u64 {
        (1 << (self.exponent_bits + self.mantissa_bits)) - 1
    }

    /// The mantissa field.
    #[inline]
    pub const fn mantissa_mask(self) -> u64 {
        (1 << self.mantissa_bits) - 1
    }

    /// The bit that stands above the mantissa of a normal number.
    #[inline]
    pub const fn implicit_bit(self) -> u64 {
        1 << self.mantissa_bits
    }

    /// The exponent of the last place of the smallest numbers: a subnormal is its mantissa times 2 to this.
    #[inline]
    pub const fn least_exponent(self) -> i32 {
        1 - self.bias - self.mantissa_bits as i32
    }

    /// +∞, where the format has one.
    #[inline]
    pub const fn infinity(self) -> Option<u64> {
        match self.specials {
            Specials::Ieee => Some(self.magnitude_mask() & !self.mantissa_mask()),
            Specials::NanOnly | Specials::None => None,
        }
    }

    /// The canonical NaN, where the format has one: sign 0, every other bit 1.
    #[inline]
    pub const fn canonical_nan(self) -> Option<u64> {
        match self.specials {
            Specials::Ieee | Specials::NanOnly => Some(self.magnitude_mask()),
            Specials::None => None,
        }
    }

    /// The largest finite number.
    #[inline]
    pub const fn max_finite(self) -> u64 {
        match self.specials {
            Specials::Ieee => (self.magnitude_mask() & !self.mantissa_mask()) - 1,
            Specials::NanOnly => self.magnitude_mask() - 1,
            Specials::None => self.magnitude_mask(),
        }
    }
}
