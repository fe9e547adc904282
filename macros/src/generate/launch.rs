//! The typed launch builder: one method for each parameter, over `warpsmith::runtime::LaunchBuilder`.
//!
//! This is the one place that names the runtime.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, Type};

use crate::parse::dtype;
use crate::parse::signature::{Param, ParamKind, Signature};

/// Methods that every builder has: a parameter of such a name gets a setter with an underscore after it.
const TAKEN: &[&str] =
    &["mode", "dtypes", "threads_1d", "threads_3d", "grid_1d", "grid_2d", "grid_3d", "prepare", "run"];

/// The builder of a kernel, and the function that begins a launch. `values` are the dtypes that a variant binds.
pub(super) fn builder(signature: &Signature, name: &Ident, values: &[(Ident, syn::Expr)]) -> TokenStream {
    let span = signature.name.span();
    let text = name.to_string();
    let params = signature.params.iter().map(|param| spec(param, signature, values));
    let setters = signature.params.iter().map(setter);
    let count = signature.types.len();
    let positions = 0..count;
    let consts = &signature.consts;
    let const_names: Vec<_> = signature.consts.iter().map(|param| &param.ident).collect();
    let turbofish = if consts.is_empty() { quote!() } else { quote!(::<#(#const_names),*>) };
    // Builds of one source with other const values are other kernels to the device's cache.
    let instance = (!consts.is_empty()).then(|| {
        let values = const_names.iter().map(|name| quote!(::std::format!("{:?}", #name)));
        quote_spanned!(span=> .instance([#(#values),*].join(",")))
    });
    quote_spanned! {span=>
        /// Begins a launch on a device: give every parameter by its name, then the threads, then `run`.
        pub fn launch<#(#consts),*>(device: &::warpsmith::runtime::Device) -> Launch<'_> {
            let source = ::warpsmith::runtime::KernelSource {
                // The module that holds this one: this one is named like the kernel.
                module: ::warpsmith::dsl::outer_module(::std::module_path!()),
                name: #text,
                type_params: #count,
                params: &[#(#params),*],
                build: |dtypes| {
                    let _ = dtypes;
                    kernel_ir_for #turbofish(#(dtypes[#positions]),*).map_err(::std::convert::Into::into)
                },
            };
            Launch(::warpsmith::runtime::LaunchBuilder::new(device, source)#instance)
        }

        /// A launch that is being put together.
        #[derive(Debug)]
        pub struct Launch<'a>(::warpsmith::runtime::LaunchBuilder<'a>);

        impl<'a> Launch<'a> {
            #(#setters)*
        }

        ::warpsmith::runtime::forward_geometry!(Launch);
    }
}

fn setter(param: &Param) -> TokenStream {
    let (name, text, span) = (&param.name, param.name.to_string(), param.name.span());
    let taken = TAKEN.contains(&text.as_str());
    let method = if taken { Ident::new(&format!("{text}_"), span) } else { name.clone() };
    let (doc, bind, ty) = match param.kind {
        ParamKind::Scalar => {
            (format!("Gives the scalar `{text}`."), quote!(scalar), quote!(::warpsmith::ir::Scalar))
        }
        _ if param.is_written() => {
            let doc = format!("Gives the buffer `{text}`, which the kernel may write.");
            (doc, quote!(bind_mut), quote!(::warpsmith::runtime::ViewMut<'a>))
        }
        _ => (format!("Gives the buffer `{text}`."), quote!(bind), quote!(::warpsmith::runtime::View<'a>)),
    };
    quote_spanned! {span=>
        #[doc = #doc]
        #[must_use]
        pub fn #method(self, value: impl ::std::convert::Into<#ty>) -> Self {
            Self(self.0.#bind(#text, value))
        }
    }
}

fn spec(param: &Param, signature: &Signature, values: &[(Ident, syn::Expr)]) -> TokenStream {
    let (text, span) = (param.name.to_string(), param.name.span());
    let element = element(&param.element, signature, values);
    quote_spanned!(span=> ::warpsmith::runtime::ParamSpec { name: #text, element: ::warpsmith::runtime::ElementSpec::#element })
}

/// Where a parameter's dtype comes from.
fn element(ty: &Type, signature: &Signature, values: &[(Ident, syn::Expr)]) -> TokenStream {
    let name = match ty {
        Type::Path(path) => path.path.get_ident(),
        _ => None,
    };
    let Some(name) = name else { return quote!(Fixed(::warpsmith::ir::DType::F32)) };
    if let Some(position) = signature.types.iter().position(|ty| ty == name) {
        return quote!(Type(#position));
    }
    let bound = values.iter().find(|(key, _)| key == name).and_then(|(_, value)| match value {
        syn::Expr::Path(path) => path.path.get_ident(),
        _ => None,
    });
    match dtype::variant(bound.unwrap_or(name)) {
        Ok(variant) => quote!(Fixed(::warpsmith::ir::DType::#variant)),
        // The signature's parser refused it already.
        Err(error) => error.to_compile_error(),
    }
}
