//! What the kernels should compute, in plain Rust; integers wrap in the width of their type, f32 rounds each operation.

use crate::case::TestBuffer;
use crate::ir::DType;

/// Integers of a type, their low bits.
pub(super) fn ints(name: &str, values: impl IntoIterator<Item = i128>, dtype: DType) -> TestBuffer {
    let size = dtype.size() as usize;
    let bytes = values.into_iter().flat_map(|value| value.to_le_bytes().into_iter().take(size));
    TestBuffer::from_vec(name, bytes.collect(), dtype)
}

/// A value as an integer type holds it.
fn wrapped(value: i128, dtype: DType) -> i128 {
    let unused = 128 - dtype.bits();
    if dtype.is_signed() { value << unused >> unused } else { ((value as u128) << unused >> unused) as i128 }
}

pub(super) fn collatz(x: &TestBuffer, limit: u32) -> TestBuffer {
    let steps = |mut v: i128| {
        let mut steps = 0;
        while v != 1 && steps < limit {
            v = wrapped(if v % 2 == 0 { v / 2 } else { v * 3 + 1 }, x.dtype());
            steps += 1;
        }
        i128::from(steps)
    };
    ints("out", x.as_int().into_iter().map(steps), DType::U32)
}

pub(super) fn gcd(x: &TestBuffer, y: &TestBuffer) -> TestBuffer {
    let divisor = |(mut a, mut b): (i128, i128)| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    ints("out", x.as_int().into_iter().zip(y.as_int()).map(divisor), x.dtype())
}

pub(super) fn newton_sqrt(x: &TestBuffer) -> (Vec<f32>, Vec<u32>) {
    let root = |a: f64| {
        let a = a as f32;
        let (mut y, mut rounds) = (a.max(1.0), 0u32);
        loop {
            let next = 0.5 * (y + a / y);
            if next < y {
                y = next;
                rounds += 1;
            } else {
                return (y, rounds);
            }
        }
    };
    x.as_f64().into_iter().map(root).unzip()
}

pub(super) fn primes_below(x: &TestBuffer) -> TestBuffer {
    let most = x.as_int().into_iter().max().unwrap_or(0) as usize;
    let mut is_prime = vec![true; most.max(2)];
    for number in 2..most {
        if is_prime[number] {
            (number * number..most).step_by(number).for_each(|multiple| is_prime[multiple] = false);
        }
    }
    let below = |&limit: &i128| (2..limit as usize).filter(|&number| is_prime[number]).count() as i128;
    ints("out", x.as_int().iter().map(below), DType::U32)
}

pub(super) fn binary_search(sorted: &TestBuffer, keys: &TestBuffer) -> TestBuffer {
    let sorted = sorted.as_f64();
    let place = |key: f64| sorted.iter().take_while(|&&element| element < key).count() as i128;
    ints("out", keys.as_f64().into_iter().map(place), DType::U32)
}

pub(super) fn nested_exits(x: &TestBuffer) -> TestBuffer {
    ints("out", x.as_int().into_iter().map(|n| i128::from(hash_of(n as u32))), DType::U32)
}

fn hash_of(n: u32) -> u32 {
    let mut hash = 1u32;
    for row in (0..n).filter(|row| row % 5 != 3) {
        for column in (0..n.min(row + 8)).filter(|&column| column != row) {
            hash = hash.wrapping_mul(31).wrapping_add(row ^ column);
            if hash.is_multiple_of(11) {
                break;
            }
        }
        for left in (0..row).rev().filter(|left| left % 3 != 0) {
            if left == 10 {
                break;
            }
            hash = hash.wrapping_add(left);
        }
        if hash % 97 == 5 {
            break;
        }
    }
    hash
}

