//! What the back end takes, what it refuses and how, and that neither makes it panic.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::Msl;
use crate::backend::{AbiKind, CodegenBackend, EmitError, Emitted};
use crate::diag::Spanned;
use crate::ir::op::MemBase;
use crate::ir::op::{
    Binary, BinaryOp, Bitcast, Compare, CompareOp, Convert, Fma, GeomReg, Geometry, Keyword, Op, Place,
    Select, Store, Unary, UnaryOp, ValueList,
};
use crate::ir::parse::parse;
use crate::ir::{Builder, DType, GridForm, Kernel, LaunchClass, Mode, ParamKind, ValueId};
use crate::target::{MetalFamily, Target, TargetProfile};

const TARGET: TargetProfile = TargetProfile::Metal(MetalFamily::Apple7);

fn class(mode: Mode) -> LaunchClass {
    LaunchClass::new(mode, None)
}

fn emit(kernel: &Kernel, class: &LaunchClass) -> Result<Emitted, Vec<Spanned<EmitError>>> {
    Msl.emit(kernel, class, TARGET)
}

fn messages(text: &str, mode: Mode) -> Vec<String> {
    let kernel = parse(text).unwrap();
    let errors = emit(&kernel, &class(mode)).unwrap_err();
    errors.into_iter().map(|error| format!("{}: {}", error.span.line, error.error)).collect()
}

#[test]
fn every_refusal_is_reported_with_its_place() {
    let text = "kernel @k(x: global f64 @1:9, mut y: global u32) @1:1 {
        shared tile: f32[32] @2:5
        v0 = lane_id @3:5
        v1 = load x[v0] @4:5
        v2 = add v1, v1 @5:5
        v3 = shuffle.xor v0, 1u32 @6:5
        v4 = warp_reduce.sum v3 @7:5
        warp_barrier @8:5
        cta_barrier @9:5
        v5 = const 0.0f32 @10:5
        store tile[v0], v5 @11:5
        store y[v0], v4 @12:5
    }";
    assert_eq!(
        messages(text, Mode::Elementwise),
        [
            "1: msl has no form for parameter `x`, f64: Metal has no double",
            "2: msl has no form for array `tile` in shared or per-thread memory",
            "4: msl has no form for f64: Metal has no double",
            "5: msl has no form for f64: Metal has no double",
            "6: msl has no form for a shuffle",
            "7: msl has no form for a warp reduction",
            "8: msl has no form for a warp barrier",
            "9: msl has no form for a CTA barrier",
            "11: msl has no form for an access to array `tile`",
        ]
    );
}

#[test]
fn a_class_that_contradicts_the_kernel_is_refused() {
    let text = "kernel @k(mut y: global u32) mode(grid3d) cta(8, 8, 1) { v0 = tid store y[v0], v0 }";
    assert_eq!(
        messages(text, Mode::Reduction),
        ["0: the kernel can't be launched so: its mode is grid3d, not reduction"]
    );
    assert_eq!(
        messages(text, Mode::Grid3D),
        ["0: the kernel can't be launched so: `tid` has no meaning in mode grid3d"]
    );
    let kernel = parse(text).unwrap();
    let wrong = LaunchClass::new(Mode::Grid3D, Some([64, 32, 1]));
    let errors = emit(&kernel, &wrong).unwrap_err();
    // Another shape than its own, more threads than a CTA has, and `tid`.
    assert_eq!(errors.len(), 3);
    assert!(emit(&kernel, &LaunchClass::new(Mode::Grid3D, Some([u32::MAX; 3]))).is_err());
}

#[test]
fn another_languages_target_is_refused() {
    let kernel = parse("kernel @k() { }").unwrap();
    let errors = Msl.emit(&kernel, &class(Mode::Elementwise), TargetProfile::Ptx(Target::SM_90)).unwrap_err();
    assert!(matches!(errors[..], [Spanned { error: EmitError::WrongTarget { .. }, .. }]));
}

#[test]
fn more_arguments_than_metal_binds_are_refused() {
    let build = |count: usize| {
        let mut builder = Builder::new("m", "k", Vec::new());
        for n in 0..count {
            builder.param(format!("p{n}"), DType::F32, ParamKind::Scalar);
        }
        builder.finish().0
    };
    // The extent is one of the 31.
    assert!(emit(&build(30), &class(Mode::Elementwise)).is_ok());
    assert!(emit(&build(31), &class(Mode::Elementwise)).is_err());
}

