//! Seeded faults of the families that work on rows: norms, gates, embeddings, rotations, waves, exponentials.

use warpsmith::corpus::Verdict;
use warpsmith::ptx::isa::modifier::{DivPrecision, Space};
use warpsmith::ptx::isa::{AddFloat, Op, SubFloat};

use super::edit::{self, break_inst};
use super::{caught, only_the_bits_tell, seed};

/// The sum of what a difference subtracts.
fn sum(row: &SubFloat) -> AddFloat {
    AddFloat { round: row.round, ftz: row.ftz, sat: row.sat, ty: row.ty, dst: row.dst, a: row.a, b: row.b }
}

#[test]
fn fault_norm_distance() {
    // The mean is added where it is subtracted, in the walk that makes the variance and not in the last.
    let reports = seed("layer_norm_on_many_row<f32>", |module| {
        break_inst(module, |inst| {
            let Op::SubFloat(row) = &inst.op else { return false };
            inst.op = sum(row).into();
            true
        });
    });
    caught(
        reports,
        Verdict::Mismatch,
        &["`out` differs from the oracle", "`out` differs from the reference"],
    );
}

#[test]
fn fault_rowwise_division() {
    let reports = seed("row_softmax_on_tail<f32>", |module| {
        break_inst(module, |inst| match &mut inst.op {
            Op::DivFloat(row) if row.precision == DivPrecision::Rn => {
                row.precision = DivPrecision::Rz;
                true
            }
            _ => false,
        });
    });
    only_the_bits_tell(&reports);
    caught(reports, Verdict::Mismatch, &["`out` differs from the oracle"]);
}

#[test]
fn fault_gated_operands_exchanged() {
    // A gate is symmetric in nothing but its shape.
    let reports = seed("swiglu_on_halves_tail<f32>", |module| {
        let bases = edit::global_loads(&module.entries[0]);
        assert_eq!(bases.len(), 2, "two operands");
        let mut number = 0;
        break_inst(module, |inst| {
            let Op::Ld(row) = &mut inst.op else { return false };
            if row.space != Some(Space::Global) {
                return false;
            }
            number += 1;
            // The first reads the second's element too.
            row.addr.base = bases[1];
            number == 1
        });
        // Its address is computed behind it, so it has to come after.
        let body = &mut module.entries[0].body;
        let loads =
            edit::positions(body, |inst| matches!(&inst.op, Op::Ld(row) if row.space == Some(Space::Global)));
        let first = body.remove(loads[0]);
        body.insert(loads[1], first);
    });
    caught(
        reports,
        Verdict::Mismatch,
        &["`out` differs from the oracle", "`out` differs from the reference"],
    );
}

#[test]
fn fault_rope_turns_the_other_way() {
    // The last difference is that of the two products: as a sum it mirrors instead of turning.
    let reports = seed("rope_halves_far_many_row<f32>", |module| {
        let is_difference = |op: &Op| matches!(op, Op::SubFloat(_));
        let count = edit::positions(&module.entries[0].body, |inst| is_difference(&inst.op)).len();
        let mut number = 0;
        break_inst(module, |inst| {
            let Op::SubFloat(row) = &inst.op else { return false };
            number += 1;
            if number < count {
                return false;
            }
            inst.op = sum(row).into();
            true
        });
    });
    caught(
        reports,
        Verdict::Mismatch,
        &["`out` differs from the oracle", "`out` differs from the reference"],
    );
}

#[test]
fn fault_embedding_unguarded_load() {
    let reports = seed("token_embedding_out_of_range<f32>", |module| {
        break_inst(module, |inst| {
            let is_guarded = matches!(inst.op, Op::Ld(_)) && inst.guard.is_some();
            if is_guarded {
                inst.guard = None;
            }
            is_guarded
        });
    });
    caught(reports, Verdict::Error, &["out of bounds: load of 4 bytes"]);
}

#[test]
fn fault_snake_short_reduction() {
    // The branch that skips the long reduction of the sine's argument is taken by everybody.
    let reports = seed("snake_hard<f32>", |module| {
        let mut number = 0;
        break_inst(module, |inst| {
            let is_branch = matches!(inst.op, Op::Bra(_)) && inst.guard.is_some();
            number += u32::from(is_branch);
            // The first leaves the kernel beyond the extent.
            if is_branch && number == 2 {
                inst.guard = None;
                return true;
            }
            false
        });
    });
    caught(
        reports,
        Verdict::Mismatch,
        &["`out` differs from the oracle", "`out` differs from the reference"],
    );
}
