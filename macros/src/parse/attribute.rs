//! The arguments of `#[kernel(…)]`, and `variants(…)`, which tests share.

use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitStr, Token, bracketed, parenthesized};

/// The modes a kernel can fix.
const MODES: &[&str] = &["Elementwise", "Grid3D", "Reduction", "SimdGroup2D", "Tile2D"];

/// The arguments of `#[kernel]`.
#[derive(Default)]
pub(crate) struct KernelArgs {
    /// A variant of `ir::Mode`.
    pub(crate) mode: Option<Ident>,
    /// What is stamped out.
    pub(crate) variants: Option<Variants>,
}

impl KernelArgs {
    /// Reads them.
    pub(crate) fn parse(tokens: TokenStream) -> syn::Result<Self> {
        syn::parse2(tokens)
    }

    /// The names that variants bind.
    pub(crate) fn names(&self) -> Vec<Ident> {
        let axes = self.variants.iter().flat_map(|variants| &variants.axes);
        axes.map(|(name, _)| name.clone()).collect()
    }
}

impl Parse for KernelArgs {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut args = Self::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            match key.to_string().as_str() {
                "mode" => {
                    input.parse::<Token![=]>()?;
                    args.mode = Some(mode(input)?);
                }
                "variants" => args.variants = Some(Variants::parse(input)?),
                other => {
                    let message =
                        format!("`#[kernel]` has no argument `{other}`\nhelp: `mode = …` or `variants(…)`");
                    return Err(syn::Error::new(key.span(), message));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(args)
    }
}

fn mode(input: ParseStream<'_>) -> syn::Result<Ident> {
    let path: syn::Path = input.parse()?;
    let name = path.segments.last().expect("a parsed path has a segment").ident.clone();
    if MODES.contains(&name.to_string().as_str()) {
        return Ok(name);
    }
    let message = format!("`{name}` is not a mode\nhelp: one of {}", MODES.join(", "));
    Err(syn::Error::new(name.span(), message))
}

/// Refuses any argument.
pub(crate) fn none(tokens: TokenStream, attribute: &str) -> syn::Result<()> {
    if tokens.is_empty() {
        return Ok(());
    }
    Err(syn::Error::new_spanned(tokens, format!("`#[{attribute}]` takes no arguments\nhelp: remove them")))
}

/// `variants(A = [1, 2], B = ["x", "y"], suffix = "_{A}")`: lists that are zipped, and how the copies are named.
pub(crate) struct Variants {
    axes: Vec<(Ident, Vec<Expr>)>,
    suffix: LitStr,
}

/// One tuple of the zipped lists.
pub(crate) struct Variant {
    /// What is appended to the name.
    pub(crate) suffix: String,
    /// The constants of this copy.
    pub(crate) values: Vec<(Ident, Expr)>,
}

impl Variants {
    /// Reads the parenthesised part.
    pub(crate) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let inner;
        let parens = parenthesized!(inner in input);
        let mut axes = Vec::new();
        let mut suffix = None;
        while !inner.is_empty() {
            let key: Ident = inner.parse()?;
            inner.parse::<Token![=]>()?;
            if key == "suffix" {
                suffix = Some(inner.parse::<LitStr>()?);
            } else {
                let list;
                bracketed!(list in inner);
                let values = Punctuated::<Expr, Token![,]>::parse_terminated(&list)?;
                axes.push((key, values.into_iter().collect()));
            }
            if !inner.is_empty() {
                inner.parse::<Token![,]>()?;
            }
        }
        let span = parens.span.join();
        let suffix = suffix.ok_or_else(|| {
            syn::Error::new(
                span,
                "variants have no names\nhelp: add `suffix = \"_{A}\"`, with each list's name in braces",
            )
        })?;
        let variants = Self { axes, suffix };
        variants.check(span)?;
        Ok(variants)
    }

    fn check(&self, span: Span) -> syn::Result<()> {
        let Some((first, values)) = self.axes.first() else {
            return Err(syn::Error::new(span, "variants without a list\nhelp: add `A = [1, 2]`"));
        };
        for (name, list) in &self.axes {
            if list.len() != values.len() {
                let (want, have) = (values.len(), list.len());
                let message = format!(
                    "`{name}` has {have} values, but `{first}` has {want}\nhelp: lists are zipped, so they have one length"
                );
                return Err(syn::Error::new(name.span(), message));
            }
        }
        let mut names: Vec<String> = self.tuples().into_iter().map(|variant| variant.suffix).collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!(
                "two variants are named `{}`\nhelp: name every list that differs in the suffix",
                pair[0]
            );
            return Err(syn::Error::new(self.suffix.span(), message));
        }
        Ok(())
    }

    /// One entry for each position of the lists.
    pub(crate) fn tuples(&self) -> Vec<Variant> {
        let count = self.axes.first().map_or(0, |(_, values)| values.len());
        (0..count).map(|position| self.tuple(position)).collect()
    }

    fn tuple(&self, position: usize) -> Variant {
        let values: Vec<_> =
            self.axes.iter().map(|(name, list)| (name.clone(), list[position].clone())).collect();
        let mut suffix = self.suffix.value();
        for (name, value) in &values {
            suffix = suffix.replace(&format!("{{{name}}}"), &spelled(value));
        }
        Variant { suffix, values }
    }
}

/// A value as it stands in a name: what is not a letter, digit or underscore becomes an underscore.
fn spelled(value: &Expr) -> String {
    let text = match value {
        Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Str(text) => text.value(),
            syn::Lit::Int(int) => int.base10_digits().to_owned(),
            other => quote::quote!(#other).to_string(),
        },
        other => quote::quote!(#other).to_string().replace(' ', ""),
    };
    text.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect()
}
