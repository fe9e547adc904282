//! Inline text with typed operands: section 8.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;
use warpsmith::ir::{Kernel, Launch, LaunchClass, Mode};
use warpsmith::oracle::{Arguments, Buffer, Config, run};
use warpsmith::target::TargetProfile;

#[kernel]
pub fn high(x: Tensor<u32>, y: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    let (a, b) = (load(x[i]), load(y[i]));
    let hi = inline_ptx!("mul.hi.u32 {out}, {a}, {b};", out: u32, a = a, b = b, model = |a, b| mul_hi(a, b));
    out[i] = hi;
}

#[test]
fn a_text_keeps_its_model_beside_it() {
    assert_eq!(
        body(high::kernel_ir()),
        "v0:i = program_id.x
v1 = load x[v0]
v2 = load y[v0]
v4:hi = inline.ptx.pure \"mul.hi.u32 {out}, {a}, {b};\" (out: u32) (a = v1, b = v2) model {
    v3 = mul_hi v1, v2
    yield v3
}
store out[v0], v4"
    );
}

/// The PTX of a kernel for CTAs of 32 threads, or what is wrong.
fn ptx(kernel: &Kernel) -> Result<String, String> {
    emit(&warpsmith::ptx::lower::Ptx, kernel, "sm_90")
}

fn emit(
    backend: &dyn warpsmith::backend::CodegenBackend,
    kernel: &Kernel,
    target: &str,
) -> Result<String, String> {
    let class = LaunchClass::new(Mode::Elementwise, Some([32, 1, 1]));
    let bound = warpsmith::passes::run(kernel, &warpsmith::passes::Config::new(class)).unwrap();
    match backend.emit(&bound, &class, TargetProfile::parse(target).unwrap()) {
        Ok(emitted) => Ok(emitted.text),
        Err(errors) => Err(warpsmith::diag::Report::of(&errors).render(&bound.sources)),
    }
}

#[kernel]
pub fn several(x: Tensor<u64>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    let mut wide = load(x[i]);
    wide += 1;
    let (lo, hi) = inline_ptx!(
        "mov.b64 {{{lo}, {hi}}}, {a};",
        ".reg .pred large;",
        "setp.gt.u32 large, {hi}, 7; // remarks go",
        "@large mov.b32 {lo}, 0;",
        lo: u32, hi: u32,
        a = wide,
        model = |a| {
            let hi = (a >> 32).cast::<u32>();
            let mut lo = a.cast::<u32>();
            if hi > 7 {
                lo = 0u32;
            }
            (lo, hi)
        },
    );
    out[i * 2] = lo;
    out[i * 2 + 1] = hi;
}

#[test]
fn several_instructions_and_outputs_are_lowered_as_rows() {
    let kernel = several::kernel_ir().unwrap();
    let text = ptx(&kernel).unwrap();
    for want in ["mov.b64             {%r0, %r1}, %rd_wide;", "setp.gt.u32", "@%p0 mov.b32"] {
        assert!(text.contains(want), "{want}\n{text}");
    }
    assert!(!text.contains("shr"), "the model is not lowered\n{text}");
    let mut args = Arguments::new(&kernel);
    let words = [0x3_0000_0004u64, 0x9_0000_0005].map(u64::to_le_bytes).concat();
    args.buffer("x", Buffer::from_bytes(DType::U64, words)).unwrap();
    args.buffer("out", Buffer::uninitialised(DType::U32, 4)).unwrap();
    run(&kernel, &Launch::linear(2, 32), &mut args, &Config::default()).unwrap();
    let out = args.get("out").unwrap();
    let found: Vec<_> = (0..4).map(|at| out.get(at).unwrap().bits).collect();
    assert_eq!(found, [5, 3, 0, 9]);
}

#[kernel]
pub fn generic<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    let v = load(x[i]);
    out[i] = inline_ptx!("mov.b32 {y}, {x};", y: T, x = v, model = |x| x);
    inline_ptx!("membar.cta;", effect, model = || ());
}

#[test]
fn a_type_parameter_types_an_output() {
    let body = body(generic::kernel_ir_for(DType::I32));
    assert!(body.contains("(y: i32) (x = v1)"), "{body}");
    assert!(body.contains("inline.ptx.effect \"membar.cta;\" () () model {\n}"), "{body}");
    assert!(ptx(&generic::kernel_ir_for(DType::F32).unwrap()).unwrap().contains("membar.cta"));
}

#[kernel]
pub fn metal(x: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    let v = load(x[i]);
    out[i] = inline_ptx!(
        "brev.b32 {y}, {x};", y: u32, x = v,
        model = |v| inline_msl!("{y} = reverse_bits({x});", y: u32, x = v),
    );
}

