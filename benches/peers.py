#!/usr/bin/env python3
"""What PyTorch reaches on the shapes of `cargo bench --bench gpu`, as a share of a copy timed in the same run.

    python3 benches/peers.py

Needs PyTorch with CUDA. Medians of 30 runs after 5, timed by device events; bytes as the bench counts them.
"""

import torch

WARM_UP, RUNS = 5, 30
N = 8192
VECTOR = 1 << 26
GEMM = 4096


def milliseconds(work):
    times = []
    for run in range(WARM_UP + RUNS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        if run >= WARM_UP:
            times.append(start.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def main():
    size = 1 << 30
    source = torch.ones(size, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    copy = 2 * size / milliseconds(lambda: target.copy_(source)) / 1e6
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; copy {copy:.0f} GB/s")
    del source, target
    print(f"{'peer':<32} {'dtype':>5} {'ms':>9} {'GB/s':>8} {'of copy':>7}")
    for dtype, name in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
        x = torch.rand(N, N, dtype=torch.float32, device="cuda").to(dtype)
        v = torch.rand(VECTOR, dtype=torch.float32, device="cuda").to(dtype)
        scanned, turned, summed = torch.empty_like(x), torch.empty_like(x), torch.empty_like(v)
        width = x.element_size()
        peers = [
            ("row scan (cumsum)", lambda: torch.cumsum(x, -1, out=scanned), 2 * N * N * width),
            ("row argmax", lambda: torch.argmax(x, -1), N * N * width),
            ("transpose", lambda: turned.copy_(x.t()), 2 * N * N * width),
            ("vector scan of 2^26 (cumsum)", lambda: torch.cumsum(v, 0, out=summed), 2 * VECTOR * width),
        ]
        for label, work, moved in peers:
            time = milliseconds(work)
            rate = moved / time / 1e6
            print(f"{label:<32} {name:>5} {time:>9.4f} {rate:>8.0f} {100 * rate / copy:>6.1f}%")
    print(f"\n{'peer':<32} {'dtype':>5} {'ms':>9} {'TFLOP/s':>8}")
    for dtype, name in ((torch.bfloat16, "bf16"), (torch.float16, "f16")):
        left, right = (torch.rand(GEMM, GEMM, device="cuda").mul(2).sub(1).to(dtype) for _ in range(2))
        product = torch.empty_like(left)
        time = milliseconds(lambda: torch.matmul(left, right.t(), out=product))
        print(f"{'matmul of 4096 cubed':<32} {name:>5} {time:>9.4f} {2 * GEMM**3 / time / 1e9:>8.1f}")


if __name__ == "__main__":
    main()
