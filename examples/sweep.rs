//! Whether a device gives the oracle's bits: each function of `math` and each conversion on 2²⁴ inputs of every exponent.
//!
//! ```text
//! cargo run --release --example sweep -- --device emu        # or cuda:0
//! cargo run --release --example sweep -- --device emu exp cvt.f32   # what contains one of these
//! cargo run --release --example sweep -- --device emu --stratified  # 2¹⁶ inputs each
//! cargo run --release --example sweep -- --device emu --shard 1/8   # every eighth function or conversion
//! ```
//!
//! Of a type with fewer bits every pattern is an input. A NaN equals a NaN. For f32 the oracle's result is compared with the
//! native function too: that is the one whose error `ulp` measures. One line for each that differs, with the first
//! input, then `N agree, N differ`; the exit code is 1 where one differs.

use std::error::Error;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::Arc;

use rayon::prelude::*;
use warpsmith::dsl;
use warpsmith::ir::{DType, Kernel, Launch, Param, ParamKind, parse};
use warpsmith::math;
use warpsmith::numerics::CastMode;
use warpsmith::oracle::compare::{Nan, compare_bits};
use warpsmith::oracle::{self, Arguments, Buffer, Config};
use warpsmith::runtime::{Device, EmuSettings, LaunchBuilder, LoadedKernel};

/// Inputs of one launch.
const CHUNK: u64 = 1 << 18;
const CTA: u32 = 256;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!(
                "error: {error}\nusage: sweep [--device emu|cuda:N] [--stratified] [--shard k/n] [PART-OF-A-NAME…]"
            );
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let mut device = "emu".to_owned();
    let mut filters = Vec::new();
    let mut count_bits = 24;
    let mut shard = (1, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--device" => device = arguments.next().ok_or("--device takes a name")?,
            "--stratified" => count_bits = 16,
            "--shard" => shard = parsed(&arguments.next().ok_or("--shard takes k/n")?)?,
            option if option.starts_with("--") => return Err(format!("no option `{option}`").into()),
            _ => filters.push(argument),
        }
    }
    let subjects = subjects()?;
    let matches = |filter: &String| subjects.iter().any(|subject| subject.name.contains(filter.as_str()));
    if let Some(stray) = filters.iter().find(|filter| !matches(filter)) {
        return Err(format!("no function or conversion has `{stray}` in its name").into());
    }
    let device = match device.as_str() {
        // Launches run in parallel, so each keeps to one worker.
        "emu" => Device::emulator(EmuSettings { workers: 1, sanitize: false, ..EmuSettings::default() }),
        name => Device::open(name)?,
    };
    let (mut agree, mut differ) = (0, 0);
    for subject in subjects.iter().skip(shard.0 - 1).step_by(shard.1) {
        if !filters.is_empty() && !filters.iter().any(|filter| subject.name.contains(filter)) {
            continue;
        }
        match subject.differs(&device, count_bits)? {
            None => agree += 1,
            Some(what) => {
                differ += 1;
                println!("{}: {what}", subject.name);
            }
        }
    }
    println!("{agree} agree, {differ} differ on {}", device.description());
    Ok(differ == 0)
}

/// The k and n of `k/n`, 1 ≤ k ≤ n.
fn parsed(shard: &str) -> Result<(usize, usize), Box<dyn Error>> {
    let (k, n) = shard.split_once('/').ok_or("a shard is k/n")?;
    let (k, n) = (k.parse()?, n.parse()?);
    if (1..=n).contains(&k) { Ok((k, n)) } else { Err("a shard is k/n with 1 ≤ k ≤ n".into()) }
}

/// A kernel of one element a thread.
struct Subject {
    name: String,
    kernel: Kernel,
    /// The function as it runs natively, which is what `ulp` measures.
    native: Option<Native>,
}

enum Native {
    One(fn(f32) -> f32),
    Two(fn(f32, f32) -> f32),
}

macro_rules! natives {
    ($kernel:expr, $Kind:ident: $($name:ident)*) => {
        $(if $kernel == concat!("math_", stringify!($name)) {
            return Some(Native::$Kind(math::$name));
        })*
    };
}

