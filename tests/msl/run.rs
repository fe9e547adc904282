//! Runs emitted text on the CPU and compares it with `numerics`, bit by bit.
//!
//! clang compiles the text as C++17 over the shim, with contraction off and undefined behaviour trapped: a shift, an
//! overflow or a conversion that C++ leaves undefined stops the program. This proves the text, not a Metal device.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use libtest_mimic::Failed;
use warpsmith::backend::{AbiKind, Emitted};
use warpsmith::ir::{DType, Kernel, Literal};
use warpsmith::numerics::{CastMode, Convert, Float, Int, Odd as _, Storage, bf16, f16};

/// Threads of a run; every pair of 8-bit operands is among them.
const THREADS: usize = 1 << 16;

/// A number's bits, from a seed and a position: often a corner of its format, often near another number.
fn operand(dtype: DType, seed: u64, n: usize, near: u64) -> u64 {
    let noise = mix(seed, n as u64);
    if dtype.bits() == 8 && seed < 2 {
        return (n as u64 >> (8 * seed)) & 0xff;
    }
    let (mantissa, top) = match dtype {
        DType::F16 => (10, 0x7c00),
        DType::BF16 => (7, 0x7f80),
        DType::F32 => (23, 0x7f80_0000),
        _ => (0, 0),
    };
    let sign = 1u64 << (dtype.bits() - 1);
    let bits = match noise % 8 {
        0 | 1 => {
            let corners = [
                0,
                1,
                2,
                sign - 1,
                sign,
                sign + 1,
                top,
                top + 1,
                top.wrapping_sub(1),
                1 << mantissa,
                (1 << mantissa) - 1,
            ];
            corners[(noise >> 8) as usize % corners.len()] ^ if noise >> 40 & 1 == 1 { sign } else { 0 }
        }
        // Small integers, and counts about the width of a shift.
        2 => (noise >> 8) % 70,
        3 => ((noise >> 8) % 70).wrapping_neg(),
        // An integer beside a tie of a narrow float, where a sticky bit decides.
        4 if top == 0 => {
            let near_tie = ((noise >> 8) & 0x1ff | 0x101) << ((noise >> 20) % 56);
            near_tie.wrapping_add((noise >> 30) % 3).wrapping_sub(1)
        }
        // A few bits only: ties and exact results.
        4 => (noise >> 8) & ((noise >> 24) | top) & (top | (3 << mantissa.max(1) >> 2)),
        // Within a few exponents of the other one: sums cancel, quotients stay in range.
        5 | 6 if top != 0 => {
            let moved =
                (near & top).wrapping_add(((noise >> 8) % 48) << mantissa).wrapping_sub(24 << mantissa);
            (moved & top) | ((noise >> 20) & (sign | ((1 << mantissa) - 1)))
        }
        _ => noise >> 3,
    };
    bits & dtype.mask()
}

