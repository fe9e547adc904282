//! Inline text: what `inline_ptx!` and `inline_msl!` build.
//!
//! The attribute macro has split text, outputs and inputs, and hands over the model as a closure over the inputs; it is run
//! once, in a region of its own. Deliberately not here: what the text means.

use super::build::with;
use super::val::Val;
use crate::ir::DType;
use crate::ir::op::{Inline, InlineEffect, InlineTarget, Inputs, Model, Outputs, ValueList, Yield};

/// A text with its operands by name.
#[derive(Clone, Copy, Debug)]
pub struct InlineText<'t, const O: usize, const I: usize> {
    /// Its language.
    pub target: InlineTarget,
    /// The text, with operands as `{name}`.
    pub text: &'t str,
    /// Whether it does more than compute its outputs.
    pub effect: InlineEffect,
    /// Outputs.
    pub outputs: [(&'t str, DType); O],
    /// Inputs.
    pub inputs: [(&'t str, Val); I],
}

/// Builds a text without a model.
pub fn inline<const O: usize, const I: usize>(text: InlineText<'_, O, I>) -> [Val; O] {
    push(&text, Model(None))
}

/// Builds a text with its model: what the outputs are, made from the inputs.
pub fn inline_with<const O: usize, const I: usize>(
    text: InlineText<'_, O, I>,
    model: impl FnOnce([Val; I]) -> [Val; O],
) -> [Val; O] {
    // Constants become operations outside the model, where the text uses them too.
    let inputs = with(|build| {
        text.inputs.map(|(name, val)| {
            let id = build.id(val);
            (name, build.val(id))
        })
    });
    let text = InlineText { inputs, ..text };
    let (span, region) = with(|build| {
        build.contexts.push(super::build::Context::TracedIf);
        (build.ir.span(), build.open())
    });
    let values = model(inputs.map(|(_, val)| val));
    with(|build| {
        let values = values.iter().zip(&text.outputs).map(|(&val, &(_, dtype))| {
            let val = build.adopt(val, dtype);
            build.id(val)
        });
        let values: Vec<_> = values.collect();
        if !values.is_empty() {
            build.ir.push(Yield { values: ValueList(values.into()) });
        }
        build.close();
        build.contexts.pop();
        build.ir.set_span(span);
    });
    push(&text, Model(Some(region)))
}

fn push<const O: usize, const I: usize>(text: &InlineText<'_, O, I>, model: Model) -> [Val; O] {
    with(|build| {
        let inputs = text.inputs.map(|(name, val)| (name.into(), build.id(val)));
        let results = build.ir.push(Inline {
            target: text.target,
            effect: text.effect,
            text: text.text.into(),
            outputs: Outputs(text.outputs.iter().map(|&(name, dtype)| (name.into(), dtype)).collect()),
            inputs: Inputs(inputs.into()),
            model,
        });
        std::array::from_fn(|position| build.val(results[position]))
    })
}
