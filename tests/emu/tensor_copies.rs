//! Copies of tiles by tensor maps: what lands where, what is written, and what is found.

use expect_test::expect;
use warpsmith::numerics::tensor::Swizzle;
use warpsmith::ptx::emu::{
    Config, Count, Finding, FindingKind, GlobalMemory, Profile, Schedule, TensorMap, TensorMapProblem, launch,
};

use crate::rig::{Params, kernel, program, words};

/// A tile of a tensor. The corner is the tile's first element.
#[derive(Clone, Copy)]
struct Case<'a> {
    element: u32,
    sizes: &'a [u64],
    strides: &'a [u64],
    tile: &'a [u32],
    swizzle: Swizzle,
    corner: &'a [i32],
}

/// A matrix of 5 rows of 20 halves, 48 bytes apart.
const MATRIX: Case<'_> = Case {
    element: 2,
    sizes: &[20, 5],
    strides: &[48],
    tile: &[16, 4],
    swizzle: Swizzle::None,
    corner: &[0, 0],
};

/// Bytes of shared memory for tiles.
const ROOM: u64 = 0x4000;

impl Case<'_> {
    fn map(&self, address: u64) -> TensorMap {
        TensorMap::new(address, self.element, self.sizes, self.strides, self.tile, self.swizzle).unwrap()
    }

    fn bytes(&self) -> usize {
        self.tile.iter().product::<u32>() as usize * self.element as usize
    }

    /// Byte offset of an element in the tensor, if the tensor has it.
    fn place(&self, at: &[i64]) -> Option<u64> {
        let inside = at.iter().zip(self.sizes).all(|(&at, &size)| at >= 0 && (at as u64) < size);
        let steps = at[1..].iter().zip(self.strides).map(|(&at, &stride)| (at as u64).wrapping_mul(stride));
        let outer = steps.fold(0, u64::wrapping_add);
        inside.then(|| at[0] as u64 * u64::from(self.element) + outer)
    }

    /// For each byte of shared memory the byte of the tensor that belongs there.
    fn sources(&self) -> Vec<Option<u64>> {
        let mut sources = vec![None; self.bytes()];
        let width = self.element as usize;
        for index in 0..self.bytes() / width {
            let mut rest = index;
            let at: Vec<i64> = (0..self.tile.len())
                .map(|dimension| {
                    let extent = self.tile[dimension] as usize;
                    let at = i64::from(self.corner[dimension]) + (rest % extent) as i64;
                    rest /= extent;
                    at
                })
                .collect();
            for byte in 0..width {
                let offset = index * width + byte;
                let chunk = (offset / 16) ^ ((offset / 128) & self.swizzle.mask());
                sources[chunk * 16 + offset % 16] = self.place(&at).map(|start| start + byte as u64);
            }
        }
        sources
    }

    /// Bytes of the tensor, with those between its rows.
    fn extent(&self) -> u64 {
        let last: Vec<i64> = self.sizes.iter().map(|&size| size as i64 - 1).collect();
        self.place(&last).unwrap() + u64::from(self.element)
    }

    /// A buffer in which only the elements are initialised, so that a read of anything else is found.
    fn tensor(&self, memory: &mut GlobalMemory) -> u64 {
        let start = memory.allocate("tensor", self.extent());
        let row = self.sizes[0] * u64::from(self.element);
        let rows: u64 = self.sizes[1..].iter().product();
        for index in 0..rows {
            let mut rest = index;
            let mut offset = 0;
            for (&size, &stride) in self.sizes[1..].iter().zip(self.strides) {
                offset += rest % size * stride;
                rest /= size;
            }
            let contents: Vec<u8> = (offset..offset + row).map(byte_of).collect();
            memory.write(start + offset, &contents).unwrap();
        }
        start
    }

    fn coordinates(&self) -> String {
        let corner: Vec<String> = self.corner.iter().map(i32::to_string).collect();
        corner.join(", ")
    }

    /// Loads the tile, and gives what then lies in shared memory.
    fn load(&self, config: &Config) -> Result<Vec<u8>, Box<Finding>> {
        let mut memory = GlobalMemory::new();
        let tensor = self.tensor(&mut memory);
        let text = self.load_text();
        let out = memory.allocate("out", self.bytes() as u64);
        let params = Params::default().u64(out).map(&self.map(tensor).encode());
        launch(&program(&text), &params.launch(1, 64), &mut memory, config)?;
        let mut bytes = vec![0; self.bytes()];
        memory.read(out, &mut bytes).unwrap();
        Ok(bytes)
    }

    fn load_text(&self) -> String {
        let (bytes, rank, at) = (self.bytes(), self.sizes.len(), self.coordinates());
        loads(&format!(
            "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], {bytes};
@%p0 cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {{{at}}}], [%r2];
{WAIT}
shl.b32 %r3, %r0, 2;
mov.u32 %r6, 0;
LOOP:
setp.ge.u32 %p2, %r3, {bytes};
@%p2 bra DONE;
add.u32 %r4, %r1, %r3;
ld.shared.u32 %r5, [%r4];
cvt.u64.u32 %rd2, %r3;
add.s64 %rd2, %rd0, %rd2;
st.global.u32 [%rd2], %r5;
add.u32 %r3, %r3, 256;
bra LOOP;
DONE:"
        ))
    }

    fn check(&self) {
        let sources = self.sources();
        let expected: Vec<u8> = sources.iter().map(|source| source.map_or(0, byte_of)).collect();
        for seed in 0..3 {
            let schedule = if seed == 0 { Schedule::Default } else { Schedule::Adversarial(seed) };
            let config = Config { schedule, ..Config::default() };
            let met = self.load(&config).unwrap_or_else(|finding| panic!("{finding}"));
            assert_eq!(met, expected, "corner {:?}, {:?}", self.corner, self.swizzle);
        }
        self.check_store(&sources);
    }

    /// Stores a tile and holds the tensor against what it must be.
    fn check_store(&self, sources: &[Option<u64>]) {
        let (bytes, rank, at) = (self.bytes(), self.sizes.len(), self.coordinates());
        let text = loads(&format!(
            "shl.b32 %r3, %r0, 2;
LOOP:
setp.ge.u32 %p2, %r3, {bytes};
@%p2 bra DONE;
add.u32 %r4, %r1, %r3;
mad.lo.u32 %r5, %r3, 0x01030507, 0x89abcdef;
st.shared.u32 [%r4], %r5;
add.u32 %r3, %r3, 256;
bra LOOP;
DONE:
fence.proxy.async.shared::cta;
bar.sync 0;
@%p0 cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [%rd1, {{{at}}}], [%r1];
@%p0 cp.async.bulk.commit_group;
@%p0 cp.async.bulk.wait_group 0;"
        ));
        let mut memory = GlobalMemory::new();
        let extent = self.extent() as usize;
        let tensor = memory.allocate_with("tensor", &vec![0x55; extent]);
        let params = Params::default().u64(tensor).map(&self.map(tensor).encode());
        launch(&program(&text), &params.launch(1, 64), &mut memory, &Config::default())
            .unwrap_or_else(|finding| panic!("{finding}"));
        let mut expected = vec![0x55; extent];
        for (at, source) in sources.iter().enumerate() {
            let word = (at as u32 & !3).wrapping_mul(0x0103_0507).wrapping_add(0x89ab_cdef);
            if let Some(source) = *source {
                expected[source as usize] = word.to_le_bytes()[at % 4];
            }
        }
        let mut met = vec![0; extent];
        memory.read(tensor, &mut met).unwrap();
        assert_eq!(met, expected, "store at {:?}, {:?}", self.corner, self.swizzle);
    }
}

