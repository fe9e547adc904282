//! Text of one target inside a kernel, with typed operands, and the model that says what it means elsewhere.
//!
//! What holds: the text names its operands in braces (`{out}`), `{{` and `}}` are braces. The text is opaque here; its
//! target's backend reads it. A model is a region beside the text whose `yield` gives the outputs: the oracle runs it, and
//! so does every backend of another language. Deliberately not here: what may stand in a text, which each backend knows.

use smallvec::SmallVec;

use super::{Field, Keyword, Op, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, RegionId, ValueId};
use crate::ir::parse::{ParseError, Parser};
use crate::ir::print::Printer;
use crate::ir::types::DType;

op! {
    /// Instructions of one target, written out, on typed operands.
    Inline = "inline" [target: InlineTarget, effect: InlineEffect] {
        /// The text, with operands as `{name}`.
        text: String,
        /// What it writes, by name.
        outputs: Outputs,
        /// What it reads, by name.
        inputs: Inputs,
        /// What it means, for everybody who does not read the text.
        "model" model: Model,
    }
}

op! {
    /// Ends a model: the values are what the text's outputs are.
    Yield = "yield" {
        /// One value for each output.
        values: super::ValueList
    }
}

/// The language of an inline text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InlineTarget {
    /// PTX instructions.
    Ptx,
    /// Statements of the Metal Shading Language.
    Msl,
}

impl Keyword for InlineTarget {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Ptx, "ptx"), (Self::Msl, "msl")];
}

impl InlineTarget {
    /// How the operation is called in messages.
    pub fn op_name(self) -> &'static str {
        match self {
            Self::Ptx => "inline.ptx",
            Self::Msl => "inline.msl",
        }
    }
}

/// Whether a text does more than compute its outputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InlineEffect {
    /// It only computes: dropped where no output is used.
    Pure,
    /// It does something else too: kept, and kept in order.
    Effect,
}

impl Keyword for InlineEffect {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Pure, "pure"), (Self::Effect, "effect")];
}

/// The outputs of a text: `(lo: u32, hi: u32)`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outputs(pub Vec<(Box<str>, DType)>);

impl Field for Outputs {
    const SEPARATOR: &'static str = " ";

    fn print(&self, printer: &mut Printer<'_>) {
        printer.text("(");
        for (position, (name, dtype)) in self.0.iter().enumerate() {
            printer.text(if position == 0 { "" } else { ", " });
            printer.text(&format!("{name}: {dtype}"));
        }
        printer.text(")");
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        let mut outputs = Vec::new();
        list(parser, |parser| {
            let name = parser.word("the name of an output")?;
            parser.expect(":")?;
            outputs.push((name.into(), parser.dtype()?));
            Ok(())
        })?;
        Ok(Self(outputs))
    }
}

/// The inputs of a text: `(a = v1, b = v2)`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs(pub Vec<(Box<str>, ValueId)>);

impl Field for Inputs {
    const SEPARATOR: &'static str = " ";

    fn print(&self, printer: &mut Printer<'_>) {
        printer.text("(");
        for (position, (name, value)) in self.0.iter().enumerate() {
            printer.text(if position == 0 { "" } else { ", " });
            printer.text(&format!("{name} = "));
            printer.value(*value);
        }
        printer.text(")");
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        let mut inputs = Vec::new();
        list(parser, |parser| {
            let name = parser.word("the name of an input")?;
            parser.expect("=")?;
            inputs.push((name.into(), parser.value()?));
            Ok(())
        })?;
        Ok(Self(inputs))
    }

    fn uses(&self, visit: &mut dyn FnMut(ValueId)) {
        self.0.iter().for_each(|(_, value)| visit(*value));
    }

    fn map_uses(&mut self, map: &mut dyn FnMut(ValueId) -> ValueId) {
        self.0.iter_mut().for_each(|(_, value)| *value = map(*value));
    }
}

fn list(
    parser: &mut Parser,
    mut item: impl FnMut(&mut Parser) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    parser.expect("(")?;
    while !parser.at(")") {
        item(parser)?;
        if !parser.at(")") {
            parser.expect(",")?;
        }
    }
    parser.expect(")")
}

/// The region that says what a text means, if anybody does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Model(pub Option<RegionId>);

impl Field for Model {
    fn print(&self, printer: &mut Printer<'_>) {
        if let Some(region) = self.0 {
            printer.region(region);
        }
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        parser.region().map(|region| Self(Some(region)))
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    fn starts(parser: &mut Parser, word: Option<&str>, _first: bool) -> bool {
        word.is_some_and(|word| parser.at(word))
    }

    fn absent(_parser: &mut Parser) -> Result<Self, ParseError> {
        Ok(Self(None))
    }

    fn regions(&self, visit: &mut dyn FnMut(RegionId)) {
        self.0.into_iter().for_each(visit);
    }
}

/// A part of an inline text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'t> {
    /// Characters as they are.
    Text(&'t str),
    /// The operand of that name.
    Operand(&'t str),
}

/// What is wrong with an inline text or its operands.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InlineError {
    /// A brace without its partner.
    #[error("a brace of the text has no partner")]
    Brace,
    /// A name in braces that is no operand.
    #[error("the text names `{{{name}}}`, which is no operand")]
    Unknown {
        /// The name.
        name: String,
    },
    /// An operand that the text never names.
    #[error("the operand `{name}` does not occur in the text")]
    Unused {
        /// The name.
        name: String,
    },
    /// Two operands of one name.
    #[error("two operands are named `{name}`")]
    Twice {
        /// The name.
        name: String,
    },
    /// A pure text without outputs.
    #[error("a text without outputs does nothing that anybody could notice")]
    Nothing,
    /// A model that gives something else than the outputs.
    #[error("the model gives {}, but the outputs are {}", types(given), types(wanted))]
    Model {
        /// The types of what it yields.
        given: Vec<DType>,
        /// The types of the outputs.
        wanted: Vec<DType>,
    },
}

impl InlineError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Brace => "operands stand as `{name}`; write a brace of the target as `{{` or `}}`",
            Self::Unknown { .. } => {
                "declare it after the text: `out: u32` for an output, `a = value` for an input"
            }
            Self::Unused { .. } => "remove the operand, or name it in the text",
            Self::Twice { .. } => "rename one",
            Self::Nothing => "give it an output, or say `effect` where it does something else",
            Self::Model { .. } => "end the model with one value for each output, of its type",
        }
    }
}

