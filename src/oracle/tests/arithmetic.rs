//! One row per operation and type: operands, and the bits that must come out.

use super::*;

/// What an operation gives, the operands coming from buffers.
fn apply(op: &str, from: DType, to: DType, operands: &[Literal]) -> Literal {
    let names = ["a", "b", "c"];
    let params: String =
        names[..operands.len()].iter().map(|name| format!("{name}: global {from}, ")).collect();
    let loads: String = names[..operands.len()]
        .iter()
        .enumerate()
        .map(|(at, name)| format!("v{} = load {name}[v0]\n", at + 1))
        .collect();
    let uses: Vec<_> = (1..=operands.len()).map(|at| format!("v{at}")).collect();
    let text = format!(
        "kernel @k({params}mut out: global {to}) {{ v0 = program_id.x\n{loads} v9 = {op} {}\n store out[v0], v9 }}",
        uses.join(", ")
    );
    let mut buffers: Vec<_> = names
        .into_iter()
        .zip(operands)
        .map(|(name, &operand)| (name, Buffer::from_literals(from, &[operand])))
        .collect();
    buffers.push(("out", Buffer::uninitialised(to, 1)));
    let args = run_text(&text, Launch::linear(1, 32), buffers).unwrap();
    args.get("out").unwrap().get(0).unwrap()
}

#[test]
fn smoke() {
    let one = Literal::f32(1.0);
    assert_eq!(apply("add", DType::F32, DType::F32, &[one, one]), Literal::f32(2.0));
}