/// The byte at an offset of a tensor; halves at even offsets are no two alike for 64 KiB.
fn byte_of(offset: u64) -> u8 {
    if offset.is_multiple_of(2) { (offset / 2) as u8 } else { 0x40 | (offset / 512) as u8 }
}

/// `%rd0` the output, `%rd1` the map, `%r0` the thread, `%r1` the tile, `%r2` an mbarrier for thread 0, who is `%p0`.
fn loads(body: &str) -> String {
    kernel(
        ".param .u64 p_out, .param .align 64 .b8 p_map[128]",
        &format!(
            ".shared .align 1024 .b8 tile[{ROOM}];
.shared .align 8 .b8 bar[8];
ld.param.u64 %rd0, [p_out];
mov.b64 %rd1, p_map;
cvta.param.u64 %rd1, %rd1;
mov.u32 %r0, %tid.x;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
setp.eq.u32 %p0, %r0, 0;
@%p0 mbarrier.init.shared.b64 [%r2], 1;
fence.mbarrier_init.release.cluster;
bar.sync 0;
{body}
ret;"
        ),
    )
}

const WAIT: &str = "WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;";

#[test]
fn a_tile_of_a_matrix_has_its_rows() {
    let halves = |corner: &[i32]| -> Vec<u16> {
        let bytes =
            Case { corner, ..MATRIX }.load(&Config::default()).unwrap_or_else(|finding| panic!("{finding}"));
        bytes.chunks_exact(2).map(|half| u16::from_le_bytes([half[0], half[1]])).collect()
    };
    // Half `column` of row `row` is 0x4000 + 24 · row + column.
    let inside = halves(&[2, 1]);
    assert_eq!((inside[0], inside[15], inside[16], inside[63]), (0x401a, 0x4029, 0x4032, 0x4071));
    let edge = halves(&[-3, -1]);
    assert_eq!(edge[..16], [0; 16], "the row above the first");
    assert_eq!(edge[16..22], [0, 0, 0, 0x4000, 0x4001, 0x4002], "three columns before the first");
    assert_eq!((edge[31], edge[32 + 3]), (0x400c, 0x4018));
    let end = halves(&[12, 3]);
    assert_eq!(end[..9], [0x4054, 0x4055, 0x4056, 0x4057, 0x4058, 0x4059, 0x405a, 0x405b, 0]);
    assert_eq!((end[16], end[32], end[63]), (0x406c, 0, 0));
}

