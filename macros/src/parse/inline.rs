//! The arguments of `inline_ptx!` and `inline_msl!`: the text in one or several literals, operands, and a model.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, ExprClosure, Ident, LitStr, Token, Type};

/// What the macro was given.
pub(crate) struct InlineArgs {
    /// The literals; each is one line or several.
    pub(crate) texts: Vec<LitStr>,
    /// `name: Type`
    pub(crate) outputs: Vec<(Ident, Type)>,
    /// `name = value`
    pub(crate) inputs: Vec<(Ident, Expr)>,
    /// `model = |a, b| …`
    pub(crate) model: Option<ExprClosure>,
    /// The word `effect`.
    pub(crate) effect: bool,
}

impl Parse for InlineArgs {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut args =
            Self { texts: Vec::new(), outputs: Vec::new(), inputs: Vec::new(), model: None, effect: false };
        let start = input.span();
        while !input.is_empty() {
            if input.peek(LitStr) {
                args.text(input.parse()?)?;
            } else {
                args.operand(input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if args.texts.is_empty() {
            return Err(error(start, "there is no text", "begin with the text in quotes"));
        }
        args.check_names()?;
        Ok(args)
    }
}

impl InlineArgs {
    fn text(&mut self, text: LitStr) -> syn::Result<()> {
        if self.outputs.is_empty() && self.inputs.is_empty() && self.model.is_none() {
            self.texts.push(text);
            return Ok(());
        }
        Err(error(text.span(), "the text comes before its operands", "move it to the front"))
    }

    fn operand(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let name: Ident = input.parse()?;
        if input.peek(Token![:]) {
            input.parse::<Token![:]>()?;
            self.outputs.push((name, input.parse()?));
        } else if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let value: Expr = input.parse()?;
            if name == "model" {
                let Expr::Closure(model) = value else {
                    let help = "write it out: `model = |a, b| a + b`";
                    return Err(syn::Error::new_spanned(
                        value,
                        format!("a model is a closure\nhelp: {help}"),
                    ));
                };
                self.model = Some(model);
            } else {
                self.inputs.push((name, value));
            }
        } else if name == "effect" {
            self.effect = true;
        } else {
            let help =
                "`name: Type` for an output, `name = value` for an input, `model = |…| …`, or `effect`";
            return Err(error(name.span(), &format!("`{name}` is no operand"), help));
        }
        Ok(())
    }

    /// Every name in braces is an operand, and every operand stands in the text.
    fn check_names(&self) -> syn::Result<()> {
        let operands: Vec<&Ident> = self
            .outputs
            .iter()
            .map(|(name, _)| name)
            .chain(self.inputs.iter().map(|(name, _)| name))
            .collect();
        let mut met = Vec::new();
        for text in &self.texts {
            let value = text.value();
            let Some(names) = names(&value) else {
                let help = "operands stand as `{name}`; write a brace of the target as `{{` or `}}`";
                return Err(error(text.span(), "a brace of the text has no partner", help));
            };
            for name in names {
                if !operands.iter().any(|operand| *operand == name) {
                    let help =
                        "declare it after the text: `out: u32` for an output, `a = value` for an input";
                    return Err(error(text.span(), &format!("`{{{name}}}` is no operand"), help));
                }
                met.push(name.to_owned());
            }
        }
        for (position, operand) in operands.iter().enumerate() {
            if operands[..position].contains(operand) {
                return Err(error(
                    operand.span(),
                    &format!("two operands are named `{operand}`"),
                    "rename one",
                ));
            }
            if !met.iter().any(|name| *operand == name) {
                let help = "remove the operand, or name it in the text";
                return Err(error(operand.span(), &format!("the text does not name `{{{operand}}}`"), help));
            }
        }
        Ok(())
    }
}

fn error(span: Span, what: &str, help: &str) -> syn::Error {
    syn::Error::new(span, format!("{what}\nhelp: {help}"))
}

/// The names in braces, or `None` where a brace has no partner.
fn names(text: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let from = &rest[at..];
        if from.starts_with("{{") || from.starts_with("}}") {
            rest = &from[2..];
            continue;
        }
        let end = from.find('}').filter(|_| from.starts_with('{'))?;
        names.push(from[1..end].trim());
        rest = &from[end + 1..];
    }
    Some(names)
}
