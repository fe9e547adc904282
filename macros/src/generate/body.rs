//! The walk over a body: what is rewritten where it stands, and what is left alone.
//!
//! On entry: a body in one naming context. On exit: the same body in which only what Rust can't overload has become
//! calls of `dsl::rt`; each rewritten expression is verbatim tokens.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Block, Expr, Ident, Local, Pat, Stmt, Type, UnOp};

use super::control::Loops;
use super::scope::{Binding, Scopes};
use super::{literal, vocabulary};
use crate::error::Errors;
use crate::parse::dtype::is_dtype;

/// Rewrites one body.
pub(super) struct Rewriter<'e> {
    pub(super) scopes: Scopes,
    /// Names that stand for dtypes: type parameters, and variants that are types.
    types: Vec<String>,
    pub(super) errors: &'e mut Errors,
    pub(super) loops: Loops,
    closures: usize,
    file: String,
}

impl<'e> Rewriter<'e> {
    /// A rewriter for a body in whose scope `types` stand for dtypes and `params` are bound.
    pub(super) fn new(
        types: impl IntoIterator<Item = String>,
        params: impl IntoIterator<Item = String>,
        span: Span,
        errors: &'e mut Errors,
    ) -> Self {
        let mut scopes = Scopes::default();
        scopes.push();
        for name in params {
            scopes.bind(name, Binding::Parameter);
        }
        let file = span.unwrap().file();
        Self {
            scopes,
            types: types.into_iter().collect(),
            errors,
            loops: Loops::default(),
            closures: 0,
            file,
        }
    }

    fn is_type(&self, ident: &Ident) -> bool {
        let name = ident.to_string();
        self.scopes.get(ident).is_none() && (is_dtype(&name) || self.types.contains(&name))
    }

    /// Rewrites an expression in place and returns its tokens.
    pub(super) fn tokens(&mut self, expr: &mut Expr) -> TokenStream {
        self.visit_expr_mut(expr);
        expr.to_token_stream()
    }

