//! PTX instructions that a function executes on ordinary inputs, counted by the emulator.

use warpsmith::dsl::{self, KernelEntry};
use warpsmith::ir::DType;
use warpsmith::runtime::{Device, LaunchBuilder};

/// Elements of the launch.
const COUNT: usize = 1024;

/// Instructions an element beyond those of a copy; `None` where the library has no kernel of the function.
pub(crate) fn of(name: &str) -> Option<f64> {
    let kernel = |name: &str| dsl::kernels().into_iter().find(|entry| entry.name == format!("math_{name}"));
    let (first, second) = ordinary(name);
    let function = executed(kernel(name)?, first, second)?;
    Some(function - executed(kernel("identity")?, first, second)?)
}

/// The inputs that the figures are for: a range of magnitudes, spread evenly over its exponents, and whether both signs
/// occur. They are those that the figures of CUDA were counted with.
fn ordinary(name: &str) -> (Range, Range) {
    let both = |low: f32, high: f32| Range { low, high, both_signs: true };
    let positive = |low: f32, high: f32| Range { low, high, both_signs: false };
    let (tiny, huge) = (2f32.powi(-20), 2f32.powi(20));
    let first = match name {
        "exp" | "exp2" | "expm1" | "sigmoid" | "silu" | "softplus" | "mish" => both(2f32.powi(-6), 64.0),
        "log" | "log2" | "log10" | "log1p" | "cbrt" | "rsqrt" => positive(tiny, huge),
        "sin" | "cos" | "tan" => both(2f32.powi(-6), 100.0),
        "asin" | "acos" | "atanh" | "erfinv" => both(2f32.powi(-6), 0.99),
        "acosh" => positive(1.01, huge),
        "erf" | "erfc" | "gelu" | "gelu_erf" => both(2f32.powi(-6), 3.0),
        "pow" => positive(2f32.powi(-6), 16.0),
        _ => both(2f32.powi(-6), 16.0),
    };
    (first, both(2f32.powi(-6), 16.0))
}

#[derive(Clone, Copy)]
struct Range {
    low: f32,
    high: f32,
    both_signs: bool,
}

impl Range {
    /// The values, every `stride`-th after the one before, so that two operands don't rise together.
    fn values(self, stride: usize) -> Vec<f32> {
        let value = |index: usize| {
            let index = index * stride % COUNT;
            let part = index as f32 / (COUNT - 1) as f32;
            let magnitude = self.low * (self.high / self.low).powf(part);
            if self.both_signs && index % 2 == 1 { -magnitude } else { magnitude }
        };
        (0..COUNT).map(value).collect()
    }
}

fn executed(entry: &KernelEntry, first: Range, second: Range) -> Option<f64> {
    let device = Device::open("emu").ok()?;
    let kernel = (entry.build)(&[DType::F32]).ok()?;
    let x = device.upload(&first.values(1)).ok()?;
    let y = device.upload(&second.values(389)).ok()?;
    let mut out = device.zeros::<f32>(COUNT).ok()?;
    let mut builder = LaunchBuilder::of(&device, &kernel);
    for (index, param) in kernel.params.values().enumerate() {
        builder = match (index, param.name.as_str()) {
            (_, "out") => builder,
            (0, name) => builder.bind(name, &x),
            (_, name) => builder.bind(name, &y),
        };
    }
    let stats = builder.bind_mut("out", &mut out).threads_1d(COUNT, 256).run().ok()?;
    Some(stats.lane_instructions? as f64 / COUNT as f64)
}
