//! Collects refusals, so that one compilation shows all of them, each at its span.

use proc_macro2::Span;
use quote::ToTokens;

/// What was refused so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error that `syn` made.
    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Refuses something at a span; `help` says what to write instead.
    pub(crate) fn refuse(&mut self, span: Span, what: &str, help: &str) {
        self.add(syn::Error::new(span, format!("{what}\nhelp: {help}")));
    }

    /// Refuses a whole piece of syntax.
    pub(crate) fn refuse_tokens(&mut self, tokens: &impl ToTokens, what: &str, help: &str) {
        self.add(syn::Error::new_spanned(tokens, format!("{what}\nhelp: {help}")));
    }

    /// Everything refused, as one error.
    pub(crate) fn finish(self) -> Option<syn::Error> {
        self.0
    }
}
