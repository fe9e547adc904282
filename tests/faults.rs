//! Seeded faults: each breaks what was emitted for one case of the corpus in a way in which compilers go wrong, and
//! the case has to notice.
//!
//! Every test first runs the case as it is, which passes, then the broken text through the same judging path. What the
//! report says of it is part of the test: a fault that is noticed for another reason proves nothing.

#[path = "faults/edit.rs"]
mod edit;
#[path = "faults/lanes.rs"]
mod lanes;
#[path = "faults/matrix.rs"]
mod matrix;
#[path = "faults/rows.rs"]
mod rows;
#[path = "faults/tiles.rs"]
mod tiles;

use edit::{break_inst, rotate_params, use_32_bit_addresses};
use warpsmith::backend::Emitted;
use warpsmith::corpus::{CaseReport, Config, Filter, Selected, Verdict, run_case, run_case_edited, select};
use warpsmith::ptx::isa::modifier::{Precision, Rounding, Space, VecWidth};
use warpsmith::ptx::isa::{Address, Base, Inst, Op, Role, Shfl, Use};
use warpsmith::ptx::module::{Module, parse};
use warpsmith::runtime::{Device, EmuSettings, Schedule};

/// Both orders in which the emulator runs threads.
fn devices() -> [Device; 2] {
    [Schedule::Default, Schedule::Adversarial(3)]
        .map(|schedule| Device::emulator(EmuSettings { schedule, ..EmuSettings::default() }))
}

fn case(name: &str) -> Selected {
    let all = select(&Filter::default());
    let found: Vec<_> = all.iter().filter(|case| case.id().to_string().ends_with(name)).collect();
    assert_eq!(found.len(), 1, "`{name}` names one case");
    *found[0]
}

/// Runs a case as it is, then with its module changed, in both schedules; gives the reports of the changed one.
fn seed(name: &str, change: impl Fn(&mut Module)) -> [CaseReport; 2] {
    let case = case(&format!("::{name}"));
    let edit = |emitted: &mut Emitted| {
        let mut module = parse(&emitted.text).expect("what is emitted parses");
        change(&mut module);
        module.version = module.version.max(module.needed_version());
        assert_eq!(module.check(), Ok(()), "the fault is one of meaning, not of form\n{}", module.print());
        let broken = module.print();
        assert_ne!(broken, emitted.text, "the change changes something");
        emitted.text = broken;
    };
    devices().map(|device| {
        let sound = run_case(&case, &device, &Config::default());
        assert_eq!(sound.verdict, Verdict::Pass, "{name} as it is: {}", sound.detail);
        run_case_edited(&case, &device, &Config::default(), &edit)
    })
}

/// Holds the reports against a verdict and words that they have to contain.
#[track_caller]
fn caught(reports: [CaseReport; 2], verdict: Verdict, words: &[&str]) {
    for report in reports {
        assert_eq!(report.verdict, verdict, "{}: {}", report.id, report.detail);
        for word in words {
            assert!(report.detail.contains(word), "`{word}` is not in:\n{}", report.detail);
        }
    }
}

fn is_store(inst: &Inst, wanted: Space) -> bool {
    matches!(&inst.op, Op::St(row) if row.space == Some(wanted))
}

fn address(inst: &mut Inst) -> Option<&mut Address> {
    match &mut inst.op {
        Op::Ld(row) => Some(&mut row.addr),
        Op::St(row) => Some(&mut row.addr),
        _ => None,
    }
}

#[test]
fn fault_rounding() {
    let reports = seed("vector_add_on_aligned<f32>", |module| {
        break_inst(module, |inst| match &mut inst.op {
            Op::AddFloat(row) if row.round == Some(Rounding::Rn) => {
                row.round = Some(Rounding::Rz);
                true
            }
            _ => false,
        });
    });
    caught(reports, Verdict::Mismatch, &["`c` differs from the oracle"]);
}

#[test]
fn fault_dropped_guard() {
    // Threads beyond the extent leave by a guarded branch: without it they go on.
    let reports = seed("vector_add_on_odd<f32>", |module| {
        let body = &mut module.entries[0].body;
        let exits = edit::positions(body, |inst| matches!(inst.op, Op::Bra(_)) && inst.guard.is_some());
        assert_eq!(exits.len(), 1, "one guard keeps threads within the extent");
        body.remove(exits[0]);
    });
    caught(
        reports,
        Verdict::Error,
        &["out of bounds: load of 4 bytes", "`a` of 812 bytes", "guard the access"],
    );
}

#[test]
fn fault_off_by_one_address() {
    // The buffer is longer than the extent, so that nothing but the bits can tell.
    let reports = seed("vector_add_part<f32>", |module| {
        break_inst(module, |inst| {
            let is_store = is_store(inst, Space::Global);
            if let Some(address) = address(inst).filter(|_| is_store) {
                address.offset += 4;
            }
            is_store
        });
    });
    caught(reports, Verdict::Mismatch, &["`c` differs from the oracle: 68 of 100 elements differ"]);
}

