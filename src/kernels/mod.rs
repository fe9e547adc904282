//! Kernels, each family in a folder: what it computes (`mod.rs`), the kernel, a plain reference, and its cases.
//!
//! Tolerances stand beside the cases with the reason for the number. References are plain Rust on the inputs as the
//! dtype rounded them; `rounding`, `activations` and `folds` are what they share, and those share nothing with the code
//! that they judge.

mod activations;
pub mod approximate;
pub mod atomics;
pub mod control;
pub mod elementwise;
pub mod embedding;
mod folds;
pub mod gated;
pub mod gemm;
pub mod memory;
pub mod mma;
pub mod norm;
pub mod quantise;
pub mod reduce;
pub mod rope;
mod rounding;
pub mod rowwise;
pub mod scan;
pub mod shared_memory;
pub mod snake;
pub mod softmax;
pub mod sort;
pub mod tiles;
pub mod transcendental;
pub mod tuned;
pub mod warp;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::case::{TestEntry, tests};

    fn ours() -> Vec<&'static TestEntry> {
        tests().into_iter().filter(|entry| entry.module.starts_with("warpsmith::kernels::")).collect()
    }

    #[test]
    fn every_case_fits_a_valid_kernel_and_enough_are_different() {
        let (mut different, mut guards, mut wrong) = (BTreeSet::new(), 0, Vec::new());
        for entry in ours() {
            for &dtype in entry.dtypes {
                let named = |error: &dyn std::fmt::Display| format!("{}<{dtype}>: {error}", entry.path());
                match entry.make(dtype).check() {
                    Err(errors) => wrong.push(named(&errors)),
                    Ok(case) => {
                        if let Err(errors) = crate::ir::validate::validate(&case.kernel) {
                            wrong.extend(errors.iter().map(|error| named(&error.error)));
                        }
                        guards += usize::from(case.guard);
                        if !case.guard {
                            different.insert((case.kernel.path(), case.shape_class));
                        }
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(different.len() >= 1000 && guards >= 30, "{} cases, {guards} guards", different.len());
    }
}
