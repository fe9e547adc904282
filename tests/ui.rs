//! The kernel language, row by row: files that must compile, with tests of the IR they build, and files that must be
//! refused with a certain message.
//!
//! `tests/ui/pass` is compiled into this one binary; `tests/ui/fail` goes through trybuild, since each file there fails
//! on its own. `TRYBUILD=overwrite cargo test --test ui` rewrites the expected messages.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use warpsmith::dsl::BuildErrors;
use warpsmith::ir::Kernel;

#[path = "ui/pass"]
mod pass {
    mod approximate;
    mod arrays;
    mod atomic;
    mod barriers;
    mod calls;
    mod cases;
    mod control;
    mod errors;
    mod geometry;
    mod host;
    mod hygiene;
    mod inline;
    mod leaving;
    mod matrices;
    mod memory;
    mod modes;
    mod mutable;
    mod numbers;
    mod parameters;
    mod runs;
    mod selection;
    mod storage;
    mod variants;
    mod warp;
}

/// The text of a kernel that must build, without places; checked to round-trip through the parser.
fn text(kernel: Result<Kernel, BuildErrors>) -> String {
    let kernel = kernel.unwrap_or_else(|errors| panic!("{errors}"));
    let text = kernel.to_string();
    let parsed = warpsmith::ir::parse::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(parsed, kernel, "the text form round-trips\n{text}");
    if let Err(errors) = warpsmith::ir::validate::validate(&kernel) {
        panic!("{}\n{text}", warpsmith::diag::Report::of(&errors).render(&kernel.sources));
    }
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("source "));
    lines.map(without_place).collect::<Vec<_>>().join("\n")
}

/// The lines of a kernel's body.
fn body(kernel: Result<Kernel, BuildErrors>) -> String {
    let text = text(kernel);
    let inner: Vec<_> = text.lines().collect();
    inner[1..inner.len() - 1]
        .iter()
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The messages of a kernel that must not build.
fn refused(kernel: Result<Kernel, BuildErrors>) -> String {
    match kernel {
        Ok(kernel) => panic!("it builds:\n{kernel}"),
        Err(errors) => {
            errors.errors.iter().map(|error| error.error.to_string()).collect::<Vec<_>>().join("\n")
        }
    }
}

/// A line without ` @line:column`; the kernel's name, ` @module::name`, stays.
fn without_place(line: &str) -> String {
    let mut pieces = line.split(" @");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let place = piece.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(piece.len());
        kept.push_str(if place == 0 { " @" } else { "" });
        kept.push_str(&piece[place..]);
    }
    kept
}

#[test]
fn refusals() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/fail/*.rs");
}
