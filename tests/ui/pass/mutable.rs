//! `let mut`, assignment, arrays of variables: section 3.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn accumulate(x: Tensor<f32>, mut out: Tensor<f32>) {
    let mut acc = 0.0;
    let snap = acc;
    acc = acc + load(x[0]);
    acc *= 2.0;
    out[0] = acc - snap;
}

#[test]
fn a_variable_is_read_where_it_stands() {
    assert_eq!(
        body(accumulate::kernel_ir()),
        "local l0:acc: f32
v0 = const 0.0f32
set l0, v0
v1:snap = get l0
v2 = get l0
v3 = const 0u32
v4 = load x[v3]
v5 = add v2, v4
set l0, v5
v6 = get l0
v7 = const 2.0f32
v8 = mul v6, v7
set l0, v8
v9 = get l0
v10 = sub v9, v1
store out[v3], v10"
    );
}

#[kernel]
pub fn compound(mut out: Tensor<i32>) {
    let mut a = -7;
    a += 1;
    a -= 2;
    a *= 3;
    a /= 2;
    a %= 5;
    a &= 6;
    a |= 1;
    a ^= 3;
    a <<= 2;
    a >>= 1;
    out[0] = a;
    out[1] += a;
}

#[test]
fn every_compound_assignment_is_its_operation() {
    let body = body(compound::kernel_ir());
    for op in ["add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr"] {
        assert!(body.contains(&format!("= {op} ")), "{op}\n{body}");
    }
    assert!(body.contains("local l0:a: i32") && body.contains("load out"), "{body}");
}

#[kernel]
pub fn arrays<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let mut acc = [[0.0; 2]; 3];
    for i in 0..3 {
        for j in 0..2 {
            acc[i][j] += load(x[i * 2 + j]);
        }
    }
    let total = acc[0][0] + acc[2][1];
    let mut list = vec![total; 2];
    list[1] = total * 2.0;
    out[0] = list[0] + list[1];
}

#[test]
fn arrays_of_variables_are_variables() {
    let body = body(arrays::kernel_ir_for(DType::F16));
    assert_eq!(body.matches("local l").count(), 8, "{body}");
    assert_eq!(body.matches("load x").count(), 6, "{body}");
    assert!(body.contains(":acc21: f32"), "{body}");
}

#[kernel]
pub fn typed<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let mut wide: f32 = 0;
    wide += load(x[0]);
    let count: u32 = 3;
    let same: T = wide;
    out[count] = same;
}

#[test]
fn a_dtype_annotation_decides_the_type() {
    let body = body(typed::kernel_ir_for(DType::F16));
    assert!(body.contains("local l0:wide: f32"), "{body}");
    assert!(body.contains("cvt.f32") && body.contains(":same = cvt.f16"), "{body}");
}

#[kernel]
pub fn host_variables(x: Tensor<f32>, mut out: Tensor<f32>) {
    let mut names: Vec<usize> = Vec::new();
    let mut count = 1usize;
    for k in 0..3 {
        names.push(k * 2);
        count += k;
        count += 1;
    }
    out[count] = load(x[names[2]]);
}

#[test]
fn host_variables_decide_while_building() {
    assert_eq!(
        body(host_variables::kernel_ir()),
        "v0 = const 4u32\nv1 = load x[v0]\nv2 = const 7u32\nstore out[v2], v1"
    );
}

#[kernel]
pub fn host_under_traced(x: Tensor<f32>, mut out: Tensor<f32>) {
    let mut count = 0usize;
    if load(x[0]) > 0.0 {
        count += 1;
    }
    out[count] = 1.0;
}

#[kernel]
pub fn host_in_loop(mut out: Tensor<f32>) {
    let mut list: Vec<usize> = Vec::new();
    for _i in range(0, 4) {
        list.push(1);
    }
    out[list.len()] = 1.0;
}

#[test]
fn a_host_variable_is_not_written_under_a_traced_condition() {
    let want = "a host variable is written under a traced condition";
    assert_eq!(refused(host_under_traced::kernel_ir()), want);
    assert_eq!(refused(host_in_loop::kernel_ir()), want);
}

#[kernel]
pub fn borrowed(x: Tensor<f32>, mut out: Tensor<f32>) {
    let mut acc = [0.0; 2];
    let mut one = 0.0;
    bump(&mut one, load(x[0]));
    for a in acc.iter_mut() {
        *a = one;
    }
    out[0] = acc[0] + acc[1];
}

#[kernel_fn]
fn bump(place: &mut warpsmith::dsl::Local, by: Val) {
    *place += by;
}

#[test]
fn a_variable_can_be_lent() {
    let body = body(borrowed::kernel_ir());
    assert_eq!(body.matches("set l").count(), 6, "{body}");
}
