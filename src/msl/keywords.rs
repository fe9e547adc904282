//! Names that are legal in MSL and unique in one text.
//!
//! On entry any text: a Rust identifier, a path with dtypes. On exit an identifier of ASCII letters, digits and single
//! underscores that is no word of C++ or Metal and that no other thing in the text has. The same requests in the same
//! order give the same names. Deliberately not here: C++ scopes; a name is unique in the whole text, which is easier to
//! read and to search.

use std::collections::BTreeSet;

use super::ast::Ident;

/// Words of C++ (MSL is C++14 with later words reserved) and of Metal, in alphabetic order.
const RESERVED: &[&str] = &[
    "access",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "array",
    "as_type",
    "asm",
    "assert",
    "atomic_bool",
    "atomic_int",
    "atomic_uint",
    "auto",
    "bfloat",
    "bfloat2",
    "bfloat3",
    "bfloat4",
    "bitand",
    "bitor",
    "bool",
    "bool2",
    "bool3",
    "bool4",
    "break",
    "buffer",
    "case",
    "catch",
    "char",
    "char2",
    "char3",
    "char4",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constant",
    "constexpr",
    "constinit",
    "continue",
    "coherent",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "depth2d",
    "device",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "float2",
    "float3",
    "float4",
    "for",
    "fragment",
    "friend",
    "goto",
    "half",
    "half2",
    "half3",
    "half4",
    "if",
    "imageblock",
    "infinity",
    "inline",
    "int",
    "int2",
    "int3",
    "int4",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "intersection",
    "kernel",
    "long",
    "long2",
    "long3",
    "long4",
    "main",
    "mesh",
    "metal",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "object",
    "object_data",
    "operator",
    "or",
    "or_eq",
    "packed_float2",
    "packed_float3",
    "packed_float4",
    "patch",
    "payload",
    "precise",
    "private",
    "protected",
    "ptrdiff_t",
    "public",
    "ray_data",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "sampler",
    "short",
    "short2",
    "short3",
    "short4",
    "signed",
    "simd",
    "simdgroup",
    "size_t",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "stage_in",
    "stitchable",
    "struct",
    "switch",
    "template",
    "texture",
    "texture1d",
    "texture2d",
    "texture3d",
    "this",
    "thread",
    "thread_local",
    "threadgroup",
    "threadgroup_imageblock",
    "throw",
    "tile",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "uchar",
    "uchar2",
    "uchar3",
    "uchar4",
    "uint",
    "uint2",
    "uint3",
    "uint4",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "ulong",
    "ulong2",
    "ulong3",
    "ulong4",
    "union",
    "unsigned",
    "ushort",
    "ushort2",
    "ushort3",
    "ushort4",
    "using",
    "vec",
    "vertex",
    "virtual",
    "visible",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// The names of `<metal_math>` macros and of library functions that a kernel's own name would hide or expand.
const LIBRARY: &[&str] = &[
    "HUGE_VALF",
    "HUGE_VALH",
    "INFINITY",
    "INT_MAX",
    "INT_MIN",
    "MAXFLOAT",
    "MAXHALF",
    "M_E_F",
    "M_PI_F",
    "NAN",
    "NULL",
    "UINT_MAX",
    "abs",
    "ceil",
    "clamp",
    "clz",
    "copysign",
    "ctz",
    "exp",
    "fast",
    "floor",
    "fma",
    "fract",
    "isnan",
    "log",
    "max",
    "min",
    "mix",
    "mulhi",
    "popcount",
    "pow",
    "rint",
    "round",
    "rsqrt",
    "select",
    "sign",
    "sqrt",
    "step",
    "trunc",
];

/// What the prelude's functions begin with.
const PRELUDE: &str = "warpsmith_";

/// Gives out names.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<Box<str>>,
}

impl Names {
    /// A name as near to `wanted` as is legal and free.
    pub(super) fn claim(&mut self, wanted: &str) -> Ident {
        let base = legal(wanted);
        let mut name = base.clone();
        let mut count = 1u32;
        while !self.taken.insert(name.as_str().into()) {
            count += 1;
            // `x_2` may itself be a source name, hence the loop.
            name = format!("{base}_{count}");
        }
        Ident::new(&name)
    }
}

/// `wanted` with everything illegal replaced, and a word of the language marked by a final letter.
fn legal(wanted: &str) -> String {
    let mut name = String::with_capacity(wanted.len());
    for c in wanted.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        name.push(c);
    }
    // C++ keeps for itself names that begin with an underscore and those with two in a row; the latter stand in entry
    // points (`module__name`), where Metal takes them.
    if name.starts_with('_') || name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        name.insert(0, 'x');
    }
    if is_reserved(&name) {
        name.push_str("_k");
    }
    name
}

fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || LIBRARY.contains(&name) || name.starts_with(PRELUDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_language_are_marked() {
        let mut names = Names::default();
        for (wanted, given) in [
            ("half", "half_k"),
            ("row", "row"),
            ("row", "row_2"),
            ("row_2", "row_2_2"),
            ("1x", "x1x"),
            ("_", "x_"),
            ("größe", "gr__e"),
            ("max", "max_k"),
            ("", "x"),
        ] {
            assert_eq!(names.claim(wanted).as_str(), given);
        }
    }

    #[test]
    fn the_prelude_keeps_its_names() {
        assert!(!Names::default().claim("warpsmith_min").as_str().eq("warpsmith_min"));
    }

    #[test]
    fn each_word_is_listed_once() {
        let all: BTreeSet<_> = RESERVED.iter().chain(LIBRARY).collect();
        assert_eq!(all.len(), RESERVED.len() + LIBRARY.len());
    }
}
