//! The module that `#[kernel]` becomes, and the function that `#[kernel_fn]` becomes.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, FnArg, GenericParam, Ident, ItemFn, Pat};

use super::body::Rewriter;
use super::{fresh, launch, rank};
use crate::error::Errors;
use crate::parse::attribute::{KernelArgs, Variant};
use crate::parse::dtype::is_dtype;
use crate::parse::signature::{Param, ParamKind, Signature};

/// One module, or one for each variant.
pub(crate) fn kernel(args: &KernelArgs, signature: &Signature, errors: &mut Errors) -> TokenStream {
    if args.mode.as_ref().is_some_and(|mode| mode == "Tile2D") {
        super::tile::refuse(&signature.body, errors);
    }
    match &args.variants {
        None => one(args, signature, &signature.name, &[], errors),
        Some(variants) => {
            let mut all = TokenStream::new();
            for Variant { suffix, values } in variants.tuples() {
                let name = Ident::new(&format!("{}{suffix}", signature.name), signature.name.span());
                all.extend(one(args, signature, &name, &values, errors));
            }
            all
        }
    }
}

fn one(
    args: &KernelArgs,
    signature: &Signature,
    name: &Ident,
    values: &[(Ident, Expr)],
    errors: &mut Errors,
) -> TokenStream {
    let span = signature.name.span();
    let constants = constants(values, errors);
    let body = body(signature, values, errors);
    let ranks: Vec<u8> = signature.params.iter().map(|param| rank_of(param, signature, errors)).collect();
    let build = build_functions(args, signature, name, &ranks);
    let call = call_function(signature);
    let call_use = call.as_ref().map(|_| {
        let vis = &signature.vis;
        quote_spanned!(span=> #[allow(unused_imports, reason = "only kernels that call this one use it")] #vis use #name::__call as #name;)
    });
    let launch = launch::builder(signature, name, values);
    let registry = registry(args, signature, name);
    let aliases = signature.types.iter().enumerate().map(|(position, ty)| {
        let position = position as u8;
        quote_spanned!(ty.span()=> type #ty = ::warpsmith::dsl::Dyn<#position>;)
    });
    let (attrs, vis) = (&signature.attrs, &signature.vis);
    let docs = (!attrs.iter().any(|attr| attr.path().is_ident("doc")))
        .then(|| quote_spanned!(span=> #[doc = "A kernel."]));
    quote_spanned! {span=>
        #(#attrs)* #docs
        #[allow(unused_imports, unused_labels, unused_parens, unused_braces, unused_mut, dead_code, missing_docs,
            non_camel_case_types, unreachable_pub, clippy::all, reason = "rewritten code")]
        #vis mod #name {
            use super::*;
            use ::warpsmith::dsl::vocab::*;
            #(#aliases)*
            #constants
            #body
            #build
            #call
            #launch
            #registry
        }
        #call_use
    }
}

/// `const A: usize = 4;` for each value of a variant; a dtype becomes a type.
pub(super) fn constants(values: &[(Ident, Expr)], errors: &mut Errors) -> TokenStream {
    let mut all = TokenStream::new();
    for (name, value) in values {
        let span = value.span();
        if let Expr::Path(path) = value
            && let Some(dtype) = path.path.get_ident().filter(|ident| is_dtype(&ident.to_string()))
        {
            all.extend(quote_spanned!(span=> type #name = ::warpsmith::dsl::types::#dtype;));
            continue;
        }
        match constant_type(value) {
            Some(ty) => all.extend(quote_spanned!(span=> const #name: #ty = #value;)),
            None => errors.refuse_tokens(
                value,
                "a variant's value is a number, a bool, a text or a dtype",
                "plain Rust generics over `const` values take the rest",
            ),
        }
    }
    all
}

fn constant_type(value: &Expr) -> Option<TokenStream> {
    let span = value.span();
    let (lit, negative) = match value {
        Expr::Lit(lit) => (&lit.lit, false),
        Expr::Unary(unary) => match (&unary.op, &*unary.expr) {
            (syn::UnOp::Neg(_), Expr::Lit(lit)) => (&lit.lit, true),
            _ => return None,
        },
        Expr::Group(group) => return constant_type(&group.expr),
        _ => return None,
    };
    let named = |suffix: &str, default: &str| {
        let name = if suffix.is_empty() { default } else { suffix };
        Ident::new(name, span)
    };
    Some(match lit {
        syn::Lit::Int(int) => {
            let ty = named(int.suffix(), if negative { "i64" } else { "usize" });
            quote_spanned!(span=> #ty)
        }
        syn::Lit::Float(float) => {
            let ty = named(float.suffix(), "f64");
            quote_spanned!(span=> #ty)
        }
        syn::Lit::Bool(_) => quote_spanned!(span=> bool),
        syn::Lit::Str(_) => quote_spanned!(span=> &str),
        _ => return None,
    })
}

fn body(signature: &Signature, values: &[(Ident, Expr)], errors: &mut Errors) -> TokenStream {
    let span = signature.name.span();
    let types = signature.types.iter().map(Ident::to_string);
    let type_values = values.iter().filter(|(_, value)| {
        matches!(value, Expr::Path(path) if path.path.get_ident().is_some_and(|name| is_dtype(&name.to_string())))
    });
    let types: Vec<_> = types.chain(type_values.map(|(name, _)| name.to_string())).collect();
    let params = signature.params.iter().map(|param| param.name.to_string());
    let mut block = signature.body.clone();
    Rewriter::new(types, params, span, errors).visit_block_mut(&mut block);
    let args = signature.params.iter().map(|param| {
        let (name, element) = (&param.name, &param.element);
        match param.kind {
            ParamKind::Flat { .. } | ParamKind::Strided { .. } => {
                quote_spanned!(name.span()=> #name: ::warpsmith::dsl::Tensor<#element>)
            }
            ParamKind::Scalar => quote_spanned!(name.span()=> #name: ::warpsmith::dsl::Val),
        }
    });
    let consts = &signature.consts;
    let traits = traits(span);
    quote_spanned! {span=>
        #[inline(never)]
        fn body<#(#consts),*>(#(#args),*) { #traits #block }
    }
}

/// The traits that choose what the host decides; their names stay out of the user's way.
fn traits(span: Span) -> TokenStream {
    quote_spanned!(span=> use ::warpsmith::dsl::rt::traits::*;)
}

fn rank_of(param: &Param, signature: &Signature, errors: &mut Errors) -> u8 {
    match param.kind {
        ParamKind::Strided { .. } => rank::of(&param.name, &signature.body, errors),
        ParamKind::Flat { .. } | ParamKind::Scalar => 0,
    }
}

fn build_functions(args: &KernelArgs, signature: &Signature, name: &Ident, ranks: &[u8]) -> TokenStream {
    let span = signature.name.span();
    let place = span.unwrap();
    let (line, column, file) = (place.line() as u32, place.column() as u32, place.file());
    let text = name.to_string();
    let mode = mode(args, span);
    let dtypes: Vec<_> = (0..signature.types.len()).map(|position| format_ident!("dt{position}")).collect();
    let params = signature.params.iter().zip(ranks).map(|(param, rank)| {
        let (name, element, alias, written) = (&param.name, &param.element, param.alias, param.is_written());
        let place = name.span().unwrap();
        let (line, column, text) = (place.line() as u32, place.column() as u32, name.to_string());
        match param.kind {
            ParamKind::Flat { .. } | ParamKind::Strided { .. } => quote_spanned!(name.span()=> {
                ::warpsmith::dsl::rt::at(#line, #column);
                ::warpsmith::dsl::rt::buffer::<#element>(#text, #written, #rank, #alias)
            }),
            ParamKind::Scalar => quote_spanned!(name.span()=> {
                ::warpsmith::dsl::rt::at(#line, #column);
                ::warpsmith::dsl::rt::scalar::<#element>(#text)
            }),
        }
    });
    let (consts, const_names) = (&signature.consts, signature.consts.iter().map(|param| &param.ident));
    let turbofish = if signature.consts.is_empty() { quote!() } else { quote!(::<#(#const_names),*>) };
    let defaults = signature.types.iter().map(|_| quote!(::warpsmith::ir::DType::F32));
    quote_spanned! {span=>
        /// The kernel's IR for these dtypes.
        ///
        /// # Errors
        /// Everything that building it found wrong, with places.
        pub fn kernel_ir_for<#(#consts),*>(
            #(#dtypes: ::warpsmith::ir::DType),*
        ) -> ::std::result::Result<::warpsmith::ir::Kernel, ::warpsmith::dsl::BuildErrors> {
            const KERNEL: ::warpsmith::dsl::KernelInfo = ::warpsmith::dsl::KernelInfo {
                module: ::std::module_path!(), name: #text, mode: #mode, file: #file, line: #line, column: #column,
            };
            ::warpsmith::dsl::build(&KERNEL, &[#(#dtypes),*], || body #turbofish(#(#params),*))
        }

        /// The kernel's IR with every type parameter `f32`.
        ///
        /// # Errors
        /// Everything that building it found wrong, with places.
        pub fn kernel_ir<#(#consts),*>(
        ) -> ::std::result::Result<::warpsmith::ir::Kernel, ::warpsmith::dsl::BuildErrors> {
            kernel_ir_for #turbofish(#(#defaults),*)
        }
    }
}

fn mode(args: &KernelArgs, span: Span) -> TokenStream {
    match &args.mode {
        Some(mode) => quote_spanned!(span=> ::std::option::Option::Some(::warpsmith::ir::Mode::#mode)),
        None => quote_spanned!(span=> ::std::option::Option::None),
    }
}

/// The function that other kernels call; only a kernel with exactly one output has one.
fn call_function(signature: &Signature) -> Option<TokenStream> {
    let outputs = signature.params.iter().filter(|param| param.is_written()).count();
    if outputs != 1 || !signature.consts.is_empty() {
        return None;
    }
    let span = signature.name.span();
    let buffers =
        signature.params.iter().filter(|param| param.kind != ParamKind::Scalar && !param.is_written());
    let scalars = signature.params.iter().filter(|param| param.kind == ParamKind::Scalar);
    let given: Vec<&Ident> = buffers.chain(scalars).map(|param| &param.name).collect();
    let dtypes = signature.types.iter().map(|ty| {
        let bound = signature.params.iter().find(|param| {
            param.kind != ParamKind::Scalar && !param.is_written() && param.element_name() == Some(ty)
        });
        match bound {
            Some(param) => {
                let name = &param.name;
                quote_spanned!(span=> #name.dtype())
            }
            None => quote_spanned!(span=> ::warpsmith::ir::DType::F32),
        }
    });
    let dtypes: Vec<_> = dtypes.collect();
    let args = signature.params.iter().map(|param| {
        let (name, element) = (&param.name, &param.element);
        match param.kind {
            ParamKind::Scalar => quote_spanned!(span=> #name.scalar::<#element>()),
            _ if param.is_written() => quote_spanned!(span=> ::warpsmith::dsl::rt::captured::<#element>()),
            _ => quote_spanned!(span=> #name.tensor::<#element>()),
        }
    });
    let file = span.unwrap().file();
    Some(quote_spanned! {span=>
        #[doc(hidden)]
        pub fn __call(#(#given: impl ::warpsmith::dsl::rt::CallArg),*) -> ::warpsmith::dsl::Val {
            #(let #given = ::warpsmith::dsl::rt::CallArg::given(#given);)*
            ::warpsmith::dsl::rt::call(#file, &[#(#dtypes),*], || body(#(#args),*))
        }
    })
}

/// The entry in the registry; a kernel over const values has no fixed set of builds, so it has none.
fn registry(args: &KernelArgs, signature: &Signature, name: &Ident) -> Option<TokenStream> {
    if !signature.consts.is_empty() {
        return None;
    }
    let span = signature.name.span();
    let place = span.unwrap();
    let (line, file, text) = (place.line() as u32, place.file(), name.to_string());
    let (count, implicit, mode) = (signature.types.len(), signature.implicit_outputs, mode(args, span));
    let positions = 0..count;
    Some(quote_spanned! {span=>
        ::warpsmith::__private::inventory::submit! {
            ::warpsmith::dsl::KernelEntry {
                module: ::std::module_path!(),
                name: #text,
                type_params: #count,
                mode: #mode,
                implicit_outputs: #implicit,
                file: #file,
                line: #line,
                build: |dtypes: &[::warpsmith::ir::DType]| { let _ = dtypes; kernel_ir_for(#(dtypes[#positions]),*) },
            }
        }
    })
}

/// A helper with the rewrite.
pub(crate) fn kernel_fn(mut item: ItemFn, errors: &mut Errors) -> TokenStream {
    let span = item.sig.ident.span();
    let mut names = Vec::new();
    for arg in &item.sig.inputs {
        match arg {
            FnArg::Receiver(_) => names.push("self".to_owned()),
            FnArg::Typed(arg) => collect_names(&arg.pat, &mut names, errors),
        }
    }
    let types: Vec<_> = item
        .sig
        .generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(param.ident.to_string()),
            GenericParam::Const(_) | GenericParam::Lifetime(_) => None,
        })
        .collect();
    Rewriter::new(types, names, span, errors).visit_block_mut(&mut item.block);
    let (attrs, vis, sig, block, traits) = (&item.attrs, &item.vis, &item.sig, &item.block, traits(span));
    let (inside, file) = (fresh("_inside", span), span.unwrap().file());
    quote_spanned! {span=>
        #(#attrs)*
        #[allow(unused_imports, unused_labels, unused_parens, unused_braces, unused_mut, clippy::all, reason = "rewritten code")]
        #vis #sig {
            #traits
            let #inside = ::warpsmith::dsl::rt::inside(#file);
            #block
        }
    }
}

fn collect_names(pat: &Pat, names: &mut Vec<String>, errors: &mut Errors) {
    match pat {
        Pat::Ident(ident) => {
            if let Some(token) = ident.mutability {
                errors.refuse(token.span, "a parameter can't be assigned to", "copy it: `let mut x = x;`");
            }
            names.push(ident.ident.to_string());
        }
        Pat::Tuple(tuple) => tuple.elems.iter().for_each(|pat| collect_names(pat, names, errors)),
        _ => {}
    }
}
