//! MSL text: golden files, determinism, refusals, and clang's opinion where clang is.
//!
//! Each folder of `tests/golden/msl` holds a kernel in the IR's text form, `$T` standing for the dtype, and the text
//! emitted for each. `UPDATE_EXPECT=1 cargo test --test msl` rewrites them.

#[path = "msl/run.rs"]
mod run;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use warpsmith::backend::{CodegenBackend, Emitted};
use warpsmith::ir::parse::parse;
use warpsmith::ir::{DType, Kernel, LaunchClass, Mode};
use warpsmith::msl::Msl;
use warpsmith::target::{MetalFamily, TargetProfile};

const GOLDEN: &str = "tests/golden/msl";
const TARGET: TargetProfile = TargetProfile::Metal(MetalFamily::Apple9);
const FLOATS: &[&str] = &["f32", "f16", "bf16"];
const INTS: &[&str] = &["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];

/// The kernels with golden files, and the dtypes of each.
const KERNELS: &[(&str, &[&str])] = &[
    ("vector_add", FLOATS),
    ("axpy", FLOATS),
    ("fma", FLOATS),
    ("select_clamp", &["f32", "f16", "bf16", "i32", "u8"]),
    ("int_ops", INTS),
    ("bit_ops", INTS),
    ("float_ops", FLOATS),
    ("counted_loop", &["u32", "i32", "u64", "i64"]),
    ("nested", &["f32", "i32"]),
    ("strided_copy", &["f32", "bf16", "i8", "bool"]),
    ("guarded_load", &["f32", "bf16", "u8", "bool"]),
    ("vector_copy", &["f32", "f16"]),
    ("atomics", &["i32", "u32"]),
    ("atomic_sum", &["f32"]),
    ("grid3d", &["none"]),
    ("keywords", &["none"]),
];

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for &(kernel, dtypes) in KERNELS {
        for &dtype in dtypes {
            trials.push(Trial::test(format!("golden::{kernel}::{dtype}"), move || golden(kernel, dtype)));
        }
    }
    for from in metal_dtypes() {
        trials.push(Trial::test(format!("golden::cast::{from}"), move || {
            check_golden("cast", from.name(), &emit(&casts_from(from))?.text)
        }));
    }
    let clang = std::env::var("WARPSMITH_CLANG").unwrap_or_else(|_| "clang".into());
    let has_clang =
        Command::new(&clang).arg("--version").output().is_ok_and(|output| output.status.success());
    // CI may have none; where it must be there, its absence is a failure and not a skip.
    let required = std::env::var_os("WARPSMITH_REQUIRE_CLANG").is_some_and(|value| value == "1");
    let ignored = !has_clang && !required;
    if ignored {
        eprintln!("golden MSL is not compiled: no `{clang}` here (install it, or set WARPSMITH_CLANG)");
    }
    for dtype in metal_dtypes().chain(DType::all().filter(|dtype| dtype.storage().is_some())) {
        for (what, test) in [
            ("arithmetic", run::arithmetic as fn(&str, DType) -> Result<(), Failed>),
            ("conversions", run::conversions),
            ("narrow", run::narrow),
            ("loops", run::loops),
            ("control", run::control),
        ] {
            let counts = matches!(dtype, DType::I32 | DType::U32 | DType::I64 | DType::U64);
            let applies = match what {
                "arithmetic" => dtype != DType::Bool && dtype.storage().is_none(),
                "loops" => counts,
                "control" => dtype == DType::U32,
                _ => true,
            };
            if !applies {
                continue;
            }
            let clang = clang.clone();
            let trial = Trial::test(format!("clang::{what}::{dtype}"), move || test(&clang, dtype));
            trials.push(trial.with_ignored_flag(ignored));
        }
    }
    let trial = Trial::test("clang::accepts_every_golden_file", move || accepted(&clang));
    trials.push(trial.with_ignored_flag(ignored));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn metal_dtypes() -> impl Iterator<Item = DType> {
    DType::all().filter(|&dtype| dtype != DType::F64 && dtype.storage().is_none())
}

fn class_of(kernel: &Kernel) -> LaunchClass {
    LaunchClass::new(kernel.mode.unwrap_or(Mode::Elementwise), kernel.cta)
}

fn emit(text: &str) -> Result<Emitted, Failed> {
    let kernel = parse(text).map_err(|error| Failed::from(error.to_string()))?;
    let emitted = Msl.emit(&kernel, &class_of(&kernel), TARGET).map_err(|errors| format!("{errors:?}"))?;
    let again = Msl.emit(&kernel, &class_of(&kernel), TARGET).map_err(|errors| format!("{errors:?}"))?;
    if emitted == again { Ok(emitted) } else { Err("two emissions of one kernel differ".into()) }
}

fn golden(kernel: &str, dtype: &str) -> Result<(), Failed> {
    let source = std::fs::read_to_string(Path::new(GOLDEN).join(kernel).join("kernel.ir"))?;
    check_golden(kernel, dtype, &emit(&source.replace("$T", dtype))?.text)
}

fn check_golden(kernel: &str, dtype: &str, text: &str) -> Result<(), Failed> {
    let path = Path::new(GOLDEN).join(kernel).join(format!("{dtype}.metal"));
    if std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(GOLDEN)))?;
        std::fs::write(&path, text)?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected == text {
        return Ok(());
    }
    let line = expected.lines().zip(text.lines()).take_while(|(old, new)| old == new).count();
    let shown = |text: &str| text.lines().nth(line).unwrap_or("(the end)").to_owned();
    Err(format!(
        "{}:{}: emitted text differs\n  expected: {}\n  emitted:  {}\nif the new text is right: UPDATE_EXPECT=1 cargo test --test msl",
        path.display(),
        line + 1,
        shown(&expected),
        shown(text)
    )
    .into())
}

/// A kernel that converts one value to every type that Metal has.
fn casts_from(from: DType) -> String {
    let mut params = format!("x: global {from}");
    let mut body = String::from("    v0:i = program_id.x\n    v1:x = load x[v0]\n");
    for (position, to) in metal_dtypes().enumerate() {
        let value = position + 2;
        let _ = write!(params, ", mut to_{to}: global {to}");
        let _ = writeln!(body, "    v{value}:as_{to} = cvt.{to} v1\n    store to_{to}[v0], v{value}");
    }
    format!("kernel @demo::cast<{from}>({params}) mode(elementwise) {{\n{body}}}\n")
}

fn metal_files(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            metal_files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "metal") {
            found.push(path);
        }
    }
    Ok(())
}

/// C++17 with what MSL adds declared in a shim: not Metal's compiler, but an independent reader of the syntax and types.
fn accepted(clang: &str) -> Result<(), Failed> {
    let mut files = Vec::new();
    metal_files(Path::new(GOLDEN), &mut files)?;
    files.sort();
    let output = Command::new(clang)
        .args(["-x", "c++", "-std=c++17", "-fsyntax-only", "-fsigned-char", "-Wall", "-Wextra", "-Werror"])
        .args([
            "-Wno-unknown-pragmas",
            "-Wno-unknown-attributes",
            "-Wno-unused-parameter",
            "-Wno-unused-variable",
        ])
        .args(["-Wno-keyword-macro", "-isystem", "tests/data/metal_shim"])
        .args(&files)
        .output()?;
    if output.status.success() && !files.is_empty() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}
