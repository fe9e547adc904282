//! Shared memory at its limits, one byte below and one above, on targets that differ; and arguments that overlap.

use expect_test::expect;
use warpsmith::ir::{Kernel, LaunchClass, Mode};
use warpsmith::runtime::{Device, LaunchBuilder, compile};
use warpsmith::target::TargetProfile;

use super::assembler::Assembler;
use super::fake::words;
use super::results::kernel;

/// Each thread of a CTA of 32 writes to the end of an array of so many bytes and reads what its neighbour wrote; a
/// second array of `beside` bytes stands before it.
fn ends(bytes: u32, beside: u32) -> Kernel {
    kernel(&format!(
        "kernel @ends(mut out: global u8) mode(reduction) {{
            shared beside: u8[{beside}]
            shared all: u8[{bytes}]
            v0 = thread_id.x
            v1 = const {}u32
            v2 = add v0, v1
            v3 = cvt.u8 v0
            store all[v2], v3
            v4 = const 0u32
            v5 = eq v0, v4
            v6 = const 100u8
            if v5 {{
                store beside[v4], v6
            }} else {{
            }}
            cta_barrier
            v7 = const 1u32
            v8 = xor v0, v7
            v9 = add v8, v1
            v10 = load all[v9]
            v11 = load beside[v4]
            v12 = add v10, v11
            store out[v0], v12
        }}",
        bytes - 32
    ))
}

fn runs(device: &Device, kernel: &Kernel) {
    let mut out = device.zeros::<u8>(32).unwrap();
    LaunchBuilder::of(device, kernel).bind_mut("out", &mut out).grid_3d(2, 1, 1, [32, 1, 1]).run().unwrap();
    assert_eq!(out.to_vec().unwrap(), (0..32).map(|i| (i ^ 1) + 100).collect::<Vec<u8>>());
}

/// The opt-in limit of each chip: what its SM has, less the 1 KB that the system takes of it for each CTA.
const LIMITS: [(&str, u32); 6] = [
    ("sm_80", 166_912),
    ("sm_86", 101_376),
    ("sm_90", 232_448),
    ("sm_100", 232_448),
    ("sm_120", 101_376),
    ("sm_121", 101_376),
];

#[test]
fn a_cta_has_the_whole_opt_in_limit_and_not_a_byte_more() {
    let class = LaunchClass::new(Mode::Reduction, Some([32, 1, 1]));
    let assembler = Assembler::find_or_skip().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (target, limit) in LIMITS {
        let device = Device::open(&format!("emu:{target}")).unwrap();
        let profile = TargetProfile::parse(target).unwrap();
        assert_eq!(profile.limits().shared_max_bytes, limit);
        // The array beside takes 16 bytes, as every array takes a multiple of 16.
        for bytes in [limit - 17, limit - 16] {
            let kernel = ends(bytes, 1);
            let emitted = compile(&kernel, &class, profile).unwrap();
            assert_eq!((emitted.static_shared, emitted.dynamic_shared), (0, limit), "{target} {bytes}");
            assert!(emitted.selection[0].contains("dynamic"), "{:?}", emitted.selection);
            if let Some(assembler) = &assembler {
                let path = folder.path().join("module.ptx");
                std::fs::write(&path, &emitted.text).unwrap();
                assembler.assemble(&path, &emitted.target, &[]).unwrap();
            }
            runs(&device, &kernel);
        }
        let error = compile(&ends(limit - 15, 1), &class, profile).unwrap_err();
        assert!(error.is_unsupported());
        let said = format!(
            "the shared arrays of `ends` take {} bytes, each array a multiple of 16; a CTA has at most {limit} on \
             {target}",
            limit + 16
        );
        assert!(error.to_string().contains(&said), "{error}");
    }
}

#[test]
fn up_to_48_kib_shared_memory_is_static_and_above_it_all_is_dynamic() {
    let class = LaunchClass::new(Mode::Reduction, Some([32, 1, 1]));
    for target in ["sm_80", "sm_86", "sm_90", "sm_121"] {
        let device = Device::open(&format!("emu:{target}")).unwrap();
        for (bytes, beside, shared) in [
            (49_152 - 17, 16, (49_152, 0)),
            (49_152 - 16, 16, (49_152, 0)),
            (49_152 - 15, 16, (0, 49_168)),
            (49_152 - 128, 128, (49_152, 0)),
            (49_152 - 128, 129, (0, 49_168)),
        ] {
            let kernel = ends(bytes, beside);
            let emitted = compile(&kernel, &class, TargetProfile::parse(target).unwrap()).unwrap();
            assert_eq!((emitted.static_shared, emitted.dynamic_shared), shared, "{bytes} and {beside}");
            assert_eq!(emitted.text.contains(".extern .shared"), shared.1 > 0);
            runs(&device, &kernel);
        }
    }
}

#[test]
fn metal_has_32_kib() {
    let class = LaunchClass::new(Mode::Reduction, Some([32, 1, 1]));
    let error = compile(&ends(32_768, 1), &class, TargetProfile::parse("apple9").unwrap()).unwrap_err();
    assert!(error.to_string().contains("a CTA has at most 32768 on apple9"), "{error}");
}

/// out = out + x.
const ADDED: &str = "kernel @added(x: global f32, mut out: global f32) {
    v0 = program_id.x
    v1 = load x[v0]
    v2 = load out[v0]
    v3 = add v1, v2
    store out[v0], v3
}";

#[test]
fn buffers_overlap_where_the_kernel_declares_it_and_nowhere_else() {
    let device = Device::open("emu").unwrap();
    let run = |text: &str| {
        let kernel = kernel(text);
        let mut out = device.upload(&[1.0f32, 2.0, 3.0]).unwrap();
        let same = out.share();
        let launch = LaunchBuilder::of(&device, &kernel).bind("x", &same).bind_mut("out", &mut out);
        launch.threads_1d(3, 32).run().map(|_| out.to_vec().unwrap())
    };
    expect![[r#"
        can't launch `added`: `out` is written and overlaps `x`
        help: give another buffer, or declare the parameter `#[alias]`"#]]
    .assert_eq(&words(run(ADDED)));
    // Whichever of the two says so; a load past the caches' coherence would be a finding.
    for (plain, declared) in [("x: global", "alias x: global"), ("mut out: global", "alias mut out: global")]
    {
        assert_eq!(run(&ADDED.replace(plain, declared)).unwrap(), [2.0, 4.0, 6.0]);
    }
}

#[test]
fn a_grid_with_a_zero_does_nothing_on_any_axis() {
    let device = Device::open("emu").unwrap();
    let kernel = kernel(
        "kernel @marks(mut out: global u32) mode(simdgroup2d) {
            v0 = cta_id.x
            v1 = const 7u32
            store out[v0], v1
        }",
    );
    let mut out = device.zeros::<u32>(4).unwrap();
    for [x, y, z] in [[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 70_000, 70_000], [70_000, 70_000, 0], [0, 0, 0]] {
        let launch = LaunchBuilder::of(&device, &kernel).bind_mut("out", &mut out);
        let stats = launch.grid_3d(x, y, z, [32, 1, 1]).run().unwrap();
        assert_eq!(stats.lane_instructions, None, "nothing ran");
    }
    assert_eq!(out.to_vec().unwrap(), [0; 4]);
    let launch = LaunchBuilder::of(&device, &kernel).bind_mut("out", &mut out);
    launch.grid_3d(4, 1, 1, [1, 1, 1]).run().unwrap();
    assert_eq!(out.to_vec().unwrap(), [7; 4]);
}
