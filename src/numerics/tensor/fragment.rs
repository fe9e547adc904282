//! Between the registers of a warp and a matrix: packing and unpacking by the layout.
//!
//! On entry: whoever holds the registers gives a function from lane and register to bits. On exit: a matrix, row by row,
//! an element's own bits in the low bits of a word, which is what the model takes. Narrow elements in wider containers
//! (`e2m1` in a byte) lose the padding here and get it back here.

use super::form::{Element, Form};
use super::layout::{LANES, Layout, Operand, container_shift, scale_holder};
use crate::numerics::{Storage, bf16, f16};

/// The matrix that a warp holds; `register` gives the bits of a lane's register.
pub fn gather(form: &Form, operand: Operand, mut register: impl FnMut(usize, usize) -> u64) -> Vec<u64> {
    let layout = Layout::of(form, operand);
    let (shift, bits) = match operand {
        Operand::A => (container_shift(form, form.a), form.a.bits()),
        Operand::B => (container_shift(form, form.b), form.b.bits()),
        Operand::C => (0, form.acc.bits()),
    };
    let mask = u64::MAX >> (64 - bits);
    let each = layout.per_register();
    let mut matrix = vec![0; layout.rows() * layout.columns()];
    for lane in 0..LANES {
        for index in 0..layout.registers() {
            let word = register(lane, index);
            for part in 0..each {
                let (row, column) = layout.position(lane, index * each + part);
                let element = word >> (part as u32 * layout.element_bits() + shift);
                matrix[row * layout.columns() + column] = element & mask;
            }
        }
    }
    matrix
}

/// Gives each lane's registers of a matrix to `register`. Only C and D: their elements fill their containers.
pub fn scatter(layout: &Layout, matrix: &[u64], mut register: impl FnMut(usize, usize, u64)) {
    let each = layout.per_register();
    for lane in 0..LANES {
        for index in 0..layout.registers() {
            let mut word = 0;
            for part in 0..each {
                let (row, column) = layout.position(lane, index * each + part);
                word |= matrix[row * layout.columns() + column] << (part as u32 * layout.element_bits());
            }
            register(lane, index, word);
        }
    }
}

/// The registers of each lane, one lane after the other, for a matrix: what [`gather`] takes apart again.
pub fn spread(form: &Form, operand: Operand, matrix: &[u64]) -> Vec<u64> {
    let layout = Layout::of(form, operand);
    let shift = match operand {
        Operand::A => container_shift(form, form.a),
        Operand::B => container_shift(form, form.b),
        Operand::C => 0,
    };
    let (each, registers) = (layout.per_register(), layout.registers());
    let mut words = vec![0; LANES * registers];
    for (place, &bits) in matrix.iter().enumerate() {
        let (lane, index) = layout.holder(place / layout.columns(), place % layout.columns());
        let at = (index % each) as u32 * layout.element_bits() + shift;
        words[lane * registers + index / each] |= bits << at;
    }
    words
}

/// The scales of the rows of A or the columns of B, each with its consecutive ones; `word` gives the bits of a lane's
/// scale word.
pub fn scale_bytes(
    form: &Form,
    operand: Operand,
    byte: usize,
    thread: usize,
    word: impl Fn(usize) -> u32,
) -> Vec<u8> {
    let (lines, scales) = match operand {
        Operand::A | Operand::C => (usize::from(form.shape.m), form.kind.scales()),
        Operand::B => (usize::from(form.shape.n), form.kind.scales()),
    };
    let scale = |place: usize| {
        let (line, scale) = (place / scales.max(1), place % scales.max(1));
        let bytes = word(scale_holder(operand, line, thread)).to_le_bytes();
        bytes[(byte + scale) % bytes.len()]
    };
    (0..lines * scales).map(scale).collect()
}

/// The value of an element of at most 32 bits that holds a float, which f32 holds exactly. Integers and f64 have no place
/// here and give NaN.
pub fn float_value(element: Element, bits: u64) -> f32 {
    let storage = |storage: Storage| storage.decode(bits as u32);
    match element {
        Element::F16 => f16::from_bits(bits as u16).to_f32(),
        Element::BF16 => bf16::from_bits(bits as u16).to_f32(),
        Element::TF32 => f32::from_bits(bits as u32 & !0x1fff),
        Element::E4M3 => storage(Storage::E4M3),
        Element::E5M2 => storage(Storage::E5M2),
        Element::E3M2 => storage(Storage::E3M2),
        Element::E2M3 => storage(Storage::E2M3),
        Element::E2M1 => storage(Storage::E2M1),
        Element::F64 | Element::S8 | Element::U8 | Element::S4 | Element::U4 => f32::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_comes_back_from_its_registers() {
        for form in Form::all() {
            for operand in [Operand::A, Operand::B, Operand::C] {
                let bits = match operand {
                    Operand::A => form.a.bits(),
                    Operand::B => form.b.bits(),
                    Operand::C => form.acc.bits(),
                };
                let layout = Layout::of(&form, operand);
                let count = (layout.rows() * layout.columns()) as u64;
                let matrix: Vec<u64> =
                    (0..count).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)).collect();
                // By `position` one way and by `holder` the other, so that a wrong place shows.
                let words = spread(&form, operand, &matrix);
                let word = |lane: usize, register: usize| words[lane * layout.registers() + register];
                assert_eq!(gather(&form, operand, word), matrix, "{form}");
                if operand == Operand::C {
                    scatter(&layout, &matrix, |lane, register, bits| {
                        assert_eq!(bits, word(lane, register), "{form}");
                    });
                }
            }
        }
    }
}
