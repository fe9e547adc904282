//! The kernel of the family.

use warpsmith::dsl::prelude::*;

/// `c[i, j]` = Σ a[i, l] · b[j, l] over l < `k`, of `m` × `k` and `n` × `k` row-major matrices: rows along the depth, as
/// a linear layer has its weights.
///
/// A CTA computes `BM` × `BN` of C, a warp `WM` × `WN` of that, in fragments of 16 × 8. Slices of 128 bytes of depth pass
/// through shared memory in `STAGES` stages: `cp.async` fills the one that all warps left last while they multiply the
/// next. Rows are swizzled, so that `ldmatrix` and the copies meet no bank twice. Rows and depths beyond the ends are
/// zeros. A row of A and of B is a multiple of 16 bytes, so that copies are whole; `gemm_any` takes rows of any length and
/// moves them an element at a time.
///
/// CTAs go along the rows of C in bands of `BAND` tiles, so that those that run together share slices of A and B.
#[kernel(
    mode = Reduction,
    variants(NAME = ["128x256", "128x128", "64x64", "any"], BM = [128, 128, 64, 64], BN = [256, 128, 64, 64],
        WM = [64, 64, 32, 32], WN = [64, 32, 32, 32], STAGES = [4, 3, 3, 3], WHOLE = [1, 1, 1, 0], suffix = "_{NAME}")
)]
pub fn gemm<T, A, C>(
    a: Tensor<T>,
    b: Tensor<T>,
    mut c: Tensor<C>,
    #[scalar] m: u32,
    #[scalar] n: u32,
    #[scalar] k: u32,
) {
    let size = T::dtype().size() as usize;
    let (depth, chunk) = (LINE_BYTES / size, CHUNK_BYTES / size);
    let form = mma_form::<T, T, A>(16, 8, (32 / size) as u8);
    let threads = BM / WM * (BN / WN) * 32;
    let (left, right) = (shared::<T>(STAGES * BM * depth), shared::<T>(STAGES * BN * depth));

    let (row, column) = tile_of(program_id::<0>(), (m + (BM - 1)) / BM, (n + (BN - 1)) / BN);
    let (row, column) = (row * BM, column * BN);
    let slices = (k + (depth - 1)) / depth;

    // Each thread copies the same chunk of a row, and rows at a constant distance.
    let (chunk_row, chunk_at) = (tid / CHUNKS, tid % CHUNKS * chunk);
    let rows_at_once = threads / CHUNKS;
    let place = swizzled::<T>(Swizzle::B128, chunk_row * depth + chunk_at);
    let fetch = |slice: Val, stage: Val| {
        let at = slice * depth + chunk_at;
        let within = select(at < k, min(k - at, chunk), 0u32);
        let from =
            Rows { first: chunk_row, apart: rows_at_once, at, within, pitch: k, are_whole: WHOLE == 1 };
        fetch_rows(left, stage * (BM * depth) + place, a, row, m, BM / rows_at_once, depth, from);
        fetch_rows(right, stage * (BN * depth) + place, b, column, n, BN / rows_at_once, depth, from);
        cp_async_commit();
    };
    for stage in 0..STAGES - 1 {
        fetch(stage.val(), stage.val());
    }

    // The rows of a warp's 8×8 matrices: those of A go down first, those of B along the depth.
    let (warp_row, warp_column) = (simd_id / (BN / WN) * WM, simd_id % (BN / WN) * WN);
    let left_row = warp_row + simd_lane % 16;
    let right_row = warp_column + simd_lane % 8 + simd_lane / 16 * 8;
    let (left_half, right_half) = (simd_lane / 16, simd_lane / 8 % 2);
    let steps = CHUNKS / 2;
    let left_at = std::array::from_fn::<_, 4, _>(|step| {
        swizzled::<T>(Swizzle::B128, left_row * depth + (left_half + 2 * step) * chunk)
    });
    let right_at = std::array::from_fn::<_, 4, _>(|step| {
        swizzled::<T>(Swizzle::B128, right_row * depth + (right_half + 2 * step) * chunk)
    });
    let mut sums = (0..WM / 16 * (WN / 8)).map(|_| Fragment::zeros(form)).collect::<Vec<Fragment>>();
    let mut stage = 0u32;
    let mut free = (STAGES as u32 - 1).val();
    for slice in range(0u32, slices) {
        cp_async_wait(STAGES as u32 - 2);
        threadgroup_barrier();
        fetch(slice + (STAGES - 1), free.val());
        for step in 0..steps {
            let lefts: Vec<Fragment> = (0..WM / 16)
                .map(|tile| {
                    let at = stage * (BM * depth) + left_at[step] + tile * 16 * depth;
                    Fragment::of(form, Operand::A, ldmatrix::<4, _>(left, at))
                })
                .collect();
            let rights: Vec<Fragment> = (0..WN / 16)
                .flat_map(|tile| {
                    let at = stage * (BN * depth) + right_at[step] + tile * 16 * depth;
                    let [first, second, third, fourth] = ldmatrix::<4, _>(right, at);
                    [[first, second], [third, fourth]].map(|words| Fragment::of(form, Operand::B, words))
                })
                .collect();
            for down in 0..WM / 16 {
                for across in 0..WN / 8 {
                    let tile = down * (WN / 8) + across;
                    sums[tile] = mma(&lefts[down], &rights[across], &sums[tile]);
                }
            }
        }
        free = stage;
        stage = select(stage == STAGES as u32 - 1, 0u32, stage + 1u32);
    }
    store_tile(&sums, c, [row + warp_row, column + warp_column], [m, n], WN / 8);
}