/// By the kernel's name.
fn native(kernel: &str) -> Option<Native> {
    natives!(kernel, One: acos acosh asin asinh atan atanh cbrt cos cosh erf erfc erfinv exp exp2 expm1 gelu
        gelu_erf log log10 log1p log2 mish rsqrt sigmoid silu sin sinh softplus tan tanh);
    natives!(kernel, Two: atan2 pow remainder);
    match kernel {
        "graded_exp" => Some(Native::One(math::exp_p::<14, f32>)),
        "graded_exp2" => Some(Native::One(math::exp2_p::<11, f32>)),
        _ => None,
    }
}

fn subjects() -> Result<Vec<Subject>, Box<dyn Error>> {
    let mut all = Vec::new();
    for entry in dsl::kernels().into_iter().filter(|entry| entry.module.contains("::transcendental::")) {
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            let kernel = (entry.build)(&[dtype]).map_err(|error| format!("{}: {error}", entry.name))?;
            let native = (dtype == DType::F32).then(|| native(entry.name)).flatten();
            all.push(Subject { name: format!("{}.{dtype}", entry.name), kernel, native });
        }
    }
    for to in DType::all() {
        for mode in CastMode::ALL.into_iter().filter(|&mode| takes(to, mode)) {
            for from in DType::all().filter(|&from| from != to) {
                all.push(conversion(from, to, mode.suffix())?);
            }
        }
    }
    Ok(all)
}

fn takes(to: DType, mode: CastMode) -> bool {
    to.storage().map_or(mode == CastMode::Default, |storage| storage.takes(mode))
}

fn conversion(from: DType, to: DType, mode: &str) -> Result<Subject, Box<dyn Error>> {
    let name = format!("cvt.{to}{mode}_{from}");
    let text = format!(
        "kernel @cast(x: global {from}, mut out: global {to}) mode(elementwise) {{
            v0 = program_id.x
            v1 = load x[v0]
            v2 = cvt.{to}{mode} v1
            store out[v0], v2
        }}"
    );
    let kernel = parse::parse(&text).map_err(|error| format!("{name}: {error:?}"))?;
    Ok(Subject { kernel, name, native: None })
}

impl Subject {
    /// The first difference, in words.
    fn differs(&self, device: &Device, count_bits: u32) -> Result<Option<String>, String> {
        let inputs: Vec<_> = self.kernel.params.values().filter(|param| !is_written(param)).collect();
        let widest = inputs.iter().map(|param| param.dtype.bits()).max().unwrap_or(0);
        let bits = if inputs.len() > 1 { count_bits } else { widest.min(count_bits) };
        let count = 1u64 << bits;
        let class = Launch::linear(count, CTA).class(16);
        let loaded = device.load(&self.kernel, &class).map_err(|error| self.say(&error))?;
        let loaded = Arc::new(loaded);
        let chunks: Vec<u64> = (0..count.div_ceil(CHUNK)).collect();
        let found: Vec<Option<String>> = chunks
            .par_iter()
            .map(|chunk| {
                let range = chunk * CHUNK..count.min((chunk + 1) * CHUNK);
                self.chunk(device, &loaded, range, bits)
            })
            .collect::<Result<_, _>>()?;
        Ok(found.into_iter().flatten().next())
    }

    fn say(&self, error: &dyn std::fmt::Display) -> String {
        format!("{}: {error}", self.name)
    }