#[test]
fn every_corner_and_swizzle_loads_and_stores() {
    for corner in
        [[0, 0], [1, 1], [-3, -1], [12, 3], [19, 4], [20, 0], [-16, 0], [0, -4], [i32::MIN, i32::MAX]]
    {
        Case { corner: &corner, ..MATRIX }.check();
    }
    for (swizzle, width) in [(Swizzle::B32, 32), (Swizzle::B64, 64), (Swizzle::B128, 128)] {
        let tile = [width / 2, 21];
        let matrix = Case { sizes: &[100, 30], strides: &[208], tile: &tile, swizzle, ..MATRIX };
        for corner in [[0, 0], [5, 3], [-7, -2], [90, 20]] {
            Case { corner: &corner, ..matrix }.check();
        }
    }
}

#[test]
fn tensors_of_one_and_more_dimensions() {
    let one = Case { element: 1, sizes: &[77], strides: &[], tile: &[48], ..MATRIX };
    for corner in [0, 3, -5, 60, 77, 1000] {
        Case { corner: &[corner], ..one }.check();
    }
    let three = Case { element: 4, sizes: &[6, 3, 4], strides: &[32, 112], tile: &[8, 2, 3], ..MATRIX };
    for corner in [[0, 0, 0], [-1, 1, 2], [3, 2, -1]] {
        Case { corner: &corner, ..three }.check();
    }
    let (sizes, strides) = ([3, 2, 3, 2, 2], [32, 64, 192, 384]);
    let five = Case { element: 8, sizes: &sizes, strides: &strides, tile: &[2, 2, 2, 1, 3], ..MATRIX };
    Case { swizzle: Swizzle::B32, corner: &[1, -1, 1, 1, 0], ..five }.check();
    Case { corner: &[0, 0, 0, 0, 0], ..five }.check();
}

#[test]
fn a_swizzle_permutes_addresses() {
    let case = Case { sizes: &[32, 8], strides: &[64], tile: &[32, 8], swizzle: Swizzle::B64, ..MATRIX };
    let text = case.load_text().replace("mov.u32 %r1, tile;", "mov.u32 %r1, tile+128;");
    let mut memory = GlobalMemory::new();
    let tensor = case.tensor(&mut memory);
    let out = memory.allocate("out", 512);
    let params = Params::default().u64(out).map(&case.map(tensor).encode());
    launch(&program(&text), &params.launch(1, 64), &mut memory, &Config::default())
        .unwrap_or_else(|finding| panic!("{finding}"));
    // The tile begins in the second line of the pattern; a chunk has four words, of which the first are looked at.
    let first: Vec<u32> = words(&memory, out, 128).iter().step_by(4).map(|word| word >> 3 & 0x1f).collect();
    let line = |chunks: [u32; 8], base: u32| chunks.map(|chunk| base + chunk);
    assert_eq!(first[..8], line([1, 0, 3, 2, 5, 4, 7, 6], 0));
    assert_eq!(first[8..16], line([2, 3, 0, 1, 6, 7, 4, 5], 8));
    assert_eq!(first[16..24], line([3, 2, 1, 0, 7, 6, 5, 4], 16));
    assert_eq!(first[24..], line([0, 1, 2, 3, 4, 5, 6, 7], 24));
}

