//! What the tests of the emulator share: decode a text, launch it, read a buffer back.

use warpsmith::ptx::emu::{Config, Finding, GlobalMemory, LaunchConfig, Program, Simd, Stats, launch};
use warpsmith::ptx::module;

/// The entry of a text with one entry.
pub(crate) fn program(text: &str) -> Program {
    program_for(text, Simd::best())
}

pub(crate) fn program_for(text: &str, simd: Simd) -> Program {
    let module = module::parse(text).unwrap_or_else(|error| panic!("{error}\n{}", error.help()));
    Program::decode_for(&module, &module.entries[0].name, simd).unwrap()
}

/// A text around a body, for sm_90.
pub(crate) fn kernel(params: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k({params})\n{{\n\
         .reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n{body}\n}}\n"
    )
}

/// Parameters, packed as the host does.
#[derive(Default)]
pub(crate) struct Params(Vec<u8>);

impl Params {
    pub(crate) fn u64(mut self, value: u64) -> Self {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Bytes of a tensor map, at a multiple of 64.
    pub(crate) fn map(mut self, map: &[u8; 128]) -> Self {
        self.0.resize(self.0.len().next_multiple_of(64), 0);
        self.0.extend(map);
        self
    }

    pub(crate) fn launch(self, grid: u32, block: u32) -> LaunchConfig {
        LaunchConfig { grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared: 0, params: self.0 }
    }
}

pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(crate) fn words(memory: &GlobalMemory, address: u64, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; count * 4];
    memory.read(address, &mut bytes).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// Runs a body that stores to `[%rd0 + 4 · lane]` in a warp; `in` is at `%rd1`.
pub(crate) fn warp(body: &str, input: &[u32], config: &Config) -> Result<(Vec<u32>, Stats), Box<Finding>> {
    let text = kernel(
        ".param .u64 p_out, .param .u64 p_in",
        &format!(
            "ld.param.u64 %rd0, [p_out];\nld.param.u64 %rd1, [p_in];\nmov.u32 %r0, %tid.x;\n\
             mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd0, %rd0, %rd2;\n{body}\nret;"
        ),
    );
    let program = program(&text);
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 128);
    let input = memory.allocate_with("in", &bytes(input));
    let launched = Params::default().u64(out).u64(input).launch(1, 32);
    let stats = launch(&program, &launched, &mut memory, config)?;
    Ok((words(&memory, out, 32), stats))
}
