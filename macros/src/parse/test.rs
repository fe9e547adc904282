//! The arguments of `#[test_kernel(…)]` and `#[bench_kernel(…)]`.

use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitStr, Token, bracketed};

use super::attribute::Variants;

/// The arguments of `#[test_kernel]`.
pub(crate) struct TestArgs {
    /// Variants of `DType`.
    pub(crate) dtypes: Vec<Ident>,
    /// One tolerance for each dtype, or none given.
    pub(crate) tolerances: Vec<Tolerance>,
    /// The name of the case, where it is not the function's.
    pub(crate) name: Option<LitStr>,
    /// What is stamped out.
    pub(crate) variants: Option<Variants>,
}

/// The tolerance of a dtype.
pub(crate) struct Tolerance {
    /// The dtype, or all that are not named.
    pub(crate) dtype: Option<Ident>,
    /// `rel`, `ulp` or `abs`.
    pub(crate) kind: Ident,
    /// How much.
    pub(crate) amount: Expr,
}

impl TestArgs {
    /// Reads them.
    pub(crate) fn parse(tokens: TokenStream) -> syn::Result<Self> {
        syn::parse2(tokens)
    }
}

/// What `tol =` may be followed by, before the dtypes are known.
enum Tolerances {
    None,
    One(Box<Expr>),
    List(Vec<Expr>, Span),
    Named(Vec<Tolerance>),
}

impl Parse for TestArgs {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (mut dtypes, mut name, mut variants) = (Vec::new(), None, None);
        let mut tolerances = Tolerances::None;
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            if key == "variants" {
                variants = Some(Variants::parse(input)?);
            } else {
                input.parse::<Token![=]>()?;
                match key.to_string().as_str() {
                    "dtypes" => dtypes = dtype_list(input)?,
                    "tol" => tolerances = Tolerances::parse(input)?,
                    "name" => name = Some(input.parse()?),
                    other => {
                        let message = format!(
                            "no argument is named `{other}`\nhelp: `dtypes`, `tol`, `name` or `variants`"
                        );
                        return Err(syn::Error::new(key.span(), message));
                    }
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if dtypes.is_empty() {
            dtypes.push(Ident::new("F32", Span::call_site()));
        }
        let tolerances = tolerances.for_dtypes(&dtypes)?;
        Ok(Self { dtypes, tolerances, name, variants })
    }
}

fn dtype_list(input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
    let list;
    bracketed!(list in input);
    let names = Punctuated::<Ident, Token![,]>::parse_terminated(&list)?;
    names.iter().map(super::dtype::variant).collect()
}

impl Tolerances {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::token::Bracket) {
            return Ok(Self::One(Box::new(input.parse()?)));
        }
        let list;
        let brackets = bracketed!(list in input);
        if list.peek(Ident) && list.peek2(Token![:]) {
            let mut named = Vec::new();
            while !list.is_empty() {
                let dtype: Ident = list.parse()?;
                list.parse::<Token![:]>()?;
                let (kind, amount) = kind_and_amount(list.parse()?)?;
                named.push(Tolerance { dtype: Some(super::dtype::variant(&dtype)?), kind, amount });
                if !list.is_empty() {
                    list.parse::<Token![,]>()?;
                }
            }
            return Ok(Self::Named(named));
        }
        let values = Punctuated::<Expr, Token![,]>::parse_terminated(&list)?;
        Ok(Self::List(values.into_iter().collect(), brackets.span.join()))
    }

    fn for_dtypes(self, dtypes: &[Ident]) -> syn::Result<Vec<Tolerance>> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Named(named) => Ok(named),
            Self::One(expr) => {
                let (kind, amount) = kind_and_amount(*expr)?;
                Ok(vec![Tolerance { dtype: None, kind, amount }])
            }
            Self::List(values, span) if values.len() != dtypes.len() => {
                let message = format!(
                    "{} tolerances for {} dtypes\nhelp: give one for each, or name them: `[f32: ulp(2)]`",
                    values.len(),
                    dtypes.len()
                );
                Err(syn::Error::new(span, message))
            }
            // A bare list is how older tests write absolute tolerances.
            Self::List(values, span) => Ok(values
                .into_iter()
                .zip(dtypes)
                .map(|(amount, dtype)| {
                    let kind = Ident::new("abs", span);
                    Tolerance { dtype: Some(dtype.clone()), kind, amount }
                })
                .collect()),
        }
    }
}

/// `ulp(2)`, `rel(1e-3)`, `abs(1e-5)`, or a bare number, which is relative.
fn kind_and_amount(expr: Expr) -> syn::Result<(Ident, Expr)> {
    if let Expr::Call(call) = &expr
        && let Expr::Path(path) = &*call.func
        && let Some(kind) = path.path.get_ident()
    {
        let known = ["rel", "ulp", "abs"].iter().any(|name| kind == name);
        return match (known, call.args.len()) {
            (true, 1) => Ok((kind.clone(), call.args[0].clone())),
            _ => Err(syn::Error::new_spanned(
                call,
                "not a tolerance\nhelp: `rel(1e-3)`, `ulp(2)` or `abs(1e-5)`",
            )),
        };
    }
    Ok((Ident::new("rel", Span::call_site()), expr))
}
