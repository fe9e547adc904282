//! Worked examples: one element of D, on every row, and what each shows.

use super::super::{
    Accumulator, Element, Evidence, Form, Kind, Layout, Operand, Operands, TensorModel, Wgmma,
};
use crate::numerics::{bf16, e2m1, e4m3, f16};

/// The bits of a number as an element. Every number here is one of its type.
fn bits(element: Element, value: f64) -> u64 {
    match element {
        Element::F16 => f16::from_f64(value).to_bits() as u64,
        Element::BF16 => bf16::from_f64(value).to_bits() as u64,
        Element::E4M3 => e4m3::from_f64(value).to_bits() as u64,
        Element::E2M1 => e2m1::from_f64(value).to_bits() as u64,
        Element::TF32 => (value as f32).to_bits() as u64,
        other => panic!("no example has {other}"),
    }
}

/// Element (0, 0) of D where only the products in `terms` (k, a, b) and C are not zero.
fn first(
    model: &dyn Fn(&Operands<'_>) -> Vec<u64>,
    shape: [usize; 3],
    element: Element,
    terms: &[(usize, f64, f64)],
    c: u64,
) -> u64 {
    let [m, n, k] = shape;
    let (mut a, mut b) = (vec![0; m * k], vec![0; k * n]);
    for &(at, x, y) in terms {
        (a[at], b[at * n]) = (bits(element, x), bits(element, y));
    }
    let mut addend = vec![0; m * n];
    addend[0] = c;
    model(&Operands::plain(&a, &b, &addend))[0]
}

const ROWS: [u32; 4] = [80, 89, 90, 120];

/// The same on every row that has the form.
fn rows(name: &str, terms: &[(usize, f64, f64)], c: u64) -> [Option<u64>; 4] {
    let form: Form = name.parse().unwrap();
    let shape = [form.shape.m, form.shape.n, form.shape.k].map(usize::from);
    ROWS.map(|sm| {
        let model = TensorModel::of(sm).unwrap();
        let multiply = |operands: &Operands<'_>| model.multiply(&form, operands);
        model.has(&form).then(|| first(&multiply, shape, form.a, terms, c))
    })
}

/// And of `wgmma`.
fn wgmma(name: &str, terms: &[(usize, f64, f64)], c: u64) -> u64 {
    let form: Wgmma = name.parse().unwrap();
    let model = TensorModel::of(90).unwrap();
    let multiply = |operands: &Operands<'_>| model.wgmma(&form, operands);
    first(&multiply, [64, form.columns as usize, form.depth()], form.a, terms, c)
}

fn power(exponent: i32) -> f64 {
    f64::from(exponent).exp2()
}

/// `count` products of 2^x and 2^y.
fn times(count: usize, x: i32, y: i32) -> Vec<(usize, f64, f64)> {
    (0..count).map(|at| (at, power(x), power(y))).collect()
}

const F16: &str = "m16n8k16.f32.f16.f16.f32";
const HALF: &str = "m16n8k16.f16.f16.f16.f16";
const BF16: &str = "m16n8k16.f32.bf16.bf16.f32";
const E4M3: &str = "m16n8k32.f32.e4m3.e4m3.f32";
const ONE: u64 = 0x3F80_0000;

fn by_row(older: u64, hopper: u64, newer: u64) -> [Option<u64>; 4] {
    [Some(older), Some(older), Some(hopper), Some(newer)]
}

#[test]
fn bits_of_the_grid() {
    assert_eq!(rows(F16, &times(16, -12, -13), ONE), by_row(0x3F80_0000, 0x3F80_0004, 0x3F80_0004));
    assert_eq!(rows(F16, &times(16, -12, -12), ONE), by_row(0x3F80_0008, 0x3F80_0008, 0x3F80_0008));
}

#[test]
fn the_result_is_cut() {
    let terms = [(0, 1.0, 1.0), (1, power(-12), -power(-13))];
    assert_eq!(rows(F16, &terms, 0), by_row(0x3F80_0000, 0x3F7F_FFFF, 0x3F7F_FFFF));
}

#[test]
fn products_are_grouped_along_k() {
    let terms = [(0, power(12), power(12)), (8, power(12), -power(12))];
    assert_eq!(rows(F16, &terms, 0x3F40_0000), by_row(0, 0x3F00_0000, 0x3F00_0000));
}

#[test]
fn half_results_tie_to_even() {
    assert_eq!(rows(HALF, &[(0, 1.0, 1.0)], 0x6800), by_row(0x6800, 0x6800, 0x6800));
    assert_eq!(rows(HALF, &[(0, 3.0, 1.0)], 0x6800), by_row(0x6802, 0x6802, 0x6802));
}

#[test]
fn zeros_are_positive() {
    let terms: Vec<_> = (0..16).map(|at| (at, -0.0, 1.0)).collect();
    assert_eq!(rows(F16, &terms, 0x8000_0000), by_row(0, 0, 0));
}

#[test]
fn a_zero_term_has_no_exponent() {
    let terms = [(0, 0.0, power(127)), (1, power(-60), power(-60))];
    assert_eq!(rows(BF16, &terms, 0), by_row(0x0380_0000, 0x0380_0000, 0x0380_0000));
}

#[test]
fn three_units_of_fp8() {
    let terms = times(32, -9, -9);
    let wanted = [None, Some(0x4380_0000), Some(0x4380_0004), Some(0x4380_0000)];
    assert_eq!(rows(E4M3, &terms, 0x4380_0000), wanted);
    assert_eq!(wgmma("wgmma.m64n8k32.f32.e4m3.e4m3", &terms, 0x4380_0000), 0x4380_0000);
}

#[test]
fn a_narrow_accumulator_forgets() {
    let wanted = [None, Some(0x3F80_0C00), Some(0x3F80_0FFF), Some(0x3F80_0FFF)];
    assert_eq!(rows(E4M3, &[], 0x3F80_0FFF), wanted);
    assert_eq!(wgmma("wgmma.m64n8k32.f32.e4m3.e4m3", &[], 0x3F80_0FFF), 0x3F80_0C00);
    assert_eq!(wgmma("wgmma.m64n256k32.f32.e4m3.e5m2", &[], 0x3F80_0FFF), 0x3F80_0C00);
}

#[test]
fn the_low_bits_of_tf32_do_not_count() {
    let form: Form = "m16n8k8.f32.tf32.tf32.f32".parse().unwrap();
    let with = |a: u64, b: u64| {
        let (mut x, mut y) = ([0; 16 * 8], [0; 8 * 8]);
        (x[0], y[0]) = (a, b);
        TensorModel::of(90).unwrap().multiply(&form, &Operands::plain(&x, &y, &[0; 16 * 8]))[0]
    };
    assert_eq!(with(0x7F80_0001, ONE), 0x7F80_0000, "infinity");
    assert_eq!(with(0x7F80_0001, 0x1FFF), 0x7FFF_FFFF, "infinity times zero");
    assert_eq!(with(0x3F80_1FFF, ONE), ONE);
    assert_eq!(with(0x7F80_2000, ONE), 0x7FFF_FFFF, "NaN");
}

#[test]
fn only_the_result_is_checked_for_range() {
    let terms = [(0, power(100), power(100)), (1, power(100), -power(100)), (2, 1.0, 3.0)];
    // 3 lies far below the grid of 2^200.
    assert_eq!(rows(BF16, &terms, 0), by_row(0, 0, 0));
    assert_eq!(rows(BF16, &terms[..1], 0), by_row(0x7F80_0000, 0x7F80_0000, 0x7F80_0000));
    assert_eq!(rows(BF16, &terms[1..], 0), by_row(0xFF80_0000, 0xFF80_0000, 0xFF80_0000));
}

#[test]
fn integers_wrap_or_are_clamped_at_the_end() {
    let d = |name: &str, a: u64, b: u64, c: i32| {
        let form: Form = name.parse().unwrap();
        let [m, n, k] = [form.shape.m, form.shape.n, form.shape.k].map(usize::from);
        let (a, b, c) = (vec![a; m * k], vec![b; k * n], vec![c as u32 as u64; m * n]);
        ROWS.map(|sm| {
            TensorModel::of(sm).unwrap().multiply(&form, &Operands::plain(&a, &b, &c))[m * n - 1] as i32
        })
    };
    let max = i32::MAX;
    assert_eq!(d("m16n8k32.s32.s8.s8.s32", 0x80, 0x80, max), [max.wrapping_add(32 << 14); 4]);
    assert_eq!(d("m16n8k32.sat.s32.s8.s8.s32", 0x80, 0x80, max), [max; 4]);
    assert_eq!(d("m16n8k32.sat.s32.u8.s8.s32", 0xFF, 0x80, i32::MIN), [i32::MIN; 4]);
    assert_eq!(d("m16n8k32.s32.u8.s8.s32", 0xFF, 0x80, 5), [5 - 32 * 255 * 128; 4]);
    assert_eq!(d("m16n8k64.s32.s4.u4.s32", 0x8, 0xF, 1), [1 - 64 * 8 * 15; 4]);
    assert_eq!(d("m8n8k32.s32.u4.s4.s32", 0xF, 0x7, 0), [32 * 15 * 7; 4]);
}

#[test]
fn f64_keeps_the_payload_of_a_nan() {
    let form: Form = "m8n8k4.f64.f64.f64.f64".parse().unwrap();
    let d = |a: u64, b: u64, c: u64| {
        let (mut x, mut y, mut z) = ([0; 32], [0; 32], [0; 64]);
        (x[0], y[0], z[0]) = (a, b, c);
        TensorModel::of(90).unwrap().multiply(&form, &Operands::plain(&x, &y, &z))[0]
    };
    let (a, b, c) = (0x7FF0_0000_0000_000A, 0xFFF0_0000_0000_000B, 0x7FF0_0000_0000_000C);
    let (one, infinity, quiet) = (1_f64.to_bits(), f64::INFINITY.to_bits(), 1 << 51);
    assert_eq!(d(a, b, c), b | quiet);
    assert_eq!(d(a, one, c), c | quiet);
    assert_eq!(d(a, one, one), a | quiet);
    assert_eq!(d(infinity, 0, one), 0xFFF8_0000_0000_0000);
    assert_eq!(d(infinity, one, f64::NEG_INFINITY.to_bits()), 0xFFF8_0000_0000_0000);
    assert_eq!(d(1, one, 1), 2, "subnormals are kept");
    assert_eq!(d(1 << 63, one, 1 << 63), 0, "a later product of zeros is +0");
}

#[test]
fn scales_multiply_and_a_nan_scale_spoils() {
    let d = |kind: Kind, scale_a: &[u8], scale_b: &[u8], c: u64| {
        let form =
            Form::all().find(|form| form.kind == kind && form.a == Element::E2M1 && form.b == Element::E2M1);
        let form = form.unwrap();
        let k = form.shape.k as usize;
        let (a, b) = (vec![bits(Element::E2M1, 1.5); 16 * k], vec![bits(Element::E2M1, -2.0); k * 8]);
        let (scale_a, scale_b) = (scale_a.repeat(16), scale_b.repeat(8));
        let operands = Operands { a: &a, b: &b, c: &[c; 128], scale_a: &scale_a, scale_b: &scale_b };
        TensorModel::of(120).unwrap().multiply(&form, &operands)[127]
    };
    let f32_of = |value: f32| value.to_bits() as u64;
    assert_eq!(d(Kind::MxF8F6F4, &[128], &[126], ONE), f32_of(-95.0), "32 · −3 · 2 / 2 + 1");
    assert_eq!(
        d(Kind::MxF4, &[128, 127], &[127, 127], 0),
        f32_of(-288.0),
        "96 of each half, the first doubled"
    );
    assert_eq!(d(Kind::MxF4NvF4X2, &[128, 127], &[127, 127], 0), f32_of(-288.0));
    // ue4m3 of 1, 1.5, 2 and 0; a sign is ignored.
    assert_eq!(d(Kind::MxF4NvF4X4, &[0x38, 0x3C, 0xC0, 0], &[0x38; 4], 0), f32_of(-48.0 * 4.5));
    // The least ue4m3 is subnormal: 2^-9.
    assert_eq!(d(Kind::MxF4NvF4X4, &[1, 0, 0, 0], &[0x38, 0, 0, 0], 0), f32_of(-48.0 / 512.0));
    assert_eq!(d(Kind::MxF8F6F4, &[0xFF], &[0], ONE), 0x7FFF_FFFF);
    assert_eq!(d(Kind::MxF4, &[127, 127], &[127, 0xFF], ONE), 0x7FFF_FFFF);
    assert_eq!(d(Kind::MxF4NvF4X4, &[0, 0, 0, 0x7F], &[0; 4], ONE), 0x7FFF_FFFF);
    assert_eq!(d(Kind::MxF4NvF4X4, &[0x38; 4], &[0x38; 4], 0x7F80_0000), 0x7F80_0000);
    assert_eq!(d(Kind::MxF8F6F4, &[254], &[254], 0), 0xFF80_0000, "beyond f32");
}

#[test]
fn rows_have_the_forms_that_their_chips_have() {
    let has = |name: &str| {
        let form: Form = name.parse().unwrap();
        [80, 86, 87, 89, 90, 100, 120, 121].map(|sm| u8::from(TensorModel::of(sm).unwrap().has(&form)))
    };
    assert_eq!(has(BF16), [1; 8]);
    assert_eq!(has(E4M3), [0, 0, 0, 1, 1, 1, 1, 1]);
    assert_eq!(has("m16n8k16.f16.e5m2.e4m3.f16"), [0, 0, 0, 1, 1, 1, 1, 1]);
    assert_eq!(has("m16n8k64.s32.s4.s4.s32"), [1; 8]);
    assert_eq!(has("m8n8k4.f64.f64.f64.f64"), [1; 8]);
    assert_eq!(has("m16n8k16.f64.f64.f64.f64"), [0, 0, 0, 0, 1, 1, 1, 1]);
    for name in [
        "m16n8k32.f8f6f4.f16.e2m1.e4m3.f16",
        "m16n8k32.mxf8f6f4.f32.e3m2.e2m3.f32",
        "m16n8k64.mxf4.f32.e2m1.e2m1.f32",
    ] {
        assert_eq!(has(name), [0, 0, 0, 0, 0, 0, 1, 1], "{name}");
    }
    let no_form = Form { acc: Accumulator::F16, ..BF16.parse().unwrap() };
    assert!(!TensorModel::of(90).unwrap().has(&no_form));
    assert!([0, 75, 88, 103, 110].iter().all(|sm| TensorModel::of(*sm).is_none()));
    // Hopper alone has `wgmma`.
    let form: Wgmma = "wgmma.m64n8k16.f32.bf16.bf16".parse().unwrap();
    assert!(TensorModel::of(90).unwrap().has_wgmma(&form) && !TensorModel::of(100).unwrap().has_wgmma(&form));
}

#[test]
fn every_form_runs_on_some_row_and_every_row_runs_its_forms() {
    let models = ROWS.map(|sm| TensorModel::of(sm).unwrap());
    for form in Form::all() {
        assert!(models.iter().any(|model| model.has(&form)), "{form}");
        let [m, n] = [form.shape.m, form.shape.n].map(usize::from);
        let [a, b, c] = [Operand::A, Operand::B, Operand::C].map(|operand| {
            let layout = Layout::of(&form, operand);
            vec![0; layout.rows() * layout.columns()]
        });
        let scales = form.kind.scales();
        let (scale_a, scale_b) = (vec![0; m * scales], vec![0; n * scales]);
        let operands = Operands { a: &a, b: &b, c: &c, scale_a: &scale_a, scale_b: &scale_b };
        for model in models.iter().filter(|model| model.has(&form)) {
            assert_eq!(model.multiply(&form, &operands), c, "{form} on {model}");
        }
    }
}

#[test]
fn a_borrowed_row_is_known_less() {
    let evidence = |sm: u32, name: &str| TensorModel::of(sm).unwrap().evidence(&name.parse().unwrap());
    assert_eq!([80, 86, 89, 120].map(|sm| evidence(sm, BF16)), [Evidence::Literature; 4]);
    assert_eq!([87, 100, 121].map(|sm| evidence(sm, BF16)), [Evidence::Inferred; 3]);
    assert_eq!(evidence(90, BF16), Evidence::Measured);
    assert_eq!(evidence(80, "m8n8k4.f64.f64.f64.f64"), Evidence::Literature);
    assert_eq!(evidence(80, "m8n8k4.rz.f64.f64.f64.f64"), Evidence::Inferred);
    assert_eq!(evidence(80, "m8n8k4.row.col.f32.f16.f16.f32"), Evidence::Inferred);
    assert_eq!(evidence(90, "m16n8k16.f32.e5m2.e5m2.f32"), Evidence::Inferred);
    assert_eq!(evidence(120, "m16n8k32.f8f6f4.f32.e2m1.e4m3.f32"), Evidence::Literature);
    assert_eq!(evidence(120, "m16n8k32.mxf8f6f4.f32.e3m2.e4m3.f32"), Evidence::Inferred);
    assert_eq!(TensorModel::of(121).unwrap().to_string(), "sm_121 (row sm_120)");
    assert_eq!(TensorModel::of(90).unwrap().to_string(), "sm_90");
}
