//! Assignment: to a mutable variable, to an element of one, to an element of a buffer or array.
//!
//! The right side is evaluated first, in its own `let`: otherwise the borrow checker sees `x` borrowed for writing while
//! the right side reads it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprAssign, ExprBinary};

use super::body::{Rewriter, mutable_name, open_groups};
use super::fresh;

/// Whether an operator is `+=` or one of its friends.
pub(super) fn is_compound(op: &BinOp) -> bool {
    plain_operator(op, proc_macro2::Span::call_site()).is_some()
}

fn plain_operator(op: &BinOp, span: proc_macro2::Span) -> Option<TokenStream> {
    Some(match op {
        BinOp::AddAssign(_) => quote_spanned!(span=> +),
        BinOp::SubAssign(_) => quote_spanned!(span=> -),
        BinOp::MulAssign(_) => quote_spanned!(span=> *),
        BinOp::DivAssign(_) => quote_spanned!(span=> /),
        BinOp::RemAssign(_) => quote_spanned!(span=> %),
        BinOp::BitXorAssign(_) => quote_spanned!(span=> ^),
        BinOp::BitAndAssign(_) => quote_spanned!(span=> &),
        BinOp::BitOrAssign(_) => quote_spanned!(span=> |),
        BinOp::ShlAssign(_) => quote_spanned!(span=> <<),
        BinOp::ShrAssign(_) => quote_spanned!(span=> >>),
        _ => return None,
    })
}

impl Rewriter<'_> {
    /// `x = e`.
    pub(super) fn assign(&mut self, assign: &mut ExprAssign) -> Option<TokenStream> {
        let span = assign.left.span();
        if matches!(&*assign.left, Expr::Infer(_)) {
            self.tokens(&mut assign.right);
            return None;
        }
        let right = self.tokens(&mut assign.right);
        let value = fresh("value", span);
        let write = self.write(&mut assign.left, quote_spanned!(span=> #value), None)?;
        Some(quote_spanned!(span=> { let #value = #right; #write }))
    }

    /// `x += e`.
    pub(super) fn compound(&mut self, binary: &mut ExprBinary) -> Option<TokenStream> {
        let span = binary.left.span();
        let operator = plain_operator(&binary.op, span)?;
        let right = self.tokens(&mut binary.right);
        let value = fresh("value", span);
        let write = self.write(&mut binary.left, quote_spanned!(span=> #value), Some(operator))?;
        Some(quote_spanned!(span=> { let #value = #right; #write }))
    }

    /// Writes `value`, or what is there combined with it, to the place on the left.
    fn write(
        &mut self,
        left: &mut Expr,
        value: TokenStream,
        operator: Option<TokenStream>,
    ) -> Option<TokenStream> {
        open_groups(left);
        let span = left.span();
        if let Some(name) = mutable_name(left, &self.scopes) {
            let new =
                combined(quote_spanned!(span=> ::warpsmith::dsl::rt::rd(&#name)), operator, value, span);
            let sum = fresh("sum", span);
            return Some(
                quote_spanned!(span=> let #sum = #new; ::warpsmith::dsl::rt::Sa(&mut #name).set(#sum);),
            );
        }
        match left {
            Expr::Index(index) if self.is_mutable_place(&index.expr) => {
                let (lets, read, write) = self.element(index);
                let new =
                    combined(quote_spanned!(span=> ::warpsmith::dsl::rt::rd(#read)), operator, value, span);
                let sum = fresh("sum", span);
                Some(
                    quote_spanned!(span=> #lets let #sum = #new; ::warpsmith::dsl::rt::Sa(#write).set(#sum);),
                )
            }
            Expr::Index(index) => {
                let base = self.tokens(&mut index.expr);
                let subscript = self.tokens(&mut index.index);
                let (at, sum) = (fresh("at", span), fresh("sum", span));
                let read = quote_spanned!(span=> ::warpsmith::dsl::rt::Ix(&#base).ix(#at));
                let new = combined(read, operator, value, span);
                Some(quote_spanned!(span=>
                    let #at = #subscript; let #sum = #new; ::warpsmith::dsl::rt::St(&#base).st(#at, #sum);))
            }
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
                let pointer = self.tokens(&mut unary.expr);
                let read = quote_spanned!(span=> ::warpsmith::dsl::rt::rd(&*#pointer));
                let new = combined(read, operator, value, span);
                let sum = fresh("sum", span);
                Some(
                    quote_spanned!(span=> let #sum = #new; ::warpsmith::dsl::rt::Sa(&mut *#pointer).set(#sum);),
                )
            }
            Expr::Field(field) if mutable_name(&field.base, &self.scopes).is_some() => {
                let place = field.to_token_stream();
                let new =
                    combined(quote_spanned!(span=> ::warpsmith::dsl::rt::rd(&#place)), operator, value, span);
                let sum = fresh("sum", span);
                Some(quote_spanned!(span=> let #sum = #new; ::warpsmith::dsl::rt::Sa(&mut #place).set(#sum);))
            }
            other => {
                self.errors.refuse_tokens(
                    other,
                    "this is assigned to, but it was not bound by `let mut`",
                    "bind it with `let mut`, or store to a buffer: `x[i] = v`",
                );
                None
            }
        }
    }

    /// An element of a mutable array: its subscripts in `let`s, a borrow to read it and one to write it.
    fn element(&mut self, index: &mut syn::ExprIndex) -> (TokenStream, TokenStream, TokenStream) {
        let span = index.expr.span();
        let subscript = self.tokens(&mut index.index);
        let (lets, read, write, depth) = match &mut *index.expr {
            Expr::Index(inner) => {
                let (lets, read, write) = self.element(inner);
                let depth = lets.to_string().len();
                (lets, read, write, depth)
            }
            other => {
                let name = mutable_name(other, &self.scopes);
                (TokenStream::new(), quote_spanned!(span=> &#name), quote_spanned!(span=> &mut #name), 0)
            }
        };
        let at = fresh(&format!("at{depth}"), span);
        (
            quote_spanned!(span=> #lets let #at = #subscript;),
            quote_spanned!(span=> ::warpsmith::dsl::rt::Pix(#read).pix(#at)),
            quote_spanned!(span=> ::warpsmith::dsl::rt::PixMut(#write).pix_mut(#at)),
        )
    }
}

fn combined(
    read: TokenStream,
    operator: Option<TokenStream>,
    value: TokenStream,
    span: proc_macro2::Span,
) -> TokenStream {
    match operator {
        Some(operator) => quote_spanned!(span=> #read #operator #value),
        None => value,
    }
}
