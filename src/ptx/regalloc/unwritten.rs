//! Registers that are read although nothing can have written them.
//!
//! Entry: a body with placed labels. Exit: each register that some instruction reads which can be reached, and which no
//! instruction on any way there writes, with the first such instruction. A write counts whatever its guard: code that
//! may be right is not named. Not here: registers that are written on some ways only, which compilers leave behind
//! where the conditions of both places agree.

use super::bits::{self, BitMatrix};
use super::code::Code;
use crate::ptx::isa::Reg;
use crate::ptx::module::Entry;

/// A register, and the statement that reads it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The register.
    pub register: Reg,
    /// Position in the body.
    pub statement: usize,
}

/// Those of a body, in the order of their first reads.
pub fn unwritten(entry: &Entry) -> Vec<Unwritten> {
    let code = Code::scan(entry);
    let registers = code.numbering.len();
    let mut written = BitMatrix::new(code.blocks.len(), registers);
    let mut reached = vec![false; code.blocks.len()];
    reached.iter_mut().take(1).for_each(|first| *first = true);
    let mut changed = true;
    while changed {
        changed = false;
        for (at, block) in code.blocks.iter().enumerate() {
            if !reached[at] {
                continue;
            }
            let mut after = written.row(at).to_vec();
            let steps = code.steps[block.steps.clone()].iter();
            for operand in steps.flat_map(|step| code.operands(step)).filter(|operand| operand.is_def()) {
                bits::set(&mut after, operand.number());
            }
            // [`NONE`](super::code::NONE) is no block, and neither is what follows the last one.
            for next in block.next.iter().map(|&next| next as usize) {
                if let Some(is_reached) = reached.get_mut(next) {
                    changed |= !std::mem::replace(is_reached, true);
                    changed |= bits::union(written.row_mut(next), &after);
                }
            }
        }
    }
    let mut found: Vec<Unwritten> = Vec::new();
    let mut seen = vec![false; registers];
    for (at, block) in code.blocks.iter().enumerate().filter(|(at, _)| reached[*at]) {
        let mut written = written.row(at).to_vec();
        for step in &code.steps[block.steps.clone()] {
            let (writes, reads): (Vec<_>, Vec<_>) = code
                .operands(step)
                .iter()
                .map(|operand| (operand.is_def(), operand.number()))
                .partition(|o| o.0);
            for (_, number) in reads {
                if !bits::has(&written, number) && !std::mem::replace(&mut seen[number], true) {
                    let register = code.numbering.reg(number);
                    found.push(Unwritten { register, statement: step.statement as usize });
                }
            }
            writes.iter().for_each(|&(_, number)| bits::set(&mut written, number));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::module::{StatementKind, parse};

    fn of(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n\
             .reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n{body}\n}}\n"
        );
        let entry = &parse(&text).unwrap().entries[0];
        let named = |found: &Unwritten| {
            assert!(matches!(entry.body[found.statement].kind, StatementKind::Inst(_)));
            format!("{} {}", entry.regs.name(found.register), entry.body[found.statement].line - 8)
        };
        unwritten(entry).iter().map(named).collect()
    }

    #[test]
    fn a_register_without_any_write_before_is_found_once() {
        let body = "add.u32 %r1, %r2, %r2;\nadd.u32 %r3, %r2, %r1;\n@%p1 add.u32 %r4, %r5, 1;\nmov.u32 %r2, 0;\nret;";
        assert_eq!(of(body), ["%r2 1", "%p1 3", "%r5 3"]);
        assert_eq!(of("mov.b64 {%r1, %r2}, %rd1;\nadd.u32 %r3, %r1, %r2;\nret;"), ["%rd1 1"]);
        assert_eq!(of("add.u32 %r1, %r1, 1;\nret;"), ["%r1 1"]);
    }

    #[test]
    fn what_some_way_writes_is_not_named() {
        for body in [
            // One arm of a branch, a guard, a loop's last round.
            "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra $b;\nmov.u32 %r2, 1;\n$b:\nadd.u32 %r3, %r2, 1;\nret;",
            "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, 1;\nadd.u32 %r3, %r2, 1;\nret;",
            "mov.u32 %r1, %tid.x;\n$t:\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 add.u32 %r2, %r4, 1;\nmov.u32 %r4, 7;\n@%p1 bra $t;\nret;",
            // Nothing leads there.
            "ret;\n$b:\nadd.u32 %r3, %r2, 1;\nbra $b;",
            "",
        ] {
            assert_eq!(of(body), [""; 0], "{body}");
        }
        // A write behind the read, and no way back.
        let body = "bra $a;\n$b:\nmov.u32 %r2, 1;\nret;\n$a:\nadd.u32 %r3, %r2, 1;\nbra $b;";
        assert_eq!(of(body), ["%r2 6"]);
    }
}
