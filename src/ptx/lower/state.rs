//! What lowering keeps while it walks a kernel, and the least things it does: take a register, copy, set a constant.
//!
//! Every SSA value and every local has its own register; copies between them are plain moves, which register
//! allocation takes out where the webs don't interfere. Constants have no register until an instruction needs one.

use crate::backend::EmitError;
use crate::diag::Spanned;
use crate::entity::{Arena, SecondaryMap};
use crate::ir::op::{Binary, BinaryOp, Fma, Op, Unary, UnaryOp};
use crate::ir::range::Ranges;
use crate::ir::uniformity::{Assumptions, Uniformity};
use crate::ir::{DType, InstId, Kernel, LaunchClass, Literal, LocalId, Param, ParamId, ParamKind, ValueId};
use crate::ptx::isa::modifier::CmpOp;
use crate::ptx::isa::modifier::Ftz;
use crate::ptx::isa::types::SetpType;
use crate::ptx::isa::{AndPred, Def, GlobalId, LabelId, Mov, MovPred, OrPred, Reg, RegClass, Use};
use crate::ptx::isa::{PairedDef, PredUse, Setp};
use crate::ptx::module::{Entry, Variable};
use crate::ptx::regalloc::{Hint, Hints, Prefix};
use crate::target::Target;

use super::arith::yes;
use super::arrays::Arrays;
use super::notes::{Comments, Notes};
use super::prologue::Prologue;
use super::rank::Ranks;

/// The lanes that take part in warp operations.
#[derive(Clone, Copy, Debug)]
pub(super) enum Members {
    /// The kernel has no warp operation.
    None,
    /// All 32, always.
    Full,
    /// The first lanes of the warp.
    Prefix {
        /// A bit for each member.
        mask: Reg,
        /// How many there are.
        count: Reg,
    },
    /// Any lanes: a bit for each.
    Any(Reg),
}

/// The end of an `if` by which lanes that leave the loop go, so that the others learn of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Join {
    pub(super) end: LabelId,
    /// Set in the lanes that leave.
    pub(super) gone: Reg,
}

/// Where `break` and `continue` go.
#[derive(Clone, Debug)]
pub(super) struct LoopLabels {
    pub(super) leave: LabelId,
    pub(super) next: LabelId,
    /// Whether anything goes to `next`.
    pub(super) continued: bool,
    /// Whether each iteration has a mask: then all its lanes come by `next`.
    pub(super) masked: bool,
    /// Set in the lanes that have left a masked loop.
    pub(super) broke: Option<Reg>,
    /// The `if`s around by whose ends lanes leave, outermost first.
    pub(super) joins: Vec<Join>,
}

/// Lowering of one kernel.
pub(super) struct Lowering<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) class: &'k LaunchClass,
    pub(super) target: Target,
    pub(super) entry: Entry,
    pub(super) hints: Hints,
    /// The instruction that defines each value.
    pub(super) definitions: SecondaryMap<ValueId, Option<InstId>>,
    /// Whether anything reads the value.
    pub(super) used: SecondaryMap<ValueId, bool>,
    values: SecondaryMap<ValueId, Option<Reg>>,
    locals: SecondaryMap<LocalId, Option<Reg>>,
    pub(super) bases: SecondaryMap<ParamId, Option<Reg>>,
    pub(super) arrays: Arrays,
    /// Variables at module scope.
    pub(super) globals: Arena<GlobalId, Variable>,
    /// Whether a written buffer may overlap any other, so that no load is sure to read what nobody writes.
    pub(super) overlaps: bool,
    /// Under what condition memory is touched and locals are set, beyond the control flow.
    pub(super) predicate: Option<Reg>,
    /// Whether the thread lies within the extent, where threads beyond it run on.
    pub(super) active: Option<Reg>,
    /// The condition of the `if` that is being written as predicated code.
    pub(super) short_if: Option<Reg>,
    pub(super) members: Members,
    /// The ranks of the members of the masks that are known here, by mask.
    pub(super) ranks: Vec<Ranks>,
    pub(super) head: Prologue,
    pub(super) loops: Vec<LoopLabels>,
    /// Whether the existing lanes of each warp are proven to run together here.
    pub(super) converged: bool,
    pub(super) ranges: Ranges,
    /// Among all threads that exist.
    pub(super) uniformity: Uniformity,
    /// Among the threads within the extent: what masks ask.
    pub(super) meeting: Uniformity,
    pub(super) selection: Vec<String>,
    /// What inline texts have wrong.
    pub(super) errors: Vec<Spanned<EmitError>>,
    /// What is said about the instructions, and where they come from.
    pub(super) notes: Notes,
    labels: u32,
}

