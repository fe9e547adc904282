//! Write a GPU kernel once in Rust; get PTX for NVIDIA and MSL for Apple, each giving the same bits as a CPU
//! oracle.
//!
//! Modules stand in reading order: the floor first, then the intermediate representation, what builds it, what
//! lowers it, what judges it, and the command on top. Imports point down only; `tests/layering.rs` holds the table.

#[allow(unused_extern_crates, reason = "the macros' output names the crate, inside it too")]
extern crate self as warpsmith;

pub mod diag;
pub mod entity;
pub mod math;
pub mod numerics;
pub mod target;

pub mod backend;
pub mod driver;
pub mod dsl;
pub mod ir;
pub mod msl;
pub mod oracle;
pub mod passes;
pub mod ptx;
pub mod runfile;
pub mod runtime;
pub mod toolkit;

pub mod inspect;

pub mod case;
#[cfg(feature = "cli")]
pub mod cli;
pub mod corpus;
#[cfg(feature = "kernels")]
pub mod kernels;

/// What the macros' output names and nobody else should.
#[doc(hidden)]
pub mod __private {
    pub use inventory;
}