    /// Marks the place that the next operations come from.
    fn at(&self, span: Span) -> Stmt {
        let place = span.unwrap();
        let (line, column, file) = (place.line() as u32, place.column() as u32, place.file());
        let call = if file == self.file {
            quote_spanned!(span=> ::warpsmith::dsl::rt::at(#line, #column))
        } else {
            quote_spanned!(span=> ::warpsmith::dsl::rt::at_file(#file, #line, #column))
        };
        Stmt::Expr(Expr::Verbatim(call), Some(syn::Token![;](span)))
    }

    fn local(&mut self, local: &mut Local) {
        let Some(init) = &mut local.init else {
            self.errors.refuse_tokens(
                &local.pat,
                "a variable without a value can't be traced",
                "give it one: `let mut x = 0.0;`",
            );
            return;
        };
        if let Some((_, diverge)) = &mut init.diverge {
            self.visit_expr_mut(diverge);
        }
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => ((*typed.pat).clone(), Some((*typed.ty).clone())),
            other => (other.clone(), None),
        };
        let dtype = ty.as_ref().filter(|ty| self.names_dtype(ty)).cloned();
        // `let n: usize = 4` is a host value: its literal is rustc's.
        if !(ty.is_some() && dtype.is_none() && literal::is_bare(&init.expr)) {
            self.visit_expr_mut(&mut init.expr);
        }
        let Pat::Ident(ident) = &pat else {
            self.scopes.bind_pattern(&pat, self.errors);
            return;
        };
        if ident.subpat.is_some() || ident.by_ref.is_some() {
            self.scopes.bind_pattern(&pat, self.errors);
            return;
        }
        let span = init.expr.span();
        let (expr, name) = (&init.expr, ident.ident.to_string());
        let value = match &dtype {
            Some(dtype) => {
                quote_spanned!(span=> ::warpsmith::dsl::rt::Ty(#expr).to::<#dtype>())
            }
            None => match &ty {
                // The annotation guides inference inside the wrapper too.
                Some(ty) => {
                    let typed = super::fresh("typed", span);
                    quote_spanned!(span=> { let #typed: #ty = #expr; #typed })
                }
                None => expr.to_token_stream(),
            },
        };
        let new = if ident.mutability.is_some() {
            self.scopes.bind(&ident.ident, Binding::Mutable);
            quote_spanned!(span=> ::warpsmith::dsl::rt::Mt(#value, #name).bind())
        } else {
            self.scopes.bind(&ident.ident, Binding::Plain);
            quote_spanned!(span=> ::warpsmith::dsl::rt::Nm(#value, #name).nm())
        };
        *init.expr = Expr::Verbatim(new);
        if dtype.is_some() || ident.mutability.is_some() {
            local.pat = pat;
        }
    }

    fn names_dtype(&self, ty: &Type) -> bool {
        match ty {
            Type::Path(path) => {
                path.path.get_ident().is_some_and(|name| name != "bool" && self.is_type(name))
            }
            Type::Group(group) => self.names_dtype(&group.elem),
            _ => false,
        }
    }

    fn path(&self, path: &syn::ExprPath) -> Option<TokenStream> {
        let ident = path.path.get_ident()?;
        let span = ident.span();
        match self.scopes.get(ident) {
            Some(Binding::Mutable) => Some(quote_spanned!(span=> ::warpsmith::dsl::rt::rd(&#ident))),
            Some(Binding::Plain | Binding::Parameter) => None,
            None if self.is_type(ident) => {
                Some(quote_spanned!(span=> ::warpsmith::dsl::rt::dtype::<#ident>()))
            }
            None if vocabulary::GEOMETRY_WORDS.contains(&ident.to_string().as_str()) => {
                Some(quote_spanned!(span=> ::warpsmith::dsl::geometry::#ident()))
            }
            None => None,
        }
    }

    fn binary(&mut self, binary: &mut syn::ExprBinary) -> Option<TokenStream> {
        let span = binary.left.span();
        if super::assign::is_compound(&binary.op) {
            return self.compound(binary);
        }
        if matches!(binary.op, BinOp::And(_) | BinOp::Or(_))
            && !has_let(&binary.left)
            && !has_let(&binary.right)
        {
            let function = if matches!(binary.op, BinOp::And(_)) { "and" } else { "or" };
            let function = Ident::new(function, span);
            let (left, right) = (self.tokens(&mut binary.left), self.tokens(&mut binary.right));
            return Some(quote_spanned!(span=> ::warpsmith::dsl::rt::#function(#left, || #right)));
        }
        let method = match binary.op {
            BinOp::Eq(_) => "eq_",
            BinOp::Ne(_) => "ne_",
            BinOp::Lt(_) => "lt_",
            BinOp::Le(_) => "le_",
            BinOp::Gt(_) => "gt_",
            BinOp::Ge(_) => "ge_",
            _ => {
                visit_mut::visit_expr_binary_mut(self, binary);
                return None;
            }
        };
        let method = Ident::new(method, span);
        let (left, right) = (self.tokens(&mut binary.left), self.tokens(&mut binary.right));
        Some(quote_spanned!(span=> ::warpsmith::dsl::rt::Pair(&(#left), &(#right)).#method()))
    }

    fn unary(&mut self, unary: &mut syn::ExprUnary) -> Option<TokenStream> {
        if let (UnOp::Neg(_), Expr::Lit(lit)) = (&unary.op, &*unary.expr) {
            return literal::rewrite(&lit.lit, true, self.errors);
        }
        visit_mut::visit_expr_unary_mut(self, unary);
        None
    }

    fn refuse_flow(&mut self, expr: &Expr) {
        let (what, help) = match expr {
            Expr::Return(_) if self.closures > 0 => return,
            Expr::Return(_) => ("`return` can't be traced", "put the rest of the body into an `if`"),
            Expr::Try(_) => ("`?` can't be traced", "check with `assert!`, which fails the build"),
            Expr::Await(_) | Expr::Async(_) => ("a kernel doesn't wait", "remove the `async` or `.await`"),
            Expr::Yield(_) => ("`yield` can't be traced", "remove it"),
            _ => return,
        };
        self.errors.refuse_tokens(expr, what, help);
    }

    fn closure(&mut self, closure: &mut syn::ExprClosure) {
        self.in_closure(|this| {
            for input in &closure.inputs {
                this.scopes.bind_pattern(input, this.errors);
            }
            this.visit_expr_mut(&mut closure.body);
        });
    }

    /// Walks what stands in a closure: it has a scope of its own, and can't leave a loop around it.
    pub(super) fn in_closure<R>(&mut self, walk: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push();
        self.closures += 1;
        let outer = std::mem::take(&mut self.loops);
        let result = walk(self);
        self.loops = outer;
        self.closures -= 1;
        self.scopes.pop();
        result
    }

    fn arm(&mut self, arm: &mut syn::Arm) {
        self.scopes.push();
        self.scopes.bind_pattern(&arm.pat, self.errors);
        if let Some((_, guard)) = &mut arm.guard {
            self.visit_expr_mut(guard);
        }
        self.visit_expr_mut(&mut arm.body);
        self.scopes.pop();
    }
}

/// Whether a condition holds a `let`, so that it is the host's.
pub(super) fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        Expr::Group(group) => has_let(&group.expr),
        _ => false,
    }
}

/// Replaces an invisible group, in which `macro_rules!` hands over an expression, by what it holds.
pub(super) fn open_groups(expr: &mut Expr) {
    while let Expr::Group(group) = expr {
        let inner = std::mem::replace(&mut *group.expr, Expr::Verbatim(TokenStream::new()));
        let tight = matches!(
            inner,
            Expr::Path(_)
                | Expr::Lit(_)
                | Expr::Call(_)
                | Expr::MethodCall(_)
                | Expr::Index(_)
                | Expr::Field(_)
                | Expr::Paren(_)
                | Expr::Group(_)
                | Expr::Block(_)
                | Expr::Array(_)
                | Expr::Tuple(_)
                | Expr::Macro(_)
        );
        *expr = if tight { inner } else { syn::parse_quote!((#inner)) };
    }
}

/// Whether an expression is a bare name that is bound by `let mut`.
pub(super) fn mutable_name(expr: &Expr, scopes: &Scopes) -> Option<Ident> {
    match expr {
        Expr::Path(path) => path.path.get_ident().filter(|name| scopes.is_mutable(*name)).cloned(),
        Expr::Group(group) => mutable_name(&group.expr, scopes),
        Expr::Paren(paren) => mutable_name(&paren.expr, scopes),
        _ => None,
    }
}

impl VisitMut for Rewriter<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scopes.push();
        let count = block.stmts.len();
        let stmts = std::mem::take(&mut block.stmts);
        for (position, mut stmt) in stmts.into_iter().enumerate() {
            let is_tail = position + 1 == count;
            if !matches!(stmt, Stmt::Item(_)) {
                block.stmts.push(self.at(stmt.span()));
            }
            match &mut stmt {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(expr, semi) => {
                    open_groups(expr);
                    let is_value = is_tail && semi.is_none();
                    if let Some(tokens) = self.statement(expr, is_value) {
                        *expr = Expr::Verbatim(tokens);
                    }
                }
                // Items are ordinary Rust; they can't see the body's variables.
                Stmt::Item(_) => {}
                Stmt::Macro(call) => match self.inline(&call.mac) {
                    Some(tokens) => stmt = Stmt::Expr(Expr::Verbatim(tokens), call.semi_token),
                    None => self.visit_macro_mut(&mut call.mac),
                },
            }
            block.stmts.push(stmt);
        }
        self.scopes.pop();
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        open_groups(expr);
        let new = match expr {
            Expr::Lit(lit) => literal::rewrite(&lit.lit, false, self.errors),
            Expr::Path(path) => self.path(path),
            Expr::Assign(assign) => self.assign(assign),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Index(index) => self.index(index),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Reference(reference) => self.reference(reference),
            Expr::Field(field) => self.field(field),
            Expr::If(_) | Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => self.control(expr, true),
            Expr::Break(_) | Expr::Continue(_) => self.leave(expr),
            Expr::Range(range) => {
                // A range that is no loop is rustc's: its bounds have one type.
                for bound in [&mut range.start, &mut range.end].into_iter().flatten() {
                    if !literal::is_bare(bound) {
                        self.visit_expr_mut(bound);
                    }
                }
                None
            }
            Expr::Array(array) => {
                self.array(array);
                None
            }
            Expr::Repeat(repeat) => {
                self.visit_expr_mut(&mut repeat.expr);
                None
            }
            Expr::Closure(closure) => {
                self.closure(closure);
                None
            }
            Expr::Match(matching) => {
                self.visit_expr_mut(&mut matching.expr);
                matching.arms.iter_mut().for_each(|arm| self.arm(arm));
                None
            }
            Expr::Let(binding) => {
                self.visit_expr_mut(&mut binding.expr);
                self.scopes.bind_pattern(&binding.pat, self.errors);
                None
            }
            Expr::Macro(mac) => {
                let text = self.inline(&mac.mac);
                if text.is_none() {
                    self.macro_arguments(&mut mac.mac);
                }
                text
            }
            Expr::Verbatim(_) => None,
            Expr::Return(_) | Expr::Try(_) | Expr::Await(_) | Expr::Async(_) | Expr::Yield(_) => {
                self.refuse_flow(expr);
                None
            }
            _ => {
                visit_mut::visit_expr_mut(self, expr);
                None
            }
        };
        if let Some(new) = new {
            *expr = Expr::Verbatim(new);
        }
    }

    // Types, patterns and paths keep their literals: array lengths and const arguments are rustc's.
    fn visit_type_mut(&mut self, _ty: &mut Type) {}
    fn visit_pat_mut(&mut self, _pat: &mut Pat) {}
    fn visit_path_mut(&mut self, _path: &mut syn::Path) {}
    fn visit_item_mut(&mut self, _item: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        self.macro_arguments(mac);
    }
}

impl Rewriter<'_> {
    /// A statement; only a tail without semicolon has a value.
    fn statement(&mut self, expr: &mut Expr, is_value: bool) -> Option<TokenStream> {
        if matches!(expr, Expr::If(_) | Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_)) {
            return self.control(expr, is_value);
        }
        self.visit_expr_mut(expr);
        None
    }

    /// An array: beside values, its unsuffixed literals are values too; beside host numbers they are rustc's.
    fn array(&mut self, array: &mut syn::ExprArray) {
        let host = |element: &Expr| match element {
            Expr::Lit(lit) => match &lit.lit {
                syn::Lit::Int(int) => matches!(int.suffix(), "usize" | "isize"),
                _ => false,
            },
            _ => false,
        };
        let bare = array.elems.iter().filter(|element| literal::is_bare(element)).count();
        let (is_host, mixed) = (array.elems.iter().any(host), bare > 0 && bare < array.elems.len());
        for element in &mut array.elems {
            if is_host && literal::is_bare(element) {
                continue;
            }
            let tokens = self.tokens(element);
            if mixed && !is_host {
                let span = element.span();
                *element = Expr::Verbatim(quote_spanned!(span=> ::warpsmith::dsl::rt::Lf(#tokens).lift()));
            }
        }
    }

    /// The arguments of macros that take expressions; others are untouched.
    fn macro_arguments(&mut self, mac: &mut syn::Macro) {
        use syn::parse::Parser;
        use syn::punctuated::Punctuated;
        let name = mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let known = ["assert", "assert_eq", "assert_ne", "format", "comment", "debug_assert", "panic"];
        if !known.contains(&name.as_str()) {
            return;
        }
        let parser = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        let Ok(args) = parser.parse2(mac.tokens.clone()) else { return };
        let args = args.into_iter().map(|mut arg| match &arg {
            // The text may name variables: it stays a literal.
            Expr::Lit(_) | Expr::Assign(_) => quote!(#arg),
            _ => self.tokens(&mut arg),
        });
        let args: Vec<_> = args.collect();
        mac.tokens = quote!(#(#args),*);
    }
}
