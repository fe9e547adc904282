//! The sweep over pairs, for functions of two operands.

use rayon::prelude::*;

use crate::functions::Binary;
use crate::measure::{Found, Worst, error};
use crate::precise::Precise;

const BLOCK: u64 = 1 << 12;

/// Runs a function on its first `count` pairs.
pub(crate) fn sweep(function: &Binary, count: u64) -> Found {
    let worst = (0..count.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let inputs: Vec<(f32, f32)> = (block * BLOCK..(block + 1) * BLOCK).map(function.pair).collect();
            let mut results = vec![0f32; inputs.len()];
            (function.block)(&inputs, &mut results);
            let mut worst = Worst::default();
            for (&(x, y), &got) in inputs.iter().zip(&results) {
                let precise = |context: &mut Precise| (function.precise)(context, x, y);
                let reference = (function.reference)(f64::from(x), f64::from(y));
                worst.note(error(got, reference, precise), (x, y));
            }
            worst
        })
        .reduce(Worst::default, Worst::merge);
    Found {
        max_ulp: worst.ulps,
        worst: format!("{:08X} {:08X}", worst.input.0.to_bits(), worst.input.1.to_bits()),
        correct: worst.correct as f64 / worst.count as f64,
    }
}
