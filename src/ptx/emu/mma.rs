//! `mma.sync`: gathers the operands of a warp, has them multiplied by the tensor model, scatters the result.
//!
//! Entry: all 32 lanes have met (see [`sync`](super::sync)), and [`check`] has found the form in the model when the
//! launch began. Which lane holds which element is what [`Layout`] says, looked up once for a form. Not here: what
//! the multiplication computes; that is `numerics::tensor`.

use std::sync::Arc;

use smallvec::SmallVec;

use super::config::Config;
use super::context::Context;
use super::decode::{Planner, Program};
use super::file::{FULL, File, LANES};
use super::finding::{Finding, FindingKind};
use super::matrix_move::Matrix;
use super::micro::{Kind, SyncOp};
use super::step::{Plan, Step, Unsupported};
use crate::numerics::tensor::{
    Element, Form, Layout, Operand, Operands, TensorModel, container_shift, scale_holder,
};
use crate::ptx::isa::{Mma, Reg, ScaleUse};

/// One instruction.
pub(super) struct Multiply {
    form: Form,
    fragments: Arc<Fragments>,
    d: Registers,
    a: Registers,
    b: Registers,
    c: Registers,
    scales: Option<[Scales; 2]>,
}

/// Positions of the registers of an operand.
type Registers = SmallVec<[u32; 8]>;

/// Where the operands of a form lie in registers.
struct Fragments {
    a: Fragment,
    b: Fragment,
    c: Fragment,
}

/// Where the elements of one operand lie.
struct Fragment {
    /// Row-major position in the matrix of each element: first those that the lanes hold at index 0.
    places: Vec<[u16; LANES]>,
    per_register: usize,
    is_long: bool,
    /// Bits from one element to the next, and where an element stands in them.
    step: u32,
    shift: u32,
    /// The bits of an element.
    mask: u64,
    elements: usize,
}

/// The scales of one factor.
struct Scales {
    word: u32,
    /// First bit of the scales in the word.
    shift: u32,
    /// The lane that holds the word of each row or column.
    holders: SmallVec<[u8; 16]>,
}

/// Room for operands, kept from one instruction to the next.
#[derive(Default)]
pub(super) struct Scratch {
    a: Vec<u64>,
    b: Vec<u64>,
    c: Vec<u64>,
    scale_a: Vec<u8>,
    scale_b: Vec<u8>,
}

impl Step for Mma {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let form = self.form.form;
        let same = planner.matrices.iter().find_map(|matrix| match matrix {
            Matrix::Multiply(other) if other.form == form => Some(Arc::clone(&other.fragments)),
            Matrix::Multiply(_) | Matrix::Load(_) | Matrix::Store(_) | Matrix::Transpose { .. } => None,
        });
        let positions = |regs: &[Reg]| regs.iter().map(|&reg| planner.reg(reg)).collect();
        let scales = |scale: ScaleUse, operand| {
            let scale = scale.0?;
            Some(Scales::new(planner.reg(scale.word), (scale.byte, scale.thread), operand, form))
        };
        let scales = scales(self.scale_a, Operand::A).zip(scales(self.scale_b, Operand::B));
        let multiply = Multiply {
            form,
            fragments: same.unwrap_or_else(|| Arc::new(Fragments::of(&form))),
            d: positions(&self.d.0),
            a: positions(&self.a.0),
            b: positions(&self.b.0),
            c: positions(&self.c.0),
            scales: scales.map(|(a, b)| [a, b]),
        };
        Ok(planner.matrix(Matrix::Multiply(Box::new(multiply))))
    }
}

impl Scales {
    fn new(word: u32, (byte, thread): (u8, u8), operand: Operand, form: Form) -> Self {
        let count = if operand == Operand::B { form.shape.n } else { form.shape.m };
        let holders = (0..usize::from(count)).map(|row| scale_holder(operand, row, thread.into()) as u8);
        Self { word, shift: 8 * u32::from(byte), holders: holders.collect() }
    }

    fn gather(&self, each: usize, file: &File, scales: &mut Vec<u8>) {
        scales.clear();
        let words = file.read::<u32>(self.word);
        for &lane in &self.holders {
            let bytes = (words[usize::from(lane)] >> self.shift).to_le_bytes();
            scales.extend_from_slice(&bytes[..each]);
        }
    }
}

/// Bits of the type of an element.
const fn bits(element: Element) -> u32 {
    match element {
        Element::F64 => 64,
        Element::TF32 => 32,
        Element::F16 | Element::BF16 => 16,
        Element::E4M3 | Element::E5M2 | Element::S8 | Element::U8 => 8,
        Element::E3M2 | Element::E2M3 => 6,
        Element::E2M1 | Element::S4 | Element::U4 => 4,
    }
}

