//! The names of dtypes, as they stand in types, in literal suffixes and in attribute lists.

/// Every dtype's name with the least and greatest value where it is an integer.
const DTYPES: &[(&str, Option<(i128, i128)>)] = &[
    ("bool", None),
    ("i8", Some((i8::MIN as i128, i8::MAX as i128))),
    ("i16", Some((i16::MIN as i128, i16::MAX as i128))),
    ("i32", Some((i32::MIN as i128, i32::MAX as i128))),
    ("i64", Some((i64::MIN as i128, i64::MAX as i128))),
    ("u8", Some((0, u8::MAX as i128))),
    ("u16", Some((0, u16::MAX as i128))),
    ("u32", Some((0, u32::MAX as i128))),
    ("u64", Some((0, u64::MAX as i128))),
    ("f16", None),
    ("bf16", None),
    ("f32", None),
    ("f64", None),
    ("e4m3", None),
    ("e5m2", None),
    ("e2m3", None),
    ("e3m2", None),
    ("e2m1", None),
    ("e8m0", None),
    ("ue4m3", None),
    ("tf32", None),
];

/// Whether a name is a dtype's.
pub(crate) fn is_dtype(name: &str) -> bool {
    DTYPES.iter().any(|(dtype, _)| *dtype == name)
}

/// The range of an integer dtype.
pub(crate) fn int_range(name: &str) -> Option<(i128, i128)> {
    DTYPES.iter().find(|(dtype, _)| *dtype == name).and_then(|(_, range)| *range)
}

/// Whether a name is a float dtype's.
pub(crate) fn is_float(name: &str) -> bool {
    matches!(name, "f16" | "bf16" | "f32" | "f64")
}

/// The name of the variant of `DType`, or of its constant for a storage format, at the given span.
pub(crate) fn variant(name: &syn::Ident) -> syn::Result<syn::Ident> {
    let text = name.to_string();
    if !is_dtype(&text) {
        let known: Vec<_> = DTYPES.iter().map(|(dtype, _)| *dtype).collect();
        let message = format!("`{text}` is not a dtype\nhelp: one of {}", known.join(", "));
        return Err(syn::Error::new(name.span(), message));
    }
    let variant = if text == "bool" { "Bool".into() } else { text.to_uppercase() };
    Ok(syn::Ident::new(&variant, name.span()))
}
