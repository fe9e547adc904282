//! From a module to a [`Program`]: instructions in a row, targets, addresses and immediates resolved.
//!
//! Entry: a module that passes its check. Exit: a program in which nothing is looked up by name any more, and in which
//! functions stand in the place of their calls. A construct that the emulator lacks is an error here, with its line,
//! never a guess at run time. Where variables lie is in [`variables`](super::variables).

use std::collections::HashMap;

use super::access::{Access, Order};
use super::asynchronous::Async;
use super::atomic::Atomic;
use super::file::{ALWAYS, FIRST_PRED, FULL, Layout};
use super::finding::Site;
use super::global::ModuleVariable;
use super::matrix_move::Matrix;
use super::micro::{Kind, Micro, SyncOp};
use super::simd::Simd;
use super::step::{Plan, Step as _, Unsupported, pred};
use super::variables::{Variables, function_address};
use crate::diag::Code;
use crate::entity::SecondaryMap;
use crate::ptx::isa::{FunctionId, Inst, LabelId, Reg, RegClass, Symbol, Use};
use crate::ptx::module::{
    ASSERT_FAIL, CallError, Entry, EntryNames, LaunchBounds, Module, PRINT, StatementKind, VarSpace, expand,
};

pub(super) use super::space::{LOCAL_BASE, SHARED_BASE};

/// Why a module can't be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The module has no such kernel.
    #[error("no entry `{name}` in the module")]
    NoEntry {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// An instruction or operand that the emulator does not know.
    #[error("line {line}: the emulator lacks {what}: `{text}`")]
    Unsupported {
        /// Line of the PTX text; 0 if the module was not read from text.
        line: u32,
        /// What is lacking.
        what: &'static str,
        /// The instruction.
        text: String,
    },
    /// A call that can't be put in place.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A branch to a label that stands nowhere.
    #[error("line {line}: label `{label}` is not placed")]
    UnplacedLabel {
        /// Line of the branch.
        line: u32,
        /// The label.
        label: String,
    },
}

impl DecodeError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NoEntry { known, .. } if known.is_empty() => "the module has no entry at all".to_owned(),
            Self::NoEntry { known, .. } => format!("entries: {}", known.join(", ")),
            Self::Unsupported { .. } => "write it with instructions that the emulator has".to_owned(),
            Self::Call(error) => error.help(),
            Self::UnplacedLabel { .. } => "place the label in the body of the same entry".to_owned(),
        }
    }

    /// What kind of mistake it is.
    pub const fn code(&self) -> Code {
        match self {
            Self::NoEntry { .. } => Code::NoEntry,
            Self::Unsupported { .. } => Code::EmulatorLacks,
            Self::Call(error) => error.code(),
            Self::UnplacedLabel { .. } => Code::PtxLabel,
        }
    }
}

/// Where an instruction stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Line of the PTX text.
    pub(super) line: u32,
    /// The instruction as text.
    pub(super) text: Box<str>,
    /// Source file, as an index into the program's files, and line.
    pub(super) source: Option<(u32, u32)>,
}

/// A kernel, ready to run.
pub struct Program {
    pub(super) name: String,
    pub(super) code: Vec<Micro>,
    pub(super) places: Vec<Place>,
    pub(super) files: Vec<String>,
    pub(super) layout: Layout,
    pub(super) accesses: Vec<Access>,
    pub(super) atomics: Vec<Atomic>,
    pub(super) matrices: Vec<Matrix>,
    /// Number of the module's target.
    pub(super) sm: u16,
    pub(super) asyncs: Vec<Async>,
    pub(super) bounds: LaunchBounds,
    pub(super) param_bytes: u32,
    /// Address after the last static shared variable, where dynamic shared memory begins.
    pub(super) shared_end: u32,
    /// Address after the last local variable.
    pub(super) local_end: u32,
    /// Names of variables with their address and size, for messages.
    pub(super) variables: Vec<(VarSpace, String, u32, u64)>,
    /// The module's variables in global memory.
    pub(super) globals: Vec<ModuleVariable>,
    /// Constant memory.
    pub(super) constants: Vec<u8>,
    pub(super) has_nc: bool,
    /// Functions of the module with their addresses.
    pub(super) functions: Vec<(u64, String)>,
    /// Whether fences, releases or acquires may order CTAs.
    pub(super) ordered: bool,
}

