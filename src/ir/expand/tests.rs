//! The sequences against `numerics`: every storage format with every type and mode, on hard values.

use super::*;
use crate::ir::constant::{Constants, convert_with, evaluate};
use crate::ir::types::int_range;

/// What the expanded conversion of a constant gives, computed operation by operation.
fn run(value: Literal, to: DType, mode: CastMode, is_native: &dyn Fn(Step) -> bool) -> Literal {
    let mut kernel = Kernel::new("m", "k", Vec::new());
    let body = kernel.body;
    let mut expansion = Expansion { kernel: kernel.clone(), is_native, out: Vec::new(), span: Span::NONE };
    let a = expansion.push(Const { value });
    let last = expansion.push(Convert { to, mode, a });
    kernel = expansion.kernel;
    kernel.regions[body].insts = expansion.out;
    let expanded = expand(&kernel, is_native).unwrap_or(kernel);
    let mut known: Vec<Option<Literal>> = vec![None; expanded.values.len()];
    let constants = Constants::of(&expanded);
    let mut result = None;
    for &id in &expanded.regions[expanded.body].insts {
        let inst = &expanded.insts[id];
        let found = evaluate_nan(&inst.op, &mut |value| {
            constants.get(value).or(known[crate::entity::EntityId::index(value)])
        });
        known[crate::entity::EntityId::index(inst.results[0])] = found;
        result = found;
    }
    let _ = last;
    result.unwrap_or_else(|| panic!("{value} to {to} is not constant:\n{expanded}"))
}

/// `evaluate` does not fold what makes a NaN; here each NaN is the canonical one.
fn evaluate_nan(op: &Op, operand: &mut dyn FnMut(ValueId) -> Option<Literal>) -> Option<Literal> {
    let canonical = |dtype: DType| Some(Literal::from_bits(dtype, dtype.mask() >> 1));
    evaluate(op, operand).or_else(|| match op {
        Op::Convert(convert) => convert_with(operand(convert.a)?, convert.to, convert.mode),
        Op::Bitcast(bitcast) => Some(Literal::from_bits(bitcast.to, operand(bitcast.a)?.bits)),
        Op::Binary(binary) => canonical(operand(binary.a)?.dtype),
        Op::Unary(unary) => canonical(operand(unary.a)?.dtype),
        Op::Select(select) => {
            let chosen = if operand(select.cond)?.is_zero() { select.b } else { select.a };
            operand(chosen)
        }
        _ => None,
    })
}

fn hard(dtype: DType) -> Vec<Literal> {
    let ones = dtype.mask();
    if dtype.bits() <= 8 {
        return (0..=ones).map(|bits| Literal::from_bits(dtype, bits)).collect();
    }
    let mut bits = vec![0, 1, 2, 3, ones, ones >> 1, (ones >> 1) + 1, ones - 1];
    if int_range(dtype).is_some() {
        for shift in 0..dtype.bits() {
            // Midpoints of every format and their neighbours.
            for short in [0b1001u64, 0b10001, 0b1000_0000_0001, 0b11] {
                let middle = short << shift;
                bits.extend([
                    middle - 1,
                    middle,
                    middle + 1,
                    middle.wrapping_neg(),
                    middle.wrapping_neg() + 1,
                ]);
            }
        }
    } else {
        let field = match dtype {
            DType::F16 => 10,
            DType::BF16 => 7,
            DType::F32 | DType::Storage(_) => 23,
            _ => 52,
        };
        for exponent in 0..1u64 << (dtype.bits() - 1 - field).min(9) {
            // Of f64 those around f32's range.
            let exponent = if dtype == DType::F64 { 768 + exponent } else { exponent };
            for top in [0u64, 1, 2, 4, 8, 9] {
                let middle = exponent << field | (top << field >> 4) & ((1 << field) - 1);
                let sign = 1 << (dtype.bits() - 1);
                bits.extend([middle.wrapping_sub(1), middle, middle + 1, middle | sign, (middle | sign) + 1]);
            }
        }
    }
    bits.into_iter().map(|bits| Literal::from_bits(dtype, bits)).collect()
}

fn is_same(a: Literal, b: Literal) -> bool {
    let nan = |literal: Literal| literal.as_f64().is_some_and(f64::is_nan);
    // Storage formats have one NaN; of other types its bits are free.
    a == b || (a.dtype == b.dtype && a.dtype.is_float() && nan(a) && nan(b))
}

#[test]
fn sequences_give_the_bits_of_the_codecs() {
    let natives: [&dyn Fn(Step) -> bool; 2] = [&|_| false, &|_| true];
    for storage in Storage::ALL {
        let format = DType::Storage(storage);
        for other in DType::all().filter(|&other| other != format) {
            for value in hard(other) {
                for mode in CastMode::ALL.into_iter().filter(|&mode| storage.takes(mode)) {
                    let want = convert_with(value, format, mode).expect("the format takes the mode");
                    for native in natives {
                        let found = run(value, format, mode, native);
                        assert!(is_same(found, want), "{value} to {format} {mode:?}: {found}, not {want}");
                    }
                }
            }
            let default = other.storage().is_none_or(|to| to.takes(CastMode::Default));
            for value in hard(format).into_iter().filter(|_| default) {
                let want = convert_with(value, other, CastMode::Default).expect("there is a default");
                for native in natives {
                    let found = run(value, other, CastMode::Default, native);
                    assert!(is_same(found, want), "{value} to {other}: {found}, not {want}");
                }
            }
        }
    }
}

#[test]
fn only_what_the_backend_lacks_is_expanded() {
    let kernel = crate::ir::parse::parse(
        "kernel @k(x: global f32, mut out: global e4m3) mode(elementwise) {
            v0 = program_id.x
            v1 = load x[v0]
            v2 = cvt.e4m3 v1
            v3 = cvt.e4m3.nonsat v1
            store out[v0], v2
            store out[v0], v3
        }",
    );
    let Ok(kernel) = kernel else { panic!("{kernel:?}") };
    let expanded = expand(&kernel, &|step| step == Step::Encode(Storage::E4M3, CastMode::Default));
    let text = expanded.expect("it has conversions").to_string();
    assert!(text.contains("cvt.e4m3 ") && !text.contains("nonsat"), "{text}");
    assert!(text.contains("bitcast.e4m3"), "{text}");
    assert!(expand(&kernel, &|_| true).is_some_and(|same| same.to_string() == kernel.compact().to_string()));
}