impl Fragments {
    fn of(form: &Form) -> Self {
        let factor = |operand, element| {
            Fragment::new(&Layout::of(form, operand), bits(element), container_shift(form, element))
        };
        Self {
            a: factor(Operand::A, form.a),
            b: factor(Operand::B, form.b),
            c: Fragment::new(&Layout::of(form, Operand::C), form.acc.bits(), 0),
        }
    }
}

impl Fragment {
    fn new(layout: &Layout, bits: u32, shift: u32) -> Self {
        let place = |lane, index| {
            let (row, column) = layout.position(lane, index);
            (row * layout.columns() + column) as u16
        };
        let places = (0..layout.per_lane()).map(|index| std::array::from_fn(|lane| place(lane, index)));
        Self {
            places: places.collect(),
            per_register: layout.per_register(),
            is_long: layout.register_bits() == 64,
            step: layout.element_bits(),
            shift,
            mask: u64::MAX >> (64 - bits),
            elements: layout.rows() * layout.columns(),
        }
    }

    fn gather(&self, registers: &[u32], file: &File, matrix: &mut Vec<u64>) {
        matrix.resize(self.elements, 0);
        for (&register, places) in registers.iter().zip(self.places.chunks_exact(self.per_register)) {
            if self.is_long {
                let values = file.read::<u64>(register);
                places[0].iter().zip(values).for_each(|(&place, &value)| matrix[usize::from(place)] = value);
                continue;
            }
            let words = file.read::<u32>(register);
            for (part, places) in places.iter().enumerate() {
                let shift = part as u32 * self.step + self.shift;
                for (&place, &word) in places.iter().zip(words) {
                    matrix[usize::from(place)] = u64::from(word >> shift) & self.mask;
                }
            }
        }
    }

    fn scatter(&self, matrix: &[u64], registers: &[u32], file: &mut File) {
        for (&register, places) in registers.iter().zip(self.places.chunks_exact(self.per_register)) {
            if self.is_long {
                file.write::<u64>(register, &places[0].map(|place| matrix[usize::from(place)]), FULL);
                continue;
            }
            let mut words = [0; LANES];
            for (part, places) in places.iter().enumerate() {
                let shift = part as u32 * self.step;
                for (word, &place) in words.iter_mut().zip(places) {
                    *word |= (matrix[usize::from(place)] as u32) << shift;
                }
            }
            file.write::<u32>(register, &words, FULL);
        }
    }
}

impl Multiply {
    /// Does it for all lanes of a warp.
    pub(super) fn run(&self, file: &mut File, context: &mut Context<'_>) {
        let Fragments { a, b, c } = &*self.fragments;
        let scratch = &mut context.matrices;
        a.gather(&self.a, file, &mut scratch.a);
        b.gather(&self.b, file, &mut scratch.b);
        c.gather(&self.c, file, &mut scratch.c);
        let each = self.form.kind.scales();
        if let Some([a, b]) = &self.scales {
            a.gather(each, file, &mut scratch.scale_a);
            b.gather(each, file, &mut scratch.scale_b);
        }
        let scaled = self.scales.is_some();
        let operands = Operands {
            a: &scratch.a,
            b: &scratch.b,
            c: &scratch.c,
            scale_a: if scaled { &scratch.scale_a } else { &[] },
            scale_b: if scaled { &scratch.scale_b } else { &[] },
        };
        let model = context.launch.model.expect("`check` refuses a launch without a model");
        c.scatter(&model.multiply(&self.form, &operands), &self.d, file);
    }
}

/// The model that a launch computes with.
pub(super) fn model(program: &Program, config: &Config) -> Option<TensorModel> {
    config.tensor_model.or_else(|| TensorModel::of(program.sm.into()))
}

/// Refuses a multiplication that the model does not have, before anything runs.
pub(super) fn check(program: &Program, config: &Config) -> Result<(), Box<Finding>> {
    let model = model(program, config);
    for (index, matrix) in program.matrices.iter().enumerate() {
        let Matrix::Multiply(multiply) = matrix else { continue };
        let form = multiply.form;
        if model.is_some_and(|model| model.has(&form)) {
            continue;
        }
        let model = model.map_or_else(|| format!("sm_{}", program.sm), |model| model.to_string());
        let kind = FindingKind::NoTensorForm { form: form.to_string(), model };
        let here = Kind::Sync(SyncOp::Matrix(index as u32));
        let pc = program.code.iter().position(|micro| micro.kind == here);
        let site = pc.map(|pc| program.site(pc as u32));
        return Err(Box::new(Finding { kind, entry: program.name.clone(), site, cta: [0; 3], thread: None }));
    }
    Ok(())
}