impl Program {
    /// Decodes one entry for the best vector instructions of this host.
    ///
    /// # Errors
    /// The entry is not there, or has something the emulator lacks.
    pub fn decode(module: &Module, entry: &str) -> Result<Self, DecodeError> {
        Self::decode_for(module, entry, Simd::best())
    }

    /// The same for vector instructions of choice; the results are equal.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_for(module: &Module, entry: &str, simd: Simd) -> Result<Self, DecodeError> {
        let found = module.entries.iter().find(|candidate| candidate.name == entry);
        let Some(found) = found else {
            let known = module.entries.iter().map(|entry| entry.name.clone()).collect();
            return Err(DecodeError::NoEntry { name: entry.to_owned(), known });
        };
        let expanded = expand(module, found)?;
        let functions = module.functions.iter().map(|(id, function)| {
            let defined = if function.defined { "" } else { " (not defined here)" };
            (function_address(id), format!("{}{defined}", function.code.name))
        });
        let functions = functions.collect();
        let mut planner = Planner::new(module, &expanded.entry);
        planner.depth = expanded.depth;
        let program = planner.decode(simd)?;
        Ok(Self { functions, ..program })
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Instructions, an end that is not written out included.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Never: even an empty body has its end.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Bytes that the parameters take, each at its own alignment.
    pub fn param_bytes(&self) -> u32 {
        self.param_bytes
    }

    /// Bytes of static shared memory.
    pub fn static_shared_bytes(&self) -> u32 {
        self.shared_end - SHARED_BASE
    }

    /// Where an instruction stands.
    pub(super) fn site(&self, pc: u32) -> Site {
        let place = &self.places[pc as usize];
        let source = place.source.map(|(file, line)| (self.files[file as usize].clone(), line));
        Site { line: place.line, text: place.text.to_string(), source }
    }

    /// The function at an address.
    pub(super) fn function_at(&self, address: u64) -> Option<String> {
        let found = self.functions.iter().find(|(start, _)| *start == address)?;
        Some(found.1.clone())
    }

    /// Line and text of an instruction.
    pub fn instruction(&self, index: usize) -> Option<(u32, &str)> {
        self.places.get(index).map(|place| (place.line, &*place.text))
    }
}

/// Decodes one entry: gives operands their positions and symbols their addresses.
pub(super) struct Planner<'a> {
    module: &'a Module,
    entry: &'a Entry,
    layout: Layout,
    constants: HashMap<(RegClass, u64), u32>,
    variables: Variables,
    targets: SecondaryMap<LabelId, Option<u32>>,
    unplaced: Option<LabelId>,
    /// Holds the depth of the stack of calls, where there is one.
    pub(super) depth: Option<Reg>,
    pub(super) accesses: Vec<Access>,
    pub(super) atomics: Vec<Atomic>,
    pub(super) matrices: Vec<Matrix>,
    pub(super) asyncs: Vec<Async>,
}

impl<'a> Planner<'a> {
    fn new(module: &'a Module, entry: &'a Entry) -> Self {
        let count = |class| entry.regs.len(class);
        // One register more of each width takes what a vector destination throws away.
        let layout = Layout {
            preds: count(RegClass::Pred) + FIRST_PRED as usize,
            halves: count(RegClass::B16) + count(RegClass::B8) + 1,
            words: count(RegClass::B32) + 1,
            longs: count(RegClass::B64) + 1,
            ..Layout::default()
        };
        let mut planner = Self {
            module,
            entry,
            layout,
            constants: HashMap::new(),
            variables: Variables::lay_out(module, entry),
            targets: SecondaryMap::with_len(None, entry.labels.len()),
            unplaced: None,
            depth: None,
            accesses: Vec::new(),
            atomics: Vec::new(),
            matrices: Vec::new(),
            asyncs: Vec::new(),
        };
        planner.place_labels();
        planner
    }

