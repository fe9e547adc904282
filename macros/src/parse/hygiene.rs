//! One naming context for a kernel that a `macro_rules!` template writes.
//!
//! A template that writes parameters itself while its body uses names passed in has two contexts, in which the same
//! name is two variables. Every identifier is therefore resolved at the call site of the attribute; line and column
//! stay. `$crate` keeps its own context, without which it would name another crate.

use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// The same tokens in one naming context.
pub(crate) fn flatten(tokens: TokenStream) -> TokenStream {
    tokens.into_iter().map(flatten_tree).collect()
}

fn flatten_tree(tree: TokenTree) -> TokenTree {
    match tree {
        TokenTree::Ident(mut ident) if ident != "$crate" => {
            ident.set_span(ident.span().resolved_at(Span::call_site()));
            TokenTree::Ident(ident)
        }
        TokenTree::Group(group) => {
            let mut flat = Group::new(group.delimiter(), flatten(group.stream()));
            flat.set_span(group.span());
            TokenTree::Group(flat)
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => tree,
    }
}
