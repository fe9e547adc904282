//! Seeded faults of the families that multiply matrices.

use warpsmith::corpus::Verdict;
use warpsmith::numerics::tensor::Element;
use warpsmith::ptx::isa::{Op, Role};

use super::edit::break_inst;
use super::{caught, seed};

#[test]
fn fault_mma_registers_exchanged() {
    // The second and third word of A, as if rows came before the depth: lanes hold the wrong elements.
    let reports = seed("half_tile_m16n8k16_f16_f32<f16>", |module| {
        break_inst(module, |inst| {
            if !matches!(inst.op, Op::Mma(_)) {
                return false;
            }
            let mut sources = Vec::new();
            inst.op.visit(|role, reg| sources.extend((role == Role::Use).then_some(reg)));
            sources.swap(1, 2);
            let mut sources = sources.into_iter();
            inst.op.visit_mut(|role, reg| {
                if role == Role::Use {
                    *reg = sources.next().expect("the walk meets the same registers again");
                }
            });
            true
        });
    });
    caught(reports, Verdict::Mismatch, &["`d` differs from the oracle", "`d` differs from the reference"]);
}

#[test]
fn fault_mma_signedness() {
    // Bytes from 128 on count as negative.
    let reports = seed("byte_tile_m16n8k32_i8_i32<u8>", |module| {
        break_inst(module, |inst| match &mut inst.op {
            Op::Mma(row) if row.form.form.a == Element::U8 => {
                row.form.form.a = Element::S8;
                true
            }
            _ => false,
        });
    });
    caught(reports, Verdict::Mismatch, &["`d` differs from the oracle", "`d` differs from the reference"]);
}

#[test]
fn fault_mma_wraps() {
    let reports = seed("byte_sat_tiles_m16n8k32_sat_u8_i32<u8>", |module| {
        break_inst(module, |inst| match &mut inst.op {
            Op::Mma(row) if row.form.form.saturates => {
                row.form.form.saturates = false;
                true
            }
            _ => false,
        });
    });
    caught(reports, Verdict::Mismatch, &["`d` differs from the oracle", "`d` differs from the reference"]);
}
