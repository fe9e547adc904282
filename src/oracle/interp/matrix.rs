//! Matrix operations of a warp, and asynchronous copies.
//!
//! A copy reads its source when it is issued; its destination counts as unwritten until the thread has waited for its
//! group, so that whoever looks too early reads what nobody wrote. Deliberately not here: what a product is
//! (`numerics::tensor`).

use std::collections::VecDeque;

use super::{Done, Interp};
use crate::entity::EntityId;
use crate::ir::op::{
    CpAsync, CpAsyncWait, LdMatrix, MatrixOrder, MemBase, Mma, Numerics, Place, ScaleWord, ValueList,
};
use crate::ir::{ArrayId, ValueId};
use crate::numerics::Float;
use crate::numerics::tensor::{
    Form, LANES, Layout, Operand, Operands, float_value, gather, scale_bytes, scatter,
};
use crate::oracle::error::{Access, FaultKind};
use crate::oracle::memory::Buffer;
use crate::oracle::value::{Word, with_word};

/// Bytes on their way to shared memory.
pub(super) struct Copy {
    array: ArrayId,
    /// Element index.
    first: u64,
    bytes: Vec<u8>,
}

/// Copies of one thread: closed groups, oldest first, and the one that is open.
#[derive(Default)]
pub(super) struct InFlight {
    groups: VecDeque<Vec<Copy>>,
    open: Vec<Copy>,
}

