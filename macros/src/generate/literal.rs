//! Literals: unsuffixed ones are weak, suffixed ones are constants of their type.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{Expr, Lit, LitFloat, LitInt, UnOp};

use crate::error::Errors;
use crate::parse::dtype::{int_range, is_dtype, is_float};

/// What a literal becomes, negated or not; `None` where it stays.
pub(super) fn rewrite(lit: &Lit, negative: bool, errors: &mut Errors) -> Option<TokenStream> {
    match lit {
        Lit::Int(int) => rewrite_int(int, negative, errors),
        Lit::Float(float) => rewrite_float(float, negative),
        _ => None,
    }
}

fn rewrite_int(int: &LitInt, negative: bool, errors: &mut Errors) -> Option<TokenStream> {
    let span = int.span();
    let Ok(magnitude) = int.base10_parse::<i128>() else {
        errors.refuse(span, "this number is out of range of every dtype", "the widest are `i64` and `u64`");
        return None;
    };
    let value = if negative { -magnitude } else { magnitude };
    let literal = proc_macro2::Literal::i128_suffixed(magnitude);
    let signed = if negative { quote_spanned!(span=> -#literal) } else { quote_spanned!(span=> #literal) };
    match int.suffix() {
        "" => Some(quote_spanned!(span=> ::warpsmith::dsl::Int(#signed))),
        suffix if is_float(suffix) => {
            let name = syn::Ident::new(suffix, span);
            Some(
                quote_spanned!(span=> ::warpsmith::dsl::rt::typed_float::<::warpsmith::dsl::types::#name>(#signed as f64)),
            )
        }
        suffix => {
            let (low, high) = int_range(suffix)?;
            // `-1u32` is folded, as `0u32 - 1u32` is: only the magnitude has to fit.
            if (value < low && magnitude > high) || value > high {
                errors.refuse(span, &format!("this number does not fit `{suffix}`"), "use a wider suffix");
            }
            let name = syn::Ident::new(suffix, span);
            Some(quote_spanned!(span=> ::warpsmith::dsl::rt::typed_int::<#name>(#signed)))
        }
    }
}

fn rewrite_float(float: &LitFloat, negative: bool) -> Option<TokenStream> {
    let span = float.span();
    let sign = if negative { quote_spanned!(span=> -) } else { TokenStream::new() };
    let digits = |suffix: &str| {
        let text = format!("{}{suffix}", float.base10_digits());
        let mut literal: proc_macro2::Literal = text.parse().expect("digits that syn read are a literal");
        literal.set_span(span);
        literal
    };
    match float.suffix() {
        "" => {
            let digits = digits("f64");
            Some(quote_spanned!(span=> ::warpsmith::dsl::Flt(#sign #digits)))
        }
        // rustc rounds the decimal to f32 once; through f64 it would be rounded twice.
        "f32" => {
            let digits = digits("f32");
            Some(quote_spanned!(span=> ::warpsmith::dsl::rt::typed_f32(#sign #digits)))
        }
        suffix if is_dtype(suffix) => {
            let name = syn::Ident::new(suffix, span);
            let digits = digits("f64");
            Some(
                quote_spanned!(span=> ::warpsmith::dsl::rt::typed_float::<::warpsmith::dsl::types::#name>(#sign #digits)),
            )
        }
        _ => None,
    }
}

/// Whether an expression is made of unsuffixed number literals alone.
pub(super) fn is_bare(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.suffix().is_empty(),
            Lit::Float(float) => float.suffix().is_empty(),
            _ => false,
        },
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_bare(&unary.expr),
        Expr::Binary(binary) => is_bare(&binary.left) && is_bare(&binary.right),
        Expr::Paren(paren) => is_bare(&paren.expr),
        Expr::Group(group) => is_bare(&group.expr),
        _ => false,
    }
}