pub(super) fn prefix(dtype: DType) -> Prefix {
    match dtype {
        DType::Bool => Prefix::Pred,
        DType::F32 => Prefix::F32,
        DType::F64 => Prefix::F64,
        DType::F16 | DType::BF16 => Prefix::Half,
        DType::I64 | DType::U64 => Prefix::Wide,
        DType::I8 | DType::I16 | DType::I32 | DType::U8 | DType::U16 | DType::U32 | DType::Storage(_) => {
            Prefix::Int
        }
    }
}

/// Whether a parameter is written and may overlap others.
fn may_overlap(param: &Param) -> bool {
    matches!(param.kind, ParamKind::Buffer { written: true, alias: true, .. })
}

impl<'k> Lowering<'k> {
    pub(super) fn new(
        kernel: &'k Kernel,
        class: &'k LaunchClass,
        target: Target,
        comments: Comments,
    ) -> Self {
        let mut definitions = SecondaryMap::with_len(None, kernel.values.len());
        for (id, inst) in kernel.insts.iter() {
            for &result in &inst.results {
                definitions[result] = Some(id);
            }
        }
        let mut used = SecondaryMap::with_len(false, kernel.values.len());
        kernel.walk(kernel.body, &mut |_, inst| inst.op.uses(&mut |value| used[value] = true));
        Self {
            kernel,
            class,
            target,
            entry: Entry::new(kernel.entry()),
            hints: Hints::default(),
            definitions,
            used,
            values: SecondaryMap::with_len(None, kernel.values.len()),
            locals: SecondaryMap::with_len(None, kernel.locals.len()),
            bases: SecondaryMap::with_len(None, kernel.params.len()),
            arrays: Arrays::default(),
            globals: Arena::new(),
            overlaps: kernel.params.values().any(may_overlap),
            predicate: None,
            active: None,
            short_if: None,
            members: Members::None,
            ranks: Vec::new(),
            head: Prologue::default(),
            loops: Vec::new(),
            converged: true,
            ranges: Ranges::of(kernel, class),
            uniformity: Uniformity::of(kernel, Some(class)),
            meeting: Uniformity::analyse(kernel, Assumptions::active(class)),
            selection: Vec::new(),
            errors: Vec::new(),
            notes: Notes::new(kernel, comments),
            labels: 0,
        }
    }

    pub(super) fn dtype(&self, value: ValueId) -> DType {
        self.kernel.dtype(value)
    }

    /// The class of register that holds a value of the type.
    #[expect(clippy::unused_self, reason = "reads as a question to the lowering, like its neighbours")]
    pub(super) fn class_of(&self, dtype: DType) -> RegClass {
        match dtype {
            DType::Bool => RegClass::Pred,
            DType::F16 | DType::BF16 => RegClass::B16,
            DType::I64 | DType::U64 | DType::F64 => RegClass::B64,
            DType::I8
            | DType::I16
            | DType::I32
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::F32
            | DType::Storage(_) => RegClass::B32,
        }
    }

    /// A register for an intermediate result.
    pub(super) fn temp(&mut self, class: RegClass) -> Reg {
        let prefix = match class {
            RegClass::Pred => Prefix::Pred,
            RegClass::B16 => Prefix::Half,
            RegClass::B64 | RegClass::B128 => Prefix::Wide,
            RegClass::B8 | RegClass::B32 => Prefix::Int,
        };
        self.named(class, prefix, None)
    }

