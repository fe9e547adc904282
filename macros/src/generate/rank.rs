//! How many axes a strided parameter has: as many as the body's subscripts of it.

use syn::visit::Visit;
use syn::{Block, Expr, Ident};

use crate::error::Errors;

/// The rank of the parameter `name`.
pub(super) fn of(name: &Ident, body: &Block, errors: &mut Errors) -> u8 {
    let mut finder = Finder { name, rank: None, errors };
    finder.visit_block(body);
    // Without a subscript nothing is read through the strides.
    finder.rank.unwrap_or(1)
}

struct Finder<'a> {
    name: &'a Ident,
    rank: Option<u8>,
    errors: &'a mut Errors,
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr_index(&mut self, index: &'ast syn::ExprIndex) {
        if matches!(&*index.expr, Expr::Path(path) if path.path.is_ident(self.name)) {
            let rank = match &*index.index {
                Expr::Tuple(tuple) => tuple.elems.len() as u8,
                _ => 1,
            };
            if self.rank.is_some_and(|known| known != rank) {
                self.errors.refuse_tokens(
                    &index.index,
                    "this strided parameter has another number of axes elsewhere",
                    "index it with one number of axes",
                );
            }
            self.rank = Some(rank);
        }
        syn::visit::visit_expr_index(self, index);
    }
}
