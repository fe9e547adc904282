//! The PTX emulator: runs the text that was emitted, lane by lane as hardware would, and says what is wrong with it.
//!
//! Text → [`module::parse`](crate::ptx::module::parse) → [`Program::decode`] → [`launch`]. Entry: a module that parses.
//! Exit: the bits that hardware gives, or a [`Finding`] with kernel, line, CTA and thread. The model is Volta's: each
//! lane has its own position, and lanes are ordered only by `.sync` operations that name them, barriers, and what the
//! [`Schedule`] chooses; a kernel that is right under the adversarial schedule does not lean on luck.
//!
//! Deliberately not here: timing, caches, recursion, and calls through a register; other functions run in the place of
//! their calls (see `module::expand`). A module's variables in global and constant memory hold their initial values when
//! a launch begins: what one launch stores there, the next does not see. Approximate instructions give the rounded
//! result (see `approx`).

mod access;
mod approx;
mod asynchronous;
mod atom;
mod atom_vector;
mod atomic;
mod barrier;
mod bits;
mod body;
mod cache_hint;
mod carry;
mod clock;
mod cluster;
mod config;
mod context;
mod control;
mod cp_async;
mod cp_bulk;
mod cp_tensor;
mod cta;
mod cvt;
mod cvt_narrow;
mod cvt_pack;
mod decode;
mod file;
mod finding;
mod finding_async;
mod flight;
mod float;
mod float_rare;
mod global;
mod half;
mod int;
mod int_narrow;
mod launch;
mod load_store;
mod logic;
mod matrix_move;
mod mbarrier;
mod memory;
mod memory_rare;
mod micro;
mod misc;
mod mma;
mod mov;
mod order;
mod print;
mod profile;
mod race;
#[cfg(test)]
mod race_tests;
mod random;
mod redux;
mod select;
mod setp;
mod shadow;
mod shfl;
mod simd;
mod space;
mod step;
mod survey;
#[cfg(test)]
mod survey_tests;
mod sync;
mod tensor_map;
mod transfer;
mod variables;
mod video;
mod vote;
mod warp;
mod whereabouts;
mod writer;

pub use config::{Config, LaunchConfig, Schedule, Stats};
pub use decode::{DecodeError, Program};
pub use finding::{BadAccess, Elsewhere, Finding, FindingKind, Site};
pub use finding_async::{Held, InFlight, MbarrierProblem};
pub use global::{GlobalMemory, OutsideBuffers};
pub use launch::launch;
pub use profile::{Count, Profile, ProfileLine};
pub use simd::Simd;
pub(crate) use survey::merge;
pub use survey::{Met, Survey, survey, survey_counting};
pub use tensor_map::{TensorMap, TensorMapError, TensorMapProblem};
pub use whereabouts::{Located, Whereabouts};
pub use writer::Writer;
