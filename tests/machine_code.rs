//! Products are done by the matrix unit: the machine code that the real assembler makes has its instructions.

#[path = "support/assembler.rs"]
#[allow(dead_code, reason = "each test binary uses its part")]
mod assembler;

use assembler::Assembler;
use warpsmith::ir::{Launch, Mode};
use warpsmith::runtime::{compile, mma_kernel};
use warpsmith::target::TargetProfile;

/// An instruction of the unit, and how many of them one `mma` takes at the least.
type Unit = (&'static str, usize);

/// A form, and what does it on sm_80, on sm_90 and on 12.x; nothing where the target has not the form.
const UNITS: &[(&str, [Option<Unit>; 3])] = &[
    ("m16n8k16.f32.f16.f16.f32", all("HMMA.16816.F32")),
    ("m16n8k8.f16.f16.f16.f16", all("HMMA.1688.F16")),
    ("m16n8k16.f32.bf16.bf16.f32", all("HMMA.16816.F32.BF16")),
    ("m16n8k8.f32.tf32.tf32.f32", all("HMMA.1688.F32.TF32")),
    ("m16n8k32.s32.s8.s8.s32", all("IMMA.16832.S8.S8")),
    ("m16n8k16.sat.s32.u8.s8.s32", all("IMMA.16816.U8.S8")),
    (
        "m16n8k32.f32.e4m3.e5m2.f32",
        [None, Some(("HMMA.16816.F32", 2)), Some(("QMMA.16832.F32.E4M3.E5M2", 1))],
    ),
    ("m16n8k16.f16.e4m3.e4m3.f16", [None, Some(("HMMA.1688.F16", 2)), Some(("QMMA.16816.F16", 1))]),
    (
        "m16n8k64.s32.s4.s4.s32",
        [Some(("IMMA.16864.S4.S4", 1)), Some(("IMMA.16832.S8.S8", 2)), Some(("IMMA.16832.S8.S8", 2))],
    ),
    ("m8n8k4.f64.f64.f64.f64", [Some(("DMMA.884", 1)), Some(("DMMA.8x8x4", 1)), Some(("DMMA.8x8x4", 1))]),
    (
        "m8n8k4.rz.f64.f64.f64.f64",
        [Some(("DMMA.884.RZ", 1)), Some(("DMMA.8x8x4.RZ", 1)), Some(("DMMA.8x8x4.RZ", 1))],
    ),
    // No unit has it: one subroutine of arithmetic, whatever the target.
    ("m8n8k4.row.col.f32.f16.f16.f32", [Some(("FFMA", 32)), Some(("FFMA", 32)), Some(("FFMA", 32))]),
    (
        "m8n8k4.col.row.f32.f16.f16.f32",
        [Some(("SHFL.IDX", 20)), Some(("SHFL.IDX", 20)), Some(("SHFL.IDX", 20))],
    ),
    ("m16n8k16.f64.f64.f64.f64", [None, Some(("DMMA.16x8x16", 1)), Some(("DMMA.8x8x4", 8))]),
    ("m16n8k32.f8f6f4.f32.e2m1.e3m2.f32", family_12("QMMA.16832.F32.E2M1.E3M2")),
    ("m16n8k32.mxf8f6f4.f32.e4m3.e4m3.f32", family_12("QMMA.SF.16832.F32.E4M3.E4M3")),
    ("m16n8k64.mxf4.f32.e2m1.e2m1.f32", family_12("OMMA.SF.16864.F32.E2M1.E2M1")),
    ("m16n8k64.mxf4nvf4.4x.f32.e2m1.e2m1.f32", family_12("OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X")),
];

const fn all(instruction: &'static str) -> [Option<Unit>; 3] {
    [Some((instruction, 1)); 3]
}

const fn family_12(instruction: &'static str) -> [Option<Unit>; 3] {
    [None, None, Some((instruction, 1))]
}

#[test]
fn each_form_is_done_by_the_unit() {
    let class = Launch::ctas(Mode::Reduction, [1, 1, 1], [32, 1, 1]).class(16);
    for (name, units) in UNITS {
        let kernel = mma_kernel(&name.parse().unwrap());
        let targets = [("sm_80", units[0]), ("sm_90", units[1]), ("sm_120", units[2]), ("sm_121", units[2])];
        for (target, unit) in targets {
            let emitted = compile(&kernel, &class, TargetProfile::parse(target).unwrap());
            let Some((instruction, count)) = unit else {
                let refused = emitted.unwrap_err();
                assert!(refused.is_unsupported(), "{name} on {target}: {refused}");
                continue;
            };
            let emitted = emitted.unwrap_or_else(|error| panic!("{name} on {target}: {error}"));
            let code = match Assembler::machine_code(&emitted.text, &emitted.target) {
                Ok(Some(code)) => code,
                Ok(None) => return,
                Err(error) => panic!("{name} on {target}: {error}"),
            };
            let found = code.matches(instruction).count();
            assert!(found >= count, "{name} on {target}: {found} of {instruction}\n{code}");
        }
    }
}

#[test]
fn what_a_target_has_not_is_refused_by_name() {
    let class = Launch::ctas(Mode::Reduction, [1, 1, 1], [32, 1, 1]).class(16);
    for (form, target, said) in [
        ("m16n8k32.f32.e4m3.e4m3.f32", "sm_80", "fp8 mma needs sm_89 or later; target is sm_80"),
        (
            "m16n8k32.mxf8f6f4.f32.e4m3.e4m3.f32",
            "sm_90",
            "block-scaled mma needs sm_120f, sm_120a, sm_121f or sm_121a; target is sm_90",
        ),
    ] {
        let kernel = mma_kernel(&form.parse().unwrap());
        let refused =
            compile(&kernel, &class, TargetProfile::parse(target).unwrap()).unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
    }
}
