//! Counts the PTX instructions that CUDA's own math functions execute: the peer that ours are measured against.
//!
//! `cargo run --release --example cuda_counts -- NVCC` writes `out[i] = f(x[i])` for each function, has it compiled by
//! `NVCC -O3 -ptx -arch=sm_90`, runs the text in the emulator on 1,024 ordinary inputs, and prints the module
//! `examples/ulp/cuda_counts.rs`. A count is the mean of the executed PTX instructions of an element, less those of the
//! kernel that only copies; one whose guard is false, such as a branch that is not taken, does not count. The values are
//! checked against the host's, to be sure that the texts ran right. Not here: the texts themselves, which hold the
//! vendor's library.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use warpsmith::ptx::emu::{Config, GlobalMemory, LaunchConfig, Program, launch};
use warpsmith::ptx::module;

/// Inputs of each function.
const COUNT: usize = 1024;

/// Inputs: magnitudes spread evenly over exponents between two bounds.
#[derive(Clone, Copy)]
struct Domain {
    low: f64,
    high: f64,
    /// Whether every other input is negative.
    signed: bool,
}

const fn domain(low: f64, high: f64, signed: bool) -> Domain {
    Domain { low, high, signed }
}

const SMALL: f64 = 1.0 / 64.0;
const TINY: f64 = 1.0 / 1_048_576.0;
const HUGE: f64 = 1_048_576.0;

const EXP: Domain = domain(SMALL, 64.0, true);
const LOG: Domain = domain(TINY, HUGE, false);
const TRIG: Domain = domain(SMALL, 100.0, true);
const UNIT: Domain = domain(SMALL, 0.99, true);
const ERF: Domain = domain(SMALL, 3.0, true);
const OTHER: Domain = domain(SMALL, 16.0, true);
const BASE: Domain = domain(SMALL, 16.0, false);

/// The host's value, where the standard library has the function.
type Host = Option<fn(f64) -> f64>;

const UNARY: &[(&str, Domain, Host)] = &[
    ("expf", EXP, Some(f64::exp)),
    ("exp2f", EXP, Some(f64::exp2)),
    ("expm1f", EXP, Some(f64::exp_m1)),
    ("logf", LOG, Some(f64::ln)),
    ("log2f", LOG, Some(f64::log2)),
    ("log10f", LOG, Some(f64::log10)),
    ("log1pf", LOG, Some(f64::ln_1p)),
    ("sinf", TRIG, Some(f64::sin)),
    ("cosf", TRIG, Some(f64::cos)),
    ("tanf", TRIG, Some(f64::tan)),
    ("asinf", UNIT, Some(f64::asin)),
    ("acosf", UNIT, Some(f64::acos)),
    ("atanf", OTHER, Some(f64::atan)),
    ("sinhf", OTHER, Some(f64::sinh)),
    ("coshf", OTHER, Some(f64::cosh)),
    ("tanhf", OTHER, Some(f64::tanh)),
    ("asinhf", OTHER, Some(f64::asinh)),
    ("acoshf", domain(1.01, HUGE, false), Some(f64::acosh)),
    ("atanhf", UNIT, Some(f64::atanh)),
    ("rsqrtf", LOG, Some(|x| 1.0 / x.sqrt())),
    ("cbrtf", LOG, Some(f64::cbrt)),
    ("erff", ERF, None),
    ("erfcf", ERF, None),
    ("erfinvf", UNIT, None),
];