impl Interp<'_> {
    /// Whether all 32 lanes of each active warp take part; else the fault of the first that lacks company.
    fn whole_warps(&mut self, op: &'static str) -> Done {
        self.gather_members();
        for first in (0..self.threads).step_by(LANES) {
            let count =
                (first..first + LANES).filter(|&lane| lane < self.threads && self.members.has(lane)).count();
            if count != 0 && count != LANES {
                let lane = (first..self.threads).find(|&lane| self.members.has(lane)).unwrap_or(first);
                return Err(self.fault(lane, FaultKind::PartialWarp { op, lanes: count }));
            }
        }
        Ok(())
    }

    pub(super) fn mma(&mut self, op: &Mma, results: &[ValueId]) -> Done {
        self.whole_warps("mma")?;
        let model = self.tensor_model;
        if op.numerics == Numerics::TensorCore && !model.has(&op.form) {
            let lane = self.active.range().start;
            return Err(self.fault(lane, FaultKind::NoTensorModel { form: op.form, row: model.row().name() }));
        }
        for first in (0..self.threads).step_by(LANES) {
            if !self.members.has(first) {
                continue;
            }
            let [a, b, c] =
                op.operands().map(|(operand, values)| self.fragment(&op.form, operand, values, first));
            let [scale_a, scale_b] = match op.scales.0 {
                Some([a, b]) => [(Operand::A, a), (Operand::B, b)]
                    .map(|(operand, scale)| self.scales(&op.form, operand, scale, first)),
                None => [Vec::new(), Vec::new()],
            };
            let d = match op.numerics {
                Numerics::TensorCore => {
                    let operands = Operands { a: &a, b: &b, c: &c, scale_a: &scale_a, scale_b: &scale_b };
                    model.multiply(&op.form, &operands)
                }
                Numerics::Ieee => ieee_product(&op.form, &a, &b, &c),
            };
            let layout = Layout::of(&op.form, Operand::C);
            scatter(&layout, &d, |lane, register, bits| {
                let dtype = self.kernel.dtype(results[register]);
                with_word!(dtype, W => {
                    self.regs.words_mut::<W>(results[register])[first + lane] = W::truncated(bits);
                });
            });
        }
        Ok(())
    }

    /// The matrix that a warp holds, row by row.
    fn fragment(&self, form: &Form, operand: Operand, values: &ValueList, first: usize) -> Vec<u64> {
        gather(form, operand, |lane, register| {
            let value = values.0[register];
            let dtype = self.kernel.dtype(value);
            with_word!(dtype, W => self.regs.words::<W>(value)[first + lane].widen())
        })
    }

    fn scales(&self, form: &Form, operand: Operand, scale: ScaleWord, first: usize) -> Vec<u8> {
        let words = &self.regs.words::<u32>(scale.word)[first..first + LANES];
        scale_bytes(form, operand, scale.byte.into(), scale.thread.into(), |lane| words[lane])
    }

    pub(super) fn ldmatrix(&mut self, op: &LdMatrix, results: &[ValueId]) -> Done {
        self.whole_warps("ldmatrix")?;
        let dtype = op.place.base.dtype(self.kernel);
        let each = 16 / dtype.size();
        // The lanes beyond those that give a row give any place.
        let rows = 8 * op.count.matrices();
        let all = self.members.clone();
        self.members.set_each(|lane| all.has(lane) && lane % LANES < rows);
        self.locate(op.place, each, Access::Load)?;
        let MemBase::Array(array) = op.place.base else {
            unreachable!("validate() checked that it is shared")
        };
        let layout = Layout::eights();
        for first in (0..self.threads).step_by(LANES) {
            if !self.members.has(first) {
                continue;
            }
            for (matrix, &result) in results.iter().enumerate() {
                let mut elements = [[0u16; 8]; 8];
                for (row, row_elements) in elements.iter_mut().enumerate() {
                    let lane = first + 8 * matrix + row;
                    let bytes = read(&self.arrays[array.index()], self.addresses[lane], each.into());
                    let Some(bytes) = bytes else {
                        let buffer = op.place.base.name(self.kernel).to_owned();
                        let index = self.addresses[lane];
                        return Err(self.fault(lane, FaultKind::Uninitialised { buffer, index }));
                    };
                    for (element, pair) in row_elements.iter_mut().zip(bytes.chunks_exact(2)) {
                        *element = u16::from_le_bytes([pair[0], pair[1]]);
                    }
                }
                let words = self.regs.words_mut::<u32>(result);
                for lane in 0..LANES {
                    let halves = [0, 1].map(|part| {
                        let (row, column) = layout.position(lane, part);
                        match op.order {
                            MatrixOrder::Rows => elements[row][column],
                            MatrixOrder::Transposed => elements[column][row],
                        }
                    });
                    words[first + lane] = u32::from(halves[0]) | u32::from(halves[1]) << 16;
                }
            }
        }
        Ok(())
    }

    pub(super) fn cp_async(&mut self, op: &CpAsync) -> Done {
        let dtype = op.to.base.dtype(self.kernel);
        let MemBase::Array(array) = op.to.base else { unreachable!("validate() checked that it is shared") };
        self.gather_members();
        self.locate(op.to, op.width, Access::Store)?;
        let to: Vec<u64> = self.addresses.clone();
        let counts = op.count.0.map(|count| self.regs.words::<u32>(count).to_vec());
        let count = |lane: usize| counts.as_ref().map_or(op.width, |counts| counts[lane]);
        if let Some(lane) = self.members.find(|lane| count(lane) > op.width) {
            return Err(self.fault(lane, FaultKind::CopyCount { count: count(lane), width: op.width }));
        }
        let all = self.members.clone();
        self.members.set_each(|lane| all.has(lane) && count(lane) > 0);
        self.locate_part(op.from, op.width, &count)?;
        let size = dtype.size() as usize;
        for lane in all.range().filter(|&lane| all.has(lane)) {
            let mut bytes = vec![0; op.width as usize * size];
            if count(lane) > 0 {
                let from = self.addresses[lane];
                let MemBase::Param(param) = op.from.base else {
                    unreachable!("validate() checked that it is a buffer")
                };
                let buffer = &self.args.buffers[self.args.index_of(param)];
                let Some(found) = read(buffer, from, count(lane).into()) else {
                    let buffer = op.from.base.name(self.kernel).to_owned();
                    return Err(self.fault(lane, FaultKind::Uninitialised { buffer, index: from }));
                };
                bytes[..found.len()].copy_from_slice(&found);
            }
            self.arrays[array.index()].unwrite(to[lane], op.width.into());
            self.in_flight[lane].open.push(Copy { array, first: to[lane], bytes });
        }
        Ok(())
    }

    /// Like `locate`, for copies that read `count` of `width` elements: aligned for all, in bounds for those read.
    fn locate_part(&mut self, place: Place, width: u32, count: &dyn Fn(usize) -> u32) -> Done {
        self.locate(place, 1, Access::Load)?;
        let wide = u64::from(width);
        let len = match place.base {
            MemBase::Param(param) => self.args.buffers[self.args.index_of(param)].len(),
            MemBase::Array(array) => self.kernel.arrays[array].len.into(),
        };
        let buffer = || place.base.name(self.kernel).to_owned();
        if let Some(lane) = self.members.find(|lane| !self.addresses[lane].is_multiple_of(wide)) {
            let (index, elements) = (self.addresses[lane], width);
            let kind = FaultKind::Misaligned { access: Access::Load, buffer: buffer(), index, elements };
            return Err(self.fault(lane, kind));
        }
        if let Some(lane) = self.members.find(|lane| self.addresses[lane] + u64::from(count(lane)) > len) {
            let (index, elements) = (self.addresses[lane].into(), count(lane));
            let kind =
                FaultKind::OutOfBounds { access: Access::Load, buffer: buffer(), index, elements, len };
            return Err(self.fault(lane, kind));
        }
        Ok(())
    }

    pub(super) fn cp_async_commit(&mut self) {
        self.gather_members();
        for lane in self.members.range().filter(|&lane| self.members.has(lane)) {
            let group = std::mem::take(&mut self.in_flight[lane].open);
            self.in_flight[lane].groups.push_back(group);
        }
    }

    pub(super) fn cp_async_wait(&mut self, op: &CpAsyncWait) {
        self.gather_members();
        for lane in self.members.range().filter(|&lane| self.members.has(lane)) {
            while self.in_flight[lane].groups.len() > op.pending as usize {
                let group = self.in_flight[lane].groups.pop_front().into_iter().flatten();
                for copy in group {
                    write(&mut self.arrays[copy.array.index()], copy.first, &copy.bytes);
                }
            }
        }
    }
}

