//! `; test run`: the kernel runs on the oracle without a fault, the passes for its launch class keep every bit, and the
//! PTX gives the same bits on the emulator, in order and adversarially, and on a GPU where there is one.
//!
//! Settings: `; launch linear 1024 128` (threads, CTA) or `; launch ctas 4 176` (CTAs, CTA); `; input x hard 1024`
//! (what breaks operations, one after the other), `; input y hard-slow 1024` (the same, each for a whole round of the
//! first, so that pairs meet), `ones` and `signs` (steps of loops), `; input x ties 1024` (what narrow formats round);
//! `; scalar n 7u32` (by its bits); `; output out 1024`; `; targets sm_80 sm_121` (of the emulator; sm_90 alone without).

use libtest_mimic::Failed;
use warpsmith::ir::parse::parse_located;
use warpsmith::ir::validate::{validate, validate_for};
use warpsmith::ir::{DType, Kernel, Launch, Literal, Mode, ParamId};
use warpsmith::numerics::tensor::TensorModel;
use warpsmith::oracle::compare::{Nan, compare_bits};
use warpsmith::oracle::{self, Arguments, Buffer, Config};
use warpsmith::passes;
use warpsmith::target::Target;

use super::witness::{self, Given};
use super::{Found, settings};
use crate::File;

pub(crate) fn run(file: &File, _arguments: &str) -> Result<Found, Failed> {
    let kernel = parse_located(&file.source, &file.name)?;
    let launch = launch(file, &kernel)?;
    let class = launch.class(16);
    validate(&kernel).map_err(|errors| format!("{errors:?}"))?;
    validate_for(&kernel, &class, settings::target(file)?).map_err(|errors| format!("{errors:?}"))?;
    let after = passes::run(&kernel, &passes::Config::new(class)).map_err(|errors| format!("{errors:?}"))?;
    validate(&after).map_err(|errors| format!("after the passes: {errors:?}"))?;
    let given = arguments(file, &kernel)?;
    let model = TensorModel::default();
    let want = outputs(&given, &kernel, &launch, model)?;
    let found = outputs(&given, &after, &launch, model)?;
    for param in kernel.params.values().filter(|param| param.is_written()) {
        let (Some(want), Some(found)) = (want.get(&param.name), found.get(&param.name)) else { continue };
        let same = compare_bits(found, want, Nan::Equal);
        if !same.is_match() {
            return Err(format!("the passes change `{}`: {same}\n{after}", param.name).into());
        }
    }
    let targets = match file.setting("targets") {
        Some(names) => names.split_whitespace().map(Target::parse).collect::<Result<Vec<_>, _>>()?,
        None => vec![Target::SM_90],
    };
    for device in witness::devices(&targets)? {
        // Products of matrices have the bits of the device's chip.
        let want = outputs(&given, &kernel, &launch, device.tensor_model())?;
        witness::judge(&device, &kernel, &launch, &given, &|name| want.get(name).cloned())?;
    }
    Ok(Found::default())
}

fn launch(file: &File, kernel: &Kernel) -> Result<Launch, Failed> {
    let text = file.setting("launch").ok_or("the file has no `; launch` line")?;
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["linear", threads, cta] => Ok(Launch::linear(threads.parse()?, cta.parse()?)),
        ["ctas", ctas, cta] => {
            let mode = kernel.mode.unwrap_or(Mode::Reduction);
            Ok(Launch::ctas(mode, [ctas.parse()?, 1, 1], [cta.parse()?, 1, 1]))
        }
        ["grid", ref axes @ ..] if axes.len() == 6 => {
            let mode = kernel.mode.unwrap_or(Mode::SimdGroup2D);
            let mut numbers = [0u64; 6];
            for (number, axis) in numbers.iter_mut().zip(axes) {
                *number = axis.parse()?;
            }
            let [x, y, z, tx, ty, tz] = numbers;
            Ok(Launch::ctas(mode, [x, y, z], [tx, ty, tz].map(|threads| threads as u32)))
        }
        _ => Err(format!("`{text}` is no launch").into()),
    }
}

/// The arguments that the file gives.
fn arguments(file: &File, kernel: &Kernel) -> Result<Vec<(ParamId, Given)>, Failed> {
    let mut given = Vec::new();
    for (key, value) in &file.head {
        let words: Vec<&str> = value.split_whitespace().collect();
        let param = |name: &str| kernel.param(name).ok_or_else(|| format!("`{name}` is no parameter"));
        let dtype = |id: ParamId| kernel.params[id].dtype;
        match (key.as_str(), &words[..]) {
            ("input", &[name, kind, len]) => {
                let id = param(name)?;
                let elements = input(kind, dtype(id), len.parse()?)?;
                given.push((id, Given::Buffer(Buffer::from_literals(dtype(id), &elements))));
            }
            ("output", &[name, len]) => {
                let id = param(name)?;
                let elements = vec![Literal::from_bits(dtype(id), 0); len.parse()?];
                given.push((id, Given::Buffer(Buffer::from_literals(dtype(id), &elements))));
            }
            ("scalar", &[name, bits]) => {
                let id = param(name)?;
                given.push((id, Given::Scalar(Literal::from_bits(dtype(id), bits.parse()?))));
            }
            ("input" | "output" | "scalar", _) => {
                return Err(format!("`; {key} {value}` is not complete").into());
            }
            (_, _) => {}
        }
    }
    Ok(given)
}