#[test]
fn arguments_bind_in_the_order_that_is_reported() {
    let text = "kernel @k(s: f16, x: global f32 rank(2), mut y: global f32) { }";
    let mut linear = class(Mode::Grid3D);
    linear.grid = GridForm::Linear;
    let kernel = parse(text).unwrap();
    let emitted = emit(&kernel, &linear).unwrap();
    let [s, x, y] = ["s", "x", "y"].map(|name| kernel.param(name).unwrap());
    let kinds: Vec<_> = emitted.params.iter().map(|param| (param.kind, param.size)).collect();
    assert_eq!(
        kinds,
        [
            (AbiKind::Scalar(s), 2),
            (AbiKind::Buffer(x), 8),
            (AbiKind::Buffer(y), 8),
            (AbiKind::Shape(x, 0), 8),
            (AbiKind::Shape(x, 1), 8),
            (AbiKind::Stride(x, 0), 8),
            (AbiKind::Stride(x, 1), 8),
            (AbiKind::Extent(0), 4),
            (AbiKind::Extent(1), 4),
            (AbiKind::Extent(2), 4),
            (AbiKind::GridDim(0), 4),
            (AbiKind::GridDim(1), 4),
            (AbiKind::GridDim(2), 4),
        ]
    );
    for (index, param) in emitted.params.iter().enumerate() {
        assert!(emitted.text.contains(&format!("{} [[buffer({index})]]", param.name)), "{}", emitted.text);
    }
}

#[test]
fn a_linear_grid_is_unpacked() {
    let kernel = parse("kernel @k(mut y: global u32) { v0 = cta_id.y store y[v0], v0 }").unwrap();
    let mut linear = class(Mode::Reduction);
    linear.grid = GridForm::Linear;
    let text = emit(&kernel, &linear).unwrap().text;
    assert!(text.contains("const uint v0 = (cta_id.x / grid_dim_x) % grid_dim_y;"), "{text}");
}

#[test]
fn the_short_words_mean_what_the_mode_says() {
    let kernel = parse("kernel @k(mut y: global u32) { v0:p = program_id.y store y[v0], v0 }").unwrap();
    for (mode, wanted) in [
        (Mode::Elementwise, "y[0u] = 0u;"),
        (Mode::Grid3D, "const uint p = (cta_id.y * cta_dim.y) + thread_id.y;"),
        (Mode::Reduction, "y[cta_id.y] = cta_id.y;"),
        (Mode::SimdGroup2D, "y[cta_id.y] = cta_id.y;"),
    ] {
        let text = emit(&kernel, &class(mode)).unwrap().text;
        assert!(text.contains(wanted), "{mode:?}: {text}");
    }
}

#[test]
fn a_bitcast_canonicalises_only_a_nan_that_was_made() {
    let text = "kernel @k(x: global f32, mut y: global u32) {
        v0 = lane_id
        v1 = load x[v0]
        v2:kept = bitcast.u32 v1
        v3 = neg v1
        v4:made = bitcast.u32 v3
        v5 = add v2, v4
        store y[v0], v5
    }";
    let text = emit(&parse(text).unwrap(), &class(Mode::Elementwise)).unwrap().text;
    assert!(text.contains("kept = as_type<uint>(v1);"), "{text}");
    assert!(text.contains("made = warpsmith_canonical<uint, 0x7f800000u>(as_type<uint>(v3));"), "{text}");
}

#[test]
fn vector_accesses_are_reported() {
    let text = "kernel @k(x: global f16, mut y: global f16) {
        v0 = lane_id
        v1, v2, v3, v4, v5, v6, v7, v8 = load.x8 x[v0]
        store y[v0], (v1, v2)
    }";
    let selection = emit(&parse(text).unwrap(), &class(Mode::Elementwise)).unwrap().selection;
    assert_eq!(selection.len(), 2, "{selection:?}");
}

/// A kernel that applies one operation to parameters of the given types and stores its result.
fn one_op(operands: &[DType], make: impl FnOnce(&[ValueId]) -> Op) -> Option<Kernel> {
    let mut builder = Builder::new("m", "k", Vec::new());
    let values: Vec<ValueId> = operands
        .iter()
        .enumerate()
        .map(|(n, &dtype)| {
            let param = builder.param(format!("p{n}"), dtype, ParamKind::Scalar);
            builder.value(crate::ir::op::Scalar { param })
        })
        .collect();
    let result = builder.value(make(&values));
    let out = builder.buffer("out", builder.kernel().dtype(result), true);
    let index = builder.value(Geometry { reg: GeomReg::GlobalId(0) });
    let place = Place { base: MemBase::Param(out), index };
    builder.push(Store { place, values: ValueList(smallvec::smallvec![result]) });
    let (kernel, errors) = builder.finish();
    errors.is_empty().then_some(kernel)
}

