//! `mma.sync`: the lanes of a warp multiply two matrices together and add a third.
//!
//! One row serves every dense form: what its opcode says is a [`MmaForm`], printed in one spelling, qualifiers of the
//! kind before the shape. Parsing also takes them after `.row.col`, and a `.scale_vec` that is left out where the manual
//! has a default. Registers are counted by [`Layout`]. Not here: single-bit and sparse forms, selectors of scales in
//! registers, and `m8n8k4` of f16 whose C has another type than its D.

use super::modifier::{Modifier, Rounding};
use super::row::row;
use super::slot::{FragmentDef, FragmentUse, Rule, ScaleUse};
use super::types::ScalarType;
use super::version::Requirement;
use crate::numerics::tensor::{Accumulator, Element, Form, Kind, Layout, Major, Operand, Scale, Shape};
use crate::target::Feature;

row! {
    /// D = A · B + C over the fragments of a warp, all of whose lanes execute it together.
    Mma = "mma.sync.aligned" [form: MmaForm] {
        d: FragmentDef(fragment(form, Operand::C)), a: FragmentUse(fragment(form, Operand::A)),
        b: FragmentUse(fragment(form, Operand::B)), c: FragmentUse(fragment(form, Operand::C)),
        scale_a: ScaleUse(scales(form)), scale_b: ScaleUse(scales(form)),
    }
    since ptx(7, 0), sm(80); manual "warp-level-matrix-instructions-mma"; check check_mma; needs mma_needs
}

/// What follows `mma.sync.aligned` in an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MmaForm {
    /// Shape, types, kind and rounding.
    pub form: Form,
    /// Whether a sum of f64 says that it is rounded to nearest, as it is without a word.
    pub says_nearest: bool,
}

impl From<Form> for MmaForm {
    fn from(form: Form) -> Self {
        Self { form, says_nearest: false }
    }
}

/// The registers of an operand.
fn fragment(form: MmaForm, operand: Operand) -> Rule {
    let layout = Layout::of(&form.form, operand);
    let ty = match operand {
        Operand::A => factor_type(form.form.a),
        Operand::B => factor_type(form.form.b),
        Operand::C => match form.form.acc {
            Accumulator::F32 => ScalarType::F32,
            Accumulator::F16 => ScalarType::F16x2,
            Accumulator::S32 => ScalarType::S32,
            Accumulator::F64 => ScalarType::B64,
        },
    };
    Rule::registers(ty, layout.registers())
}

/// What a register of elements of a factor is declared as.
const fn factor_type(element: Element) -> ScalarType {
    match element {
        Element::F16 => ScalarType::F16x2,
        Element::BF16 => ScalarType::BF16x2,
        Element::TF32 => ScalarType::TF32,
        Element::F64 => ScalarType::B64,
        Element::E4M3
        | Element::E5M2
        | Element::E3M2
        | Element::E2M3
        | Element::E2M1
        | Element::S8
        | Element::U8
        | Element::S4
        | Element::U4 => ScalarType::B32,
    }
}

fn scales(form: MmaForm) -> Rule {
    Rule::registers(ScalarType::B32, form.form.kind.scales())
}

fn check_mma(row: &Mma) -> Result<(), &'static str> {
    let MmaForm { form, says_nearest } = row.form;
    if !form.exists() {
        return Err("no such combination of shape, types and kind");
    }
    if says_nearest && (form.acc != Accumulator::F64 || form.rounding != Rounding::Rn) {
        return Err("only f64 forms name a rounding");
    }
    if let (Some(a), Some(b)) = (row.scale_a.0, row.scale_b.0) {
        let (step, rule) = match form.kind.scales() {
            1 => (1, "the byte selector is 0 to 3"),
            2 => (2, "the byte selector of two scales is 0 or 2"),
            _ => (4, "the byte selector of four scales is 0"),
        };
        if [a.byte, b.byte].into_iter().any(|byte| byte > 3 || byte % step != 0) {
            return Err(rule);
        }
        if a.thread > 1 {
            return Err("the thread selector of A's scales is 0 or 1");
        }
        if b.thread > 3 {
            return Err("the thread selector of B's scales is 0 to 3");
        }
    }
    Ok(())
}

fn mma_needs(row: &Mma) -> Requirement {
    form_needs(&row.form.form)
}

/// What an opcode of the form needs.
pub(crate) fn form_needs(form: &Form) -> Requirement {
    let Form { shape, a, b, acc, kind, .. } = *form;
    let is_fp8 = |element| matches!(element, Element::E4M3 | Element::E5M2);
    match kind {
        Kind::Plain if is_fp8(a) && shape.k == 32 && acc == Accumulator::F32 => {
            Requirement::of(Feature::FP8_MMA)
        }
        Kind::Plain if is_fp8(a) => Requirement::of(Feature::FP8_MMA_SMALL),
        Kind::Plain if acc == Accumulator::F64 && shape.m == 16 => Requirement::of(Feature::F64_MMA_WIDE),
        Kind::Plain | Kind::QuadPairs { .. } => Requirement::of(Feature::MMA),
        Kind::F8F6F4 if is_fp8(a) && is_fp8(b) => {
            let half = if acc == Accumulator::F16 { Requirement::new(8, 7, 80) } else { Requirement::NONE };
            Requirement::of(Feature::F8F6F4_MMA_FP8).and(half)
        }
        Kind::F8F6F4 => Requirement::of(Feature::F8F6F4_MMA),
        Kind::MxF8F6F4 | Kind::MxF4 | Kind::MxF4NvF4X2 | Kind::MxF4NvF4X4 => {
            Requirement::of(Feature::BLOCK_SCALED_MMA)
        }
    }
}