    fn place_labels(&mut self) {
        let mut position = 0;
        for statement in &self.entry.body {
            match statement.kind {
                StatementKind::Label(label) => self.targets[label] = Some(position),
                StatementKind::Inst(_) => position += 1,
                StatementKind::Loc { .. } | StatementKind::Comment(_) | StatementKind::Pragma(_) => {}
            }
        }
    }

    fn decode(mut self, simd: Simd) -> Result<Program, DecodeError> {
        let (mut code, mut places) = (Vec::new(), Vec::new());
        let files: Vec<String> = self.module.files.iter().map(|file| file.path.clone()).collect();
        let mut source = None;
        let mut last_line = 0;
        for statement in &self.entry.body {
            match &statement.kind {
                StatementKind::Loc { file, line, .. } => {
                    let index = self.module.files.iter().position(|known| known.index == *file);
                    source = index.map(|index| (index as u32, *line));
                }
                StatementKind::Inst(inst) => {
                    last_line = statement.line;
                    code.push(self.inst(inst, statement.line, simd)?);
                    places.push(Place { line: statement.line, text: self.text(inst).into(), source });
                }
                StatementKind::Label(_) | StatementKind::Comment(_) | StatementKind::Pragma(_) => {}
            }
        }
        // The assembler accepts a body without `ret`, and a label may stand behind the last instruction.
        let end = Plan::of(Kind::Exit);
        code.push(micro(&end, None, simd));
        places.push(Place { line: last_line, text: "(end of the body)".into(), source });
        let ordered = code.iter().any(|micro| matches!(micro.kind, Kind::Fence(_)))
            || self
                .accesses
                .iter()
                .any(|access| access.strong.is_some_and(|(order, _)| order.acquires() || order.releases()))
            || self.atomics.iter().any(|atomic| atomic.strength.0 != Order::Relaxed);
        Ok(Program {
            ordered,
            name: self.entry.name.clone(),
            code,
            places,
            files,
            layout: self.layout,
            has_nc: self.accesses.iter().any(|access| access.nc),
            accesses: self.accesses,
            atomics: self.atomics,
            matrices: self.matrices,
            sm: self.module.target.sm,
            asyncs: self.asyncs,
            bounds: self.entry.bounds,
            param_bytes: self.variables.param_bytes,
            shared_end: self.variables.shared_end,
            local_end: self.variables.local_end,
            variables: self.variables.named,
            globals: self.variables.globals,
            constants: self.variables.constants,
            functions: Vec::new(),
        })
    }

