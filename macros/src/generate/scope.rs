//! Which names the body has bound, and how.

use std::collections::HashMap;

use syn::visit::Visit;
use syn::{Pat, PatIdent};

use crate::error::Errors;

/// How a name is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// By `let`, a pattern or a closure parameter.
    Plain,
    /// By `let mut`: reads and writes are rewritten.
    Mutable,
    /// As a parameter.
    Parameter,
}

/// The scopes that are open, innermost last.
#[derive(Default)]
pub(super) struct Scopes(Vec<HashMap<String, Binding>>);

impl Scopes {
    pub(super) fn push(&mut self) {
        self.0.push(HashMap::new());
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    pub(super) fn bind(&mut self, name: impl ToString, binding: Binding) {
        if let Some(scope) = self.0.last_mut() {
            scope.insert(name.to_string(), binding);
        }
    }

    pub(super) fn get(&self, name: &impl ToString) -> Option<Binding> {
        let name = name.to_string();
        self.0.iter().rev().find_map(|scope| scope.get(&name).copied())
    }

    pub(super) fn is_mutable(&self, name: &impl ToString) -> bool {
        self.get(name) == Some(Binding::Mutable)
    }

    /// Binds every name of a pattern, and refuses `mut` in it.
    pub(super) fn bind_pattern(&mut self, pat: &Pat, errors: &mut Errors) {
        let mut names = Names { scopes: self, errors };
        names.visit_pat(pat);
    }
}

struct Names<'a> {
    scopes: &'a mut Scopes,
    errors: &'a mut Errors,
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        if let Some(token) = pat.mutability {
            self.errors.refuse(
                token.span,
                "`mut` inside a pattern can't be traced",
                "bind it without, then `let mut x = x;`",
            );
        }
        // A capitalised name in a pattern is a constant or a variant, not a binding.
        if !pat.ident.to_string().starts_with(char::is_uppercase) {
            self.scopes.bind(&pat.ident, Binding::Plain);
        }
        syn::visit::visit_pat_ident(self, pat);
    }

    fn visit_expr(&mut self, _expr: &'ast syn::Expr) {}
}