#[test]
fn every_typed_operation_has_a_form_but_those_of_f64() {
    let mut kernels = Vec::new();
    for t in DType::all() {
        for &(op, _) in UnaryOp::ALL {
            kernels.extend(one_op(&[t], |v| Unary { op, a: v[0] }.into()));
        }
        for &(op, _) in BinaryOp::ALL {
            kernels.extend(one_op(&[t, t], |v| Binary { op, a: v[0], b: v[1] }.into()));
        }
        for &(op, _) in CompareOp::ALL {
            kernels.extend(one_op(&[t, t], |v| Compare { op, a: v[0], b: v[1] }.into()));
        }
        for to in DType::all() {
            kernels.extend(one_op(&[t], |v| Convert::new(to, v[0]).into()));
            kernels.extend(one_op(&[t], |v| Bitcast { to, a: v[0] }.into()));
        }
        kernels.extend(one_op(&[t; 3], |v| Fma { a: v[0], b: v[1], c: v[2] }.into()));
        kernels.extend(one_op(&[DType::Bool, t, t], |v| Select { cond: v[0], a: v[1], b: v[2] }.into()));
    }
    // 13 types squared conversions alone.
    assert!(kernels.len() > 400, "{}", kernels.len());
    for kernel in &kernels {
        let double = kernel.values.values().any(|value| value.dtype == DType::F64);
        let emitted = emit(kernel, &class(Mode::Elementwise));
        assert_eq!(emitted.is_err(), double, "{kernel}\n{emitted:?}");
        assert_eq!(emitted, emit(kernel, &class(Mode::Elementwise)));
    }
}

/// The identifiers that a text declares, in order.
fn declared(text: &str) -> Vec<String> {
    let body = text.split_once("[[kernel]]").map_or("", |(_, body)| body);
    let before = body.lines().filter_map(|line| line.split_once(" [[buffer(").or(line.split_once(" = ")));
    before.filter_map(|(left, _)| left.split([' ', '&', '*']).next_back().map(str::to_owned)).collect()
}

proptest! {
    /// Whatever the source calls things, the text declares legal names, each once, and nothing panics.
    #[test]
    fn names_stay_legal_and_unique(names in prop::collection::vec("\\PC{0,6}|x|x_2|half|v1", 1..8), remark in "\\PC*") {
        let mut builder = Builder::new("m", "k", Vec::new());
        for name in &names {
            let param = builder.param(name.as_str(), DType::F32, ParamKind::Scalar);
            let a = builder.value(crate::ir::op::Scalar { param });
            let value = builder.binary(BinaryOp::Add, a, a);
            builder.name(value, name);
        }
        builder.push(crate::ir::op::Comment { text: remark });
        let (kernel, _) = builder.finish();
        let text = emit(&kernel, &class(Mode::Elementwise)).unwrap().text;
        let declared = declared(&text);
        prop_assert!(declared.len() >= 2 * names.len(), "{}", text);
        for name in &declared {
            prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{}", name);
            prop_assert!(name.starts_with(|c: char| c.is_ascii_alphabetic()), "{}", name);
        }
        let unique: BTreeSet<_> = declared.iter().collect();
        prop_assert_eq!(unique.len(), declared.len(), "{}", text);
    }
}

#[test]
fn atomic_operations_that_metal_lacks_say_why() {
    let text = "kernel @k(mut m: global u32, mut w: global u64, mut f: global f32) @1:1 {
        v0 = global_id.x @2:5
        v1 = atomic.add.acquire.gpu m[v0], v0 @3:5
        v2 = atomic.add.relaxed.sys m[v0], v0 @4:5
        v3 = cvt.u64 v0 @5:5
        v4 = atomic.max.relaxed.gpu w[v0], v3 @6:5
        v5 = load f[v0] @7:5
        v6 = atomic.min.relaxed.gpu f[v0], v5 @8:5
        v7 = atomic_cas.relaxed.gpu m[v0], v0, v0 @9:5
        fence.acq_rel.gpu @10:5
        v8 = atomic.or.relaxed.gpu m[v0], v0 @11:5
    }";
    assert_eq!(
        messages(text, Mode::Elementwise),
        [
            "3: msl has no form for an atomic operation that orders memory: Metal's are relaxed",
            "4: msl has no form for an atomic operation that the host takes part in",
            "6: msl has no form for an atomic operation on `u64`: Metal's take 32-bit integers",
            "8: msl has no form for an atomic operation on `f32`: Metal's take 32-bit integers",
            "9: msl has no form for compare and swap: Metal's may fail without a reason",
            "10: msl has no form for a fence: Metal orders memory at barriers only",
        ]
    );
}
