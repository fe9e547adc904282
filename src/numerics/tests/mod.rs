//! Numerics against an independent reference on big integers, exhaustively where that is possible.

mod arithmetic;
mod big;
mod bits;
mod conversions;
mod integers;
mod samples;
mod storage;
mod witnesses;