pub(super) fn mandelbrot(x: &TestBuffer, y: &TestBuffer, limit: u32) -> TestBuffer {
    let rounds = |(cx, cy): (f64, f64)| {
        let (cx, cy) = (cx as f32, cy as f32);
        let (mut zx, mut zy) = (0f32, 0f32);
        for round in 0..limit {
            if zx * zx + zy * zy > 4.0 {
                return i128::from(round);
            }
            (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
        }
        i128::from(limit)
    };
    ints("out", x.as_f64().into_iter().zip(y.as_f64()).map(rounds), DType::U32)
}

/// The positions of an element's neighbours: left, right, up, down.
fn neighbours(at: usize, width: usize, height: usize) -> [usize; 4] {
    let (row, column) = (at / width, at % width);
    let place = |row: usize, column: usize| row * width + column;
    [
        place(row, column.saturating_sub(1)),
        place(row, (column + 1).min(width - 1)),
        place(row.saturating_sub(1), column),
        place((row + 1).min(height - 1), column),
    ]
}

pub(super) fn stencil_5(x: &TestBuffer, width: usize, height: usize) -> TestBuffer {
    let at = |at: usize| neighbours(at, width, height);
    if x.dtype() == DType::F32 {
        let x: Vec<f32> = x.as_f64().into_iter().map(|x| x as f32).collect();
        let values = (0..x.len()).map(|here| {
            let [left, right, up, down] = at(here).map(|at| x[at]);
            x[here] * 4.0 - (left + right) - (up + down)
        });
        return TestBuffer::from_slice("out", &values.collect::<Vec<_>>());
    }
    let values = x.as_int();
    let sums =
        (0..values.len()).map(|here| values[here] * 4 - at(here).map(|at| values[at]).iter().sum::<i128>());
    ints("out", sums, x.dtype())
}

/// in[z, y, x] as out[x, z, y].
pub(super) fn rotate_axes(x: &TestBuffer, [columns, rows, planes]: [usize; 3]) -> TestBuffer {
    let size = x.dtype().size() as usize;
    let bytes = x.bytes().unwrap_or_default();
    let mut out = Vec::with_capacity(bytes.len());
    for column in 0..columns {
        for plane in 0..planes {
            for row in 0..rows {
                let from = ((plane * rows + row) * columns + column) * size;
                out.extend_from_slice(&bytes[from..from + size]);
            }
        }
    }
    TestBuffer::from_vec("out", out, x.dtype())
}

pub(super) fn places(grid: [usize; 3], cta: [usize; 3]) -> TestBuffer {
    let threads: usize = cta.iter().product();
    let mut out = Vec::new();
    for z in 0..grid[2] {
        for y in 0..grid[1] {
            for x in 0..grid[0] {
                // The warp and the lane of the k-th thread are k itself in base 32.
                let place = |thread: usize| thread * 64 + threads.div_ceil(32);
                out.extend((0..threads).map(|thread| (place(thread) * 1000 + x * 100 + y * 10 + z) as i128));
            }
        }
    }
    ints("out", out, DType::U32)
}

pub(super) fn swap_lanes(x: &TestBuffer) -> TestBuffer {
    let size = x.dtype().size() as usize;
    let pairs = x.bytes().unwrap_or_default().chunks(2 * size);
    let swapped = pairs.flat_map(|pair| [&pair[size..], &pair[..size]].concat());
    TestBuffer::from_vec("out", swapped.collect(), x.dtype())
}

pub(super) fn reverse_bytes(x: &TestBuffer) -> TestBuffer {
    let words = x.bytes().unwrap_or_default().chunks(4);
    TestBuffer::from_vec("out", words.flat_map(|word| word.iter().rev().copied()).collect(), x.dtype())
}

pub(super) fn high_product(x: &TestBuffer, y: &TestBuffer) -> TestBuffer {
    ints("out", x.as_int().into_iter().zip(y.as_int()).map(|(a, b)| (a * b) >> 64), x.dtype())
}

pub(super) fn majority([x, y, z]: [&TestBuffer; 3]) -> TestBuffer {
    let (x, y, z) = (x.as_int(), y.as_int(), z.as_int());
    let most = |at: usize| {
        let set = |bit: u32| [x[at], y[at], z[at]].iter().filter(|&&word| word >> bit & 1 == 1).count() >= 2;
        (0..32).filter(|&bit| set(bit)).fold(0, |word, bit| word | 1 << bit)
    };
    ints("out", (0..x.len()).map(most), DType::U32)
}

pub(super) fn add_with_carry(x: &TestBuffer, y: &TestBuffer) -> (TestBuffer, TestBuffer) {
    let sums: Vec<i128> = x.as_int().into_iter().zip(y.as_int()).map(|(a, b)| a + b).collect();
    let carries = sums.iter().map(|sum| sum >> 64).collect::<Vec<_>>();
    (ints("out", sums, DType::U64), ints("carry", carries, DType::U32))
}

/// 3x + 1, each operation in the type.
pub(super) fn pipeline(x: &TestBuffer) -> TestBuffer {
    if x.dtype() == DType::F32 {
        let values: Vec<f32> = x.as_f64().into_iter().map(|x| x as f32 * 3.0 + 1.0).collect();
        return TestBuffer::from_slice("out", &values);
    }
    ints("out", x.as_int().into_iter().map(|x| x * 3 + 1), x.dtype())
}
