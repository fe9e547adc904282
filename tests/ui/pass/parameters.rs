//! Kernels and their parameters: the table of section 1.

use crate::text;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::ParamKind;

#[kernel]
pub fn typed<T, U>(x: Tensor<T>, y: Tensor<U>, z: Tensor<bool>, mut out: Tensor<f32>) {
    let i = program_id::<0>();
    out[i] = select(load(z[i]), load(x[i]), load(y[i]));
}

#[test]
fn type_parameters_are_dtypes_of_the_build() {
    let kernel = typed::kernel_ir_for(DType::F16, DType::BF16).unwrap();
    let dtypes: Vec<_> = kernel.params.values().map(|param| param.dtype).collect();
    assert_eq!(dtypes, [DType::F16, DType::BF16, DType::Bool, DType::F32]);
    assert_eq!(kernel.dtypes, [DType::F16, DType::BF16]);
    // f16 with bf16 meet in f32.
    assert!(text(Ok(kernel)).contains("cvt.f32"));
    assert_eq!(typed::kernel_ir().unwrap().dtypes, [DType::F32; 2]);
}

/// Written by their names: no parameter says `mut`.
#[kernel]
pub fn implicit(x: Tensor<f32>, c: Tensor<f32>) {
    let i = program_id::<0>();
    store(c[i], load(x[i]));
}

#[test]
fn without_mut_the_usual_names_are_written() {
    let kernel = implicit::kernel_ir().unwrap();
    assert!(!kernel.params.values().next().unwrap().is_written());
    assert!(kernel.params[kernel.param("c").unwrap()].is_written());
}

#[kernel]
pub fn scalars<T>(
    mut out: Tensor<T>,
    #[scalar] eps: f32,
    #[constexpr] n: u32,
    #[scalar] big: i64,
    #[scalar] flag: bool,
    #[scalar] scale: T,
) {
    let i = program_id::<0>();
    if flag && i < n {
        out[i] = eps + scale + big;
    }
}

#[test]
fn scalars_have_their_types_and_names() {
    let text = text(scalars::kernel_ir_for(DType::F16));
    assert!(
        text.contains("(mut out: global f16, eps: f32, n: u32, big: i64, flag: bool, scale: f16)"),
        "{text}"
    );
    assert!(text.contains("v0:eps = scalar eps"), "{text}");
}

#[kernel]
pub fn strided<T>(#[strided] x: Tensor<T>, #[strided] mut out: Tensor<T>) {
    let (r, c) = (program_id::<0>(), program_id::<1>());
    if r < x.shape(0) && c < x.dim(1) {
        store(out[(c, r)], load(x[(r, c)]));
    }
}

#[test]
fn strided_parameters_are_indexed_by_axis_in_64_bits() {
    let kernel = strided::kernel_ir().unwrap();
    let ranks: Vec<_> = kernel.params.values().map(|param| param.rank()).collect();
    assert_eq!(ranks, [2, 2]);
    let text = text(Ok(kernel));
    for want in ["shape.0 x", "shape.1 x", "stride.0 x", "stride.1 out", "cvt.u64"] {
        assert!(text.contains(want), "{want}\n{text}");
    }
}

#[kernel]
pub fn aliased(#[alias] mut x: Tensor<u8>) {
    let i = program_id::<0>();
    x[i] += 1u8;
}

#[test]
fn an_alias_is_declared() {
    let kernel = aliased::kernel_ir().unwrap();
    let param = kernel.params.values().next().unwrap();
    assert_eq!(param.kind, ParamKind::Buffer { written: true, rank: 0, alias: true });
}

/// A kernel over a const value.
#[kernel]
pub fn generic<T, const N: usize>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    let mut sum = 0.0;
    for k in 0..N {
        sum += load(x[i * N + k]);
    }
    out[i] = sum;
}

#[test]
fn const_parameters_stay_generic() {
    let loads = |text: String| text.matches("load x").count();
    assert_eq!(loads(text(generic::kernel_ir_for::<2>(DType::F16))), 2);
    assert_eq!(loads(text(generic::kernel_ir::<5>())), 5);
}

#[kernel(mode = Reduction)]
pub fn with_mode(mut out: Tensor<u32>) {
    out[program_id::<0>()] = tid;
}

#[test]
fn a_mode_and_places_reach_the_ir() {
    let kernel = with_mode::kernel_ir().unwrap();
    assert_eq!(kernel.mode, Some(warpsmith::ir::Mode::Reduction));
    assert_eq!(kernel.path(), "ui::pass::parameters::with_mode");
    let (_, inst) = kernel.insts.iter().last().unwrap();
    assert_eq!(kernel.sources.name(inst.span.source), "tests/ui/pass/parameters.rs");
    let line = include_str!("parameters.rs").lines().position(|line| line.contains("= tid;")).unwrap() + 1;
    assert_eq!((inst.span.line as usize, inst.span.column), (line, 5));
}
