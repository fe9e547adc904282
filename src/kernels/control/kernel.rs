//! Loops of one thread.

use warpsmith::dsl::prelude::*;

/// Steps to 1, at most `limit`.
#[kernel]
pub fn collatz<T>(x: Tensor<T>, mut out: Tensor<u32>, #[scalar] limit: u32) {
    let i = program_id::<0>();
    let mut v = load(x[i]);
    let mut steps = 0u32;
    while v != 1 && steps < limit {
        v = if v % 2 == 0 { v / 2 } else { v * 3 + 1 };
        steps += 1;
    }
    out[i] = steps;
}

/// The greatest common divisor.
#[kernel]
pub fn gcd<T>(x: Tensor<T>, y: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    let mut a = load(x[i]);
    let mut b = load(y[i]);
    while b != 0 {
        let rest = a % b;
        a = b;
        b = rest;
    }
    out[i] = a;
}

/// √a by Newton's steps from above, until they fall no more; `rounds` says how many that were.
#[kernel]
pub fn newton_sqrt(x: Tensor<f32>, mut out: Tensor<f32>, mut rounds: Tensor<u32>) {
    let i = program_id::<0>();
    let a = load(x[i]);
    let mut y = select(a > 1.0, a, 1.0);
    let mut count = 0u32;
    loop {
        let next = 0.5 * (y + a / y);
        // A NaN is not below anything, so it ends the loop too.
        if !(next < y) {
            break;
        }
        y = next;
        count += 1;
    }
    out[i] = y;
    rounds[i] = count;
}

/// How many primes are below x.
#[kernel]
pub fn primes_below(x: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    let limit = load(x[i]);
    let mut count = 0u32;
    for candidate in range(2, limit) {
        if candidate > 2 && candidate % 2 == 0 {
            continue;
        }
        let mut divisor = 3u32;
        let mut is_prime = 1u32;
        while divisor * divisor <= candidate {
            if candidate % divisor == 0 {
                is_prime = 0u32;
                break;
            }
            divisor += 2;
        }
        if is_prime == 0 {
            continue;
        }
        count += 1;
    }
    out[i] = count;
}

/// The first position in `sorted`, of `n` elements, whose element is not below the key.
#[kernel]
pub fn binary_search<T>(sorted: Tensor<T>, keys: Tensor<T>, mut out: Tensor<u32>, #[scalar] n: u32) {
    let i = program_id::<0>();
    let key = load(keys[i]);
    let mut low = 0u32;
    let mut high = n;
    while low < high {
        let middle = low + (high - low) / 2;
        if load(sorted[middle]) < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    out[i] = low;
}

/// A hash that every way out of three loops takes part in.
#[kernel]
pub fn nested_exits(x: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    let n = load(x[i]);
    let mut hash = 1u32;
    for row in range(0, n) {
        if row % 5 == 3 {
            continue;
        }
        for column in unroll(range(0, n), 4) {
            if column == row {
                continue;
            }
            if column > row + 7 {
                break;
            }
            hash = hash * 31 + (row ^ column);
            if hash % 11 == 0 {
                break;
            }
        }
        let mut left = row;
        while left > 0 {
            left -= 1;
            if left % 3 == 0 {
                continue;
            }
            if left == 10 {
                break;
            }
            hash += left;
        }
        if hash % 97 == 5 {
            break;
        }
    }
    out[i] = hash;
}

/// How long a point stays near.
#[kernel]
pub fn mandelbrot(x: Tensor<f32>, y: Tensor<f32>, mut out: Tensor<u32>, #[scalar] limit: u32) {
    let i = program_id::<0>();
    let (cx, cy) = (load(x[i]), load(y[i]));
    let mut zx = 0.0f32;
    let mut zy = 0.0f32;
    let mut count = 0u32;
    for _round in range(0, limit) {
        let (x2, y2) = (zx * zx, zy * zy);
        if x2 + y2 > 4.0 {
            break;
        }
        zy = 2.0 * zx * zy + cy;
        zx = x2 - y2 + cx;
        count += 1;
    }
    out[i] = count;
}