    /// A register for an intermediate value of a type.
    pub(super) fn temp_of(&mut self, dtype: DType) -> Reg {
        self.named(self.class_of(dtype), prefix(dtype), None)
    }

    /// A register with a name for the dump.
    pub(super) fn named(&mut self, class: RegClass, prefix: Prefix, name: Option<&str>) -> Reg {
        let reg = self.entry.regs.new_reg(class, "");
        self.hints.set(reg, Hint { prefix, name: name.map(Into::into) });
        reg
    }

    /// The register that a value is to be put into.
    pub(super) fn define(&mut self, value: ValueId) -> Reg {
        let data = &self.kernel.values[value];
        let reg = self.named(self.class_of(data.dtype), prefix(data.dtype), data.name.as_deref());
        self.values[value] = Some(reg);
        reg
    }

    /// Makes a value's register one that holds it already.
    pub(super) fn alias(&mut self, value: ValueId, reg: Reg) {
        self.values[value] = Some(reg);
    }

    /// The register of a local.
    pub(super) fn local(&mut self, local: LocalId) -> Reg {
        if let Some(reg) = self.locals[local] {
            return reg;
        }
        let data = &self.kernel.locals[local];
        let reg = self.entry.regs.new_reg(self.class_of(data.dtype), "");
        self.hints.set_local(reg, Hint { prefix: prefix(data.dtype), name: data.name.clone() });
        self.locals[local] = Some(reg);
        reg
    }

