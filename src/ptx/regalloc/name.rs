//! One register per web, named from the source and its class.
//!
//! Entry: webs from coalescing, and what the lowering knows of each virtual register. Exit: a table with one
//! register per web that occurs in the body, numbered within its class in the order in which the text shows it,
//! and no two of one name. Names depend on the body and the hints alone. Not here: changing the body.

use std::fmt::Write;

use super::class::Prefix;
use super::code::{Code, NONE};
use crate::ptx::isa::{Reg, RegClass, RegTable};

/// What a register is called: a type to show, and a name from the source if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The letters at the start.
    pub prefix: Prefix,
    /// The name in the source.
    pub name: Option<Box<str>>,
}

/// How much a name counts when registers with different names become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// A name of a value.
    #[default]
    Value,
    /// A name of a variable that the source declares; it wins over a value's.
    Local,
}

/// Hints for the registers of one body.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    classes: [Vec<Option<(Hint, Priority)>>; 6],
}

impl Hints {
    /// No hints: each register is named by its class.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says what a value's register is called.
    pub fn set(&mut self, reg: Reg, hint: Hint) {
        self.set_with(reg, hint, Priority::Value);
    }

    /// Says what a variable's register is called: its name wins over those of the values copied to and from it.
    pub fn set_local(&mut self, reg: Reg, hint: Hint) {
        self.set_with(reg, hint, Priority::Local);
    }

    /// Says what a register is called and how much that counts.
    pub fn set_with(&mut self, reg: Reg, hint: Hint, priority: Priority) {
        let class = &mut self.classes[reg.class() as usize];
        if class.len() <= reg.index() {
            class.resize(reg.index() + 1, None);
        }
        class[reg.index()] = Some((hint, priority));
    }

    /// The hint for a register.
    pub fn get(&self, reg: Reg) -> Option<&Hint> {
        self.entry(reg).map(|(hint, _)| hint)
    }

    fn entry(&self, reg: Reg) -> Option<&(Hint, Priority)> {
        self.classes[reg.class() as usize].get(reg.index())?.as_ref()
    }
}

/// A register per web.
pub(super) struct Named {
    pub(super) regs: RegTable,
    /// The register of each virtual register that occurs.
    pub(super) web_of: Vec<Option<Reg>>,
}

/// What a web is called so far.
struct Web<'a> {
    class: RegClass,
    hint: Option<&'a Hint>,
    /// Named before unnamed, then a variable's before a value's; the first of equals stays.
    rank: Option<(bool, Priority)>,
}

/// Numbers and names the webs.
pub(super) fn run(code: &Code, webs: &[u32], hints: &Hints) -> Named {
    let mut position = vec![NONE; webs.len()];
    let mut seen = vec![false; webs.len()];
    let mut found: Vec<Web<'_>> = Vec::with_capacity(webs.len());
    for operand in &code.operands {
        let number = operand.number();
        if std::mem::replace(&mut seen[number], true) {
            continue;
        }
        let reg = code.numbering.reg(number);
        let at = &mut position[webs[number] as usize];
        if *at == NONE {
            *at = u32::try_from(found.len()).expect("there are no more webs than registers");
            found.push(Web { class: reg.class(), hint: None, rank: None });
        }
        let web = &mut found[*at as usize];
        let entry = hints.entry(reg);
        let rank = entry.map(|(hint, priority)| (hint.name.is_some(), *priority));
        if rank > web.rank {
            (web.hint, web.rank) = (entry.map(|(hint, _)| hint), rank);
        }
    }
    let mut namer = Namer::new(found.len());
    let mut regs = RegTable::new();
    let made: Vec<Reg> = found.iter().map(|web| regs.new_reg(web.class, namer.name(web))).collect();
    let of = |number: usize| seen[number].then(|| made[position[webs[number] as usize] as usize]);
    let web_of = (0..webs.len()).map(of).collect();
    Named { regs, web_of }
}

/// Makes names that differ.
struct Namer {
    /// Next number of an unnamed register, by prefix.
    unnamed: [u32; Prefix::COUNT],
    /// Source names given so far, each with the next suffix to try.
    given: Vec<(Box<str>, u32)>,
    /// Open addressing over `given`.
    slots: Vec<u32>,
    text: String,
}

impl Namer {
    fn new(webs: usize) -> Self {
        let slots = vec![NONE; (webs * 2).next_power_of_two()];
        Self { unnamed: [0; Prefix::COUNT], given: Vec::new(), slots, text: String::new() }
    }

    fn name(&mut self, web: &Web<'_>) -> Box<str> {
        let prefix = web.hint.map_or(Prefix::of(web.class), |hint| hint.prefix);
        self.text.clear();
        self.text.push('%');
        self.text.push_str(prefix.spelling());
        match web.hint.and_then(|hint| hint.name.as_deref()) {
            Some(name) => {
                self.text.push('_');
                let name = name.strip_prefix("r#").unwrap_or(name);
                // PTX identifiers are of ASCII; a Rust name may hold any letter.
                let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
                self.text.extend(name.chars().map(plain));
                self.make_unique();
            }
            None => {
                // A digit stands where a source name has its `_`, so that the two never meet.
                let next = &mut self.unnamed[prefix as usize];
                push_number(&mut self.text, *next);
                *next += 1;
            }
        }
        self.text.as_str().into()
    }

    fn make_unique(&mut self) {
        let Some(first) = self.claim() else { return };
        let length = self.text.len();
        // `acc1` and `2` would read as twelve.
        let separator = if self.text.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        loop {
            let suffix = self.given[first].1;
            self.given[first].1 += 1;
            self.text.truncate(length);
            self.text.push_str(separator);
            push_number(&mut self.text, suffix);
            if self.claim().is_none() {
                return;
            }
        }
    }

    /// Takes the name, or says who has it.
    fn claim(&mut self) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash(&self.text) & mask;
        while self.slots[slot] != NONE {
            let taken = self.slots[slot] as usize;
            if *self.given[taken].0 == *self.text {
                return Some(taken);
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = u32::try_from(self.given.len()).expect("there are no more names than registers");
        self.given.push((self.text.as_str().into(), 2));
        None
    }
}

fn push_number(text: &mut String, number: u32) {
    write!(text, "{number}").expect("writing to a string does not fail");
}

/// FNV-1a.
fn hash(text: &str) -> usize {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)) as usize
}