    fn chunk(
        &self,
        device: &Device,
        loaded: &Arc<LoadedKernel>,
        range: Range<u64>,
        bits: u32,
    ) -> Result<Option<String>, String> {
        let n = range.end - range.start;
        let mut arguments = Arguments::new(&self.kernel);
        let mut buffers = Vec::new();
        for (salt, param) in self.kernel.params.values().enumerate() {
            let size = param.dtype.size() as usize;
            let bytes: Vec<u8> = if is_written(param) {
                vec![0; n as usize * size]
            } else {
                let element = |i| input(i, bits, salt as u64, param.dtype).to_le_bytes();
                range.clone().flat_map(|i| element(i).into_iter().take(size)).collect()
            };
            let raw = device.upload_as(param.dtype, &bytes).map_err(|error| self.say(&error))?;
            let buffer = Buffer::from_bytes(param.dtype, bytes);
            arguments.buffer(&param.name, buffer).map_err(|error| self.say(&error))?;
            buffers.push((param, raw));
        }
        let launch = Launch::linear(n, CTA);
        oracle::run(&self.kernel, &launch, &mut arguments, &Config::default())
            .map_err(|error| self.say(&error))?;
        let mut builder =
            LaunchBuilder::of_loaded(device, &self.kernel, Arc::clone(loaded)).threads_1d(n, CTA);
        for (param, raw) in &mut buffers {
            let name = param.name.as_str();
            builder = if is_written(param) { builder.bind_mut(name, raw) } else { builder.bind(name, &*raw) };
        }
        builder.run().map_err(|error| self.say(&error))?;
        for (param, raw) in buffers.iter().filter(|(param, _)| is_written(param)) {
            let bytes = raw.read().map_err(|error| self.say(&error))?;
            let expected = arguments.get(&param.name).ok_or("the oracle keeps every buffer")?;
            if let Some(what) = self.differs_natively(expected, &range, bits) {
                return Ok(Some(what));
            }
            let comparison = compare_bits(&Buffer::from_bytes(param.dtype, bytes), expected, Nan::Equal);
            if let Some(first) = comparison.first.first() {
                let number = range.start + first.index;
                let given: Vec<_> = (0..self.kernel.params.len() as u64 - 1)
                    .map(|salt| format!("{:X}", input(number, bits, salt, DType::U64)))
                    .collect();
                return Ok(Some(format!("input {} and others: {comparison}", given.join(", "))));
            }
        }
        Ok(None)
    }
}

impl Subject {
    /// The first input for which the oracle's result is not the native function's, in words.
    fn differs_natively(&self, oracle: &Buffer, range: &Range<u64>, bits: u32) -> Option<String> {
        let native = self.native.as_ref()?;
        range.clone().find_map(|number| {
            let operand = |salt| f32::from_bits(input(number, bits, salt, DType::F32) as u32);
            let want = match native {
                Native::One(function) => function(operand(0)),
                Native::Two(function) => function(operand(0), operand(1)),
            };
            let got = f32::from_bits(oracle.get(number - range.start)?.bits as u32);
            let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
            (!same).then(|| {
                format!("the oracle gives {got:e}, the native function {want:e} of {:e}", operand(0))
            })
        })
    }
}

fn is_written(param: &Param) -> bool {
    matches!(param.kind, ParamKind::Buffer { written: true, .. })
}

/// The bits of input number `index` of 2^`bits`.
///
/// The index is on top, so that every sign and exponent is met, and below it is what a hash gives; a second operand is
/// all hash. Of 64 bits, and of integers, three quarters are other things: integers of every length, and numbers that end
/// in zeros from a place on, where ties are, or next to such a number.
fn input(index: u64, bits: u32, salt: u64, dtype: DType) -> u64 {
    let width = dtype.bits();
    let mut hash = (index ^ (salt << 40)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^= hash >> 32;
    let below = width.saturating_sub(bits);
    let pattern = if salt > 0 || width < bits {
        hash & dtype.mask()
    } else {
        (index << below) | (hash & ((1u64 << below) - 1))
    };
    if width < 32 || dtype == DType::F32 || dtype.storage().is_some() {
        return pattern;
    }
    let place = ((hash >> 40) % u64::from(width)) as u32;
    let cut = (pattern >> place) << place;
    let shaped = match index % 4 {
        0 => pattern,
        1 if dtype.is_int() => (hash & dtype.mask()) >> place,
        1 => f64::from(f32::from_bits(hash as u32)).to_bits() ^ ((hash >> 33) & 1),
        2 => cut,
        _ => cut.wrapping_add(1 - 2 * (hash & 1)),
    };
    shaped & dtype.mask()
}
