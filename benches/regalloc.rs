//! Register allocation of bodies like those of lowered kernels: nested loops over variables, each read and written
//! by copies.

use std::fmt::Write;

use criterion::{BatchSize, Criterion};
use warpsmith::ptx::isa::RegClass;
use warpsmith::ptx::module::{self, Entry};
use warpsmith::ptx::regalloc::{Colouring, Hint, Hints, Prefix, Pressure, allocate};

/// A loop whose body sums loads into four accumulators; about `instructions` in all.
fn body(instructions: usize) -> Entry {
    let (mut code, mut values) = (String::new(), 0);
    for at in 0..4 {
        writeln!(code, "mov.b32 %acc{at}, 0f00000000;").expect("writing to a string does not fail");
    }
    code += "ld.param.u64 %ptr, [out];\nmov.b32 %i, 0;\n$loop:\n";
    for at in 0..instructions / 6 {
        let (acc, v) = (at % 4, values);
        values += 4;
        write!(
            code,
            "ld.global.f32 %v{v}, [%ptr+{}];\nmov.b32 %v{}, %acc{acc};\nfma.rn.f32 %v{}, %v{v}, %v{v}, %v{};\n\
             mul.rn.f32 %v{}, %v{}, 0f3F000000;\n@%p st.global.f32 [%ptr], %v{};\nmov.b32 %acc{acc}, %v{};\n",
            at * 4, v + 1, v + 2, v + 1, v + 3, v + 2, v + 2, v + 3,
        )
        .expect("writing to a string does not fail");
    }
    code += "add.s32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 100;\n@%p bra $loop;\n";
    for at in 0..4 {
        writeln!(code, "st.global.f32 [%ptr+{}], %acc{at};", at * 4)
            .expect("writing to a string does not fail");
    }
    let registers = format!(".reg .b32 %i, %acc<4>, %v<{values}>;\n.reg .b64 %ptr;\n.reg .pred %p;\n");
    let text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n{registers}{code}ret;\n}}\n"
    );
    let mut module = module::parse(&text).expect("the text above is PTX");
    module.entries.remove(0)
}

fn hints(entry: &Entry) -> Hints {
    let mut hints = Hints::new();
    for reg in entry.regs.regs(RegClass::B32) {
        let name =
            entry.regs.name(reg).trim_start_matches('%').trim_end_matches(|c: char| c.is_ascii_digit());
        // About half of the values of a lowered kernel have a name.
        let name = (reg.index() % 2 == 0).then(|| name.into());
        hints.set(reg, Hint { prefix: Prefix::F32, name });
    }
    hints
}

fn regalloc(criterion: &mut Criterion) {
    for instructions in [200, 2000] {
        let entry = body(instructions);
        let hints = hints(&entry);
        criterion.bench_function(&format!("allocate/{instructions}"), |bencher| {
            bencher.iter_batched_ref(
                || entry.clone(),
                |entry| allocate(entry, &hints),
                BatchSize::SmallInput,
            );
        });
        criterion.bench_function(&format!("pressure/{instructions}"), |bencher| {
            bencher.iter(|| Pressure::of(&entry));
        });
        criterion.bench_function(&format!("colour/{instructions}"), |bencher| {
            bencher.iter(|| Colouring::of(&entry));
        });
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    regalloc(&mut criterion);
    criterion.final_summary();
}