/// Bytes of a row of a slice, the banks once round; and of a row of an 8×8 matrix.
const LINE_BYTES: usize = 128;
const CHUNK_BYTES: usize = 16;
const CHUNKS: usize = LINE_BYTES / CHUNK_BYTES;

/// Rows of tiles that CTAs walk together.
const BAND: u32 = 8;

/// The rows of which a thread copies a chunk.
#[derive(Clone, Copy)]
struct Rows {
    first: Val,
    /// Rows from one to the next.
    apart: usize,
    /// Where the chunk starts in a row, and how many of its elements are there.
    at: Val,
    within: Val,
    /// Elements from a row to the next.
    pitch: Val,
    /// Whether that is a multiple of 16 bytes.
    are_whole: bool,
}

/// Begins to copy a chunk of each of `count` rows below `top` to a tile; those from `rows` on are zeros.
#[kernel_fn]
fn fetch_rows<T: KernelType>(
    tile: Shared<T>,
    to: Val,
    matrix: Tensor<T>,
    top: Val,
    rows: Val,
    count: usize,
    depth: usize,
    from: Rows,
) {
    let Rows { first, apart, at, within, pitch, are_whole } = from;
    let chunk = CHUNK_BYTES / T::dtype().size() as usize;
    let distance = pitch.cast::<u64>() * apart;
    let mut index = (top + first).cast::<u64>() * pitch + at;
    for step in 0..count {
        let row = top + first + step * apart;
        let (place, present) = (to + step * apart * depth, select(row < rows, within, 0u32));
        if are_whole {
            cp_async_16(tile, place, matrix, index, present);
        } else {
            for element in 0..chunk {
                let value = select(present > element as u32, matrix[index + element as u64], cast::<T>(0));
                store(tile[place + element], value);
            }
        }
        index = index + distance;
    }
}

/// Row and column of the tile that a CTA computes, of `rows` × `columns` of them.
#[kernel_fn]
fn tile_of(number: Val, rows: Val, columns: Val) -> (Val, Val) {
    let per_band = columns * BAND;
    let first = number / per_band * BAND;
    let height = min(rows - first, BAND);
    let within = number % per_band;
    (first + within % height, within / height)
}

/// Stores a warp's fragments, `across` in a row, from `place` of a matrix of some `shape`.
#[kernel_fn]
fn store_tile<C: KernelType>(
    sums: &[Fragment],
    c: Tensor<C>,
    place: [Val; 2],
    shape: [Val; 2],
    across: usize,
) {
    let ([top, left], [rows, columns]) = (place, shape);
    for tile in 0..sums.len() {
        let sum = sums[tile].clone();
        for pair in 0..2 {
            let (row, column) = sum.position(2 * pair);
            let row = top + row + tile / across * 16;
            let column = left + column + tile % across * 8;
            let at = row.cast::<u64>() * columns + column;
            let [first, second] = [sum.element(2 * pair), sum.element(2 * pair + 1)];
            if row < rows {
                // The pitch is even or no pair of columns is whole everywhere.
                if columns % 2 == 0 {
                    if column < columns {
                        store_vec(c, at, [first, second]);
                    }
                } else {
                    if column < columns {
                        store(c[at], first);
                    }
                    if column + 1 < columns {
                        store(c[at + 1], second);
                    }
                }
            }
        }
    }
}
