//! Every way out of every loop, nested, under conditions that only some threads meet: section 3. The oracle runs them against
//! the same loops in Rust.

use warpsmith::dsl::prelude::*;
use warpsmith::ir::{Kernel, Launch};
use warpsmith::oracle::{Arguments, Buffer, Config, run};

/// What a kernel gives for 0, 1, 2 …
fn outcome(kernel: &Kernel) -> Vec<u32> {
    let mut args = Arguments::new(kernel);
    args.buffer("x", Buffer::from_u32(&(0..50).collect::<Vec<_>>())).unwrap();
    args.buffer("out", Buffer::uninitialised(DType::U32, 50)).unwrap();
    run(kernel, &Launch::linear(50, 40), &mut args, &Config::default())
        .unwrap_or_else(|failure| panic!("{failure}\n{kernel}"));
    (0..50).map(|at| args.get("out").unwrap().get(at).unwrap().bits as u32).collect()
}

fn each(of: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..50).map(of).collect()
}

#[kernel]
pub fn whiles(x: Tensor<u32>, mut out: Tensor<u32>) {
    let n = load(x[tid]);
    let mut sum = 0u32;
    let mut i = 0u32;
    while i < n {
        i += 1;
        if i % 3 == 0 {
            if i % 2 == 0 {
                continue;
            } else if i > 20 {
                break;
            }
        }
        let mut j = i;
        while j > 0 {
            j /= 2;
            if j == 5 {
                break;
            }
            sum += j;
        }
        sum += 100;
    }
    out[tid] = sum;
}

#[test]
fn while_inside_while() {
    let of = |n: u32| {
        let (mut sum, mut i) = (0, 0);
        while i < n {
            i += 1;
            if i % 3 == 0 {
                if i % 2 == 0 {
                    continue;
                } else if i > 20 {
                    break;
                }
            }
            let mut j = i;
            while j > 0 {
                j /= 2;
                if j == 5 {
                    break;
                }
                sum += j;
            }
            sum += 100;
        }
        sum
    };
    assert_eq!(outcome(&whiles::kernel_ir().unwrap()), each(of));
}

#[kernel]
pub fn ranges(x: Tensor<u32>, mut out: Tensor<u32>) {
    let n = load(x[tid]);
    let mut sum = 0u32;
    for i in range(0, n, 2) {
        if i % 8 == 4 {
            continue;
        }
        for j in unroll(range(i, n), 4) {
            if j % 3 == 1 {
                continue;
            }
            if j > i + 9 {
                break;
            }
            sum += j;
        }
        for k in 0..3 {
            // This loop unrolls while building; what it decides is the traced loop's matter.
            if k == 2 {
                continue;
            }
            if sum > 2000 + k {
                sum -= 7;
            }
        }
        if sum > 3000 {
            break;
        }
    }
    out[tid] = sum;
}

#[test]
fn ranges_in_ranges() {
    let of = |n: u32| {
        let mut sum = 0;
        for i in (0..n).step_by(2) {
            if i % 8 == 4 {
                continue;
            }
            for j in i..n {
                if j % 3 == 1 {
                    continue;
                }
                if j > i + 9 {
                    break;
                }
                sum += j;
            }
            for k in 0..2 {
                if sum > 2000 + k {
                    sum -= 7;
                }
            }
            if sum > 3000 {
                break;
            }
        }
        sum
    };
    assert_eq!(outcome(&ranges::kernel_ir().unwrap()), each(of));
}

#[kernel]
pub fn endless(x: Tensor<u32>, mut out: Tensor<u32>) {
    let n = load(x[tid]);
    let mut rounds = 0u32;
    let mut value = n;
    loop {
        rounds += 1;
        let stop = if value > 30 {
            if rounds > 3 {
                break;
            }
            value / 2
        } else {
            value + 7
        };
        value = stop;
        if rounds < 5 {
            continue;
        }
        if value % 4 == 1 || rounds == 12 {
            break;
        }
    }
    out[tid] = rounds * 1000 + value;
}

#[test]
fn loop_left_from_the_value_of_an_if() {
    let of = |n: u32| {
        let (mut rounds, mut value) = (0, n);
        loop {
            rounds += 1;
            value = if value > 30 {
                if rounds > 3 {
                    break;
                }
                value / 2
            } else {
                value + 7
            };
            if rounds < 5 {
                continue;
            }
            if value % 4 == 1 || rounds == 12 {
                break;
            }
        }
        rounds * 1000 + value
    };
    assert_eq!(outcome(&endless::kernel_ir().unwrap()), each(of));
}

#[kernel]
pub fn downwards(x: Tensor<u32>, mut out: Tensor<u32>) {
    let n = load(x[tid]).cast::<i32>();
    let mut sum = 0i32;
    for i in range(n, -3, -2) {
        if i < 0 {
            sum += 1000;
            continue;
        }
        sum += i;
    }
    out[tid] = sum.cast::<u32>();
}

#[test]
fn a_range_can_go_down() {
    let of = |n: u32| {
        let mut sum = 0u32;
        let mut i = n as i32;
        while i > -3 {
            sum += if i < 0 { 1000 } else { i as u32 };
            i -= 2;
        }
        sum
    };
    assert_eq!(outcome(&downwards::kernel_ir().unwrap()), each(of));
}
