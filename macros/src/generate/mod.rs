//! Tokens, written from what `parse` read.
//!
//! Every token of a rewrite, the leading path included, carries the span of the source expression, so that rustc's
//! messages point at the user's code. Names that a rewrite introduces are hygienic (`mixed_site`): they can't meet the
//! user's.

mod assign;
mod body;
mod call;
mod control;
mod inline;
pub(crate) mod launch;
mod literal;
pub(crate) mod module;
mod place;
mod rank;
mod scope;
pub(crate) mod test;
mod tile;
mod vocabulary;

use proc_macro2::Span;
use syn::Ident;

/// A name that a rewrite introduces.
fn fresh(name: &str, span: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(span))
}