fn outputs(
    given: &[(ParamId, Given)],
    kernel: &Kernel,
    launch: &Launch,
    tensor_model: TensorModel,
) -> Result<Arguments, Failed> {
    let mut arguments = Arguments::new(kernel);
    for (param, given) in given {
        match given {
            Given::Buffer(buffer) => arguments.bind_buffer(*param, buffer.clone(), &[], &[])?,
            Given::Scalar(value) => arguments.bind_scalar(*param, *value)?,
        };
    }
    oracle::run(kernel, launch, &mut arguments, &Config { tensor_model, ..Config::default() })?;
    Ok(arguments)
}

fn input(kind: &str, dtype: DType, len: usize) -> Result<Vec<Literal>, Failed> {
    let int = |value: i128| Literal::int(dtype, value).ok_or(format!("{dtype} has no {value}"));
    let hard = match kind {
        // Steps of loops: small, never 0.
        "ones" => (1..=4).map(int).collect::<Result<_, _>>()?,
        "signs" => [1, -1, 3, -2, 7, -11].into_iter().map(int).collect::<Result<_, _>>()?,
        "ties" => ties(dtype),
        _ => hard(dtype),
    };
    let slower = match kind {
        "ones" | "signs" => 1,
        "hard" | "ties" => 1,
        "hard-slow" => hard.len(),
        _ => return Err(format!("`{kind}` is no kind of input").into()),
    };
    Ok((0..len).map(|index| hard[index / slower % hard.len()]).collect())
}

/// What a format of few mantissa bits rounds: numbers half way between two of its own and their neighbours, in every
/// magnitude that 8 bits reach; every code of a narrow type.
fn ties(dtype: DType) -> Vec<Literal> {
    if dtype.bits() <= 8 {
        return (0..=dtype.mask()).map(|bits| Literal::from_bits(dtype, bits)).collect();
    }
    let mut all = hard(dtype);
    let (bias, mantissa) = match dtype {
        DType::F16 => (15, 10),
        DType::BF16 => (127, 7),
        DType::F32 | DType::TF32 => (127, 23),
        DType::F64 => (1023, 52),
        _integer => (0, 0),
    };
    let top = u64::from(dtype.bits() - 1);
    for place in 0..40u64 {
        for eighths in 0..8u64 {
            for step in [u64::MAX, 0, 1] {
                let bits = if mantissa == 0 {
                    ((17 + 2 * eighths) << (place % top)).wrapping_add(step)
                } else {
                    let field = if bias == 15 { place % 31 } else { bias - 20 + place };
                    let short = field << mantissa | eighths << (mantissa - 3) | 1 << (mantissa - 4);
                    short.wrapping_add(step)
                };
                let sign = if mantissa > 0 && (place + eighths) % 3 == 0 { 1 << top } else { 0 };
                all.push(Literal::from_bits(dtype, bits | sign));
            }
        }
    }
    all
}

/// Thirty-two values that operations of the type go wrong on: ends of the range and their neighbours, powers of two,
/// and patterns without any.
fn hard(dtype: DType) -> Vec<Literal> {
    let top = dtype.bits() - 1;
    let ones = dtype.mask();
    let mut bits = vec![
        0,
        1,
        2,
        3,
        7,
        31,
        32,
        33,
        ones,
        ones - 1,
        ones >> 1,
        (ones >> 1) + 1,
        (ones >> 1).wrapping_sub(1),
        64,
        65,
    ];
    if let Some((one, infinity, quiet)) = match dtype {
        DType::F16 => Some((0x3c00, 0x7c00, 0x7e01)),
        DType::BF16 => Some((0x3f80, 0x7f80, 0x7fc1)),
        DType::F32 => Some((0x3f80_0000, 0x7f80_0000, 0x7fc0_0001)),
        DType::F64 => Some((0x3ff << 52, 0x7ff << 52, 0xfff << 51)),
        DType::TF32 => Some((0x3f80_0000, 0x7f80_0000, 0x7fff_e000)),
        _integer => None,
    } {
        let sign = 1u64 << top;
        let next = [
            one,
            one | sign,
            one + 1,
            one - 1,
            infinity,
            infinity | sign,
            infinity - 1,
            quiet,
            sign,
            sign | 1,
        ];
        bits.extend(next);
    }
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    while bits.len() < 32 {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        bits.push(random >> (63 - top));
    }
    bits.into_iter().map(|bits| Literal::from_bits(dtype, bits)).collect()
}
