//! Lane-instructions a second of the emulator, on one core: PTX instructions times active lanes.
//!
//! The texts lie in `tests/data/ptx`, each with its mix in its header: arithmetic (the goal is 1 G a second), a
//! divergent loop, and memory; each with and without the sanitizer, arithmetic also on each vector level of the host.
#![expect(missing_docs, reason = "`criterion_group!` makes a public function")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warpsmith::ptx::emu::{Config, GlobalMemory, LaunchConfig, Program, Simd, launch};
use warpsmith::ptx::module;

const ALU: &str = include_str!("../tests/data/ptx/alu.ptx");
const DIVERGENT: &str = include_str!("../tests/data/ptx/divergent.ptx");
const MEMORY: &str = include_str!("../tests/data/ptx/memory.ptx");

const THREADS: u32 = 256;
const TRIPS: u32 = 2000;

struct Subject {
    program: Program,
    memory: GlobalMemory,
    launch: LaunchConfig,
}

fn subject(text: &str, simd: Simd) -> Subject {
    let module = module::parse(text).expect("a checked-in text");
    let entry = &module.entries[0];
    let program = Program::decode_for(&module, &entry.name, simd).expect("a text that the emulator knows");
    let mut memory = GlobalMemory::new();
    let mut params = Vec::new();
    for pointer in entry.params.values().filter(|param| param.ty.bytes() == 8) {
        let address = memory.allocate_with(pointer.name.as_str(), &[1; 4 * THREADS as usize]);
        params.extend(address.to_le_bytes());
    }
    params.extend(TRIPS.to_le_bytes());
    let launch = LaunchConfig { grid: [1; 3], block: [THREADS, 1, 1], dynamic_shared: 0, params };
    Subject { program, memory, launch }
}

fn measure(criterion: &mut Criterion, name: &str, text: &str, simd: Simd, sanitize: bool) {
    let mut subject = subject(text, simd);
    let config = Config { sanitize, ..Config::default() };
    let mut run = || {
        let Subject { program, memory, launch: launched } = &mut subject;
        launch(program, launched, memory, &config).expect("a right kernel")
    };
    let mut group = criterion.benchmark_group("emu");
    group.throughput(Throughput::Elements(run().lane_instructions));
    group.bench_function(name, |bencher| bencher.iter(|| black_box(run())));
    group.finish();
}

fn emulator(criterion: &mut Criterion) {
    for simd in Simd::available() {
        measure(criterion, &format!("alu/{}", simd.name()), ALU, simd, false);
    }
    measure(criterion, "alu/sanitized", ALU, Simd::best(), true);
    measure(criterion, "divergent", DIVERGENT, Simd::best(), false);
    measure(criterion, "divergent/sanitized", DIVERGENT, Simd::best(), true);
    measure(criterion, "memory", MEMORY, Simd::best(), false);
    measure(criterion, "memory/sanitized", MEMORY, Simd::best(), true);
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = emulator
}
criterion_main!(benches);
