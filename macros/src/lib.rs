//! The attribute macros of warpsmith.
//!
//! `#[kernel]` rewrites what Rust can't overload (`for`, `if`, `while`, assignment, indexing, `&&`, comparisons,
//! literals) into calls of `warpsmith::dsl`; running the rewritten body builds the kernel's IR. `#[kernel_fn]` gives a
//! helper function the same rewrite. `#[test_kernel]` and `#[bench_kernel]` register functions that describe cases.
//!
//! On entry: any item. On exit: tokens whose spans are the user's, or `compile_error!`s at the user's tokens.
//! `parse` turns attributes and signatures into data and refuses what it can; `generate` mirrors it and writes tokens.
//! Deliberately not here: what the vocabulary means, which is `warpsmith::dsl`'s.

mod error;
mod generate;
mod parse;

use proc_macro::TokenStream;

use error::Errors;

/// Turns a function into a GPU kernel: a module of the same name with `kernel_ir_for`, `kernel_ir` and a registry entry.
///
/// Arguments: `mode = Reduction` fixes what the short geometry words mean; `variants(A = [1, 2], suffix = "_{A}")`
/// stamps out one kernel per tuple of zipped values.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(args, item, |args, item, errors| {
        let args = parse::attribute::KernelArgs::parse(args)?;
        let signature = parse::signature::Signature::parse(item, &args.names(), errors)?;
        Ok(generate::module::kernel(&args, &signature, errors))
    })
}

/// Gives a helper function the rewrite of kernel bodies: traced `if`, loops, assignment, comparisons and typed literals.
#[proc_macro_attribute]
pub fn kernel_fn(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(args, item, |args, item, errors| {
        parse::attribute::none(args, "kernel_fn")?;
        Ok(generate::module::kernel_fn(syn::parse2(item)?, errors))
    })
}

/// Registers a function that describes a kernel's test cases, one for each dtype and variant.
///
/// Arguments: `dtypes = [f32, f16]`, `tol = [f32: ulp(2), f16: rel(1e-3)]` or one number (relative) or a list of
/// numbers (absolute), `name = "…"`, `variants(…)`.
#[proc_macro_attribute]
pub fn test_kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(args, item, |args, item, errors| {
        let args = parse::test::TestArgs::parse(args)?;
        Ok(generate::test::test_kernel(&args, &syn::parse2(item)?, errors))
    })
}

/// Registers a function that describes a kernel's benchmark, one for each dtype.
///
/// Arguments: `dtypes = [f32, f16]`, `name = "…"`.
#[proc_macro_attribute]
pub fn bench_kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(args, item, |args, item, errors| {
        let args = parse::test::TestArgs::parse(args)?;
        Ok(generate::test::bench_kernel(&args, &syn::parse2(item)?, errors))
    })
}

type Tokens = proc_macro2::TokenStream;

fn expand(
    args: TokenStream,
    item: TokenStream,
    run: impl FnOnce(Tokens, Tokens, &mut Errors) -> syn::Result<Tokens>,
) -> TokenStream {
    let mut errors = Errors::default();
    let item = parse::hygiene::flatten(item.into());
    let tokens = run(args.into(), item, &mut errors).unwrap_or_else(|error| {
        errors.add(error);
        Tokens::new()
    });
    // With a refusal the rewritten item is left out: half a rewrite would bury the message under rustc's own.
    errors.finish().map_or(tokens, |error| error.to_compile_error()).into()
}
