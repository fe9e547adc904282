//! How far each function of `warpsmith::math` is from the right result, and what it costs.
//!
//! ```text
//! cargo run --release --example ulp -- exp            # all 2³² inputs of one function
//! cargo run --release --example ulp -- --all          # of every function
//! cargo run --release --example ulp -- --all --stratified   # a part with every exponent, in seconds
//! ```
//!
//! The functions run natively, in parallel. The reference is an f64 function of the host's library; where its last
//! places could decide the rounding, and for the worst input, it is computed again to 192 bits. Functions of two operands
//! are run on 10⁸ stratified pairs. An error is in units of the last place of the right result, and one that is not a
//! number, has the wrong sign of zero, or is not one where it should be, is infinite. The last line is
//! `N within bound, N outside`; the exit code is 1 where one is outside.

mod count;
mod cuda_counts;
mod functions;
mod measure;
mod pairs;
mod precise;

use std::process::ExitCode;

use functions::{binaries, unaries};
use measure::Found;

/// What every function promises.
const BOUND: f64 = 1.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let stratified = arguments.iter().any(|argument| argument == "--stratified");
    let all = arguments.iter().any(|argument| argument == "--all");
    let names: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| !argument.starts_with("--")).collect();
    let known = |name: &str| {
        unaries().any(|function| function.name == name) || binaries().any(|function| function.name == name)
    };
    let unknown: Vec<_> = names.iter().filter(|name| !known(name)).collect();
    let options = ["--all", "--stratified"];
    let strange = arguments.iter().find(|a| a.starts_with("--") && !options.contains(&a.as_str()));
    if !unknown.is_empty() || strange.is_some() || (names.is_empty() && !all) {
        eprintln!("usage: ulp NAME… | --all [--stratified]\nfunctions:");
        unaries().for_each(|function| eprint!(" {}", function.name));
        binaries().for_each(|function| eprint!(" {}", function.name));
        eprintln!();
        return ExitCode::from(2);
    }
    let chosen = |name: &str| all || names.contains(&name);
    println!(
        "{:<10} {:>8} {:>24} {:>10} {:>8} {:>8} {:>8} {:>6} {:>8}",
        "function", "max ulp", "at", "correctly", "PTX", "CUDA's", "no movs", "times", "CUDA ulp"
    );
    let mut outside = 0;
    let mut within = 0;
    let mut report = |name: &str, found: &Found, cuda_bound: Option<f64>| {
        print_row(name, found, cuda_bound);
        // None may be worse than what CUDA publishes for its own, nor beyond the bound.
        let bound = cuda_bound.map_or(BOUND, |cuda| cuda.min(BOUND));
        if found.max_ulp <= bound { within += 1 } else { outside += 1 }
    };
    for function in unaries().filter(|function| chosen(function.name)) {
        let found = measure::sweep(function, stratified);
        report(function.name, &found, function.cuda_bound);
    }
    for function in binaries().filter(|function| chosen(function.name)) {
        let count = if stratified { 1 << 21 } else { 100_000_000 };
        let found = pairs::sweep(function, count);
        report(function.name, &found, function.cuda_bound);
    }
    println!("{within} within bound, {outside} outside");
    if outside == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print_row(name: &str, found: &Found, cuda_bound: Option<f64>) {
    let count = count::of(name);
    let counted = |table: &[(&str, f64)]| {
        table.iter().find(|(cuda, _)| cuda.strip_suffix('f') == Some(name)).map(|&(_, count)| count)
    };
    let cuda = counted(cuda_counts::CUDA_COUNTS);
    let without_moves = counted(cuda_counts::CUDA_COUNTS_WITHOUT_MOVES);
    let number = |value: Option<f64>, places: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.places$}"))
    };
    let times = count.zip(cuda).map(|(ours, cuda)| ours / cuda);
    println!(
        "{name:<10} {:>8.4} {:>24} {:>9.4}% {:>8} {:>8} {:>8} {:>6} {:>8}",
        found.max_ulp,
        found.worst,
        found.correct * 100.0,
        number(count, 1),
        number(cuda, 1),
        number(without_moves, 1),
        number(times, 2),
        number(cuda_bound, 0),
    );
}