/// Reads a column of matrices of 8 rows from a tile as `ldmatrix` would: bytes that lanes get, and what it cost.
fn column(swizzle: Swizzle, width: u32, column: u32) -> (Vec<u32>, Count) {
    let tile = [width / 2, 8];
    let case = Case { sizes: &[64, 8], strides: &[128], tile: &tile, swizzle, ..MATRIX };
    let mask = swizzle.mask();
    let text = loads(&format!(
        "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], {};
@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {{0, 0}}], [%r2];
{WAIT}
and.b32 %r3, %r0, 7;
mad.lo.u32 %r3, %r3, {width}, {};
shr.u32 %r4, %r3, 7;
and.b32 %r4, %r4, {mask};
shl.b32 %r4, %r4, 4;
xor.b32 %r3, %r3, %r4;
add.u32 %r3, %r1, %r3;
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r5}}, [%r3];
mul.wide.u32 %rd2, %r0, 4;
add.s64 %rd2, %rd0, %rd2;
st.global.u32 [%rd2], %r5;",
        case.bytes(),
        16 * column
    ));
    let mut memory = GlobalMemory::new();
    let tensor = case.tensor(&mut memory);
    let out = memory.allocate("out", 128);
    let program = program(&text);
    let config = Config { profile: true, ..Config::default() };
    let params = Params::default().u64(out).map(&case.map(tensor).encode());
    let stats = launch(&program, &params.launch(1, 32), &mut memory, &config)
        .unwrap_or_else(|finding| panic!("{finding}"));
    let profile = Profile::new(&program, &stats);
    let find =
        |opcode: &str| profile.lines.iter().find(|line| line.site.text.contains(opcode)).unwrap().count;
    let copied = find("cp.async.bulk.tensor");
    let bytes = case.bytes() as u64;
    assert_eq!((copied.shared_bytes, copied.global_bytes, copied.sectors), (bytes, bytes, bytes / 32));
    (words(&memory, out, 32), find("ldmatrix"))
}

#[test]
fn a_swizzled_tile_is_read_without_bank_conflicts() {
    for (swizzle, width) in [(Swizzle::B32, 32), (Swizzle::B64, 64), (Swizzle::B128, 128)] {
        for at in 0..width / 16 {
            // Lane `l` has columns 2 · (l % 4) and the next of row l / 4; a row of the tensor has 64 halves.
            let expected: Vec<u32> = (0..32)
                .map(|lane| {
                    let half = 64 * (lane / 4) + 8 * at + 2 * (lane % 4);
                    let bytes = [0, 1, 2, 3].map(|byte| byte_of(u64::from(2 * half + byte)));
                    u32::from_le_bytes(bytes)
                })
                .collect();
            let (met, count) = column(swizzle, width, at);
            assert_eq!((met, count.conflicts), (expected.clone(), 0), "{swizzle:?}, column {at}");
            let (plain, count) = column(Swizzle::None, width, at);
            assert_eq!(plain, expected);
            assert_eq!(count.conflicts, u64::from(8 * width / 128 - 1), "rows of {width} bytes");
        }
    }
}

/// Runs an edited load of the matrix: what is found.
fn fault(case: &Case<'_>, edit: (&str, &str), map: impl Fn(u64) -> [u8; 128]) -> Box<Finding> {
    let text = case.load_text();
    assert!(text.contains(edit.0), "{} stands in the text", edit.0);
    let text = text.replace(edit.0, edit.1);
    let mut memory = GlobalMemory::new();
    let tensor = case.tensor(&mut memory);
    let out = memory.allocate("out", case.bytes() as u64);
    let params = Params::default().u64(out).map(&map(tensor));
    let config = Config { step_budget: 20_000, ..Config::default() };
    launch(&program(&text), &params.launch(1, 64), &mut memory, &config).unwrap_err()
}

fn edited(case: &Case<'_>, from: &str, to: &str) -> Box<Finding> {
    fault(case, (from, to), |tensor| case.map(tensor).encode())
}