/// f32 fused multiply-adds from C over ascending k.
fn ieee_product(form: &Form, a: &[u64], b: &[u64], c: &[u64]) -> Vec<u64> {
    let (n, k) = (usize::from(form.shape.n), usize::from(form.shape.k));
    let values = |elements: &[u64], element| -> Vec<f32> {
        elements.iter().map(|&bits| float_value(element, bits)).collect()
    };
    let (a, b) = (values(a, form.a), values(b, form.b));
    let element = |(place, &bits): (usize, &u64)| {
        let (row, column) = (place / n, place % n);
        let sum = (0..k).fold(f32::from_bits(bits as u32), |sum, depth| {
            a[row * k + depth].ffma(b[depth * n + column], sum)
        });
        u64::from(sum.to_bits())
    };
    c.iter().enumerate().map(element).collect()
}

/// Elements that are in bounds, little-endian; `None` where one of them was never written.
fn read(buffer: &Buffer, first: u64, count: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity((count * u64::from(buffer.dtype().size())) as usize);
    with_word!(buffer.dtype(), W => {
        for index in first..first + count {
            let at = bytes.len();
            bytes.resize(at + W::BYTES, 0);
            buffer.load::<W>(index)?.write(&mut bytes[at..]);
        }
    });
    Some(bytes)
}

fn write(buffer: &mut Buffer, first: u64, bytes: &[u8]) {
    with_word!(buffer.dtype(), W => {
        for (index, word) in (first..).zip(bytes.chunks_exact(W::BYTES)) {
            buffer.store(index, W::read(word));
        }
    });
}
