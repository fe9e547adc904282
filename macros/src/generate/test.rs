//! The registry entries of `#[test_kernel]` and `#[bench_kernel]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, FnArg, Ident, ItemFn};

use super::module::constants;
use crate::error::Errors;
use crate::parse::attribute::Variant;
use crate::parse::test::{TestArgs, Tolerance};

/// The function, kept, and an entry for each variant.
pub(crate) fn test_kernel(args: &TestArgs, item: &ItemFn, errors: &mut Errors) -> TokenStream {
    let mut all = TokenStream::new();
    let mut item = item.clone();
    ExpectBuffer.visit_item_fn_mut(&mut item);
    for (item, suffix, constants) in stamped(args, &item, errors) {
        let span = item.sig.ident.span();
        let (function, name) = (&item.sig.ident, case_name(args, &item, &suffix));
        let (dtypes, tolerances) = (&args.dtypes, args.tolerances.iter().map(tolerance));
        let place = span.unwrap();
        let (line, file) = (place.line() as u32, place.file());
        let setup = adapter(&item, errors);
        let shown = shown(&item, &constants);
        all.extend(quote_spanned! {span=>
            #shown
            ::warpsmith::__private::inventory::submit! {
                ::warpsmith::case::TestEntry {
                    module: ::std::module_path!(),
                    function: ::std::stringify!(#function),
                    name: #name,
                    variant: #suffix,
                    dtypes: &[#(::warpsmith::ir::DType::#dtypes),*],
                    tolerances: &[#(#tolerances),*],
                    file: #file,
                    line: #line,
                    setup: #setup,
                }
            }
        });
    }
    all
}

/// The function, kept, and an entry.
pub(crate) fn bench_kernel(args: &TestArgs, item: &ItemFn, errors: &mut Errors) -> TokenStream {
    let mut all = TokenStream::new();
    for (item, suffix, constants) in stamped(args, item, errors) {
        let span = item.sig.ident.span();
        let (function, name, dtypes) = (&item.sig.ident, case_name(args, &item, &suffix), &args.dtypes);
        let place = span.unwrap();
        let (line, file) = (place.line() as u32, place.file());
        let setup = adapter(&item, errors);
        let shown = shown(&item, &constants);
        all.extend(quote_spanned! {span=>
            #shown
            ::warpsmith::__private::inventory::submit! {
                ::warpsmith::case::BenchEntry {
                    module: ::std::module_path!(),
                    function: ::std::stringify!(#function),
                    name: #name,
                    variant: #suffix,
                    dtypes: &[#(::warpsmith::ir::DType::#dtypes),*],
                    file: #file,
                    line: #line,
                    setup: #setup,
                }
            }
        });
    }
    all
}

/// The item once for each variant, with its suffix and constants.
fn stamped(args: &TestArgs, item: &ItemFn, errors: &mut Errors) -> Vec<(ItemFn, String, TokenStream)> {
    let Some(variants) = &args.variants else {
        return vec![(item.clone(), String::new(), TokenStream::new())];
    };
    let mut all = Vec::new();
    for Variant { suffix, values } in variants.tuples() {
        let mut copy = item.clone();
        copy.sig.ident = Ident::new(&format!("{}{suffix}", item.sig.ident), item.sig.ident.span());
        let constants = constants(&values, errors);
        all.push((copy, suffix, constants));
    }
    all
}

fn shown(item: &ItemFn, constants: &TokenStream) -> TokenStream {
    let (attrs, vis, sig, block) = (&item.attrs, &item.vis, &item.sig, &item.block);
    if constants.is_empty() {
        return quote!(#item);
    }
    quote!(#(#attrs)* #[allow(dead_code, reason = "a variant may not use every constant")] #vis #sig { #constants #block })
}

fn case_name(args: &TestArgs, item: &ItemFn, suffix: &str) -> String {
    match &args.name {
        Some(name) => format!("{}{suffix}", name.value()),
        None => item.sig.ident.to_string(),
    }
}

/// What calls the function: one without a parameter has the same cases for each dtype.
fn adapter(item: &ItemFn, errors: &mut Errors) -> TokenStream {
    let function = &item.sig.ident;
    let inputs = &item.sig.inputs;
    match (inputs.len(), inputs.first()) {
        (0, _) => quote!(|_| #function()),
        (1, Some(FnArg::Typed(_))) => quote!(#function),
        _ => {
            errors.refuse_tokens(
                inputs,
                "this function takes at most a dtype",
                "write `fn case(dt: DType) -> …`",
            );
            TokenStream::new()
        }
    }
}

fn tolerance(tolerance: &Tolerance) -> TokenStream {
    let dtype = match &tolerance.dtype {
        Some(dtype) => quote!(::std::option::Option::Some(::warpsmith::ir::DType::#dtype)),
        None => quote!(::std::option::Option::None),
    };
    let (kind, amount) = (&tolerance.kind, &tolerance.amount);
    let variant = Ident::new(
        match kind.to_string().as_str() {
            "ulp" => "Ulp",
            "abs" => "Abs",
            _ => "Rel",
        },
        kind.span(),
    );
    let amount = if variant == "Ulp" { quote!(#amount as u64) } else { quote!(#amount as f64) };
    quote!((#dtype, ::warpsmith::case::Tolerance::#variant(#amount)))
}

/// `.expect(buffer)` names the buffer once; Rust has no second `expect` for it.
struct ExpectBuffer;

impl VisitMut for ExpectBuffer {
    fn visit_expr_method_call_mut(&mut self, call: &mut syn::ExprMethodCall) {
        visit_mut::visit_expr_method_call_mut(self, call);
        // A text is the message of `Option::expect`.
        let is_buffer = |arg: &Expr| !matches!(arg, Expr::Lit(_) | Expr::Reference(_) | Expr::Macro(_));
        if call.method == "expect" && call.args.len() == 1 && is_buffer(&call.args[0]) {
            call.method = Ident::new("expect_buffer", call.method.span());
        }
    }
}