/// SplitMix64: the n-th number of a seed.
fn mix(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A kernel that stores each of the operations, given as (name, text of the operation, result type).
fn kernel_of(inputs: &[DType], ops: &[(String, String, DType)]) -> String {
    let names = ["a", "b", "c"];
    let mut params: Vec<String> =
        inputs.iter().zip(names).map(|(dtype, name)| format!("{name}: global {dtype}")).collect();
    let mut body = String::from("    v0 = program_id.x\n");
    for (position, name) in names.iter().take(inputs.len()).enumerate() {
        let _ = writeln!(body, "    v{} = load {name}[v0]", position + 1);
    }
    for (position, (name, op, dtype)) in ops.iter().enumerate() {
        params.push(format!("mut out_{name}: global {dtype}"));
        let _ = writeln!(body, "    v{0} = {op}\n    store out_{name}[v0], v{0}", position + 10);
    }
    format!("kernel @run::all({}) mode(elementwise) {{\n{body}}}\n", params.join(", "))
}

/// The program around a kernel: reads its inputs, runs every thread, writes its outputs.
fn program(emitted: &Emitted, kernel: &Kernel, threads: usize) -> String {
    let mut text = format!("{}\n#include <cstdio>\n#include <vector>\nint main() {{\n", emitted.text);
    let (mut args, mut after) = (Vec::new(), String::new());
    for param in &emitted.params {
        match param.kind {
            AbiKind::Buffer(id) => {
                let (name, bytes) =
                    (format!("buffer{}", args.len()), threads * kernel.params[id].dtype.size() as usize);
                let _ = writeln!(text, "    static unsigned char {name}[{bytes}];");
                let move_bytes = if kernel.params[id].is_written() { &mut after } else { &mut text };
                let call = if kernel.params[id].is_written() { "fwrite" } else { "fread" };
                let stream = if kernel.params[id].is_written() { "stdout" } else { "stdin" };
                let _ = writeln!(
                    move_bytes,
                    "    if ({call}({name}, 1, {bytes}, {stream}) != {bytes}) return 1;"
                );
                args.push(format!("({}*){name}", metal_name(kernel.params[id].dtype)));
            }
            // The one other argument of these kernels is the exact extent; the last CTA overhangs it.
            AbiKind::Scalar(_)
            | AbiKind::Shape(..)
            | AbiKind::Stride(..)
            | AbiKind::Extent(_)
            | AbiKind::GridDim(_) => args.push(format!("{threads}u")),
        }
    }
    let _ = write!(
        text,
        "    for (uint cta = 0; cta < {0}u / 256u + 1u; ++cta)\n        for (uint thread = 0; thread < 256; ++thread)\n            {1}({2}, uint3{{thread, 0, 0}}, uint3{{cta, 0, 0}}, uint3{{256, 1, 1}});\n{after}    return 0;\n}}\n",
        threads,
        emitted.entry,
        args.join(", ")
    );
    text
}

fn metal_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I8 => "char",
        DType::U8 => "uchar",
        DType::I16 => "short",
        DType::U16 => "ushort",
        DType::I32 => "int",
        DType::U32 => "uint",
        DType::I64 => "long",
        DType::U64 => "ulong",
        DType::F16 => "half",
        DType::BF16 => "bfloat",
        DType::F32 | DType::F64 => "float",
        DType::TF32 => "uint",
        DType::Storage(_) => "uchar",
    }
}

/// Compiles and runs; gives the bits of each output.
fn execute(
    clang: &str,
    text: &str,
    inputs: &[(DType, Vec<u64>)],
    outputs: &[DType],
) -> Result<Vec<Vec<u64>>, Failed> {
    let kernel = warpsmith::ir::parse::parse(text).map_err(|error| Failed::from(error.to_string()))?;
    let emitted = super::emit(text)?;
    let folder = tempfile::tempdir()?;
    let (source, binary) = (folder.path().join("kernel.cpp"), folder.path().join("kernel"));
    let threads = inputs.first().map_or(0, |(_, values)| values.len());
    std::fs::write(&source, program(&emitted, &kernel, threads))?;
    let output = Command::new(clang)
        .args(["-x", "c++", "-std=c++17", "-O0", "-w", "-fsigned-char", "-ffp-contract=off"])
        .args(["-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all"])
        .args(["-isystem", "tests/data/metal_shim", "-lm", "-lstdc++", "-o"])
        .args([&binary, &source])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let mut child = Command::new(&binary).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().ok_or("the program has no standard input")?;
    for (dtype, values) in inputs {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|bits| bits.to_le_bytes().into_iter().take(dtype.size() as usize))
            .collect();
        stdin.write_all(&bytes)?;
    }
    drop(stdin);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("the kernel stopped: {} (a trap is undefined behaviour)", output.status).into());
    }
    let mut rest = output.stdout.as_slice();
    let mut results = Vec::new();
    for dtype in outputs {
        let (own, after) = rest.split_at(threads * dtype.size() as usize);
        let element = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
        results.push(own.chunks_exact(dtype.size() as usize).map(element).collect());
        rest = after;
    }
    Ok(results)
}

/// One operation: its name, its text over `v1 v2 v3`, its result type, and what `numerics` says of it.
type Case<'a> = (&'a str, &'a str, DType, &'a dyn Fn(u64, u64, u64) -> u64);

