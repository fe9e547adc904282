//! Statements: control flow, locals, and the exchanges between threads.

use warpsmith::ir::op::{
    Ballot, BinaryOp, Break, Comment, Compare, CompareOp, Continue, CtaBarrier, GeomReg, Guard, Load,
    LocalGet, LocalSet, Match, MemBase, Place, Reach, ReduceOp, Shuffle, ShuffleMode, Unary, UnaryOp, Vote,
    VoteMode, WarpBarrier, WarpReduce, WarpScan, Width,
};
use warpsmith::ir::{DType, Keyword, Literal, ValueId};

use super::{Control, Generator, Known};

impl Generator {
    /// A few statements; `depth` more levels may open inside.
    pub(super) fn block(&mut self, depth: u32) {
        let scope = self.pool.len();
        for _ in 0..2 + self.tape.below(6) {
            if self.tape.is_over() {
                break;
            }
            self.statement(depth);
        }
        // The outermost values stay, for the epilogue.
        if depth < 3 {
            self.pool.truncate(scope);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.tape.below(16) {
            0..=5 => self.operation(),
            6 => self.set_local(),
            7 => self.memory(),
            8 => self.own_memory(),
            9 if depth > 0 => self.branch(depth),
            10 if depth > 0 => self.counted(depth),
            11 if depth > 0 => self.endless(depth),
            12 | 13 => self.warp_op(),
            14 if self.control == Control::Cta => self.exchange(),
            15 => {
                self.builder.push(Comment { text: format!("remark \"{}\"", self.tape.below(10)) });
            }
            _otherwise => self.get_local(),
        }
    }

    fn set_local(&mut self) {
        let (local, dtype) = { self.locals[self.tape.below(self.locals.len())] };
        let value = self.operand(dtype);
        self.builder.push(LocalSet { local, value });
    }

    fn get_local(&mut self) {
        let (local, dtype) = self.locals[self.tape.below(self.locals.len())];
        let value = self.builder.value(LocalGet { local });
        self.pool.push(Known { value, dtype, from_own_memory: false });
    }

    /// A condition, and for whom it is the same.
    fn condition(&mut self) -> (ValueId, Control) {
        let (a, control) = match self.tape.below(3) {
            0 => (self.operand(DType::U32), Control::Divergent),
            1 => {
                let scalar = self.scalars[0].0;
                (self.builder.value(warpsmith::ir::op::Scalar { param: scalar }), Control::Cta)
            }
            _warp => (self.geometry(GeomReg::WarpId), Control::Warp),
        };
        let b = self.tape.literal(DType::U32);
        let b = self.builder.constant(b);
        let op = self.tape.pick(&[CompareOp::Lt, CompareOp::Ne, CompareOp::Ge]);
        (self.builder.value(Compare { op, a, b }), control)
    }

    fn within(&mut self, control: Control, depth: u32) {
        let outer = self.control;
        if control > outer {
            self.control = control;
        }
        self.block(depth - 1);
        self.control = outer;
    }

    fn branch(&mut self, depth: u32) {
        let (cond, control) = self.condition();
        let then = self.builder.open();
        self.within(control, depth);
        self.leave(control);
        self.builder.close();
        let els = self.builder.open();
        if self.tape.one_in(2) {
            self.within(control, depth);
            self.leave(control);
        }
        self.builder.close();
        self.builder.push_if(cond, then, els);
    }

    /// Now and then `break` or `continue`, where the loop expects no better of its threads.
    fn leave(&mut self, control: Control) {
        let Some(&expected) = self.loops.last() else { return };
        let here = if control > self.control { control } else { self.control };
        if here > expected || !self.tape.one_in(4) {
            return;
        }
        if self.tape.one_in(2) {
            self.builder.push(Continue {});
        } else {
            self.builder.push(Break {});
        }
    }

    fn counted(&mut self, depth: u32) {
        let dtype = self.tape.pick(&[DType::U32, DType::I32, DType::U64, DType::I64]);
        let (mut control, trips) = (Control::Cta, self.tape.below(4) as i128);
        let down = dtype.is_signed() && self.tape.one_in(2);
        let step = if down { -2 } else { 1 + self.tape.below(2) as i128 };
        let literal = |value: i128| Literal::int(dtype, value).expect("small numbers fit every loop type");
        let start = self.builder.constant(literal(if down { 5 } else { 0 }));
        let mut end = self.builder.constant(literal(if down { 5 - 2 * trips } else { trips }));
        if self.tape.one_in(3) {
            let bound = self.small_index(4);
            end = self.builder.convert(bound, dtype);
            control = Control::Divergent;
        }
        let step = self.builder.constant(literal(step));
        if self.tape.one_in(4) {
            control = Control::Divergent;
        }
        let body = self.builder.begin_for(start);
        let scope = self.pool.len();
        self.know(body.1);
        self.loops.push(control);
        self.within(control, depth);
        self.loops.pop();
        self.pool.truncate(scope);
        let unroll = self.tape.pick(&[1, 2, 4]);
        self.builder.end_for(body, [start, end, step], unroll);
    }

    /// An endless loop that counts in a local of its own and leaves after a few rounds.
    fn endless(&mut self, depth: u32) {
        let rounds = self.builder.local(Some("rounds"), DType::U32);
        let zero = self.u32(0);
        self.builder.push(LocalSet { local: rounds, value: zero });
        let control = self.tape.pick(&[Control::Cta, Control::Divergent]);
        let body = self.builder.open();
        let now = self.builder.value(LocalGet { local: rounds });
        let one = self.u32(1);
        let next = self.binary(BinaryOp::Add, now, one);
        self.builder.push(LocalSet { local: rounds, value: next });
        let most = 1 + self.tape.word() % 3;
        let most = self.u32(most);
        let over = self.builder.value(Compare { op: CompareOp::Gt, a: next, b: most });
        let then = self.builder.open();
        self.builder.push(Break {});
        self.builder.close();
        let els = self.builder.open();
        self.builder.close();
        self.builder.push_if(over, then, els);
        self.loops.push(control);
        self.within(control, depth);
        self.loops.pop();
        self.builder.end_loop(body);
    }

    /// Whether the active lanes are the first of their warp.
    fn lanes_are_in_front(&self) -> bool {
        self.control <= Control::Warp && self.launch.class(16).keeps_lanes_in_front()
    }

    /// Whether every warp has all its lanes here, within the extent.
    fn warps_are_full(&self) -> bool {
        self.control <= Control::Warp
            && self.launch.extent.is_none()
            && self.launch.cta_threads().is_multiple_of(32)
    }

    fn warp_op(&mut self) {
        let dtypes = [DType::F32, DType::U32, DType::I32, DType::F64, DType::I64, DType::U64];
        match self.tape.below(6) {
            0 | 1 => {
                let dtype = self.tape.pick(&dtypes);
                let value = self.operand(dtype);
                let ops: Vec<ReduceOp> = ReduceOp::ALL.iter().map(|(op, _)| *op).collect();
                let op = self.tape.pick(if dtype.is_int() { &ops } else { &ops[..4] });
                let result = if self.tape.one_in(2) {
                    self.builder.value(WarpReduce { op, value })
                } else {
                    let reach = self.tape.pick(&[Reach::Inclusive, Reach::Exclusive]);
                    self.builder.value(WarpScan { reach, op, value })
                };
                self.know(result);
            }
            2 => {
                let dtype = self.tape.pick(&super::numbers());
                let value = self.operand(dtype);
                let full = self.warps_are_full();
                if !self.lanes_are_in_front() {
                    return self.shuffle_from_first(value);
                }
                let mode = if full {
                    self.tape.pick(&[ShuffleMode::Xor, ShuffleMode::Down, ShuffleMode::Up, ShuffleMode::Idx])
                } else {
                    self.tape.pick(&[ShuffleMode::Up, ShuffleMode::Idx])
                };
                let lane = match (mode, full) {
                    (ShuffleMode::Idx, false) => self.u32(0),
                    (_, true) if self.tape.one_in(2) => self.small_index(40),
                    (_, _) => {
                        let distance = self.tape.word() % 40;
                        self.u32(distance)
                    }
                };
                let result = self.builder.value(Shuffle { mode, value, lane });
                self.know(result);
            }
            3 => {
                let cond = self.operand(DType::Bool);
                let mode = self.tape.pick(&[VoteMode::Any, VoteMode::All]);
                let result = self.builder.value(Vote { mode, cond });
                self.know(result);
                let result = self.builder.value(Ballot { cond });
                self.know(result);
            }
            4 => {
                let dtypes = [DType::I8, DType::U16, DType::I32, DType::U32, DType::U64, DType::I64];
                let dtype = self.tape.pick(&dtypes);
                let value = self.operand(dtype);
                let result = self.builder.value(Match { value });
                self.know(result);
            }
            _barrier => {
                self.builder.push(WarpBarrier {});
            }
        }
    }

    /// The value of the first active lane.
    fn shuffle_from_first(&mut self, value: ValueId) {
        let cond = self.builder.constant(Literal::bool(true));
        let active = self.builder.value(Ballot { cond });
        let lane = self.builder.value(Unary { op: UnaryOp::Ctz, a: active });
        let result = self.builder.value(Shuffle { mode: ShuffleMode::Idx, value, lane });
        self.know(result);
    }

    /// Each thread puts a value down and takes its neighbour's.
    fn exchange(&mut self) {
        let Some((array, dtype)) = self.shared else {
            self.builder.push(CtaBarrier {});
            return;
        };
        let (base, value) = (MemBase::Array(array), self.operand(dtype));
        let thread = self.geometry(GeomReg::ThreadId(0));
        self.store(base, thread, &[value]);
        self.builder.push(CtaBarrier {});
        let distance = self.tape.word() % 70;
        let (distance, threads) = (self.u32(distance), self.u32(self.launch.cta[0]));
        let beyond = self.binary(BinaryOp::Add, thread, distance);
        let index = self.binary(BinaryOp::Rem, beyond, threads);
        let load = Load { width: Width::X1, place: Place { base, index }, guard: Guard(None) };
        let value = self.builder.value(load);
        self.pool.push(Known { value, dtype, from_own_memory: true });
        self.builder.push(CtaBarrier {});
    }
}
