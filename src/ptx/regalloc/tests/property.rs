//! Random structured bodies with many copies: the result passes the check, computes the same, and two webs merged
//! wrongly do not pass.

use std::collections::HashMap;
use std::fmt::Write;

use proptest::prelude::*;

use super::super::code::{self, Code};
use super::super::equal::Equals;
use super::super::liveness::Columns;
use super::super::{Colouring, Pressure, bits, check, coalesce, coloured, slots};
use super::*;
use crate::ptx::isa::{Op, Use};
use crate::ptx::module::{Entry, StatementKind};

const INTS: [&str; 6] = ["%a", "%b", "%c", "%d", "%e", "%n"];
const PREDS: [&str; 2] = ["%p", "%q"];

#[derive(Clone, Debug)]
enum Piece {
    Line(String),
    If(&'static str, Vec<Piece>, Vec<Piece>),
    Loop(&'static str, Vec<Piece>),
}

fn int() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&INTS[..])
}

fn pred() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&PREDS[..])
}

fn guard() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        1 => (any::<bool>(), pred()).prop_map(|(not, p)| format!("@{}{p} ", if not { "!" } else { "" })),
    ]
}

fn line() -> impl Strategy<Value = Piece> {
    let text = prop_oneof![
        8 => (int(), int()).prop_map(|(d, a)| format!("mov.b32 {d}, {a};")),
        3 => (int(), int(), int()).prop_map(|(d, a, b)| format!("add.s32 {d}, {a}, {b};")),
        1 => (int(), 0..9).prop_map(|(d, value)| format!("mov.b32 {d}, {value};")),
        2 => int().prop_map(|a| format!("st.global.u32 [%x], {a};")),
        1 => (int(), int()).prop_filter_map("one register twice", |(a, b)| {
            (a != b).then(|| format!("ld.global.v2.u32 {{{a}, {b}}}, [%x];"))
        }),
        1 => (pred(), int(), int()).prop_map(|(p, a, b)| format!("setp.lt.u32 {p}, {a}, {b};")),
        1 => (pred(), any::<bool>(), pred())
            .prop_map(|(p, not, q)| format!("mov.pred {p}, {}{q};", if not { "!" } else { "" })),
        1 => any::<bool>().prop_map(|to_y| {
            if to_y { "mov.b64 %y, %x;".to_owned() } else { "mov.b64 %x, %y;".to_owned() }
        }),
    ];
    (guard(), text).prop_map(|(guard, text)| Piece::Line(guard + &text))
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let leaf = proptest::collection::vec(line(), 0..8);
    leaf.prop_recursive(3, 40, 6, |inner| {
        let piece = prop_oneof![
            4 => line(),
            1 => (pred(), inner.clone(), inner.clone()).prop_map(|(p, yes, no)| Piece::If(p, yes, no)),
            1 => (pred(), inner).prop_map(|(p, body)| Piece::Loop(p, body)),
        ];
        proptest::collection::vec(piece, 0..10)
    })
}

fn write(pieces: &[Piece], labels: &mut usize, out: &mut String) {
    for piece in pieces {
        let label = *labels;
        *labels += 1;
        match piece {
            Piece::Line(text) => writeln!(out, "{text}").unwrap(),
            Piece::If(p, yes, no) => {
                writeln!(out, "@!{p} bra $else{label};").unwrap();
                write(yes, labels, out);
                writeln!(out, "bra $end{label};\n$else{label}:").unwrap();
                write(no, labels, out);
                writeln!(out, "$end{label}:").unwrap();
            }
            Piece::Loop(p, body) => {
                writeln!(out, "$loop{label}:").unwrap();
                write(body, labels, out);
                writeln!(out, "@{p} bra $loop{label};").unwrap();
            }
        }
    }
}

fn body(pieces: &[Piece]) -> String {
    let mut out = "ld.param.u64 %x, [out];\nmov.b64 %y, 64;\n".to_owned();
    for (value, reg) in INTS.iter().enumerate() {
        writeln!(out, "mov.b32 {reg}, {value};").unwrap();
    }
    out += "setp.lt.u32 %p, %a, %b;\nsetp.lt.u32 %q, %b, %a;\n";
    write(pieces, &mut 0, &mut out);
    for reg in INTS.iter().take(3) {
        writeln!(out, "st.global.u32 [%y], {reg};").unwrap();
    }
    out + "ret;"
}

