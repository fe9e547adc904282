//! The words of the vocabulary that the rewrite treats specially.
//!
//! rustc checks the arity and types of everything else.

/// Free words that are values of the launch's geometry; each is a function of `dsl`.
pub(super) const GEOMETRY_WORDS: &[&str] = &[
    "tid",
    "tid_x",
    "tid_y",
    "tid_z",
    "lsize",
    "n_simd",
    "simd_lane",
    "simd_id",
    "tgid_x",
    "tgid_y",
    "tgid_z",
];

/// Functions that take another number of arguments under another name: `range(a, b)` is `range_2(a, b)`.
pub(super) const ARITIES: &[(&str, &[usize])] = &[
    ("range", &[2, 3]),
    ("threadgroup_alloc", &[2, 3]),
    ("stack_alloc", &[2, 3]),
    ("strided_reduce", &[4, 5]),
    ("strided_reduce_dot", &[5]),
];

/// Functions whose last argument names an operation: `sum`, `max`, `min` or `product`.
pub(super) const REDUCING: &[&str] = &["strided_reduce"];

/// The operations by name, with the variant of `ReduceOp`.
pub(super) const REDUCTIONS: &[(&str, &str)] =
    &[("sum", "Sum"), ("max", "Max"), ("min", "Min"), ("product", "Product")];

/// Functions of reals: they take values and build no load.
const REALS: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "exp2_p",
    "exp2_p_below",
    "exp_p",
    "exp_p_below",
    "expm1",
    "gelu",
    "gelu_erf",
    "log",
    "log10",
    "log1p",
    "log2",
    "mish",
    "pow",
    "remainder",
    "rsqrt",
    "sigmoid",
    "silu",
    "sin",
    "sin_cos",
    "sinh",
    "softplus",
    "tan",
    "tanh",
];

/// Other functions of the vocabulary that take values: unsuffixed literals among their arguments stay weak.
const VALUE_FUNCTIONS: &[&str] = &[
    "abs",
    "atomic_add",
    "atomic_add_pair",
    "atomic_add_tg",
    "atomic_and",
    "atomic_and_tg",
    "atomic_cas",
    "atomic_cas_ordered",
    "atomic_cas_tg",
    "atomic_exch",
    "atomic_exch_tg",
    "atomic_load",
    "atomic_max",
    "atomic_max_tg",
    "atomic_min",
    "atomic_min_tg",
    "atomic_or",
    "atomic_or_tg",
    "atomic_rmw",
    "atomic_store",
    "atomic_xor",
    "atomic_xor_tg",
    "bitcast",
    "bitfield_extract",
    "bitfield_insert",
    "byte_perm",
    "cast",
    "ceil",
    "clz",
    "copysign",
    "ctz",
    "floor",
    "fma",
    "load",
    "load_vec",
    "local",
    "max",
    "max_nan",
    "min",
    "min_nan",
    "mul_hi",
    "popcount",
    "program_id",
    "range",
    "recip",
    "reduce_max",
    "reduce_min",
    "reduce_product",
    "reduce_sum",
    "relu",
    "round",
    "select",
    "shared",
    "sign",
    "simd_broadcast",
    "simd_max",
    "simd_min",
    "simd_product",
    "simd_shuffle",
    "simd_shuffle_down",
    "simd_shuffle_up",
    "simd_shuffle_xor",
    "simd_sum",
    "sqrt",
    "stack_alloc",
    "stack_load",
    "stack_store",
    "store",
    "store_vec",
    "strided_reduce",
    "strided_reduce_dot",
    "threadgroup_alloc",
    "threadgroup_load",
    "threadgroup_store",
    "trunc",
    "unroll",
];

/// Other functions that build no load, so that an arm of `select` that calls only these needs no guard.
const PURE: &[&str] = &[
    "abs",
    "bitcast",
    "bitfield_extract",
    "bitfield_insert",
    "byte_perm",
    "cast",
    "ceil",
    "clz",
    "copysign",
    "cta_dim",
    "cta_id",
    "ctz",
    "floor",
    "fma",
    "global_id",
    "grid_dim",
    "infinity",
    "lane_id",
    "max",
    "max_nan",
    "min",
    "min_nan",
    "mul_hi",
    "nan",
    "neg_infinity",
    "popcount",
    "program_id",
    "recip",
    "relu",
    "round",
    "select",
    "sign",
    "sqrt",
    "thread_id",
    "trunc",
    "warp_id",
    "warps_per_cta",
];

/// Whether the arguments of a function are values.
pub(super) fn takes_values(name: &str) -> bool {
    REALS.contains(&name) || VALUE_FUNCTIONS.contains(&name)
}

/// Whether an expression is a word of the module of approximations, `approx::exp`: these all take values and are pure.
pub(super) fn is_approximation(func: &syn::Expr) -> bool {
    let syn::Expr::Path(path) = func else { return false };
    let segments = &path.path.segments;
    path.qself.is_none() && segments.len() == 2 && segments[0].ident == "approx"
}

/// Whether a call of a function builds no load.
pub(super) fn is_pure(name: &str) -> bool {
    REALS.contains(&name) || PURE.contains(&name)
}
