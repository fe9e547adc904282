//! The signature of a kernel: type parameters, buffers and scalars.

use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{
    Attribute, Block, ConstParam, FnArg, GenericArgument, GenericParam, Ident, ItemFn, Pat, PathArguments,
    Type, Visibility,
};

use super::dtype::is_dtype;
use crate::error::Errors;

/// The most type parameters of a kernel.
const MAX_TYPES: usize = 4;

/// Names that are written without `mut` in kernels that have no `mut` parameter at all.
const OUTPUT_NAMES: &[&str] = &["out", "c", "output"];

/// A kernel's function, taken apart.
pub(crate) struct Signature {
    /// What is forwarded to the module: documentation, `cfg`, `allow`.
    pub(crate) attrs: Vec<Attribute>,
    /// Who sees the module.
    pub(crate) vis: Visibility,
    /// The kernel's name.
    pub(crate) name: Ident,
    /// Type parameters: each is a dtype of the build.
    pub(crate) types: Vec<Ident>,
    /// Const parameters, which stay generic parameters.
    pub(crate) consts: Vec<ConstParam>,
    /// Parameters in source order.
    pub(crate) params: Vec<Param>,
    /// Whether no parameter is `mut`, so that some are written by their names.
    pub(crate) implicit_outputs: bool,
    /// The body as written.
    pub(crate) body: Block,
}

/// One parameter.
pub(crate) struct Param {
    /// Its name.
    pub(crate) name: Ident,
    /// The element type or the scalar's type.
    pub(crate) element: Type,
    /// What it is.
    pub(crate) kind: ParamKind,
    /// Attributes that are not ours, `#[alias]` taken out.
    pub(crate) alias: bool,
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamKind {
    /// A flat buffer.
    Flat { written: bool },
    /// An N-d view; its rank is how many indices the body uses.
    Strided { written: bool },
    /// A value passed at launch.
    Scalar,
}

impl Param {
    /// Whether the kernel writes it.
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.kind, ParamKind::Flat { written: true } | ParamKind::Strided { written: true })
    }

    /// The name of the type parameter that the element type is, if it is one.
    pub(crate) fn element_name(&self) -> Option<&Ident> {
        match &self.element {
            Type::Path(path) => path.path.get_ident(),
            _ => None,
        }
    }
}

impl Signature {
    /// Takes a function apart; `extra` are names that stand for dtypes beside the type parameters.
    pub(crate) fn parse(item: TokenStream, extra: &[Ident], errors: &mut Errors) -> syn::Result<Self> {
        let item: ItemFn = syn::parse2(item)?;
        refuse_qualifiers(&item, errors);
        let (types, consts) = generics(&item, errors);
        let named: Vec<Ident> = types.iter().chain(extra).cloned().collect();
        let mut params: Vec<Param> =
            item.sig.inputs.iter().filter_map(|arg| param(arg, &named, errors)).collect();
        let implicit_outputs = !params.iter().any(Param::is_written);
        if implicit_outputs {
            for param in &mut params {
                if OUTPUT_NAMES.contains(&param.name.to_string().as_str()) {
                    match &mut param.kind {
                        ParamKind::Flat { written } | ParamKind::Strided { written } => *written = true,
                        ParamKind::Scalar => {}
                    }
                }
            }
        }
        Ok(Self {
            attrs: forwarded(&item.attrs, errors),
            vis: item.vis,
            name: item.sig.ident,
            types,
            consts,
            implicit_outputs: implicit_outputs && params.iter().any(Param::is_written),
            params,
            body: *item.block,
        })
    }
}

fn refuse_qualifiers(item: &ItemFn, errors: &mut Errors) {
    let sig = &item.sig;
    if let Some(token) = sig.asyncness {
        errors.refuse(token.span, "a kernel is not async", "remove `async`");
    }
    if let Some(token) = sig.unsafety {
        errors.refuse(token.span, "a kernel is not unsafe", "remove `unsafe`");
    }
    if let Some(abi) = &sig.abi {
        errors.refuse_tokens(abi, "a kernel has no ABI of its own", "remove `extern`");
    }
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        errors.refuse_tokens(ty, "a kernel returns nothing", "store results through a `mut` parameter");
    }
    if let Some(clause) = &sig.generics.where_clause {
        errors.refuse_tokens(
            clause,
            "a kernel has no where clause",
            "a type parameter is a dtype of the build",
        );
    }
}

fn generics(item: &ItemFn, errors: &mut Errors) -> (Vec<Ident>, Vec<ConstParam>) {
    let (mut types, mut consts) = (Vec::new(), Vec::new());
    for param in &item.sig.generics.params {
        match param {
            GenericParam::Type(param) => types.push(param.ident.clone()),
            GenericParam::Const(param) => consts.push(param.clone()),
            GenericParam::Lifetime(param) => {
                errors.refuse_tokens(param, "a kernel has no lifetimes", "remove the parameter");
            }
        }
    }
    if let Some(extra) = types.get(MAX_TYPES) {
        errors.refuse(extra.span(), "a kernel has at most 4 type parameters", "fix some of the dtypes");
    }
    (types, consts)
}