fn check(clang: &str, dtypes: &[DType], cases: &[Case<'_>]) -> Result<(), Failed> {
    let mut inputs: Vec<(DType, Vec<u64>)> = Vec::new();
    for (seed, &dtype) in (0u64..).zip(dtypes) {
        let near = |n: usize| inputs.last().map_or(0, |(_, values)| values[n]);
        inputs.push((dtype, (0..THREADS).map(|n| operand(dtype, seed, n, near(n))).collect()));
    }
    let ops: Vec<_> =
        cases.iter().map(|&(name, op, dtype, _)| (name.to_owned(), op.to_owned(), dtype)).collect();
    let outputs: Vec<DType> = cases.iter().map(|case| case.2).collect();
    let results = execute(clang, &kernel_of(dtypes, &ops), &inputs, &outputs)?;
    for (&(name, _, dtype, expected), found) in cases.iter().zip(&results) {
        for (n, &bits) in found.iter().enumerate() {
            let [a, b, c] = [0, 1, 2].map(|input| inputs.get(input).map_or(0, |(_, values)| values[n]));
            let want = expected(a, b, c);
            let moves = matches!(name, "neg" | "abs" | "copysign");
            if bits != want && (moves || !(is_nan(dtype, bits) && is_nan(dtype, want))) {
                let show = |bits| Literal::from_bits(dtype, bits);
                return Err(format!(
                    "{name} of {a:#x}, {b:#x}, {c:#x} ({dtypes:?}): got {bits:#x} = {}, numerics says {want:#x} = {}",
                    show(bits),
                    show(want)
                )
                .into());
            }
        }
    }
    Ok(())
}

fn is_nan(dtype: DType, bits: u64) -> bool {
    Literal::from_bits(dtype, bits).as_f64().is_some_and(f64::is_nan)
}

fn order(test: impl Fn(std::cmp::Ordering) -> bool, order: Option<std::cmp::Ordering>) -> u64 {
    u64::from(order.is_some_and(test))
}

fn floats<F: Float + 'static>(clang: &str, t: DType) -> Result<(), Failed> {
    let f = F::of_bits;
    check(
        clang,
        &[t, t, t],
        &[
            ("add", "add v1, v2", t, &|a, b, _| f(a).fadd(f(b)).bits()),
            ("sub", "sub v1, v2", t, &|a, b, _| f(a).fsub(f(b)).bits()),
            ("mul", "mul v1, v2", t, &|a, b, _| f(a).fmul(f(b)).bits()),
            ("div", "div v1, v2", t, &|a, b, _| f(a).fdiv(f(b)).bits()),
            ("fma", "fma v1, v2, v3", t, &|a, b, c| f(a).ffma(f(b), f(c)).bits()),
            ("sqrt", "sqrt v1", t, &|a, _, _| f(a).fsqrt().bits()),
            ("min", "min v1, v2", t, &|a, b, _| f(a).fmin(f(b)).bits()),
            ("max", "max v1, v2", t, &|a, b, _| f(a).fmax(f(b)).bits()),
            ("min_nan", "min_nan v1, v2", t, &|a, b, _| f(a).fmin_nan(f(b)).bits()),
            ("max_nan", "max_nan v1, v2", t, &|a, b, _| f(a).fmax_nan(f(b)).bits()),
            ("copysign", "copysign v1, v2", t, &|a, b, _| f(a).fcopysign(f(b)).bits()),
            ("neg", "neg v1", t, &|a, _, _| f(a).fneg().bits()),
            ("abs", "abs v1", t, &|a, _, _| f(a).fabs().bits()),
            ("floor", "floor v1", t, &|a, _, _| f(a).ffloor().bits()),
            ("ceil", "ceil v1", t, &|a, _, _| f(a).fceil().bits()),
            ("trunc", "trunc v1", t, &|a, _, _| f(a).ftrunc().bits()),
            ("round", "round v1", t, &|a, _, _| f(a).fround().bits()),
            ("eq", "eq v1, v2", DType::Bool, &|a, b, _| order(|o| o.is_eq(), f(a).fcompare(f(b)))),
            ("ne", "ne v1, v2", DType::Bool, &|a, b, _| 1 - order(|o| o.is_eq(), f(a).fcompare(f(b)))),
            ("lt", "lt v1, v2", DType::Bool, &|a, b, _| order(|o| o.is_lt(), f(a).fcompare(f(b)))),
            ("le", "le v1, v2", DType::Bool, &|a, b, _| order(|o| o.is_le(), f(a).fcompare(f(b)))),
            ("gt", "gt v1, v2", DType::Bool, &|a, b, _| order(|o| o.is_gt(), f(a).fcompare(f(b)))),
            ("ge", "ge v1, v2", DType::Bool, &|a, b, _| order(|o| o.is_ge(), f(a).fcompare(f(b)))),
        ],
    )
}

