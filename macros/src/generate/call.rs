//! Calls: the vocabulary's words of several arities, stores, selections, and everybody else's functions.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprCall, Ident};

use super::body::{Rewriter, open_groups};
use super::vocabulary::{self, ARITIES, REDUCING, REDUCTIONS};
use super::{fresh, literal};

impl Rewriter<'_> {
    /// `f(…)`.
    pub(super) fn call(&mut self, call: &mut ExprCall) -> Option<TokenStream> {
        open_groups(&mut call.func);
        let Some(name) = self.word(&call.func) else {
            if vocabulary::is_approximation(&call.func) {
                call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
                return None;
            }
            self.visit_expr_mut(&mut call.func);
            self.host_arguments(call);
            return None;
        };
        let text = name.to_string();
        match text.as_str() {
            "store" => return self.store(call),
            "select" if call.args.len() == 3 => return self.select(call),
            "program_id" if call.args.len() == 1 => {
                let (span, axis) = (name.span(), self.tokens(&mut call.args[0]));
                return Some(quote_spanned!(span=> ::warpsmith::dsl::geometry::program_id_at(#axis)));
            }
            _ => {}
        }
        if let Some((_, arities)) = ARITIES.iter().find(|(word, _)| *word == text) {
            return self.word_of_arity(call, &name, arities);
        }
        if vocabulary::takes_values(&text) {
            call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
        } else {
            self.host_arguments(call);
        }
        None
    }

    /// The name of a free function that is called, unless a variable shadows it.
    fn word(&self, func: &Expr) -> Option<Ident> {
        let Expr::Path(path) = func else { return None };
        let segment =
            path.path.segments.last().filter(|_| path.path.segments.len() == 1 && path.qself.is_none())?;
        self.scopes.get(&segment.ident).is_none().then(|| segment.ident.clone())
    }

    /// Arguments of a function that is not ours: literals that are whole arguments must fit its parameters' types.
    fn host_arguments(&mut self, call: &mut ExprCall) {
        for arg in &mut call.args {
            if !literal::is_bare(arg) {
                self.visit_expr_mut(arg);
            }
        }
    }

    fn store(&mut self, call: &mut ExprCall) -> Option<TokenStream> {
        let span = call.func.span();
        if call.args.len() != 2 {
            self.errors.refuse_tokens(call, "`store` takes an element and a value", "write `store(x[i], v)`");
            return None;
        }
        open_groups(&mut call.args[0]);
        let value = self.tokens(&mut call.args[1]);
        let Expr::Index(index) = &mut call.args[0] else {
            let element = &call.args[0];
            self.errors.refuse_tokens(
                element,
                "`store` takes an element of a buffer",
                "write `store(x[i], v)`",
            );
            return None;
        };
        let subscript = self.tokens(&mut index.index);
        let base = self.tokens(&mut index.expr);
        let (at, stored) = (fresh("at", span), fresh("value", span));
        Some(quote_spanned!(span=> {
            let #at = #subscript; let #stored = #value; ::warpsmith::dsl::rt::St(&#base).st(#at, #stored);
        }))
    }

    fn select(&mut self, call: &mut ExprCall) -> Option<TokenStream> {
        let span = call.func.span();
        let lazy = call.args.iter().skip(1).any(may_load);
        let args: Vec<_> = call.args.iter_mut().map(|arg| self.tokens(arg)).collect();
        let [cond, a, b] = args.as_slice() else { return None };
        Some(if lazy {
            quote_spanned!(span=> ::warpsmith::dsl::rt::select_lazy(#cond, || #a, || #b))
        } else {
            quote_spanned!(span=> ::warpsmith::dsl::rt::select_eager(#cond, #a, #b))
        })
    }

    fn word_of_arity(&mut self, call: &mut ExprCall, name: &Ident, arities: &[usize]) -> Option<TokenStream> {
        let (span, count) = (name.span(), call.args.len());
        if !arities.contains(&count) {
            let list: Vec<_> = arities.iter().map(usize::to_string).collect();
            self.errors.refuse_tokens(
                call,
                &format!("`{name}` takes {} arguments, not {count}", list.join(" or ")),
                "see the vocabulary's table",
            );
            return None;
        }
        let reduces = REDUCING.iter().any(|word| name == word);
        let mut args = Vec::new();
        for (position, arg) in call.args.iter_mut().enumerate() {
            let tokens = match reduction(arg).filter(|_| reduces && position + 1 == count) {
                Some(op) => op,
                None if reduces && position + 1 == count => {
                    self.errors.refuse_tokens(
                        arg,
                        "this is not a reduction",
                        "`sum`, `max`, `min` or `product`",
                    );
                    return None;
                }
                None => self.tokens(arg),
            };
            args.push(tokens);
        }
        if let Some((_, fixed)) = vocabulary::TAILS.iter().find(|(word, _)| name == word) {
            let tail = args.split_off(*fixed);
            return Some(quote_spanned!(span=> ::warpsmith::dsl::rt::#name(#(#args,)* (#(#tail,)*))));
        }
        let function = if arities.len() > 1 { format!("{name}_{count}") } else { name.to_string() };
        let function = Ident::new(&function, span);
        Some(quote_spanned!(span=> ::warpsmith::dsl::rt::#function(#(#args),*)))
    }
}

fn reduction(arg: &Expr) -> Option<TokenStream> {
    let Expr::Path(path) = arg else { return None };
    let name = path.path.get_ident()?;
    let (_, variant) = REDUCTIONS.iter().find(|(word, _)| name == word)?;
    let (span, variant) = (name.span(), Ident::new(variant, name.span()));
    Some(quote_spanned!(span=> ::warpsmith::dsl::rt::ReduceOp::#variant))
}

/// Whether an arm of a selection may build a load: it indexes, or calls something that is not known to be pure.
fn may_load(arm: &Expr) -> bool {
    let mut finder = LoadFinder(false);
    finder.visit_expr(arm);
    finder.0
}

struct LoadFinder(bool);

impl<'ast> Visit<'ast> for LoadFinder {
    fn visit_expr_index(&mut self, _index: &'ast syn::ExprIndex) {
        self.0 = true;
    }

    fn visit_expr_macro(&mut self, _mac: &'ast syn::ExprMacro) {
        self.0 = true;
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let pure = match &*call.func {
            func if vocabulary::is_approximation(func) => true,
            Expr::Path(path) => path
                .path
                .segments
                .last()
                .is_some_and(|segment| vocabulary::is_pure(&segment.ident.to_string())),
            _ => false,
        };
        self.0 |= !pure;
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        self.0 |= !(vocabulary::is_pure(&name) || name == "shape" || name == "dim");
        syn::visit::visit_expr_method_call(self, call);
    }
}
