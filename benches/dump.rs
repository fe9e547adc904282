//! How long `warpsmith dump` works on a GEMM of 2,000 lines: IR to text, and the forms that it has beside.
//!
//! `cargo bench --bench dump`. Validation, passes, lowering, register allocation and printing, as for a launch; then with
//! the comments that name operations, in canonical form, and coloured. The goal is 50 ms for the plain text.

use std::hint::black_box;

use criterion::Criterion;
use warpsmith::corpus::locate;
use warpsmith::passes::{self, Config};
use warpsmith::ptx::lower::{Comments, lower_with};
use warpsmith::ptx::module::canonical;
use warpsmith::ptx::regalloc::coloured;
use warpsmith::runtime::compile;
use warpsmith::target::TargetProfile;

fn main() {
    let found = locate("gemm_any").expect("the library has it");
    let instance = found
        .instances
        .iter()
        .find(|instance| instance.kernel.dtypes[0].name() == "tf32")
        .expect("it has a case of tf32");
    let (kernel, class) = (&instance.kernel, instance.launch.class(16));
    let target = TargetProfile::parse("sm_121").expect("a target");
    let chip = target.as_ptx().expect("it is a target of PTX");
    let text = || compile(kernel, &class, target).expect("it has PTX").text;
    let lowered = |comments| {
        let passed = passes::run(kernel, &Config::new(class)).expect("it fits its launch");
        lower_with(&passed, &class, chip, comments).expect("it has PTX").module
    };
    let plain = lowered(Comments::Values);
    let lines = text().lines().count();
    assert!(lines >= 2000, "a text of {lines} lines says nothing of one of 2,000");
    let mut criterion = Criterion::default().configure_from_args();
    criterion.bench_function(&format!("IR to {lines} lines"), |bencher| bencher.iter(|| black_box(text())));
    criterion.bench_function("with operations in comments", |bencher| {
        bencher.iter(|| black_box(lowered(Comments::Operations).print()));
    });
    criterion.bench_function("canonical form", |bencher| {
        bencher.iter(|| black_box(canonical(black_box(&plain)).print()));
    });
    criterion.bench_function("coloured", |bencher| {
        bencher.iter(|| {
            let mut module = plain.clone();
            module.entries[0] = coloured(&module.entries[0]);
            black_box(module.print())
        });
    });
    criterion.final_summary();
}
