//! What an instruction does: floating-point operations, and bytes that it moves.
//!
//! Entry: a checked instruction. Exit: numbers for one lane; those of a matrix product are the warp's, divided by its 32
//! lanes. An addition, a multiplication, a division, a root and a transcendental count 1, a fused multiply-add 2, packed
//! forms twice that, a matrix product 2·m·n·k, whatever its types. Comparisons, minima, conversions and moves count 0.

use super::memory::moved;
use super::place::opcode;
use crate::ptx::isa::Inst;

/// Lanes of a warp.
const LANES: f64 = 32.0;

/// Operations and bytes of one thread, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Work {
    /// Instructions.
    pub instructions: f64,
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes asked of global memory.
    pub global_bytes: f64,
    /// Bytes asked of shared memory.
    pub shared_bytes: f64,
}

impl Work {
    /// That of one lane that executes an instruction once.
    pub(super) fn of(inst: &Inst) -> Self {
        let moved = moved(inst).unwrap_or_default();
        Self {
            instructions: 1.0,
            flops: flops(&opcode(inst)),
            global_bytes: f64::from(moved.global),
            shared_bytes: f64::from(moved.shared),
        }
    }

    /// Both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            instructions: self.instructions + other.instructions,
            flops: self.flops + other.flops,
            global_bytes: self.global_bytes + other.global_bytes,
            shared_bytes: self.shared_bytes + other.shared_bytes,
        }
    }

    /// Operations for each byte asked of global memory; `None` where none is.
    pub fn intensity(&self) -> Option<f64> {
        (self.global_bytes > 0.0).then(|| self.flops / self.global_bytes)
    }
}

/// Floating-point operations of one lane that executes an opcode.
pub(super) fn flops(opcode: &str) -> f64 {
    let mut parts = opcode.split('.');
    let word = parts.next().unwrap_or_default();
    if matches!(word, "mma" | "wgmma") {
        return parts.find_map(shape).map_or(0.0, |[m, n, k]| 2.0 * m * n * k / LANES);
    }
    let ty = opcode.rsplit('.').next().unwrap_or_default();
    let is_float = ty.starts_with('f') || ty.starts_with("bf") || ty.starts_with("tf");
    let one = match word {
        "add" | "sub" | "mul" | "div" | "sqrt" | "rcp" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh" => {
            1.0
        }
        "fma" | "mad" => 2.0,
        "atom" | "red" if opcode.contains(".add") => 1.0,
        _moves_or_compares => 0.0,
    };
    let packed = if ty.ends_with("x2") { 2.0 } else { 1.0 };
    // Of what counts only atomics have vectors.
    let vector = parts.find_map(|part| part.strip_prefix('v')?.parse::<u32>().ok()).map_or(1.0, f64::from);
    if is_float { one * packed * vector } else { 0.0 }
}

/// `m16n8k16` in numbers.
fn shape(part: &str) -> Option<[f64; 3]> {
    let (m, rest) = part.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    let number = |text: &str| text.parse::<u32>().ok().map(f64::from);
    Some([number(m)?, number(n)?, number(k)?])
}