fn ints<I: Int + Ord + 'static>(clang: &str, t: DType) -> Result<(), Failed> {
    let i = I::of_bits;
    let u32s = DType::U32;
    check(
        clang,
        &[t, t],
        &[
            ("add", "add v1, v2", t, &|a, b, _| i(a).iadd(i(b)).bits()),
            ("sub", "sub v1, v2", t, &|a, b, _| i(a).isub(i(b)).bits()),
            ("mul", "mul v1, v2", t, &|a, b, _| i(a).imul(i(b)).bits()),
            ("mul_hi", "mul_hi v1, v2", t, &|a, b, _| i(a).imul_hi(i(b)).bits()),
            ("div", "div v1, v2", t, &|a, b, _| i(a).idiv(i(b)).bits()),
            ("rem", "rem v1, v2", t, &|a, b, _| i(a).irem(i(b)).bits()),
            ("min", "min v1, v2", t, &|a, b, _| i(a).imin(i(b)).bits()),
            ("max", "max v1, v2", t, &|a, b, _| i(a).imax(i(b)).bits()),
            ("neg", "neg v1", t, &|a, _, _| i(a).ineg().bits()),
            ("abs", "abs v1", t, &|a, _, _| i(a).iabs().bits()),
            ("and", "and v1, v2", t, &|a, b, _| a & b),
            ("or", "or v1, v2", t, &|a, b, _| a | b),
            ("xor", "xor v1, v2", t, &|a, b, _| a ^ b),
            ("not", "not v1", t, &move |a, _, _| !a & t.mask()),
            ("shl", "shl v1, v2", t, &|a, b, _| i(a).ishl(b).bits()),
            ("shr", "shr v1, v2", t, &|a, b, _| i(a).ishr(b).bits()),
            ("popcount", "popcount v1", u32s, &|a, _, _| u64::from(i(a).ipopcount())),
            ("clz", "clz v1", u32s, &|a, _, _| u64::from(i(a).iclz())),
            ("ctz", "ctz v1", u32s, &|a, _, _| u64::from(i(a).ictz())),
            ("lt", "lt v1, v2", DType::Bool, &|a, b, _| u64::from(i(a) < i(b))),
            ("ge", "ge v1, v2", DType::Bool, &|a, b, _| u64::from(i(a) >= i(b))),
            ("eq", "eq v1, v2", DType::Bool, &|a, b, _| u64::from(a == b)),
        ],
    )
}

/// The bits of a value converted.
fn cast<A: Convert<B>, B>(a: A, bits: impl Fn(B) -> u64) -> u64 {
    bits(a.convert())
}

macro_rules! casts {
    ($clang:expr, $t:expr, $of:expr, $($to:ident: $dtype:ident, $bits:expr;)*) => {
        check($clang, &[$t], &[
            $((stringify!($to), concat!("cvt.", stringify!($to), " v1"), DType::$dtype, &|a, _, _| cast($of(a), |to: $to| $bits(to))),)*
        ])
    };
}

macro_rules! casts_from {
    ($clang:expr, $t:expr, $of:expr) => {
        casts! { $clang, $t, $of,
            bool: Bool, u64::from;
            i8: I8, Int::bits; i16: I16, Int::bits; i32: I32, Int::bits; i64: I64, Int::bits;
            u8: U8, Int::bits; u16: U16, Int::bits; u32: U32, Int::bits; u64: U64, Int::bits;
            f16: F16, Float::bits; bf16: BF16, Float::bits; f32: F32, Float::bits;
        }
    };
}

/// Arithmetic, comparison and counting of one type, against `numerics`.
pub(crate) fn arithmetic(clang: &str, dtype: DType) -> Result<(), Failed> {
    match dtype {
        DType::I8 => ints::<i8>(clang, dtype),
        DType::I16 => ints::<i16>(clang, dtype),
        DType::I32 => ints::<i32>(clang, dtype),
        DType::I64 => ints::<i64>(clang, dtype),
        DType::U8 => ints::<u8>(clang, dtype),
        DType::U16 => ints::<u16>(clang, dtype),
        DType::U32 => ints::<u32>(clang, dtype),
        DType::U64 => ints::<u64>(clang, dtype),
        DType::F16 => floats::<f16>(clang, dtype),
        DType::BF16 => floats::<bf16>(clang, dtype),
        DType::F32 => floats::<f32>(clang, dtype),
        DType::Bool | DType::F64 | DType::Storage(_) => Ok(()),
    }
}

