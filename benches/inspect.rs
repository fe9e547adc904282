//! How long `warpsmith inspect` works on a GEMM of 2,000 lines of PTX, without a run.
//!
//! `cargo bench --bench inspect`. Reading the text, then everything that is said of it, the estimate of registers
//! included, and the estimate alone. The assembler's own time is its own. The goal is 1 s.

use std::hint::black_box;

use criterion::Criterion;
use warpsmith::corpus::locate;
use warpsmith::inspect::{Subject, inspect};
use warpsmith::ptx::module::{Module, parse};
use warpsmith::ptx::regalloc::Estimate;
use warpsmith::runtime::compile;
use warpsmith::target::{Target, TargetProfile};

fn main() {
    let found = locate("gemm_any").expect("the library has it");
    let instance = found.instances.iter().find(|instance| instance.kernel.dtypes[0].name() == "tf32");
    let instance = instance.expect("it has a case of tf32");
    let target = TargetProfile::Ptx(Target::SM_121);
    let text = compile(&instance.kernel, &instance.launch.class(16), target).expect("it has PTX").text;
    let lines = text.lines().count();
    assert!(lines >= 2000, "a text of {lines} lines says nothing of one of 2,000");
    let module = parse(&text).expect("text that was emitted parses");
    let mut criterion = Criterion::default().configure_from_args();
    criterion.bench_function(&format!("{lines} lines, read and inspected"), |bencher| {
        bencher.iter(|| {
            let module = parse(black_box(&text)).expect("it parsed before");
            black_box(inspect(&subject(&module, instance.launch.cta)))
        });
    });
    criterion.bench_function("inspected", |bencher| {
        bencher.iter(|| black_box(inspect(&subject(&module, instance.launch.cta))))
    });
    criterion.bench_function("registers estimated", |bencher| {
        bencher.iter(|| black_box(Estimate::of(&module.entries[0])));
    });
    criterion.final_summary();
}

fn subject(module: &Module, block: [u32; 3]) -> Subject<'_> {
    Subject {
        module,
        entry: &module.entries[0],
        target: Target::SM_121,
        block: Some(block),
        dynamic_shared: Some(0),
        assembled: None,
    }
}
