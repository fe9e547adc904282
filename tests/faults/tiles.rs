//! Seeded faults of matrix products: in a factor, and in the order of a fragment's registers.

use warpsmith::corpus::Verdict;
use warpsmith::ptx::isa::Op;

use super::edit::break_inst;
use super::{caught, seed};

#[test]
fn fault_tiles_factors_of_another_sum() {
    // A sum takes the factors of the one before it.
    let reports = seed("gemm_16x16x32_ieee_tail<f32>", |module| {
        let mut first = None;
        break_inst(module, |inst| {
            let Op::Fma(row) = &mut inst.op else { return false };
            let Some((a, b)) = first else {
                first = Some((row.a, row.b));
                return false;
            };
            (row.a, row.b) = (a, b);
            true
        });
    });
    caught(reports, Verdict::Mismatch, &["`c` differs from the oracle", "`c` differs from the reference"]);
}

#[test]
fn fault_tiles_fragment_registers_exchanged() {
    // Rows and depths of A's quarters are taken for each other, as by a lane map that is wrong.
    let reports = seed("gemm_16x16x32_native_tail<f16>", |module| {
        break_inst(module, |inst| match &mut inst.op {
            Op::Mma(row) => {
                row.a.0.swap(1, 2);
                true
            }
            _ => false,
        });
    });
    caught(reports, Verdict::Mismatch, &["`c` differs from the oracle", "`c` differs from the reference"]);
}