/// Conversions from one type to every other, against `numerics`.
pub(crate) fn conversions(clang: &str, dtype: DType) -> Result<(), Failed> {
    match dtype {
        DType::Bool => casts_from!(clang, dtype, |bits: u64| bits & 1 != 0),
        DType::I8 => casts_from!(clang, dtype, <i8 as Int>::of_bits),
        DType::I16 => casts_from!(clang, dtype, <i16 as Int>::of_bits),
        DType::I32 => casts_from!(clang, dtype, <i32 as Int>::of_bits),
        DType::I64 => casts_from!(clang, dtype, <i64 as Int>::of_bits),
        DType::U8 => casts_from!(clang, dtype, <u8 as Int>::of_bits),
        DType::U16 => casts_from!(clang, dtype, <u16 as Int>::of_bits),
        DType::U32 => casts_from!(clang, dtype, <u32 as Int>::of_bits),
        DType::U64 => casts_from!(clang, dtype, <u64 as Int>::of_bits),
        DType::F16 => casts_from!(clang, dtype, <f16 as Float>::of_bits),
        DType::BF16 => casts_from!(clang, dtype, <bf16 as Float>::of_bits),
        DType::F32 => casts_from!(clang, dtype, <f32 as Float>::of_bits),
        DType::F64 => Ok(()),
        DType::Storage(format) => from_storage(clang, format),
    }
}

/// What a storage format holds in every other type, and its bits.
fn from_storage(clang: &str, format: Storage) -> Result<(), Failed> {
    let of = move |bits: u64| format.decode(bits as u32);
    casts_from!(clang, DType::Storage(format), of)
}

/// Conversions from one type to every storage format in every mode.
pub(crate) fn narrow(clang: &str, dtype: DType) -> Result<(), Failed> {
    macro_rules! odd {
        ($of:expr) => {
            to_storage(clang, dtype, &|bits| $of(bits).odd())
        };
    }
    match dtype {
        DType::Bool => odd!(|bits: u64| bits & 1 != 0),
        DType::I8 => odd!(<i8 as Int>::of_bits),
        DType::I16 => odd!(<i16 as Int>::of_bits),
        DType::I32 => odd!(<i32 as Int>::of_bits),
        DType::I64 => odd!(<i64 as Int>::of_bits),
        DType::U8 => odd!(<u8 as Int>::of_bits),
        DType::U16 => odd!(<u16 as Int>::of_bits),
        DType::U32 => odd!(<u32 as Int>::of_bits),
        DType::U64 => odd!(<u64 as Int>::of_bits),
        DType::F16 => odd!(<f16 as Float>::of_bits),
        DType::BF16 => odd!(<bf16 as Float>::of_bits),
        DType::F32 => odd!(<f32 as Float>::of_bits),
        DType::F64 => Ok(()),
        DType::Storage(format) => odd!(|bits: u64| format.decode(bits as u32)),
    }
}

fn to_storage(clang: &str, from: DType, odd: &dyn Fn(u64) -> f32) -> Result<(), Failed> {
    let mut texts = Vec::new();
    for format in Storage::ALL.into_iter().filter(|&format| DType::Storage(format) != from) {
        for mode in CastMode::ALL.into_iter().filter(|&mode| format.takes(mode)) {
            let name = format!("{}{}", format.name(), mode.suffix());
            texts.push((name.replace('.', "_"), format!("cvt.{name} v1"), format, mode));
        }
    }
    let codes: Vec<_> = texts
        .iter()
        .map(|&(.., format, mode)| move |a: u64, _: u64, _: u64| u64::from(format.encode(odd(a), mode)))
        .collect();
    let cases: Vec<Case<'_>> = texts
        .iter()
        .zip(&codes)
        .map(|((name, op, format, _), code)| {
            (name.as_str(), op.as_str(), DType::Storage(*format), code as &dyn Fn(u64, u64, u64) -> u64)
        })
        .collect();
    check(clang, &[from], &cases)
}