#[test]
fn fault_missing_barrier() {
    let reports = seed("transpose_on_tail<f32>", |module| {
        let body = &mut module.entries[0].body;
        let barriers = edit::positions(body, |inst| matches!(inst.op, Op::BarSync(_) | Op::BarrierSync(_)));
        assert_eq!(barriers.len(), 1, "one barrier stands between the two halves");
        body.remove(barriers[0]);
    });
    caught(reports, Verdict::Error, &["uninitialised: load of 4 bytes at shared address"]);
}

#[test]
fn fault_wrong_predicate_sense() {
    // No thread lies beyond the extent, so that negated the guard lets nobody store.
    let reports = seed("vector_add_on_aligned<i32>", |module| {
        break_inst(module, |inst| match &mut inst.guard {
            Some(guard) => {
                guard.negated = !guard.negated;
                true
            }
            None => false,
        });
    });
    caught(reports, Verdict::Mismatch, &["`c` differs from the oracle: 1024 of 1024 elements differ"]);
}

#[test]
fn fault_uninitialised_shared_read() {
    let reports = seed("row_sum_of_integers_odd<i32>", |module| {
        let body = &mut module.entries[0].body;
        let stores = edit::positions(body, |inst| is_store(inst, Space::Shared));
        body.remove(*stores.first().expect("warps exchange their sums through shared memory"));
    });
    caught(reports, Verdict::Error, &["uninitialised: load of 4 bytes at shared address"]);
}

#[test]
fn fault_shifted_parameter() {
    let reports = seed("vector_add_on_tail<f32>", |module| rotate_params(module, 3));
    // The output takes an input's place, and nobody wrote it.
    caught(reports, Verdict::Error, &["uninitialised: load of 4 bytes at global address", "of 4008 bytes"]);
    // With the extent among them the sizes no longer fit what is passed.
    let reports = seed("vector_add_on_tail<f32>", |module| rotate_params(module, 4));
    caught(reports, Verdict::Error, &["launch refused: parameters have the entry's size"]);
}

#[test]
fn fault_32_bit_index_overflow() {
    let reports = seed("gather_beyond_4_gib<f32>", |module| {
        assert!(use_32_bit_addresses(module) > 0, "addresses are formed by products of 64 bits");
    });
    // What the truncated offset points to was never written.
    caught(reports, Verdict::Error, &["uninitialised: load of 4 bytes at global address", "`x` of"]);
}

#[test]
fn fault_elementwise_operand_twice() {
    // The second load reads the first operand's address again.
    let reports = seed("vector_add_on_odd<u8>", |module| {
        let loads: Vec<Base> = edit::global_loads(&module.entries[0]);
        assert_eq!(loads.len(), 2);
        let mut number = 0;
        break_inst(module, |inst| {
            let Op::Ld(row) = &mut inst.op else { return false };
            if row.space != Some(Space::Global) {
                return false;
            }
            number += 1;
            row.addr.base = loads[0];
            number == 2
        });
    });
    caught(reports, Verdict::Mismatch, &["`c` differs from the oracle", "`c` differs from the reference"]);
}

#[test]
fn fault_elementwise_unfused() {
    let reports = seed("fma3_on_aligned<f32>", |module| {
        assert_eq!(edit::unfuse(module), 1, "the kernel fuses once");
    });
    caught(
        reports,
        Verdict::Mismatch,
        &["`out` differs from the oracle", "`out` differs from the reference"],
    );
}

#[test]
fn fault_memory_swapped_elements() {
    let reports = seed("copy_vec_aligned<f32>", |module| {
        break_inst(module, |inst| {
            if !matches!(&inst.op, Op::St(row) if row.vec == Some(VecWidth::V4)) {
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
    caught(
        reports,
        Verdict::Mismatch,
        &["`out` differs from the oracle", "`out` differs from the reference"],
    );
}

#[test]
fn fault_reduce_order() {
    // In each warp 16, 8, 4, 2, 1 becomes 1, 2, 4, 8, 16: the same sum but for its roundings, which the reference allows.
    let reports = seed("row_sum_rounded_aligned<f32>", |module| {
        let mut step = 0;
        break_inst(module, |inst| {
            let Op::Shfl(Shfl { lane: Use::Int(distance), .. }) = &mut inst.op else { return false };
            assert_eq!(*distance, 16 >> step, "a tree over a warp has five steps");
            *distance = 1 << step;
            step += 1;
            step == 5
        });
    });
    only_the_bits_tell(&reports);
    caught(reports, Verdict::Mismatch, &["`out` differs from the oracle"]);
}

#[test]
fn fault_norm_rounded_root() {
    let reports = seed("rms_norm_on_many_row<f32>", |module| {
        break_inst(module, |inst| match &mut inst.op {
            Op::Sqrt(row) if row.precision == Precision::Rn => {
                row.precision = Precision::Rz;
                true
            }
            _ => false,
        });
    });
    only_the_bits_tell(&reports);
    caught(reports, Verdict::Mismatch, &["`out` differs from the oracle"]);
}

#[track_caller]
fn only_the_bits_tell(reports: &[CaseReport]) {
    for report in reports {
        assert!(!report.detail.contains("reference"), "the reference allows it: {}", report.detail);
    }
}