#[test]
fn a_tile_is_waited_for() {
    let unfinished = edited(&MATRIX, WAIT, "");
    expect![[r#"
        race: a read after a write, and nothing has told this thread that the phase of the copy's mbarrier is complete: load of 4 bytes at shared address 0x400, `tile` of 16384 bytes at offset 0
          kernel k
          at line 31: ld.shared.u32 %r5, [%r4];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          against line 23: @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {0, 0}], [%r2];
          cta (0, 0, 0), thread (0, 0, 0), warp 0 lane 0
          help: let the thread wait for the phase of the mbarrier, or meet one that has"#]].assert_eq(&unfinished.to_string());
    let more = edited(&MATRIX, "_, [%r2], 128;", "_, [%r2], 144;");
    expect![[r#"
        HANG at line 25: after 20000 instructions of one CTA the mbarrier at shared address 0x4400 lacks 0 arrivals and 16 bytes of phase 0
          kernel k
          at line 25: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
          cta (0, 0, 0), thread (32, 0, 0)
          help: let as many arrivals and bytes come as the phase expects, and wait for the right parity"#]].assert_eq(&more.to_string());
    // Elements outside the tensor count as those inside do.
    let outside = Case { corner: &[100, 100], ..MATRIX };
    assert_eq!(outside.load(&Config::default()), Ok(vec![0; 128]));
    let early = edited(&MATRIX, WAIT, "@%p0 ld.shared.u32 %r5, [%r1];");
    assert!(matches!(early.kind, FindingKind::Race(_)), "{early}");
}

#[test]
fn maps_are_checked() {
    let nothing = ("ret;", "ret;");
    let garbage = fault(&MATRIX, nothing, |_| [0xa5; 128]);
    expect![[r#"
        tensor map: this is no tensor map of the emulator: load of 128 bytes at param address 0x40, `parameters` of 192 bytes at offset 64
          kernel k
          at line 23: @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {0, 0}], [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: pass the 128 bytes of `TensorMap::encode`: maps of the driver are for devices, and mean nothing here"#]].assert_eq(&garbage.to_string());
    let broken = fault(&MATRIX, nothing, |tensor| {
        let mut bytes = MATRIX.map(tensor).encode();
        bytes[64] = 40;
        bytes
    });
    expect![[r#"
        tensor map: broken, stride 40 of dimension 1 is no multiple of 16 below 2^40: load of 128 bytes at param address 0x40, `parameters` of 192 bytes at offset 64
          kernel k
          at line 23: @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {0, 0}], [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: pad the rows of the tensor to a multiple of 16 bytes"#]].assert_eq(&broken.to_string());
    let other = edited(
        &MATRIX,
        "tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {0, 0}]",
        "tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {0}]",
    );
    let problem = TensorMapProblem::Dimensions { map: 2, copy: 1 };
    assert!(matches!(&other.kind, FindingKind::TensorMap { problem: met, .. } if *met == problem), "{other}");
    let odd =
        edited(&MATRIX, "cvta.param.u64 %rd1, %rd1;", "cvta.param.u64 %rd1, %rd1;\nadd.s64 %rd1, %rd1, 32;");
    assert!(matches!(&odd.kind, FindingKind::Misaligned(access) if access.space == "param"), "{odd}");
    let past =
        edited(&MATRIX, "cvta.param.u64 %rd1, %rd1;", "cvta.param.u64 %rd1, %rd1;\nadd.s64 %rd1, %rd1, 64;");
    assert!(matches!(&past.kind, FindingKind::OutOfBounds(access) if access.space == "param"), "{past}");
    let longer = fault(&MATRIX, nothing, |tensor| {
        Case { sizes: &[20, 6], corner: &[0, 0], ..MATRIX }.map(tensor + 96).encode()
    });
    expect![[r#"
        out of bounds: load of 32 bytes at global address 0x2000000f0, `tensor` of 232 bytes at offset 240
          kernel k
          at line 23: @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {0, 0}], [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]].assert_eq(&longer.to_string());
}

#[test]
fn a_map_may_lie_in_global_memory() {
    let mut memory = GlobalMemory::new();
    let tensor = MATRIX.tensor(&mut memory);
    let map = memory.allocate_with("map", &MATRIX.map(tensor).encode());
    let out = memory.allocate("out", 128);
    let text = MATRIX.load_text().replace(".param .align 64 .b8 p_map[128]", ".param .u64 p_map");
    let text =
        text.replace("mov.b64 %rd1, p_map;\ncvta.param.u64 %rd1, %rd1;", "ld.param.u64 %rd1, [p_map];");
    let params = Params::default().u64(out).u64(map);
    launch(&program(&text), &params.launch(1, 64), &mut memory, &Config::default())
        .unwrap_or_else(|finding| panic!("{finding}"));
    assert_eq!(words(&memory, out, 1), [0x4001_4000]);
}

#[test]
fn tiles_have_their_places() {
    let apart = edited(&MATRIX, "mov.u32 %r1, tile;", "mov.u32 %r1, tile+64;");
    expect![[r#"
        tensor map: its tiles lie at multiples of 128 bytes: store of 128 bytes at shared address 0x440, `tile` of 16384 bytes at offset 64
          kernel k
          at line 23: @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {0, 0}], [%r2];
          cta (0, 0, 0), thread (0, 0, 0)
          help: declare the shared array `.align 128`, with the 128-byte swizzle `.align 1024`"#]].assert_eq(&apart.to_string());
    let swizzled = Case { swizzle: Swizzle::B128, ..MATRIX };
    let apart = edited(&swizzled, "mov.u32 %r1, tile;", "mov.u32 %r1, tile+128;");
    let problem = TensorMapProblem::Place { align: 1024 };
    assert!(matches!(&apart.kind, FindingKind::TensorMap { problem: met, .. } if *met == problem), "{apart}");
    let past = edited(&MATRIX, "tile[16384];", "tile[64];\n.shared .align 8 .b8 rest[8];");
    assert!(matches!(&past.kind, FindingKind::OutOfBounds(access) if access.space == "shared"), "{past}");
    let huge = Case { tile: &[256, 256], ..MATRIX };
    let huge = fault(&MATRIX, ("ret;", "ret;"), |tensor| huge.map(tensor).encode());
    assert!(matches!(&huge.kind, FindingKind::OutOfBounds(access) if access.bytes == 1 << 17), "{huge}");
}

#[test]
fn stores_hold_their_source_and_the_tensor_its_bounds() {
    let body = "st.shared.u32 [%r3], %r0;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {8, 3}], [%r1];
@%p0 cp.async.bulk.commit_group;
@%p0 cp.async.bulk.wait_group.read 0;
bar.sync 0;
st.shared.u32 [%r3], 0;";
    let run = |edit: (&str, &str), sizes: &[u64]| {
        let text = format!("shl.b32 %r3, %r0, 2;\nadd.u32 %r3, %r3, %r1;\n{body}");
        assert!(text.contains(edit.0));
        let program = program(&loads(&text.replace(edit.0, edit.1)));
        let mut memory = GlobalMemory::new();
        let tensor = memory.allocate("tensor", MATRIX.extent());
        let map = Case { sizes, ..MATRIX }.map(tensor);
        let params = Params::default().u64(tensor).map(&map.encode());
        launch(&program, &params.launch(1, 64), &mut memory, &Config::default()).map(|_| ())
    };
    assert_eq!(run(("bar", "bar"), MATRIX.sizes), Ok(()));
    let early = run(("@%p0 cp.async.bulk.wait_group.read 0;\n", ""), MATRIX.sizes).unwrap_err();
    expect![[r#"
        in flight: write of shared memory that a `cp.async.bulk` at line 27 is still reading: store of 4 bytes at shared address 0x400, `tile` of 16384 bytes at offset 0
          kernel k
          at line 30: st.shared.u32 [%r3], 0;
          cta (0, 0, 0), thread (0, 0, 0)
          against line 27: @%p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {8, 3}], [%r1];
          thread (0, 0, 0)
          help: let its thread wait with `cp.async.bulk.wait_group.read` and put a barrier before"#]].assert_eq(&early.to_string());
    let past = run(("bar", "bar"), &[20, 6]).unwrap_err();
    expect![[r#"
        out of bounds: store of 24 bytes at global address 0x200000100, `tensor` of 232 bytes at offset 256
          kernel k
          at line 27: @%p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {8, 3}], [%r1];
          cta (0, 0, 0), thread (0, 0, 0)
          help: guard the access by the extent, or enlarge the buffer"#]]
    .assert_eq(&past.to_string());
    // What is not stored need not be there: the last two rows of the tile lie outside the tensor.
    let half = "setp.lt.u32 %p3, %r0, 16;\n@%p3 st.shared.u32 [%r3], %r0;\nfence";
    assert_eq!(run(("st.shared.u32 [%r3], %r0;\nfence", half), MATRIX.sizes), Ok(()));
    let less = half.replace("16;", "8;");
    let unwritten = run(("st.shared.u32 [%r3], %r0;\nfence", &less), MATRIX.sizes).unwrap_err();
    assert!(
        matches!(&unwritten.kind, FindingKind::Uninitialised(access) if access.space == "shared"),
        "{unwritten}"
    );
}