fn forwarded(attrs: &[Attribute], errors: &mut Errors) -> Vec<Attribute> {
    let mut kept = Vec::new();
    for attr in attrs {
        let known = ["doc", "cfg", "allow", "expect", "warn", "deny", "deprecated"];
        if known.iter().any(|name| attr.path().is_ident(name)) {
            kept.push(attr.clone());
        } else {
            errors.refuse_tokens(attr, "this attribute has no meaning on a kernel", "remove it");
        }
    }
    kept
}

/// Looks through the invisible groups in which `macro_rules!` hands over a type.
fn bare_type(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare_type(&group.elem),
        Type::Paren(paren) => bare_type(&paren.elem),
        other => other,
    }
}

fn param(arg: &FnArg, types: &[Ident], errors: &mut Errors) -> Option<Param> {
    let FnArg::Typed(arg) = arg else {
        errors.refuse_tokens(arg, "a kernel is not a method", "make it a function");
        return None;
    };
    let Pat::Ident(pat) = &*arg.pat else {
        errors.refuse_tokens(
            &arg.pat,
            "a parameter of a kernel is a plain name",
            "buffers and scalars bind by name",
        );
        return None;
    };
    let mut flags = Flags::default();
    for attr in &arg.attrs {
        flags.read(attr, errors);
    }
    let ty = bare_type(&arg.ty);
    let kind_and_element = match tensor_element(ty) {
        Some(element) => {
            flags.refuse_scalar(errors);
            let written = pat.mutability.is_some();
            let kind = if flags.strided.is_some() {
                ParamKind::Strided { written }
            } else {
                ParamKind::Flat { written }
            };
            (kind, bare_type(element).clone())
        }
        None => {
            scalar(pat, ty, &flags, types, errors)?;
            (ParamKind::Scalar, ty.clone())
        }
    };
    let (kind, element) = kind_and_element;
    check_element(&element, types, errors);
    Some(Param { name: pat.ident.clone(), element, kind, alias: flags.alias.is_some() })
}

#[derive(Default)]
struct Flags {
    strided: Option<Span>,
    scalar: Option<Span>,
    alias: Option<Span>,
}

impl Flags {
    fn read(&mut self, attr: &Attribute, errors: &mut Errors) {
        let path = attr.path();
        if path.is_ident("strided") {
            self.strided = Some(attr.span());
        } else if path.is_ident("scalar") || path.is_ident("constexpr") {
            self.scalar = Some(attr.span());
        } else if path.is_ident("alias") {
            self.alias = Some(attr.span());
        } else {
            errors.refuse_tokens(
                attr,
                "this attribute has no meaning on a kernel's parameter",
                "`#[strided]`, `#[alias]`, `#[scalar]` or `#[constexpr]`",
            );
        }
    }

    fn refuse_scalar(&self, errors: &mut Errors) {
        if let Some(span) = self.scalar {
            errors.refuse(span, "a buffer is not a scalar", "remove the attribute, or give a scalar type");
        }
    }
}

fn scalar(pat: &syn::PatIdent, ty: &Type, flags: &Flags, types: &[Ident], errors: &mut Errors) -> Option<()> {
    let known = match ty {
        Type::Path(path) => {
            path.path.get_ident().is_some_and(|name| is_dtype(&name.to_string()) || types.contains(name))
        }
        _ => false,
    };
    if !known {
        errors.refuse_tokens(ty, "a parameter is a `Tensor<…>` or a scalar", "see the table of parameters");
        return None;
    }
    if let Some(span) = flags.strided {
        errors.refuse(span, "a scalar has no strides", "remove the attribute, or make it a `Tensor<…>`");
    }
    if let Some(span) = flags.alias {
        errors.refuse(span, "a scalar overlaps nothing", "remove the attribute, or make it a `Tensor<…>`");
    }
    if flags.scalar.is_none() {
        errors.refuse(
            pat.ident.span(),
            "a scalar parameter says so",
            "write `#[scalar]` before it, or make it a `Tensor<…>`",
        );
    }
    if let Some(token) = pat.mutability {
        errors.refuse(token.span, "a scalar parameter can't be written", "copy it: `let mut x = …`");
    }
    Some(())
}

fn tensor_element(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match (last.ident == "Tensor", args.args.len(), args.args.first()?) {
        (true, 1, GenericArgument::Type(element)) => Some(element),
        _ => None,
    }
}

fn check_element(ty: &Type, types: &[Ident], errors: &mut Errors) {
    let Type::Path(path) = ty else {
        errors.refuse_tokens(ty, "not a dtype", "a dtype's name or a type parameter");
        return;
    };
    if let Some(name) = path.path.get_ident()
        && !types.contains(name)
        && let Err(error) = super::dtype::variant(name)
    {
        errors.add(error);
    }
}