/// Counted loops whose bounds reach the ends of the type, upward and downward: rounds and the sum of the counter.
pub(crate) fn loops(clang: &str, dtype: DType) -> Result<(), Failed> {
    let (least, greatest) = warpsmith::ir::types::int_range(dtype).ok_or("loops count in integers")?;
    let threads = 4096;
    let (mut starts, mut ends, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..threads {
        let draw = |salt: u64, below: i128| (mix(salt, n) >> 8) as i128 % below;
        let middle = if dtype.is_signed() { 0 } else { 1000 };
        let origin = [least, greatest - 200, middle][draw(1, 3) as usize];
        let clamp = |value: i128| value.clamp(least, greatest);
        let step = 1 + draw(2, 9);
        starts.push(clamp(origin + draw(3, 200)));
        ends.push(clamp(origin + draw(4, 201)));
        steps.push(if dtype.is_signed() && draw(5, 2) == 0 { -step } else { step });
        if n % 4 == 0 {
            // Almost the whole range in a few great steps: the distance does not fit the signed type.
            let (low, high) = (least + draw(6, 9), greatest - draw(7, 9));
            let step = clamp((high - low) / (2 + draw(8, 60)) + draw(9, 3));
            let down = dtype.is_signed() && draw(10, 2) == 0;
            let (start, end, step) = if down { (high, low, -step) } else { (low, high, step) };
            *starts.last_mut().ok_or("just pushed")? = start;
            *ends.last_mut().ok_or("just pushed")? = end;
            *steps.last_mut().ok_or("just pushed")? = step;
        }
    }
    let text = format!(
        "kernel @run::loops(a: global {dtype}, b: global {dtype}, c: global {dtype}, mut rounds: global u32,
            mut sum: global {dtype}) mode(elementwise) {{
            local l0: u32
            local l1: {dtype}
            v0 = program_id.x
            v1 = load a[v0]
            v2 = load b[v0]
            v3 = load c[v0]
            set l0, 0u32
            set l1, 0{dtype}
            for v4: {dtype} = v1 to v2 step v3 unroll 1 {{
                v5 = get l0
                v6 = add v5, 1u32
                set l0, v6
                v7 = get l1
                v8 = add v7, v4
                set l1, v8
            }}
            v9 = get l0
            store rounds[v0], v9
            v10 = get l1
            store sum[v0], v10
        }}"
    );
    let bits = |values: &[i128]| values.iter().map(|&value| value as u64 & dtype.mask()).collect();
    let inputs: Vec<(DType, Vec<u64>)> = [&starts, &ends, &steps].map(|values| (dtype, bits(values))).into();
    let results = execute(clang, &text, &inputs, &[DType::U32, dtype])?;
    for n in 0..starts.len() {
        let (start, end, step) = (starts[n], ends[n], steps[n]);
        let (mut rounds, mut sum, mut at) = (0u64, 0i128, start);
        while if step > 0 { at < end } else { at > end } {
            (rounds, sum, at) = (rounds + 1, sum + at, at + step);
        }
        let want = [rounds, sum as u64 & dtype.mask()];
        let found = [results[0][n], results[1][n]];
        if found != want {
            return Err(format!("{start} to {end} step {step}: got {found:?}, should be {want:?}").into());
        }
    }
    Ok(())
}

/// Nested control flow: a loop left in two places and continued in a third, and a load that its guard must keep from
/// happening, since its index is far outside.
pub(crate) fn control(clang: &str, dtype: DType) -> Result<(), Failed> {
    let text = "kernel @run::control(a: global u32, mut steps: global u32, mut guarded: global u32) mode(elementwise) {
        local l0: u32
        local l1: u32
        v0 = program_id.x
        v1 = load a[v0]
        set l0, v1
        set l1, 0u32
        loop {
            v2 = get l0
            v3 = le v2, 1u32
            if v3 {
                break
            } else {
            }
            v4 = get l1
            v5 = add v4, 1u32
            set l1, v5
            v6 = ge v5, 50u32
            if v6 {
                break
            } else {
                v7 = and v2, 1u32
                v8 = eq v7, 0u32
                if v8 {
                    v9 = shr v2, 1u32
                    set l0, v9
                    continue
                } else {
                }
            }
            v10 = mul v2, 3u32
            v11 = add v10, 1u32
            set l0, v11
        }
        v12 = get l1
        store steps[v0], v12
        v13 = lt v12, 20u32
        v14 = select v13, v0, 4294967295u32
        v15 = load a[v14], if v13
        store guarded[v0], v15
    }";
    let starts: Vec<u64> = (0..5000).collect();
    let results = execute(clang, text, &[(dtype, starts.clone())], &[dtype, dtype])?;
    for (n, &start) in starts.iter().enumerate() {
        let (mut at, mut steps) = (start, 0);
        while at > 1 && steps < 50 {
            at = if at % 2 == 0 { at / 2 } else { 3 * at + 1 };
            steps += 1;
        }
        let want = [steps, if steps < 20 { start } else { 0 }];
        let found = [results[0][n], results[1][n]];
        if found != want {
            return Err(format!("from {start}: got {found:?}, should be {want:?}").into());
        }
    }
    Ok(())
}
