//! Words on whole tiles, which mode `Tile2D` is named for and which are refused: what they would do, cooperative tiles do.

use quote::ToTokens;
use syn::visit::Visit;
use syn::{Block, Expr, ExprCall, ExprMethodCall};

use crate::error::Errors;

/// Refuses `dot(a, b)`, `x.t()` and `x.slice(…)` in a body.
pub(super) fn refuse(body: &Block, errors: &mut Errors) {
    Words { errors }.visit_block(body);
}

struct Words<'e> {
    errors: &'e mut Errors,
}

impl Words<'_> {
    fn refuse(&mut self, tokens: &impl ToTokens, word: &str) {
        self.errors.refuse_tokens(
            tokens,
            &format!("`{word}` on a whole tile is not part of the language"),
            "multiply with cooperative tiles: `coop_tile_setup`, `coop_tile_load_a`, `coop_tile_load_b`, `coop_tile_run`",
        );
    }
}

impl<'ast> Visit<'ast> for Words<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func
            && path.path.is_ident("dot")
        {
            self.refuse(call, "dot");
        }
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if call.method == "t" && call.args.is_empty() {
            self.refuse(&call.method, ".t()");
        } else if call.method == "slice" {
            self.refuse(&call.method, ".slice()");
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}