/// Name, domains of both operands, and the right result.
type Binary = (&'static str, Domain, Domain, fn(f64, f64) -> f64);

const BINARY: &[Binary] = &[("powf", BASE, OTHER, f64::powf), ("atan2f", OTHER, OTHER, f64::atan2)];

/// Largest error that shows a text to have run right: far above the library's few ulp, far below a wrong branch.
const CLOSE: f64 = 2e-6;

fn inputs(domain: Domain, stride: usize) -> Vec<f32> {
    let ratio = (domain.high / domain.low).log2();
    let value = |index: usize| {
        let place = (index * stride) % COUNT;
        let magnitude = domain.low * (ratio * place as f64 / (COUNT - 1) as f64).exp2();
        if domain.signed && place % 2 == 1 { -magnitude as f32 } else { magnitude as f32 }
    };
    (0..COUNT).map(value).collect()
}

/// What a text did on its inputs.
struct Outcome {
    /// Executed instructions of an element.
    all: f64,
    /// The same without `mov`, which the assembler mostly folds into its users.
    without_moves: f64,
    values: Vec<f32>,
}

/// The PTX text of a kernel that stores an expression of `x[i]` and `y[i]`.
fn compile(nvcc: &str, folder: &Path, name: &str, expression: &str) -> Result<String, Box<dyn Error>> {
    let (source, text) = (folder.join(format!("{name}.cu")), folder.join(format!("{name}.ptx")));
    let code = format!(
        "extern \"C\" __global__ void map(float* out, const float* x, const float* y, unsigned n) {{\n\
         \x20   unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n\
         \x20   if (i < n) out[i] = {expression};\n}}\n"
    );
    std::fs::write(&source, code)?;
    let status =
        Command::new(nvcc).args(["-O3", "-ptx", "-arch=sm_90", "-o"]).arg(&text).arg(&source).status()?;
    if !status.success() {
        return Err(format!("{nvcc} failed on {}", source.display()).into());
    }
    Ok(std::fs::read_to_string(text)?)
}

fn run(text: &str, x: &[f32], y: &[f32]) -> Result<Outcome, Box<dyn Error>> {
    let module = module::parse(text)?;
    let program = Program::decode(&module, "map")?;
    let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 4 * COUNT as u64);
    let (x, y) = (memory.allocate_with("x", &bytes(x)), memory.allocate_with("y", &bytes(y)));
    let mut params: Vec<u8> = [out, x, y].iter().flat_map(|address| address.to_le_bytes()).collect();
    params.extend((COUNT as u32).to_le_bytes());
    let launched =
        LaunchConfig { grid: [COUNT as u32 / 256, 1, 1], block: [256, 1, 1], dynamic_shared: 0, params };
    let config = Config { profile: true, ..Config::default() };
    let stats = launch(&program, &launched, &mut memory, &config)?;
    let is_move = |index: usize| {
        let text = program.instruction(index).map_or("", |(_, text)| text);
        text.split_whitespace().any(|word| word.starts_with("mov."))
    };
    let moves = stats.profile.iter().enumerate().filter(|(index, _)| is_move(*index));
    let moves: u64 = moves.map(|(_, count)| count.lanes).sum();
    let mut back = vec![0; 4 * COUNT];
    memory.read(out, &mut back)?;
    let per_element = |total: u64| total as f64 / COUNT as f64;
    Ok(Outcome {
        all: per_element(stats.lane_instructions),
        without_moves: per_element(stats.lane_instructions - moves),
        values: back.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
    })
}

/// Refuses values that are not the function's.
fn check(name: &str, values: &[f32], expected: impl Fn(usize) -> f64) -> Result<(), Box<dyn Error>> {
    for (index, &value) in values.iter().enumerate() {
        let (value, expected) = (f64::from(value), expected(index));
        let subnormal_or_huge = expected.abs() < f64::from(f32::MIN_POSITIVE) || expected.abs() > 3e38;
        if !subnormal_or_huge && (value - expected).abs() > CLOSE * expected.abs().max(1e-3) {
            return Err(format!("{name}: input {index} gives {value:e}, not {expected:e}").into());
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let nvcc = std::env::args().nth(1).ok_or("usage: cuda_counts NVCC")?;
    let folder = tempfile::tempdir()?;
    let compile = |name: &str, expression: &str| compile(&nvcc, folder.path(), name, expression);
    let mut rows = Vec::new();

    let copy = run(&compile("copy", "x[i]")?, &inputs(OTHER, 1), &inputs(OTHER, 1))?;
    for &(name, domain, host) in UNARY {
        let x = inputs(domain, 1);
        let outcome = run(&compile(name, &format!("{name}(x[i])"))?, &x, &x)?;
        if let Some(host) = host {
            check(name, &outcome.values, |index| host(f64::from(x[index])))?;
        }
        rows.push((name, outcome.all - copy.all, outcome.without_moves - copy.without_moves));
    }
    // A copy of one of two inputs would leave out the other's load: the sum stands in, less its one addition.
    let sum = run(&compile("sum", "x[i] + y[i]")?, &inputs(OTHER, 1), &inputs(OTHER, 1))?;
    for &(name, first, second, host) in BINARY {
        let (x, y) = (inputs(first, 1), inputs(second, 389));
        let outcome = run(&compile(name, &format!("{name}(x[i], y[i])"))?, &x, &y)?;
        check(name, &outcome.values, |index| host(f64::from(x[index]), f64::from(y[index])))?;
        rows.push((name, outcome.all - sum.all + 1.0, outcome.without_moves - sum.without_moves + 1.0));
    }
    print!("{}", table(&rows)?);
    Ok(())
}

fn table(rows: &[(&str, f64, f64)]) -> Result<String, Box<dyn Error>> {
    let mut out = String::from(
        "//! PTX instructions of an element that CUDA's accurate math functions execute on ordinary inputs.\n//!\n\
         //! Measured with nvcc 13.0 (V13.0.88), `-O3 -ptx -arch=sm_90`, by\n\
         //! `cargo run --release --example cuda_counts -- NVCC`, which prints this file and says what it counts.\n\n\
         /// Function of the CUDA math library, and the mean of its executed PTX instructions.\n\
         pub const CUDA_COUNTS: &[(&str, f64)] = &[\n",
    );
    for (name, all, _) in rows {
        writeln!(out, "    (\"{name}\", {all:.1}),")?;
    }
    out.push_str(
        "];\n\n/// The same without `mov`: a literal costs this compiler one, and the assembler folds most of them away.\n\
         pub const CUDA_COUNTS_WITHOUT_MOVES: &[(&str, f64)] = &[\n",
    );
    for (name, _, without) in rows {
        writeln!(out, "    (\"{name}\", {without:.1}),")?;
    }
    out.push_str("];\n");
    Ok(out)
}
