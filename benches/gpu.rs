//! What kernels reach on a GPU, as a share of a device copy measured in the same run.
//!
//! `cargo bench --features cuda --bench gpu`. Each registered bench is launched on `cuda:0` after a warm-up, timed by
//! device events, and the median is taken; bytes are those a launch must move at the least. Compiling to PTX and loading
//! the module are timed on the host's clock, the driver's disk cache off. Benches that know some elements from a wider
//! reference are held against them. Deliberately not here: whether results are
//! right, which the corpus says.

use std::error::Error;
use std::time::Instant;

use warpsmith::backend::DeviceError;
use warpsmith::case::{self, BenchEntry, BenchSetup, Case, CaseBuffer, Contents, Sample};
use warpsmith::driver::{Context, DeviceBuffer, Driver, Event, Stream};
use warpsmith::ir::{DType, Literal, Scalar};
use warpsmith::runtime::{Device, LaunchBuilder, RawBuffer, compile};

/// Bytes that the large copy reads; it writes as many.
const COPY_BYTES: usize = 1 << 30;
const WARM_UP: usize = 5;
const RUNS: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let device = match Device::open("cuda:0") {
        Ok(device) => device,
        Err(error @ DeviceError::NoDevice { .. }) => {
            println!("skipped: {error}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    println!("{}", device.description());
    let copy = copy_rate(COPY_BYTES)?;
    println!("device copy of {} MiB: {copy:.0} GB/s read and written\n", COPY_BYTES >> 20);
    println!(
        "{:<44} {:>5} {:>9} {:>8} {:>7} {:>7} {:>9} {:>8} {:>8}",
        "bench", "dtype", "ms", "GB/s", "of copy", "of same", "text µs", "load ms", "TFLOP/s"
    );
    // Names, or parts of names, of the benches to run; all without one.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|part| name.contains(part.as_str()));
    for entry in case::benches().into_iter().filter(|entry| is_chosen(entry.name)) {
        for &dtype in entry.dtypes {
            bench(&device, entry, dtype, copy)?;
        }
    }
    Ok(())
}

/// GB/s of the driver's own copy, reads and writes counted.
fn copy_rate(size: usize) -> Result<f64, Box<dyn Error>> {
    let driver = Driver::load()?;
    let context = Context::new(&driver.device(0)?)?;
    let from = DeviceBuffer::<u8>::zeros(&context, size)?;
    let mut to = DeviceBuffer::<u8>::zeros(&context, size)?;
    let stream = Stream::default_of(&context);
    let mut times = Vec::new();
    for run in 0..WARM_UP + RUNS {
        let (start, end) = (Event::new(&context)?, Event::new(&context)?);
        start.record(&stream)?;
        to.copy_from(0, &from, 0, size)?;
        end.record(&stream)?;
        stream.synchronize()?;
        if run >= WARM_UP {
            times.push(f64::from(end.milliseconds_since(&start)?));
        }
    }
    Ok(2.0 * size as f64 / median(times) / 1e6)
}

fn bench(device: &Device, entry: &BenchEntry, dtype: DType, copy: f64) -> Result<(), Box<dyn Error>> {
    let setup = entry.make(dtype);
    let bytes = setup.launch_bytes().ok_or("a bench says how many bytes it moves")?;
    let case = setup.check()?;
    let buffers = upload(device, &case)?;
    let class = case.launch.class(16);
    let text = median(
        (0..RUNS).map(|_| timed(|| compile(&case.kernel, &class, device.target()).map(drop))).collect(),
    );
    let emitted = compile(&case.kernel, &class, device.target())?;
    let load = timed(|| device.backend().load(&case.kernel, &emitted).map(drop));
    let mut buffers = buffers;
    let mut builder = LaunchBuilder::of(device, &case.kernel).mode(case.launch.mode);
    for (bound, buffer) in case.buffers.iter().zip(&mut buffers) {
        let name = case.kernel.params[bound.param].name.as_str();
        builder = if bound.written { builder.bind_mut(name, buffer) } else { builder.bind(name, &*buffer) };
    }
    for &(param, value) in &case.scalars {
        builder = builder.scalar(&case.kernel.params[param].name, Scalar(value));
    }
    let [x, y, z] = case.launch.grid;
    builder = match case.launch.extent {
        Some([n, 1, 1]) => builder.threads_1d(n, case.launch.cta[0]),
        Some([x, y, z]) => builder.threads_3d(x, y, z, case.launch.cta),
        None => builder.grid_3d(x, y, z, case.launch.cta),
    };
    let launch = builder.prepare()?;
    let mut times = Vec::new();
    for run in 0..WARM_UP + RUNS {
        let stats = launch.run()?;
        if run >= WARM_UP {
            times.push(f64::from(stats.milliseconds.ok_or("the device has no clock")?));
        }
    }
    drop(launch);
    check_samples(&setup, &case, &buffers)?;
    let milliseconds = median(times);
    let rate = bytes as f64 / milliseconds / 1e6;
    // A copy of as many bytes in all ends as early, so that the share has no launch latency in it.
    let same = copy_rate(usize::try_from(bytes / 2)?)?;
    let flops = setup.launch_flops().map(|flops| format!("{:.1}", flops as f64 / milliseconds / 1e9));
    println!(
        "{:<44} {:>5} {milliseconds:>9.4} {rate:>8.0} {:>6.1}% {:>6.1}% {:>9.1} {:>8.2} {:>8}",
        entry.name,
        dtype.name(),
        100.0 * rate / copy,
        100.0 * rate / same,
        text * 1e3,
        load,
        flops.unwrap_or_default()
    );
    Ok(())
}

/// Compares what the launch left with the elements that the bench knows from a wider reference.
fn check_samples(setup: &BenchSetup, case: &Case, buffers: &[RawBuffer]) -> Result<(), Box<dyn Error>> {
    for sample in setup.sampled() {
        let is_named = |bound: &CaseBuffer| case.kernel.params[bound.param].name == sample.buffer;
        let position = case.buffers.iter().position(is_named).ok_or("a sample names a buffer")?;
        let dtype = buffers[position].dtype();
        let size = dtype.size() as usize;
        let mut bytes = [0; 8];
        buffers[position].read_at(sample.index * size as u64, &mut bytes[..size])?;
        let found = Literal::from_bits(dtype, u64::from_le_bytes(bytes)).as_f64().unwrap_or(f64::NAN);
        // NaN is near nothing.
        let is_near = (found - sample.value).abs() <= sample.within;
        if !is_near {
            let Sample { buffer, index, value, within } = sample;
            return Err(format!("{buffer}[{index}] is {found}, not {value} within {within}").into());
        }
    }
    Ok(())
}

fn upload(device: &Device, case: &Case) -> Result<Vec<RawBuffer>, Box<dyn Error>> {
    let mut buffers = Vec::new();
    for bound in &case.buffers {
        let buffer = &bound.buffer;
        buffers.push(match buffer.contents() {
            Contents::Bytes(bytes) => device.upload_as(buffer.dtype(), bytes)?,
            // Never zeros: they can move faster than data does.
            Contents::Scalar(_) | Contents::Canary | Contents::Sparse { .. } => {
                device.upload_as(buffer.dtype(), &random(buffer.dtype(), buffer.len()))?
            }
        });
    }
    Ok(buffers)
}

/// Floats of [1, 2), or any integers.
fn random(dtype: DType, len: u64) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut bytes = Vec::with_capacity((len * u64::from(dtype.size())) as usize);
    for _ in 0..len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let bits = match dtype {
            DType::F32 => 0x3f80_0000 | (state >> 41),
            DType::BF16 => 0x3f80 | (state >> 57),
            DType::F16 => 0x3c00 | (state >> 54),
            _ => state,
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..dtype.size() as usize]);
    }
    bytes
}

/// Milliseconds of the host's clock.
fn timed<E: std::fmt::Debug>(work: impl FnOnce() -> Result<(), E>) -> f64 {
    let start = Instant::now();
    work().expect("it was compiled before");
    start.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