#[test]
fn each_backend_takes_the_text_of_its_language() {
    let kernel = metal::kernel_ir().unwrap();
    assert!(ptx(&kernel).unwrap().contains("brev.b32"));
    let text = emit(&warpsmith::msl::Msl, &kernel, "apple9").unwrap();
    assert!(text.contains("y = reverse_bits("), "{text}");
}

#[kernel]
pub fn opaque(mut out: Tensor<u32>) {
    out[program_id::<0>()] = inline_ptx!("mov.u32 {now}, %clock;", now: u32);
}

#[test]
fn without_a_model_only_its_own_backend_has_a_form() {
    let kernel = opaque::kernel_ir().unwrap();
    assert!(ptx(&kernel).unwrap().contains("%clock"));
    let text = emit(&warpsmith::msl::Msl, &kernel, "apple9").unwrap_err();
    assert!(text.contains("msl has no form for inline PTX without a model"), "{text}");
    let mut args = Arguments::new(&kernel);
    args.buffer("out", Buffer::uninitialised(DType::U32, 4)).unwrap();
    let failure = run(&kernel, &Launch::linear(4, 32), &mut args, &Config::default()).unwrap_err();
    let failure = failure.to_string();
    assert!(failure.contains("the `inline.ptx` text has no model"), "{failure}");
    assert!(failure.contains("inline.rs:"), "it names the place: {failure}");
}

macro_rules! wrong {
    ($($name:ident: $text:literal => $message:literal;)*) => {$(
        mod $name {
            use warpsmith::dsl::prelude::*;

            #[kernel]
            pub fn text(x: Tensor<u32>, mut out: Tensor<u32>) {
                let v = load(x[0]);
                out[0] = inline_ptx!($text, y: u32, x = v);
            }
        }

        #[test]
        fn $name() {
            let found = ptx(&$name::text::kernel_ir().unwrap()).unwrap_err();
            assert!(found.contains($message), "{found}");
            assert!(found.contains("inline.rs:"), "it names the place\n{found}");
        }
    )*};
}

wrong! {
    unknown_instruction: "frob.b32 {y}, {x};" => "inline PTX `frob.b32 {y}, {x};`: unknown instruction `frob.b32`";
    unknown_form: "add.u33 {y}, {x}, 1;" => "no form `add.u33`";
    wrong_width: "cvt.u64.u32 {y}, {x};" => "operand `dst` is a .b32 register, but takes .b64";
    unknown_register: "add.u32 {y}, {x}, t;" => "unknown register `t`";
    input_written: "mov.b32 {y}, {x}; mov.b32 {x}, 0;" => "the input `x` is written";
    output_missing: "setp.eq.u32 p, {x}, {y}; .reg .pred p;" => "unknown register `p`";
    output_unwritten: ".reg .pred p; setp.eq.u32 p, {x}, {y};" => "the output `y` is never written";
    branches: "mov.b32 {y}, {x}; ret;" => "a text stays where it is";
    labels: "again: mov.b32 {y}, {x};" => "a text has no labels";
    no_end: "mov.b32 {y}, {x}" => "expected `;`, met the end of the text";
    silent_effect: "mov.b32 {y}, {x}; bar.sync 0;" => "the text has an effect, but does not say so";
    block: "mov.b32 {y}, {x}; {{ add.u32 {y}, {y}, 1; }}" => "`{` is not supported in a text";
}

#[kernel]
pub fn narrow(x: Tensor<u16>, mut out: Tensor<u32>) {
    out[0] = inline_ptx!("mov.b32 {y}, {x};", y: u32, x = load(x[0]));
}

#[kernel]
pub fn model_differs(x: Tensor<u32>, mut out: Tensor<u32>) {
    // What a model gives takes the output's type, as a stored value does.
    out[0] = inline_ptx!("mov.b32 {y}, {x};", y: u32, x = load(x[0]), model = |x| x.cast::<u64>());
}

#[test]
fn operands_have_types_that_registers_hold() {
    assert_eq!(
        refused(narrow::kernel_ir()),
        "`inline.ptx` takes a bool, a 32- or 64-bit integer or a float as an operand, not `u16`"
    );
    assert!(body(model_differs::kernel_ir()).contains("yield"));
}

#[kernel]
pub fn model_stores(x: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    let mut calls = 0u32;
    out[i] = inline_ptx!("mov.b32 {y}, {x};", y: u32, x = load(x[i]), model = |x| {
        calls += 1;
        out[i] = x;
        x + load(out[i])
    });
    out[i] = calls;
}

#[test]
fn a_model_reaches_nothing_but_its_outputs() {
    let kernel = model_stores::kernel_ir().unwrap();
    let errors = warpsmith::ir::validate::validate(&kernel).unwrap_err();
    let found: Vec<_> = errors.iter().map(|error| error.error.to_string()).collect();
    let held = |what: &str| found.contains(&format!("the model of an inline text holds {what}"));
    assert!(held("a store") && held("a load"), "{found:?}");
    assert!(held("a write to a variable that stands outside it too"), "{found:?}");
}