    fn text(&self, inst: &Inst) -> String {
        let names = EntryNames { module: self.module, entry: self.entry };
        inst.display(&names).to_string().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn inst(&mut self, inst: &Inst, line: u32, simd: Simd) -> Result<Micro, DecodeError> {
        let mut wide = false;
        inst.visit(|_, reg| wide |= reg.class() == RegClass::B128);
        let plan = if wide { Err(Unsupported("128-bit registers")) } else { inst.op.plan(self) };
        match plan {
            Ok(plan) => {
                let guard = inst.guard.map(|guard| (guard.pred, guard.negated));
                Ok(micro(&plan, guard, simd))
            }
            Err(Unsupported(what)) => Err(match self.unplaced {
                Some(label) => {
                    DecodeError::UnplacedLabel { line, label: self.entry.labels[label].name.clone() }
                }
                None => DecodeError::Unsupported { line, what, text: self.text(inst) },
            }),
        }
    }

    /// Position of a register in the file of its width.
    pub(super) fn reg(&self, reg: Reg) -> u32 {
        let index = reg.index() as u32;
        match reg.class() {
            RegClass::Pred => pred(reg),
            RegClass::B8 => index + self.entry.regs.len(RegClass::B16) as u32,
            RegClass::B16 | RegClass::B32 | RegClass::B64 | RegClass::B128 => index,
        }
    }

    /// Position of the register that takes what nobody reads.
    pub(super) fn sink(&self, class: RegClass) -> u32 {
        (match class {
            RegClass::B8 | RegClass::B16 => self.layout.halves,
            RegClass::B32 => self.layout.words,
            RegClass::Pred | RegClass::B64 | RegClass::B128 => self.layout.longs,
        }) as u32
            - 1
    }

    /// Position of a value: a register, or the immediate in the width given.
    pub(super) fn value(&mut self, value: Use, class: RegClass) -> u32 {
        match value {
            Use::Reg(reg) => self.reg(reg),
            Use::Int(int) => self.constant(class, int.cast_unsigned()),
            Use::F32(bits) => self.constant(class, u64::from(bits)),
            Use::F64(bits) => self.constant(class, bits),
        }
    }

    /// An operation on matrices, which all lanes of a warp do together.
    pub(super) fn matrix(&mut self, matrix: Matrix) -> Plan {
        self.matrices.push(matrix);
        let members = self.constant(RegClass::B32, u64::from(FULL));
        let op = SyncOp::Matrix(self.matrices.len() as u32 - 1);
        Plan { e: members, ..Plan::of(Kind::Sync(op)) }
    }

    /// Position of a constant.
    pub(super) fn constant(&mut self, class: RegClass, bits: u64) -> u32 {
        let (class, bits) = match class {
            RegClass::B8 => (RegClass::B16, bits & 0xff),
            RegClass::B16 => (RegClass::B16, bits & 0xffff),
            RegClass::B32 => (RegClass::B32, bits & 0xffff_ffff),
            RegClass::Pred | RegClass::B64 | RegClass::B128 => (RegClass::B64, bits),
        };
        let layout = &mut self.layout;
        *self.constants.entry((class, bits)).or_insert_with(|| match class {
            RegClass::B16 => {
                layout.half_constants.push(bits as u16);
                (layout.halves + layout.half_constants.len() - 1) as u32
            }
            RegClass::B32 => {
                layout.word_constants.push(bits as u32);
                (layout.words + layout.word_constants.len() - 1) as u32
            }
            RegClass::Pred | RegClass::B8 | RegClass::B64 | RegClass::B128 => {
                layout.long_constants.push(bits);
                (layout.longs + layout.long_constants.len() - 1) as u32
            }
        })
    }

    /// Where a label leads.
    pub(super) fn target(&mut self, label: LabelId) -> Result<u32, Unsupported> {
        self.targets[label].ok_or_else(|| {
            self.unplaced = Some(label);
            Unsupported("a label that is not placed")
        })
    }

    /// Space and address of a variable or parameter; `None` for the space means parameters.
    pub(super) fn symbol(&self, symbol: Symbol) -> Result<(Option<VarSpace>, u64), Unsupported> {
        match symbol {
            Symbol::Param(id) => Ok((None, self.variables.param(id))),
            Symbol::Function(_) => Err(Unsupported("a function used as a variable")),
            Symbol::Var(_) | Symbol::Global(_) => {
                let found = self.variables.find(symbol);
                let (space, address) = found.ok_or(Unsupported("external and large variables"))?;
                Ok((Some(space), address))
            }
        }
    }

    /// Whether a function is the one in which `printf` ends.
    pub(super) fn is_print(&self, id: FunctionId) -> bool {
        let function = &self.module.functions[id];
        !function.defined && function.code.name == PRINT
    }

    /// Whether a function is the one in which `assert` ends.
    pub(super) fn is_assert_fail(&self, id: FunctionId) -> bool {
        let function = &self.module.functions[id];
        !function.defined && function.code.name == ASSERT_FAIL
    }
}

fn micro(plan: &Plan, guard: Option<(Reg, bool)>, simd: Simd) -> Micro {
    let (guard, negate) = match guard {
        Some((reg, negated)) => (pred(reg), if negated { u32::MAX } else { 0 }),
        None => (ALWAYS, 0),
    };
    let &Plan { bind, kind, d, a, b, c, e, flags } = plan;
    Micro { exec: bind(simd), d, a, b, c, e, flags: flags.0, guard, negate, kind }
}
