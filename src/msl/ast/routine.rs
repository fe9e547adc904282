//! The functions of the prelude: MSL that is the same in every kernel that calls it.
//!
//! Each variant is a piece of `prelude/`, and they are written in the order of declaration, so that a piece stands after
//! those it calls. Adding one costs a file and a row.

/// A piece of the prelude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::msl) enum Routine {
    DivUnsigned,
    DivSigned,
    RemUnsigned,
    RemSigned,
    Trips,
    /// What the four float extrema share.
    Order,
    Min,
    Max,
    MinNan,
    MaxNan,
    FloatToInt,
    Canonical,
    IntToOdd,
    WidenBf16,
    NarrowBf16,
    FmaBf16,
}

impl Routine {
    /// The function's name; all begin alike, and `keywords` keeps that beginning from other names.
    pub(in crate::msl) fn name(self) -> &'static str {
        match self {
            Self::DivUnsigned => "warpsmith_div_unsigned",
            Self::DivSigned => "warpsmith_div_signed",
            Self::RemUnsigned => "warpsmith_rem_unsigned",
            Self::RemSigned => "warpsmith_rem_signed",
            Self::Trips => "warpsmith_trips",
            Self::Order => "warpsmith_order",
            Self::Min => "warpsmith_min",
            Self::Max => "warpsmith_max",
            Self::MinNan => "warpsmith_min_nan",
            Self::MaxNan => "warpsmith_max_nan",
            Self::FloatToInt => "warpsmith_float_to_int",
            Self::Canonical => "warpsmith_canonical",
            Self::IntToOdd => "warpsmith_int_to_odd",
            Self::WidenBf16 => "warpsmith_widen_bf16",
            Self::NarrowBf16 => "warpsmith_narrow_bf16",
            Self::FmaBf16 => "warpsmith_fma_bf16",
        }
    }

    /// Its MSL text.
    pub(in crate::msl) fn text(self) -> &'static str {
        match self {
            Self::DivUnsigned => include_str!("../prelude/div_unsigned.metal"),
            Self::DivSigned => include_str!("../prelude/div_signed.metal"),
            Self::RemUnsigned => include_str!("../prelude/rem_unsigned.metal"),
            Self::RemSigned => include_str!("../prelude/rem_signed.metal"),
            Self::Trips => include_str!("../prelude/trips.metal"),
            Self::Order => include_str!("../prelude/order.metal"),
            Self::Min => include_str!("../prelude/min.metal"),
            Self::Max => include_str!("../prelude/max.metal"),
            Self::MinNan => include_str!("../prelude/min_nan.metal"),
            Self::MaxNan => include_str!("../prelude/max_nan.metal"),
            Self::FloatToInt => include_str!("../prelude/float_to_int.metal"),
            Self::Canonical => include_str!("../prelude/canonical.metal"),
            Self::IntToOdd => include_str!("../prelude/int_to_odd.metal"),
            Self::WidenBf16 => include_str!("../prelude/widen_bf16.metal"),
            Self::NarrowBf16 => include_str!("../prelude/narrow_bf16.metal"),
            Self::FmaBf16 => include_str!("../prelude/fma_bf16.metal"),
        }
    }

    /// Other pieces that its text calls.
    pub(in crate::msl) fn calls(self) -> &'static [Self] {
        match self {
            Self::Min | Self::Max | Self::MinNan | Self::MaxNan => &[Self::Order],
            Self::FmaBf16 => &[Self::WidenBf16, Self::NarrowBf16],
            Self::DivUnsigned
            | Self::DivSigned
            | Self::RemUnsigned
            | Self::RemSigned
            | Self::Trips
            | Self::Order
            | Self::FloatToInt
            | Self::Canonical
            | Self::IntToOdd
            | Self::WidenBf16
            | Self::NarrowBf16 => &[],
        }
    }
}
