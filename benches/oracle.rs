//! Lane-operations per second of the oracle, on kernels that mostly compute.
//!
//! Criterion's throughput is in elements; here an element is one instruction of one thread, so `Melem/s` reads as
//! millions of lane-operations per second. Deliberately not here: the emulator, whose operations are another machine's.

#![expect(missing_docs, reason = "criterion_group! writes a public function")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warpsmith::ir::{DType, Kernel, Launch, Mode, parse};
use warpsmith::oracle::{Arguments, Buffer, Config, run};

const THREADS: u64 = 1 << 14;

/// `body` in a loop of 64 rounds per thread, with an f32 `f`, a u32 `u` and the loop counter `k`.
fn looped(body: &str) -> Kernel {
    let text = format!(
        "kernel @alu(x: global f32, mut out: global f32) {{
            local l0: f32 local l1: u32 shared s: f32[1024]
            i = program_id.x x0 = load x[i] set l0, x0 set l1, i
            zero = const 0u32 end = const 64u32 one = const 1u32
            for k: u32 = zero to end step one unroll 1 {{ f = get l0 u = get l1 {body} }}
            r = get l0 store out[i], r
        }}"
    );
    parse::parse(&text).expect("the bench's kernel is well-formed")
}

fn throughput(criterion: &mut Criterion, name: &str, kernel: &Kernel, cta: u32) {
    let x: Vec<f32> = (0..THREADS).map(|i| i as f32 * 1e-3).collect();
    let mut args = Arguments::new(kernel);
    args.buffer("x", Buffer::from_f32(&x)).expect("`x` is a parameter");
    args.buffer("out", Buffer::uninitialised(DType::F32, THREADS)).expect("`out` is a parameter");
    let launch = Launch::ctas(Mode::Elementwise, [THREADS / u64::from(cta), 1, 1], [cta, 1, 1]);
    let mut once = || run(kernel, &launch, &mut args, &Config::default()).expect("the kernel has no faults");
    let operations = once().lane_operations;
    let mut group = criterion.benchmark_group("oracle");
    group.throughput(Throughput::Elements(operations));
    group.bench_function(format!("{name}/cta {cta}"), |bencher| bencher.iter(&mut once));
    group.finish();
}

fn benches(criterion: &mut Criterion) {
    let float =
        looped("a = mul f, x0 b = add a, f c = sub b, x0 d = max c, a e = min d, b g = add e, c set l0, g");
    let fused = looped("a = fma f, x0, x0 b = fma a, f, x0 c = fma b, a, f d = fma c, b, a set l0, d");
    let int =
        looped("a = mul u, k b = add a, u c = xor b, a d = shl c, 3 e = shr d, 5 g = and e, c set l1, g");
    let branch = looped(
        "a = and u, 1 b = eq a, 0 if b { c = add f, x0 set l0, c } else { d = mul f, x0 set l0, d } e = add u, 1 set l1, e",
    );
    let warp = looped("a = warp_reduce.sum f b = shuffle.xor a, k c = mul b, x0 set l0, c");
    let gather = looped("a = mul u, 7 b = add a, k c = rem b, 16384 d = load x[c] e = add f, d set l0, e");
    let wide =
        looped("a = and i, 1023 b = mul a, 4 c, d, e, g = load.x4 x[b] h = add c, g m = add f, h set l0, m");
    let shared = looped(
        "t = thread_id.x store s[t], f cta_barrier a = xor t, 5 b = load s[a] c = add b, x0 cta_barrier set l0, c",
    );
    for cta in [32, 256, 1024] {
        throughput(criterion, "f32", &float, cta);
    }
    throughput(criterion, "f32 fma", &fused, 256);
    throughput(criterion, "u32", &int, 256);
    throughput(criterion, "divergent", &branch, 256);
    throughput(criterion, "gather", &gather, 256);
    throughput(criterion, "vector", &wide, 256);
    throughput(criterion, "shared", &shared, 256);
    throughput(criterion, "warp", &warp, 256);
}

criterion_group! {
    name = all;
    config = Criterion::default().sample_size(10).measurement_time(std::time::Duration::from_secs(1));
    targets = benches
}
criterion_main!(all);
