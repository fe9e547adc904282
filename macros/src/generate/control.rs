//! `if`, `for`, `while`, `loop`, `break` and `continue`.
//!
//! No body is duplicated: the iterator that drives an arm or a body opens a region when it starts and closes it when it
//! ends; where the host decides, it yields only what is taken.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprForLoop, ExprIf, Lifetime, Pat, RangeLimits};

use super::body::{Rewriter, has_let, open_groups};
use super::{fresh, literal};

/// The loops that are open, innermost last.
#[derive(Default)]
pub(super) struct Loops {
    open: Vec<OpenLoop>,
    made: usize,
}

struct OpenLoop {
    name: Option<String>,
    label: Lifetime,
    traced: bool,
}

impl Rewriter<'_> {
    /// A control expression; `is_value` where its value may be used.
    pub(super) fn control(&mut self, expr: &mut Expr, is_value: bool) -> Option<TokenStream> {
        match expr {
            Expr::If(branch) => self.branch(branch, is_value),
            Expr::ForLoop(each) => Some(self.each(each)),
            Expr::While(repeat) => {
                if has_let(&repeat.cond) {
                    self.errors.refuse_tokens(
                        &repeat.cond,
                        "`while let` can't be traced",
                        "loop over a range",
                    );
                    return None;
                }
                let (span, label) = (repeat.while_token.span, repeat.label.take());
                let label = self.enter(label, span, true);
                let cond = self.tokens(&mut repeat.cond);
                self.visit_block_mut(&mut repeat.body);
                self.loops.open.pop();
                let (body, phase) = (&repeat.body, fresh("phase", span));
                Some(quote_spanned!(span=> #label: for #phase in ::warpsmith::dsl::rt::while_begin() {
                    match #phase {
                        ::warpsmith::dsl::rt::Phase::Cond(judge) => judge.cond(#cond),
                        ::warpsmith::dsl::rt::Phase::Body => #body,
                    }
                }))
            }
            Expr::Loop(repeat) => {
                let (span, label) = (repeat.loop_token.span, repeat.label.take());
                let label = self.enter(label, span, true);
                self.visit_block_mut(&mut repeat.body);
                self.loops.open.pop();
                let body = &repeat.body;
                Some(quote_spanned!(span=> #label: for _ in ::warpsmith::dsl::rt::loop_begin() #body))
            }
            _ => None,
        }
    }

    fn branch(&mut self, branch: &mut ExprIf, is_value: bool) -> Option<TokenStream> {
        if has_let(&branch.cond) {
            self.scopes.push();
            self.visit_expr_mut(&mut branch.cond);
            self.visit_block_mut(&mut branch.then_branch);
            self.scopes.pop();
            if let Some((_, other)) = &mut branch.else_branch {
                self.visit_expr_mut(other);
            }
            return None;
        }
        let span = branch.if_token.span;
        let cond = self.tokens(&mut branch.cond);
        self.visit_block_mut(&mut branch.then_branch);
        let then = branch.then_branch.to_token_stream();
        let has_else = branch.else_branch.is_some();
        let is_value = is_value && has_else;
        let other = match &mut branch.else_branch {
            Some((_, other)) => {
                open_groups(other);
                match &mut **other {
                    // `else if` is an arm whose tail is an `if`.
                    Expr::If(_) => {
                        let inner = self.control(other, is_value);
                        inner.unwrap_or_else(|| other.to_token_stream())
                    }
                    _ => self.tokens(other),
                }
            }
            None => quote_spanned!(span=> {}),
        };
        let (arm, value) = (fresh("arm", span), fresh("value", span));
        if !is_value {
            return Some(quote_spanned!(span=>
                for #arm in ::warpsmith::dsl::rt::if_begin(#cond, #has_else) {
                    match #arm { ::warpsmith::dsl::rt::Arm::Then => #then, ::warpsmith::dsl::rt::Arm::Else => #other }
                }
            ));
        }
        Some(quote_spanned!(span=> {
            let mut #value = ::warpsmith::dsl::rt::IfVal::new();
            for #arm in ::warpsmith::dsl::rt::if_begin(#cond, true) {
                #value.put(match #arm {
                    ::warpsmith::dsl::rt::Arm::Then => ::warpsmith::dsl::rt::Lf(#then).lift(),
                    ::warpsmith::dsl::rt::Arm::Else => ::warpsmith::dsl::rt::Lf(#other).lift(),
                });
            }
            #value.take()
        }))
    }

    fn each(&mut self, each: &mut ExprForLoop) -> TokenStream {
        let span = each.for_token.span;
        open_groups(&mut each.expr);
        let traced = is_traced_range(&each.expr);
        let items = match &mut *each.expr {
            Expr::Range(range) => {
                let (Some(start), Some(end)) = (&mut range.start, &mut range.end) else {
                    self.errors.refuse_tokens(range, "a loop needs both bounds", "write `a..b`");
                    return TokenStream::new();
                };
                let kind = match range.limits {
                    RangeLimits::HalfOpen(_) => "Rng",
                    RangeLimits::Closed(_) => "RngClosed",
                };
                let kind = syn::Ident::new(kind, span);
                let (start, end) = (self.tokens(start), self.tokens(end));
                quote_spanned!(span=> ::warpsmith::dsl::rt::#kind(#start, #end).rng())
            }
            other => {
                let items = self.tokens(other);
                quote_spanned!(span=> ::warpsmith::dsl::rt::Lp(#items).lp())
            }
        };
        let label = self.enter(each.label.take(), span, traced);
        self.scopes.push();
        self.scopes.bind_pattern(&each.pat, self.errors);
        self.visit_block_mut(&mut each.body);
        self.scopes.pop();
        self.loops.open.pop();
        let (pat, body) = (&each.pat, &each.body);
        // A counter's name goes to the dump; the name of anything else is the identity.
        let name = match &*each.pat {
            Pat::Ident(ident) => {
                let (name, ident) = (ident.ident.to_string(), &ident.ident);
                quote_spanned!(span=> let #ident = ::warpsmith::dsl::rt::Nm(#ident, #name).nm();)
            }
            _ => TokenStream::new(),
        };
        quote_spanned!(span=> #label: for #pat in #items { #name #body })
    }

    fn enter(&mut self, label: Option<syn::Label>, span: Span, traced: bool) -> Lifetime {
        self.loops.made += 1;
        let made = Lifetime::new(&format!("'loop_{}", self.loops.made), span);
        let name = label.map(|label| label.name.ident.to_string());
        self.loops.open.push(OpenLoop { name, label: made.clone(), traced });
        made
    }

    /// `break` and `continue`.
    pub(super) fn leave(&mut self, expr: &mut Expr) -> Option<TokenStream> {
        let (label, is_break, span) = match expr {
            Expr::Break(leave) => {
                if let Some(value) = &leave.expr {
                    self.errors.refuse_tokens(
                        value,
                        "a loop has no value",
                        "assign to a `let mut` before the `break`",
                    );
                    return None;
                }
                (leave.label.take(), true, leave.break_token.span)
            }
            Expr::Continue(leave) => (leave.label.take(), false, leave.continue_token.span),
            _ => return None,
        };
        let open = &self.loops.open;
        let target = match &label {
            None => open.len().checked_sub(1),
            Some(label) => {
                let name = label.ident.to_string();
                open.iter().rposition(|each| each.name.as_ref() == Some(&name))
            }
        };
        let Some(target) = target else {
            self.errors.refuse(span, "there is no such loop here", "`break` and `continue` stand in a loop");
            return None;
        };
        let crossed = open.len() - 1 - target;
        if crossed > 0 && open[target..].iter().any(|each| each.traced) {
            self.errors.refuse(
                span,
                "this leaves a traced loop from inside another",
                "set a `let mut` flag and test it in the outer loop",
            );
            return None;
        }
        let target = &open[target].label;
        let word = syn::Ident::new(if is_break { "break" } else { "continue" }, span);
        Some(quote_spanned!(span=> if ::warpsmith::dsl::rt::leave(#is_break, #crossed) { #word #target; }))
    }
}

/// Whether a loop is traced whatever its bounds are.
fn is_traced_range(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| name == "range" || name == "unroll"),
            _ => false,
        },
        Expr::Range(range) => {
            let mut bounds = [&range.start, &range.end].into_iter().flatten();
            bounds.any(|bound| matches!(&**bound, Expr::Lit(lit) if !literal::is_bare(bound) && matches!(lit.lit, syn::Lit::Int(_))))
        }
        _ => false,
    }
}
