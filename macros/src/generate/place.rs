//! Places: reads of `x[i]`, receivers, borrows and fields of mutable variables.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprField, ExprIndex, ExprReference};

use super::body::{Rewriter, mutable_name, open_groups};

impl Rewriter<'_> {
    /// `x[i]` as a value.
    pub(super) fn index(&mut self, index: &mut ExprIndex) -> Option<TokenStream> {
        open_groups(&mut index.index);
        // A slice of a host array is rustc's.
        if let Expr::Range(range) = &mut *index.index {
            for bound in [&mut range.start, &mut range.end].into_iter().flatten() {
                if !super::literal::is_bare(bound) {
                    self.visit_expr_mut(bound);
                }
            }
            return None;
        }
        let span = index.expr.span();
        if self.is_mutable_place(&index.expr) {
            let place = self.read_place(index);
            return Some(quote_spanned!(span=> ::warpsmith::dsl::rt::rd(#place)));
        }
        let subscript = self.tokens(&mut index.index);
        let base = self.tokens(&mut index.expr);
        Some(quote_spanned!(span=> ::warpsmith::dsl::rt::Ix(&#base).ix(#subscript)))
    }

    /// Whether an expression is an element of a variable bound by `let mut`, or the variable.
    pub(super) fn is_mutable_place(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Index(index) => self.is_mutable_place(&index.expr),
            other => mutable_name(other, &self.scopes).is_some(),
        }
    }

    /// A shared borrow of an element.
    fn read_place(&mut self, index: &mut ExprIndex) -> TokenStream {
        let span = index.expr.span();
        let subscript = self.tokens(&mut index.index);
        let base = match &mut *index.expr {
            Expr::Index(inner) => self.read_place(inner),
            other => {
                let name = mutable_name(other, &self.scopes);
                quote_spanned!(span=> &#name)
            }
        };
        quote_spanned!(span=> ::warpsmith::dsl::rt::Pix(#base).pix(#subscript))
    }

    /// `x.f(…)`: a mutable receiver stays a place, so that `x.push(…)` reaches it.
    pub(super) fn method_call(&mut self, call: &mut syn::ExprMethodCall) -> Option<TokenStream> {
        if mutable_name(&call.receiver, &self.scopes).is_none() {
            self.visit_expr_mut(&mut call.receiver);
        }
        for arg in &mut call.args {
            if !super::literal::is_bare(arg) {
                self.visit_expr_mut(arg);
            }
        }
        None
    }

    /// `&mut x` stays a borrow of the variable; `&x` borrows its value.
    pub(super) fn reference(&mut self, reference: &mut ExprReference) -> Option<TokenStream> {
        let stays = reference.mutability.is_some() && mutable_name(&reference.expr, &self.scopes).is_some();
        if !stays {
            self.visit_expr_mut(&mut reference.expr);
        }
        None
    }

    /// `x.f` of a mutable host value is a place of its own.
    pub(super) fn field(&mut self, field: &mut ExprField) -> Option<TokenStream> {
        if mutable_name(&field.base, &self.scopes).is_none() {
            self.visit_expr_mut(&mut field.base);
            return None;
        }
        let span = field.base.span();
        let (base, member) = (field.base.to_token_stream(), &field.member);
        Some(quote_spanned!(span=> ::warpsmith::dsl::rt::rd(&#base.#member)))
    }
}
