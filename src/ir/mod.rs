//! The intermediate representation: structured, typed, small.
//!
//! # Meaning
//!
//! A kernel is run by every thread of a launch. Threads of a CTA share its shared arrays and meet at CTA barriers; 32
//! threads with consecutive linear indices in the CTA are a warp, whose active lanes act together in warp
//! operations. Everything that can change a bit is fixed here, and `docs/semantics.md` says it op by op: each
//! operation rounds once, to nearest even, to its own type; nothing is fused but [`op::Fma`]; a reduction has one
//! order. Threads beyond the launch's extent load 0, store nothing, are absent from warp operations, and reach every
//! CTA barrier. What has no defined result (out of bounds, uninitialised read, a race, a barrier that only some reach)
//! is an error with a location.
//!
//! # What holds
//!
//! On entry nothing: a [`Kernel`] is plain data. After [`validate`](validate::validate) says `Ok`, every backend and
//! the oracle take it without panicking. Its text form round-trips: `parse(print(k)) == k` for a
//! [`compact`](Kernel::compact) kernel.
//!
//! Deliberately not here: anything about a target's instructions.

pub mod builder;
pub mod constant;
pub mod expand;
pub mod host;
pub mod kernel;
pub mod launch;
pub mod op;
pub mod parse;
pub mod print;
pub mod range;
pub mod types;
pub mod uniformity;
pub mod validate;

mod compact;
mod lex;

pub use builder::Builder;
pub use host::{Element, HostCount, Scalar, ScalarError};
pub use kernel::{
    Array, ArrayId, ArraySpace, Inst, InstId, Kernel, Local, LocalId, Param, ParamId, ParamKind, Region,
    RegionId, Value, ValueId,
};
pub use launch::{ExtentKind, Geometry, GridForm, Launch, LaunchClass, Mode};
pub use op::{Keyword, Op};
pub use types::{DType, Literal};
