//! How many registers the assembler will give a thread, without the assembler.
//!
//! Entry: any body with placed labels. Exit: an [`Estimate`]: a number that is labelled as one, and the [`Features`]
//! it comes from. A linear model of a few facts: how much is live at once when loads go as early as they can (the
//! assembler's scheduler does that, to have many on their way), after what costs no register is taken out (constants
//! and parameters, which instructions read in place; values equal for the whole warp, which have a file of their own),
//! and what else was found to move the number. The constants and how they were fitted are in `model`. Deliberately not
//! here: spills, which come only where a limit of the launch is below what the body wants.

mod features;
mod home;
mod loops;
mod model;
mod schedule;
#[cfg(test)]
mod tests;

pub use features::Features;
pub use model::{FLOOR, MODEL};

use super::code::Code;
use super::liveness::{Columns, Liveness};
use crate::ptx::module::{Entry, LaunchBounds};

/// Most registers of one thread.
const MOST: u32 = 255;

/// Registers of an SM: all warps of a CTA have to find theirs there.
const REGISTERS_PER_SM: u64 = 65536;

/// An estimate of the assembler's number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Registers of 32 bits for each thread.
    pub registers: u32,
    /// What it was made from.
    pub features: Features,
}

impl Estimate {
    /// The estimate for a body.
    pub fn of(entry: &Entry) -> Self {
        let code = Code::scan(entry);
        let columns = Columns::all(&code);
        let liveness = Liveness::new(&code, &columns);
        let features = Features::new(entry, &code, &liveness);
        Self { registers: rounded(features.weighed(&MODEL), most(&entry.bounds)), features }
    }
}

/// A whole number between the least and the most that the assembler gives.
fn rounded(value: f64, most: u32) -> u32 {
    // The cast saturates, and both ends are far inside.
    (value.round().max(0.0) as u32).clamp(FLOOR, most)
}

/// What the launch bounds leave.
fn most(bounds: &LaunchBounds) -> u32 {
    let threads = bounds.required_threads.or(bounds.max_threads).map(|axes| {
        axes.iter().map(|&axis| u64::from(axis)).fold(1, u64::saturating_mul).clamp(1, REGISTERS_PER_SM)
    });
    // Registers come in eights, and warps in fours, one for each part of the SM.
    let by_launch = threads.map(|threads| (REGISTERS_PER_SM / threads.next_multiple_of(128) / 8 * 8) as u32);
    by_launch.into_iter().chain(bounds.max_registers).fold(MOST, u32::min).max(FLOOR)
}
