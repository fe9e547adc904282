//! Inline PTX, each text with the model that the oracle and other backends run.

use warpsmith::dsl::prelude::*;

/// The bytes of a word in reverse.
#[kernel]
pub fn reverse_bytes(x: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    out[i] = inline_ptx!(
        "prmt.b32 {y}, {x}, 0, 0x0123;", y: u32, x = load(x[i]),
        model = |x| byte_perm(x, 0u32, 0x0123u32),
    );
}

/// The upper half of a product.
#[kernel]
pub fn high_product(x: Tensor<i64>, y: Tensor<i64>, mut out: Tensor<i64>) {
    let i = program_id::<0>();
    let (a, b) = (load(x[i]), load(y[i]));
    out[i] = inline_ptx!(
        "mul.hi.s64 {high}, {a}, {b};", high: i64, a = a, b = b,
        model = |a, b| mul_hi(a, b),
    );
}

/// What two of three words have, bit by bit.
#[kernel]
pub fn majority(x: Tensor<u32>, y: Tensor<u32>, z: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    out[i] = inline_ptx!(
        "lop3.b32 {most}, {a}, {b}, {c}, 0xe8;",
        most: u32, a = load(x[i]), b = load(y[i]), c = load(z[i]),
        model = |a, b, c| (a & b) | (a & c) | (b & c),
    );
}

/// A sum of 64 bits and its carry: two outputs, and a register of the text's own.
#[kernel]
pub fn add_with_carry(x: Tensor<u64>, y: Tensor<u64>, mut out: Tensor<u64>, mut carry: Tensor<u32>) {
    let i = program_id::<0>();
    let (sum, carried) = inline_ptx!(
        ".reg .pred wraps;",
        "add.u64 {sum}, {a}, {b};",
        "setp.lt.u64 wraps, {sum}, {a};",
        "selp.b32 {carry}, 1, 0, wraps;",
        sum: u64, carry: u32,
        a = load(x[i]), b = load(y[i]),
        model = |a, b| {
            let sum = a + b;
            (sum, (sum < a).cast::<u32>())
        },
    );
    out[i] = sum;
    carry[i] = carried;
}