    /// The operation that defines a value; `None` for the counter of a loop.
    pub(super) fn definition(&self, value: ValueId) -> Option<&'k Op> {
        self.definitions[value].map(|inst| &self.kernel.insts[inst].op)
    }

    /// The value of a constant.
    pub(super) fn constant(&self, value: ValueId) -> Option<Literal> {
        match self.definition(value) {
            Some(Op::Const(constant)) => Some(constant.value),
            Some(_) | None => None,
        }
    }

    /// Whether a `bitcast` of the value keeps its bits even if it is a NaN.
    pub(super) fn moves_bits(&self, value: ValueId) -> bool {
        self.definition(value).is_some_and(Op::has_defined_nan)
    }

    /// Whether a NaN that the value may be is the canonical one without help. f32 arithmetic makes no other on the
    /// hardware, but the assembler writes no arithmetic where it knows an operand to be the identity (`x · 1`,
    /// `min(x, x)`), and then a NaN comes through with its bits. So one operand has to be a constant that is not the
    /// identity. `tests/filetests/run/nan_bits.ir` asks every GPU, `nan_identities.ir` its assembler.
    pub(super) fn makes_canonical_nan(&self, value: ValueId) -> bool {
        let constant =
            |value| self.constant(value).and_then(Literal::as_f64).filter(|number| !number.is_nan());
        let adds = |value| constant(value).is_some_and(|term| term != 0.0);
        let scales = |value| constant(value).is_some_and(|factor| factor.abs() != 1.0);
        let computes = |op: &Op| match op {
            Op::Unary(Unary { op: UnaryOp::Sqrt, .. }) => true,
            Op::Binary(Binary { op: BinaryOp::Add | BinaryOp::Sub, a, b }) => adds(*a) || adds(*b),
            Op::Binary(Binary { op: BinaryOp::Mul, a, b }) => scales(*a) || scales(*b),
            Op::Binary(Binary { op: BinaryOp::Div, a, b }) => constant(*a).is_some() || scales(*b),
            Op::Fma(Fma { a, b, c }) => scales(*a) || scales(*b) || adds(*c),
            _ => false,
        };
        self.dtype(value) == DType::F32 && self.definition(value).is_some_and(computes)
    }

    /// Whether a 32-bit sum is proven not to wrap.
    pub(super) fn cannot_wrap(&self, value: ValueId) -> bool {
        self.ranges.cannot_wrap(value)
    }

    /// The register of a value; a constant is put into one.
    pub(super) fn reg(&mut self, value: ValueId) -> Reg {
        if let Some(reg) = self.values[value] {
            return reg;
        }
        let literal = self.constant(value).expect("validate() checked that values are defined before use");
        let class = self.class_of(literal.dtype);
        let reg = self.named(class, prefix(literal.dtype), None);
        self.set_constant(reg, literal);
        reg
    }

    pub(super) fn set_constant(&mut self, dst: Reg, literal: Literal) {
        if literal.dtype != DType::Bool {
            let ty = Self::mov_type(dst.class());
            return self.emit(Mov { ty, dst: Def(dst), src: immediate(literal) });
        }
        // There is no predicate immediate: compare two.
        self.emit(Setp {
            cmp: CmpOp::Eq,
            ftz: Ftz(false),
            ty: SetpType::U32,
            dst: Def(dst),
            complement: PairedDef::Absent,
            a: Use::Int(i64::from(literal.is_zero())),
            b: Use::Int(0),
        });
    }

    /// A value as an operand: an immediate where PTX takes one of its type.
    pub(super) fn operand(&mut self, value: ValueId) -> Use {
        match self.constant(value) {
            Some(literal) if !matches!(literal.dtype, DType::F16 | DType::BF16 | DType::Bool) => {
                immediate(literal)
            }
            Some(_) | None => self.reg(value).into(),
        }
    }

    /// `dst = 0`.
    pub(super) fn zero(&mut self, dst: Reg) {
        let dtype = match dst.class() {
            RegClass::Pred => DType::Bool,
            RegClass::B16 => DType::U16,
            RegClass::B64 | RegClass::B128 => DType::U64,
            RegClass::B8 | RegClass::B32 => DType::U32,
        };
        self.set_constant(dst, Literal { dtype, bits: 0 });
    }

    /// `dst = src`.
    pub(super) fn copy(&mut self, dst: Reg, src: Reg) {
        self.copy_guarded(dst, src, None);
    }

    /// `dst = src` where the condition holds.
    pub(super) fn copy_guarded(&mut self, dst: Reg, src: Reg, guard: Option<Reg>) {
        if dst.class() == RegClass::Pred {
            return self.emit_guarded(MovPred { dst: Def(dst), src: yes(src) }, guard);
        }
        let ty = Self::mov_type(dst.class());
        self.emit_guarded(Mov { ty, dst: Def(dst), src: src.into() }, guard);
    }

    /// `dst = cond ? a : b` of predicates: there is no `selp.pred`.
    pub(super) fn select_pred(&mut self, dst: Reg, cond: Reg, a: Reg, b: Reg) {
        let (chosen, other) = (self.temp(RegClass::Pred), self.temp(RegClass::Pred));
        self.emit(AndPred { dst: Def(chosen), a: yes(cond), b: yes(a) });
        self.emit(AndPred { dst: Def(other), a: PredUse { reg: cond, negated: true }, b: yes(b) });
        self.emit(OrPred { dst: Def(dst), a: yes(chosen), b: yes(other) });
    }

    /// The address of a global buffer.
    pub(super) fn base(&self, param: ParamId) -> Reg {
        self.bases[param].expect("the prologue loads the address of every buffer that is used")
    }

    /// A fresh label: `$L3_loop`.
    pub(super) fn label(&mut self, what: &str) -> LabelId {
        self.labels += 1;
        let name = format!("$L{}_{what}", self.labels);
        self.entry.new_label(name)
    }

    /// Reports a choice, once.
    pub(super) fn choose(&mut self, choice: String) {
        if !self.selection.contains(&choice) {
            self.selection.push(choice);
        }
    }
}

/// A constant as PTX writes it; integers in the canonical form of their register.
fn immediate(literal: Literal) -> Use {
    match literal.dtype {
        DType::F32 => Use::F32(literal.bits as u32),
        DType::F64 => Use::F64(literal.bits),
        DType::F16 | DType::BF16 | DType::Bool | DType::Storage(_) => Use::Int(literal.bits.cast_signed()),
        DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => Use::Int(literal.as_int().expect("an integer literal has an integer value") as i64),
    }
}
