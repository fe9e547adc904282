//! Tests of the text form.

use super::*;
use crate::ir::print::print;

const AXPY: &str = r#"kernel @demo::axpy<f32>(x: global f32, mut y: global f32 rank(2) @3:9, a: f32) mode(elementwise) cta(256, 1, 1) @3:1 {
    source s0 "src/demo.rs"
    source s1 "src/other.rs"
    shared tile: f32[1024] @4:5
    private buf: u8[16]
    local l0:acc: f32
    local l1: u32
    v0:i = program_id.x @4:13
    v1 = load x[v0] @5:9
    v2 = const 1.5f32
    v3 = const f32:0x7fc00000 @s1:7:9
    v4 = scalar a
    v5 = fma v1, v4, v2
    set l0, v5
    v6 = lt v1, v2
    v7 = load x[v0], if v6
    v8 = stride.1 y
    v9, v10 = load.x2 x[v8]
    if v6 {
        v11 = shuffle.xor v5, v0
        store y[v0], v11
    } else {
        store y[v0], (v9, v10)
    } @9:5
    v12 = const 0u32
    for v13:i: u32 = v12 to v0 step v0 unroll 4 {
        cta_barrier
        v14 = get l0
        v15 = warp_reduce.sum v14
        v16 = cvt.bf16 v15
        continue
    }
    loop {
        comment "done \"now\""
        break
    }
}
"#;

#[test]
fn the_text_form_round_trips() {
    let kernel = parse(AXPY).unwrap();
    assert_eq!(print(&kernel), AXPY);
    assert_eq!(kernel.compact(), kernel);
    assert_eq!(parse(&print(&kernel)).unwrap(), kernel);
}

#[test]
fn a_literal_operand_is_a_constant_defined_before() {
    let text = "kernel @k(out: global u32) { v0 = lane_id v1 = shuffle.xor v0, 16 }";
    let kernel = parse(text).unwrap();
    assert!(print(&kernel).contains("v1 = const 16u32\n    v2 = shuffle.xor v0, v1"), "{kernel}");
}

#[test]
fn mistakes_are_named_with_their_place() {
    for (text, message) in [
        ("kernel @k() { v0 = frob }", "line 1, column 20: no operation is written `frob`"),
        ("kernel @k() { v0 = neg v1 }", "line 1, column 24: `v1` is not defined here"),
        ("kernel @k() { v0 = const 300u8 }", "line 1, column 26: `300u8` is not a number of that type"),
        ("kernel @k() { v0 = lane_id v0 = lane_id }", "line 1, column 28: `v0` is defined twice"),
        ("kernel @k() { v0 = neg true }", "line 1, column 15: `neg` takes a number, not `bool`"),
        ("kernel @k( {", "line 1, column 12: expected a parameter, found `{`"),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), message);
    }
}
