//! What the kernels should compute: angles with the kernel's roundings to f32, the rest in f64; gathers to the byte.

use super::super::rounding::{real, rounded};
use crate::case::TestBuffer;
use crate::ir::DType;

fn single(x: f64) -> f64 {
    real(x, DType::F32)
}

/// The elements of the table's rows; 0 where there is no such row.
fn gathered(table: &TestBuffer, ids: &[i32], dim: usize) -> Vec<f64> {
    let table = table.as_f64();
    let rows = table.len() / dim;
    let row = |&id: &i32| -> Vec<f64> {
        match usize::try_from(id) {
            Ok(id) if id < rows => table[id * dim..(id + 1) * dim].to_vec(),
            Ok(_) | Err(_) => vec![0.0; dim],
        }
    };
    ids.iter().flat_map(row).collect()
}

pub(super) fn token(table: &TestBuffer, ids: &[i32], dim: usize) -> TestBuffer {
    TestBuffer::from_f64("out", &gathered(table, ids, dim), table.dtype())
}

pub(super) fn token_scaled(table: &TestBuffer, ids: &[i32], dim: usize, scale: f32) -> TestBuffer {
    let values = gathered(table, ids, dim);
    let scaled: Vec<_> = values.into_iter().map(|x| single(x * f64::from(scale))).collect();
    rounded("out", &scaled, table.dtype())
}

/// Sine and cosine of position · base^(−2i/dim) in turn.
pub(super) fn sinusoidal(positions: &[i32], dim: usize, log2_base: f32) -> Vec<f64> {
    let value = |position: i32, column: usize| {
        let share = single((column / 2 * 2) as f64 / dim as f64);
        let frequency = single((-single(share * f64::from(log2_base))).exp2());
        let angle = single(f64::from(position) * frequency);
        if column.is_multiple_of(2) { angle.sin() } else { angle.cos() }
    };
    let row = |&position: &i32| (0..dim).map(move |column| value(position, column));
    positions.iter().flat_map(row).collect()
}

/// How a timestep is embedded.
#[derive(Clone, Copy)]
pub(super) struct Timestep {
    pub(super) log2_period: f32,
    pub(super) shift: f32,
    pub(super) scale: f32,
    pub(super) cos_first: bool,
}

impl Timestep {
    pub(super) fn embed(self, t: &[f64], dim: usize) -> Vec<f64> {
        let half = dim / 2;
        let value = |t: f64, column: usize| {
            if column == 2 * half {
                return 0.0;
            }
            let share = single((column % half) as f64 / single(half as f64 - f64::from(self.shift)));
            let frequency = single((-single(share * f64::from(self.log2_period))).exp2());
            let angle = single(f64::from(self.scale) * single(t * frequency));
            if (column < half) == self.cos_first { angle.cos() } else { angle.sin() }
        };
        t.iter().flat_map(|&t| (0..dim).map(move |column| value(t, column))).collect()
    }
}