fn types(dtypes: &[DType]) -> String {
    match dtypes {
        [] => "nothing".into(),
        [one] => format!("`{one}`"),
        several => {
            let names: Vec<_> = several.iter().map(|dtype| format!("`{dtype}`")).collect();
            format!("({})", names.join(", "))
        }
    }
}

/// Cuts a text at its operands.
///
/// # Errors
/// A brace without its partner.
pub fn pieces(text: &str) -> Result<Vec<Piece<'_>>, InlineError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        if from.starts_with("{{") || from.starts_with("}}") {
            pieces.push(Piece::Text(&from[..1]));
            rest = &from[2..];
            continue;
        }
        let end = from.find('}').filter(|_| from.starts_with('{')).ok_or(InlineError::Brace)?;
        pieces.push(Piece::Operand(from[1..end].trim()));
        rest = &from[end + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

impl Inline {
    /// The types of the outputs.
    pub fn output_types(&self) -> ResultTypes {
        self.outputs.0.iter().map(|(_, dtype)| *dtype).collect()
    }

    fn check_text(&self) -> Result<(), InlineError> {
        let names = || {
            let outputs = self.outputs.0.iter().map(|(name, _)| &**name);
            outputs.chain(self.inputs.0.iter().map(|(name, _)| &**name))
        };
        let pieces = pieces(&self.text)?;
        for piece in &pieces {
            if let Piece::Operand(name) = piece
                && !names().any(|known| known == *name)
            {
                return Err(InlineError::Unknown { name: (*name).into() });
            }
        }
        for (position, name) in names().enumerate() {
            if names().skip(position + 1).any(|other| other == name) {
                return Err(InlineError::Twice { name: name.into() });
            }
            if !pieces.contains(&Piece::Operand(name)) {
                return Err(InlineError::Unused { name: name.into() });
            }
        }
        if self.outputs.0.is_empty() && self.effect == InlineEffect::Pure {
            return Err(InlineError::Nothing);
        }
        Ok(())
    }

    fn check_model(&self, kernel: &Kernel) -> Result<(), InlineError> {
        let Some(region) = self.model.0 else { return Ok(()) };
        let given: Vec<DType> = yielded(kernel, region).iter().map(|&value| kernel.dtype(value)).collect();
        let wanted = self.output_types().to_vec();
        if given == wanted { Ok(()) } else { Err(InlineError::Model { given, wanted }) }
    }
}

/// What a model gives: the operands of the `yield` that ends it.
pub fn yielded(kernel: &Kernel, model: RegionId) -> &[ValueId] {
    match kernel.regions[model].insts.last().map(|&last| &kernel.insts[last].op) {
        Some(Op::Yield(end)) => &end.values.0,
        Some(_) | None => &[],
    }
}

/// Whether a register of a target holds a value of the type.
fn is_operand_type(dtype: DType) -> bool {
    match dtype {
        DType::Bool
        | DType::I32
        | DType::U32
        | DType::I64
        | DType::U64
        | DType::F16
        | DType::BF16
        | DType::F32
        | DType::F64 => true,
        DType::I8 | DType::I16 | DType::U8 | DType::U16 | DType::Storage(_) => false,
    }
}

impl Rule for Inline {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let outputs = self.output_types();
        let inputs = self.inputs.0.iter().map(|(_, value)| kernel.dtype(*value));
        if let Some(found) = outputs.iter().copied().chain(inputs).find(|&dtype| !is_operand_type(dtype)) {
            let takes = "a bool, a 32- or 64-bit integer or a float as an operand";
            return Err(TypeError::Operand { op: self.target.op_name(), takes, found });
        }
        let of = |error| TypeError::Inline { op: self.target.op_name(), error };
        self.check_text().map_err(of)?;
        self.check_model(kernel).map_err(of)?;
        Ok(outputs)
    }
}

impl Rule for Yield {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(SmallVec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_operands() {
        assert_eq!(
            pieces("mov.b64 {{{lo}, {hi}}}, {a};").unwrap(),
            [
                Piece::Text("mov.b64 "),
                Piece::Text("{"),
                Piece::Operand("lo"),
                Piece::Text(", "),
                Piece::Operand("hi"),
                Piece::Text("}"),
                Piece::Text(", "),
                Piece::Operand("a"),
                Piece::Text(";"),
            ]
        );
        assert_eq!(pieces("add {a"), Err(InlineError::Brace));
        assert_eq!(pieces("add a}"), Err(InlineError::Brace));
        assert_eq!(pieces("").unwrap(), []);
    }
}