/// The qualifiers that name a kind, with their dots.
const fn qualifiers(kind: Kind) -> &'static str {
    match kind {
        Kind::Plain | Kind::QuadPairs { .. } => "",
        Kind::F8F6F4 => ".kind::f8f6f4",
        Kind::MxF8F6F4 => ".kind::mxf8f6f4.block_scale.scale_vec::1X",
        Kind::MxF4 => ".kind::mxf4.block_scale.scale_vec::2X",
        Kind::MxF4NvF4X2 => ".kind::mxf4nvf4.block_scale.scale_vec::2X",
        Kind::MxF4NvF4X4 => ".kind::mxf4nvf4.block_scale.scale_vec::4X",
    }
}

/// What may stand for a kind, the longest text first: `.scale_vec` may be left out where only one goes.
const SPELLINGS: [(&str, Kind); 7] = [
    (qualifiers(Kind::MxF8F6F4), Kind::MxF8F6F4),
    (".kind::mxf8f6f4.block_scale", Kind::MxF8F6F4),
    (qualifiers(Kind::MxF4), Kind::MxF4),
    (".kind::mxf4.block_scale", Kind::MxF4),
    (qualifiers(Kind::MxF4NvF4X2), Kind::MxF4NvF4X2),
    (qualifiers(Kind::MxF4NvF4X4), Kind::MxF4NvF4X4),
    (qualifiers(Kind::F8F6F4), Kind::F8F6F4),
];

fn parse_kind(rest: &mut &str) -> Option<Kind> {
    SPELLINGS.iter().find(|(text, _)| eat(rest, text)).map(|&(_, kind)| kind)
}

/// Takes whole words off the front, if they are there.
fn eat(rest: &mut &str, words: &str) -> bool {
    super::modifier::strip_word(rest, words).is_some()
}

/// Takes the next word, without its dot.
fn word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let tail = rest.strip_prefix('.')?;
    let (word, rest_of_it) = tail.split_at(tail.find('.').unwrap_or(tail.len()));
    *rest = rest_of_it;
    Some(word)
}

fn parse_major(word: &str) -> Option<Major> {
    Major::ALL.iter().copied().find(|major| major.name() == word)
}

fn parse_shape(word: &str) -> Option<Shape> {
    let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some(Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
}

fn parse_element(word: &str) -> Option<Element> {
    Element::ALL.iter().copied().find(|element| element.name() == word)
}

fn parse_accumulator(word: &str) -> Option<Accumulator> {
    Accumulator::ALL.iter().copied().find(|accumulator| accumulator.name() == word)
}

impl Modifier for MmaForm {
    fn print(self, out: &mut String) {
        let Form { shape, a, b, acc, kind, saturates, rounding } = self.form;
        let [of_a, of_b] = kind.majors();
        out.push_str(qualifiers(kind));
        out.push_str(&format!(".{shape}.{of_a}.{of_b}"));
        if saturates {
            out.push_str(".satfinite");
        }
        if self.says_nearest || rounding != Rounding::Rn {
            rounding.print(out);
        }
        for name in [acc.name(), a.name(), b.name(), acc.name()] {
            out.push('.');
            out.push_str(name);
        }
        if let Some(scale) = kind.scale() {
            out.push('.');
            out.push_str(scale.name());
        }
    }

    fn parse(rest: &mut &str) -> Option<Self> {
        let before = parse_kind(rest);
        let shape = parse_shape(word(rest)?)?;
        let spread = [parse_major(word(rest)?)?, parse_major(word(rest)?)?];
        let named = before.or_else(|| parse_kind(rest));
        let saturates = eat(rest, ".satfinite");
        let rounding = <Option<Rounding> as Modifier>::parse(rest)?;
        let acc = parse_accumulator(word(rest)?)?;
        let (a, b) = (parse_element(word(rest)?)?, parse_element(word(rest)?)?);
        let c = parse_accumulator(word(rest)?)?;
        let scale = word(rest);
        let is_pair = a == Element::F16 && (shape.m, shape.n, shape.k) == (8, 8, 4);
        let unnamed = if is_pair { Kind::QuadPairs { a: spread[0], b: spread[1] } } else { Kind::Plain };
        let kind = named.unwrap_or(unnamed);
        let same_scale = scale == kind.scale().map(Scale::name);
        let (says_nearest, rounding) = (rounding == Some(Rounding::Rn), rounding.unwrap_or(Rounding::Rn));
        let form = Form { shape, a, b, acc, kind, saturates, rounding };
        let is_form = c == acc && spread == kind.majors() && same_scale && form.exists();
        let may_say = !says_nearest || acc == Accumulator::F64;
        (is_form && may_say).then_some(Self { form, says_nearest })
    }

    fn choices() -> Vec<Self> {
        let nearest = |form: Form| {
            let may_say = form.acc == Accumulator::F64 && form.rounding == Rounding::Rn;
            may_say.then_some(Self { form, says_nearest: true })
        };
        Form::all().flat_map(|form| [Some(form.into()), nearest(form)].into_iter().flatten()).collect()
    }

    fn syntax(out: &mut String) {
        out.push_str(
            "{.kind::…{.block_scale.scale_vec::…}}.SHAPE.row.col{.satfinite|.rn|.rz|.rm|.rp}.D.A.B.C{.SCALE}",
        );
    }
}