/// What a body stores, address and value, until it ends or has run long enough. Copies do not count as time, since
/// allocation drops some.
fn run(entry: &Entry) -> Vec<(u64, u64)> {
    let positions = entry.label_positions();
    let (mut regs, mut stored, mut loads) = (HashMap::<Reg, u64>::new(), Vec::new(), 0);
    let (mut at, mut time) = (0, 0);
    while at < entry.body.len() && time < 500 {
        let StatementKind::Inst(inst) = &entry.body[at].kind else {
            at += 1;
            continue;
        };
        at += 1;
        time += usize::from(code::copied(&inst.op).is_none());
        if inst.guard.is_some_and(|guard| (regs[&guard.pred] != 0) == guard.negated) {
            continue;
        }
        let value = |it: Use| it.reg().map_or_else(|| it.bits().unwrap(), |reg| regs[&reg]);
        let address = |base| if let crate::ptx::isa::Base::Reg(reg) = base { regs[&reg] } else { 1000 };
        match &inst.op {
            Op::Mov(row) => _ = regs.insert(row.dst.0, value(row.src)),
            Op::MovPred(row) => {
                let value = regs[&row.src.reg] ^ u64::from(row.src.negated);
                regs.insert(row.dst.0, value);
            }
            Op::Add(row) => {
                let sum = value(row.a).wrapping_add(value(row.b)) & 0xffff_ffff;
                regs.insert(row.dst.0, sum);
            }
            Op::Setp(row) => _ = regs.insert(row.dst.0, u64::from(value(row.a) < value(row.b))),
            Op::St(row) => stored.push((address(row.addr.base), value(row.src.0[0]))),
            Op::Ld(row) => {
                let base = address(row.addr.base);
                for dst in row.dst.0.iter().flatten() {
                    loads += 7;
                    regs.insert(*dst, base + loads);
                }
            }
            Op::Bra(row) => at = positions[row.target].unwrap(),
            Op::Ret(_) => return stored,
            other => panic!("{} is not generated", other.row()),
        }
    }
    stored
}

/// Pairs of webs of one class that hold different values at once somewhere.
fn conflicts(entry: &Entry) -> Vec<(Reg, Reg)> {
    let code = Code::scan(entry);
    let columns = Columns::all(&code);
    let equals = Equals::new(&code, &columns);
    let rows = coalesce::interference(&code, &columns, Some(&equals));
    let pairs = (0..columns.len()).flat_map(|a| bits::ones(rows.row(a)).map(move |b| (a, b)));
    let regs = pairs.map(|(a, b)| (code.numbering.reg(a), code.numbering.reg(b)));
    regs.filter(|(a, b)| a != b && a.class() == b.class()).collect()
}

/// Makes one web of two, in the body and in the record.
pub(super) fn merge(entry: &mut Entry, allocation: &mut Allocation, (gone, kept): (Reg, Reg)) {
    for statement in &mut entry.body {
        if let StatementKind::Inst(inst) = &mut statement.kind {
            inst.visit_mut(|_, reg| *reg = if *reg == gone { kept } else { *reg });
        }
    }
    for web in allocation.web_of.iter_mut().flatten() {
        *web = if *web == gone { kept } else { *web };
    }
}

/// Whether something reads a value silently: a copy within one place, which moves nothing, or a result under a guard,
/// which keeps what is there. Liveness counts such a read; the check rightly does not if nobody reads on.
fn reads_silently(entry: &Entry, same: impl Fn(Reg, Reg) -> bool) -> bool {
    entry.insts().any(|(_, inst)| {
        code::copied(&inst.op).is_some_and(|(dst, src)| same(dst, src))
            || (inst.guard.is_some() && !inst.defs().is_empty())
    })
}

proptest! {
    #[test]
    fn allocation_changes_registers_and_nothing_else(pieces in pieces(), pick in any::<proptest::sample::Index>()) {
        let original = parse(&body(&pieces));
        let mut module = original.clone();
        let (mut allocation, text) = allocated(&mut module, &Hints::new());
        let (before, result) = (&original.entries[0], &mut module.entries[0]);
        prop_assert_eq!(check(before, result, &allocation), Ok(()));
        prop_assert_eq!(run(before), run(result), "{}", text);
        prop_assert_eq!(before.insts().count() - result.insts().count(), allocation.copies_removed);

        let mut again = original.clone();
        allocate(&mut again.entries[0], &Hints::new());
        prop_assert_eq!(&again.entries[0], &*result);

        let conflicts = conflicts(result);
        if !conflicts.is_empty() {
            let pair = conflicts[pick.index(conflicts.len())];
            merge(result, &mut allocation, pair);
            let refused = check(before, result, &allocation).is_err();
            let same = |dst, src| dst == src;
            prop_assert!(refused || (reads_silently(result, same) && run(before) == run(result)), "{pair:?} {text}");
        }
    }

    #[test]
    fn a_colouring_gives_each_value_a_place_of_its_own(pieces in pieces(), pick in any::<proptest::sample::Index>()) {
        let module = parse(&body(&pieces));
        let entry = &module.entries[0];
        let mut colouring = Colouring::of(entry);
        prop_assert_eq!(colouring.check(entry), Ok(()));
        let pressure = Pressure::of(entry);
        prop_assert!(pressure.slots() <= colouring.slots && pressure.predicates() <= colouring.predicates);
        for (reg, _) in entry.regs.iter() {
            let place = colouring.place(reg).unwrap_or(0);
            prop_assert_eq!(place % slots(reg.class()).max(1), 0);
        }
        let mut renamed = module.clone();
        renamed.entries[0] = coloured(entry);
        prop_assert_eq!(renamed.check(), Ok(()), "{}", renamed.print());
        prop_assert_eq!(run(entry), run(&renamed.entries[0]), "{}", renamed.print());
        let conflicts = conflicts(entry);
        if !conflicts.is_empty() {
            let (a, b) = conflicts[pick.index(conflicts.len())];
            colouring.move_to(a, b);
            let same = |dst, src| colouring.place(dst) == colouring.place(src);
            prop_assert!(colouring.check(entry).is_err() || reads_silently(entry, same));
        }
    }
}
