//! The product of matrices meets no bank twice: what the emulator's counters say of its swizzled tiles.

use warpsmith::backend::{AbiKind, pack};
use warpsmith::case::{self, Contents};
use warpsmith::ir::DType;
use warpsmith::ptx::emu::{Config, GlobalMemory, LaunchConfig, Profile, launch};
use warpsmith::runtime::compile;
use warpsmith::target::TargetProfile;

use crate::rig::program;

/// The counters of a case of the family.
fn profile(name: &str, dtype: DType) -> Profile {
    let entry = case::tests().into_iter().find(|entry| entry.name == name).unwrap();
    let case = entry.make(dtype).check().unwrap();
    let class = case.launch.class(16);
    let emitted = compile(&case.kernel, &class, TargetProfile::parse("sm_90").unwrap()).unwrap();
    let mut memory = GlobalMemory::new();
    let address = |buffer: &warpsmith::case::CaseBuffer| match buffer.buffer.contents() {
        Contents::Bytes(bytes) => memory.allocate_with("input", bytes),
        _ => memory.allocate("output", buffer.buffer.len() * u64::from(buffer.buffer.dtype().size())),
    };
    let addresses: Vec<u64> = case.buffers.iter().map(address).collect();
    let words = pack(&emitted.params, |kind| match kind {
        AbiKind::Buffer(param) => {
            addresses[case.buffers.iter().position(|buffer| buffer.param == param).unwrap()]
        }
        AbiKind::Scalar(param) => case.scalars.iter().find(|(scalar, _)| *scalar == param).unwrap().1.bits,
        other => panic!("the kernel takes no {other:?}"),
    });
    // The words are padded at the end.
    let size =
        emitted.params.iter().fold(0, |end, param| u32::next_multiple_of(end, param.size) + param.size);
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let launched = LaunchConfig {
        grid: case.launch.grid.map(|axis| axis as u32),
        block: case.launch.cta,
        dynamic_shared: emitted.dynamic_shared,
        params: bytes.take(size as usize).collect(),
    };
    let program = program(&emitted.text);
    let config = Config { profile: true, ..Config::default() };
    let stats =
        launch(&program, &launched, &mut memory, &config).unwrap_or_else(|finding| panic!("{finding}"));
    Profile::new(&program, &stats)
}

#[test]
fn no_shared_access_of_a_product_meets_a_bank_twice() {
    for (name, dtype) in [
        ("gemm_128x256_on_aligned", DType::BF16),
        ("gemm_128x128_on_aligned", DType::F16),
        ("gemm_64x64_on_tail", DType::BF16),
        ("gemm_integers_on_aligned", DType::I8),
    ] {
        let profile = profile(name, dtype);
        let of = |opcode: &str| {
            let lines = profile.lines.iter().filter(|line| line.site.text.contains(opcode));
            lines.fold((0, 0), |(wavefronts, conflicts), line| {
                (wavefronts + line.count.wavefronts, conflicts + line.count.conflicts)
            })
        };
        for opcode in ["ldmatrix", "cp.async"] {
            let (wavefronts, conflicts) = of(opcode);
            assert!(wavefronts > 100, "{name}: {opcode} is counted");
            assert_eq!(conflicts, 0, "{name}: {opcode}");
        }
        assert_eq!(profile.total().conflicts, 0, "{name}");
    }
}
