//! How long a kernel takes from IR to PTX text, on one core.
//!
//! `cargo bench --bench lowering`. Each distinct kernel × dtypes × launch class of the corpus is compiled for sm_121:
//! passes, lowering, register allocation, printing. The distribution over kernels is printed (each kernel's time is the
//! median of many runs), then criterion times one small and one large kernel. Validation, which a launch does once more,
//! is a line of its own.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use criterion::Criterion;
use warpsmith::backend::CodegenBackend as _;
use warpsmith::case;
use warpsmith::ir::validate::{validate, validate_for};
use warpsmith::ir::{Kernel, LaunchClass};
use warpsmith::passes::{self, Config};
use warpsmith::ptx::lower::Ptx;
use warpsmith::target::TargetProfile;

const RUNS: usize = 21;

fn main() {
    let target = TargetProfile::parse("sm_121").expect("a target");
    let kernels = kernels();
    let text = |(kernel, class): &(Kernel, LaunchClass)| {
        let passed = passes::run(kernel, &Config::new(*class)).expect("corpus kernels fit their launches");
        Ptx.emit(&passed, class, target).expect("corpus kernels have PTX").text
    };
    let check = |(kernel, class): &(Kernel, LaunchClass)| {
        validate(kernel).expect("corpus kernels are valid");
        validate_for(kernel, class, target).expect("corpus kernels are valid for their launches");
    };
    report("IR to PTX text", &kernels, &text);
    report("validation", &kernels, &check);

    let smallest = kernels[position(&kernels, |a, b| a < b)].clone();
    let largest = kernels[position(&kernels, |a, b| a > b)].clone();
    let mut criterion = Criterion::default().configure_from_args();
    for (name, kernel) in [("smallest", smallest), ("largest", largest)] {
        let name = format!("{name}: {} ({} instructions)", kernel.0.path(), kernel.0.insts.len());
        criterion.bench_function(&name, |bencher| bencher.iter(|| black_box(text(black_box(&kernel)))));
    }
    criterion.final_summary();
}

fn position(all: &[(Kernel, LaunchClass)], better: impl Fn(usize, usize) -> bool) -> usize {
    let size = |at: usize| all[at].0.insts.len();
    (0..all.len()).fold(0, |best, at| if better(size(at), size(best)) { at } else { best })
}

/// Every kernel of the corpus for each class of its launches, once.
fn kernels() -> Vec<(Kernel, LaunchClass)> {
    let mut found = BTreeMap::new();
    for entry in case::tests() {
        for &dtype in entry.dtypes {
            let case = entry.make(dtype).check().expect("corpus cases are complete");
            let class = case.launch.class(16);
            found.insert(format!("{} {class}", case.kernel), (case.kernel, class));
        }
    }
    found.into_values().collect()
}

fn report<R>(what: &str, kernels: &[(Kernel, LaunchClass)], work: &dyn Fn(&(Kernel, LaunchClass)) -> R) {
    let mut times: Vec<f64> = kernels
        .iter()
        .map(|kernel| {
            let mut runs: Vec<f64> = (0..RUNS)
                .map(|_| {
                    let start = Instant::now();
                    black_box(work(black_box(kernel)));
                    start.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            runs.sort_by(f64::total_cmp);
            runs[RUNS / 2]
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{what}: {} texts, mean {mean:.4} ms, median {:.4} ms, p99 {:.4} ms, most {:.4} ms",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
