//! Seeded faults of the families in which lanes exchange values: warps, scans, sorting.

use warpsmith::corpus::Verdict;
use warpsmith::ptx::isa::modifier::ShflMode;
use warpsmith::ptx::isa::types::IntType;
use warpsmith::ptx::isa::{Max, Op, Shfl, Use};
use warpsmith::ptx::module::Module;

use super::edit::{self, break_inst};
use super::{caught, seed};

/// The first exchange over `from` lanes goes over `to`.
fn misdirect(module: &mut Module, mode: ShflMode, from: i64, to: i64) {
    break_inst(module, |inst| match &mut inst.op {
        Op::Shfl(Shfl { mode: found, lane: Use::Int(distance), .. })
            if *found == mode && *distance == from =>
        {
            *distance = to;
            true
        }
        _ => false,
    });
}

#[test]
fn fault_warp_mask_of_the_other_arm() {
    // Each arm is handed the lanes that took the other.
    let reports = seed("parted_fold_on_aligned<f32>", |module| {
        break_inst(module, |inst| match &mut inst.op {
            Op::Ballot(row) if row.src.reg.class() == warpsmith::ptx::isa::RegClass::Pred => {
                row.src.negated = !row.src.negated;
                true
            }
            _ => false,
        });
    });
    caught(reports, Verdict::Error, &["lanes"]);
}

#[test]
fn fault_warp_mask_of_all_rounds() {
    // Lanes that have left the loop still count.
    let reports = seed("parted_trips_on_aligned<i32>", |module| {
        let body = &mut module.entries[0].body;
        let ballots = edit::positions(body, |inst| matches!(inst.op, Op::Ballot(_)));
        body.remove(*ballots.last().expect("the end of a round asks who goes on"));
    });
    caught(reports, Verdict::Error, &["names lanes", "which have ended"]);
}

#[test]
fn fault_scan_distance() {
    let reports = seed("cta_cumsum_on_aligned<f32>", |module| misdirect(module, ShflMode::Up, 2, 4));
    caught(
        reports,
        Verdict::Mismatch,
        &["`out` differs from the oracle", "`out` differs from the reference"],
    );
}

#[test]
fn fault_sort_direction() {
    let reports = seed("sort_warps_on_tail<i32>", |module| {
        break_inst(module, |inst| {
            let Op::Min(row) = &inst.op else { return false };
            if row.ty != IntType::S32 {
                return false;
            }
            inst.op = Max { ty: row.ty, dst: row.dst, a: row.a, b: row.b }.into();
            true
        });
    });
    caught(
        reports,
        Verdict::Mismatch,
        &["`out` differs from the oracle", "`out` differs from the reference"],
    );
}
