//! `inline_ptx!` and `inline_msl!`: a call of `dsl::rt::inline` with the operands by name.
//!
//! The value is what the outputs are: nothing, one value, or a tuple in the order in which they are declared.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ExprClosure, Ident, Macro, Pat};

use super::body::Rewriter;
use super::fresh;
use super::scope::Binding;
use crate::parse::inline::InlineArgs;

/// The language of the text, if the macro is one of ours.
fn language(mac: &Macro) -> Option<&'static str> {
    let name = &mac.path.segments.last()?.ident;
    [("inline_ptx", "Ptx"), ("inline_msl", "Msl")]
        .into_iter()
        .find_map(|(known, variant)| (name == known).then_some(variant))
}

impl Rewriter<'_> {
    /// The tokens of an inline text; `None` for another macro.
    pub(super) fn inline(&mut self, mac: &Macro) -> Option<TokenStream> {
        let language = Ident::new(language(mac)?, Span::call_site());
        let span = mac.path.span();
        let args: InlineArgs = match syn::parse2(mac.tokens.clone()) {
            Ok(args) => args,
            Err(error) => {
                self.errors.add(error);
                return Some(quote!(()));
            }
        };
        let text = args.texts.iter().map(syn::LitStr::value).collect::<Vec<_>>().join("\n");
        let effect = Ident::new(if args.effect { "Effect" } else { "Pure" }, span);
        let outputs = args.outputs.iter().map(|(name, ty)| {
            let text = name.to_string();
            quote_spanned!(name.span()=> (#text, ::warpsmith::dsl::rt::dtype::<#ty>()))
        });
        let outputs: Vec<_> = outputs.collect();
        let mut inputs = Vec::new();
        for (name, value) in args.inputs {
            let text = name.to_string();
            let value = self.tokens(&mut { value });
            inputs.push(quote_spanned!(name.span()=> (#text, ::warpsmith::dsl::IntoVal::val(#value))));
        }
        let operands = quote_spanned!(span=> ::warpsmith::dsl::rt::InlineText {
            target: ::warpsmith::dsl::rt::InlineTarget::#language,
            text: #text,
            effect: ::warpsmith::dsl::rt::InlineEffect::#effect,
            outputs: [#(#outputs),*],
            inputs: [#(#inputs),*],
        });
        let call = match args.model {
            None => quote_spanned!(span=> ::warpsmith::dsl::rt::inline(#operands)),
            Some(model) => {
                let model = self.model(model, inputs.len(), outputs.len());
                quote_spanned!(span=> ::warpsmith::dsl::rt::inline_with(#operands, #model))
            }
        };
        let names: Vec<_> = (0..outputs.len()).map(|at| fresh(&format!("out{at}"), span)).collect();
        Some(match names.as_slice() {
            [] => quote_spanned!(span=> { let [] = #call; }),
            [one] => quote_spanned!(span=> { let [#one] = #call; #one }),
            several => quote_spanned!(span=> { let [#(#several),*] = #call; (#(#several),*) }),
        })
    }

    /// The model as a closure from an array of inputs to an array of outputs.
    fn model(&mut self, model: ExprClosure, inputs: usize, outputs: usize) -> TokenStream {
        let span = model.or1_token.span;
        if model.inputs.len() != inputs {
            let (have, want) = (model.inputs.len(), inputs);
            let what = format!("the model takes {have} values, but the text has {want} inputs");
            self.errors.refuse(span, &what, "give it one parameter for each input, in their order");
        }
        let mut names = Vec::new();
        for param in &model.inputs {
            match param {
                Pat::Ident(ident) if ident.subpat.is_none() && ident.mutability.is_none() => {
                    names.push(ident.ident.clone());
                }
                Pat::Wild(wild) => names.push(fresh("unused", wild.span())),
                other => self.errors.refuse_tokens(
                    other,
                    "a model's parameter is a plain name",
                    "it is the input at that place, a traced value",
                ),
            }
        }
        let body = self.in_closure(|this| {
            for name in &names {
                this.scopes.bind(name, Binding::Plain);
            }
            this.tokens(&mut { *model.body })
        });
        let values: Vec<_> = (0..outputs).map(|at| fresh(&format!("value{at}"), span)).collect();
        let bound = match values.as_slice() {
            [] => quote_spanned!(span=> #body;),
            [one] => quote_spanned!(span=> let #one = #body;),
            several => quote_spanned!(span=> let (#(#several),*) = #body;),
        };
        quote_spanned!(span=> |[#(#names),*]: [::warpsmith::dsl::Val; #inputs]| {
            #bound
            [#(::warpsmith::dsl::IntoVal::val(#values)),*]
        })
    }
}
