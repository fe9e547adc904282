//! Tests of allocation as a whole: text in, text out.

mod checking;
mod coalescing;
mod cost;
mod property;

use super::{Allocation, Hint, Hints, Prefix, allocate};
use crate::ptx::isa::{Reg, RegClass};
use crate::ptx::module::{self, Module};

const DECLARED: &str = ".reg .b32 %a, %b, %c, %d, %e, %n;\n.reg .b64 %x, %y;\n.reg .pred %p, %q;\n";

/// A module of one entry with registers `%a` … `%e`, `%n` of 32 bits, `%x`, `%y` of 64, predicates `%p`, `%q`.
fn parse(body: &str) -> Module {
    let head = ".version 7.0\n.target sm_80\n.address_size 64\n";
    let text = format!("{head}.visible .entry k(.param .u64 out) {{\n{DECLARED}{body}\n}}\n");
    module::parse(&text).unwrap()
}

fn named(module: &Module, name: &str) -> Reg {
    module.entries[0].regs.iter().find(|(_, met)| *met == name).map(|(reg, _)| reg).unwrap()
}

fn hint(prefix: Prefix, name: &str) -> Hint {
    Hint { prefix, name: (!name.is_empty()).then(|| name.into()) }
}

/// Allocates and gives the body back as text, without its frame.
fn allocated(module: &mut Module, hints: &Hints) -> (Allocation, String) {
    let allocation = allocate(&mut module.entries[0], hints);
    let text = module.print();
    assert_eq!(module::parse(&text).as_ref(), Ok(&*module), "{text}");
    assert_eq!(module.check(), Ok(()), "{text}");
    let body = text[text.find("\n{").unwrap()..].lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<_> = body.map(|line| line.trim_end().to_owned()).collect();
    (allocation, lines.join("\n") + "\n")
}

fn count(module: &Module, class: RegClass) -> usize {
    module.entries[0].regs.len(class)
}
