//! `mbarrier`: phases that are complete when all arrivals and all bytes have come.
//!
//! The state of a barrier is kept beside the memory that it lies in, which nobody else may touch until it ends. An
//! arrival releases what its thread did before; who finds a phase complete acquires that, and what copies brought in
//! it. Copies land when their phase is complete, as writes of a CTA that does not exist ([`ENGINE`]): even the thread
//! that began one has to find out. Of two barriers with copies by one thread, finding the later phase complete counts
//! for the earlier one too: that is missed.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::asynchronous::Async;
use super::clock::{CtaClock, Known};
use super::cp_async::Copies;
use super::decode::Planner;
use super::file::File;
use super::finding_async::MbarrierProblem;
use super::flight::{Busy, Ticket};
use super::load_store::{Fault, Wrong, lanes_of};
use super::micro::Kind;
use super::order::{FenceKind, Reach};
use super::race::AccessKind;
use super::step::{Plan, Step, Unsupported, pred};
use super::transfer::{Place, Refusal, Stage};
use crate::ptx::isa::async_modifier::SharedName;
use crate::ptx::isa::modifier::Space;
use crate::ptx::isa::{
    Address, CpAsyncArrive, FenceMbarrierInit, FenceProxyAsync, MbarrierArrive, MbarrierArriveExpect,
    MbarrierComplete, MbarrierExpect, MbarrierInit, MbarrierInval, MbarrierTest, MbarrierTestParity,
    MbarrierTry, MbarrierTryParity, Reg, RegClass, Use,
};

/// Set in the number of a CTA: what writes is not one of its threads, but what copies for them.
pub(super) const ENGINE: u32 = 1 << 31;

/// Bytes of a barrier, which are its alignment too.
const BYTES: u32 = 8;

/// The largest counts of arrivals and of bytes.
const MOST: u32 = (1 << 20) - 1;

/// The barriers of a CTA by their addresses.
pub(super) type Mbarriers = BTreeMap<u32, Mbarrier>;

/// A barrier.
#[derive(Debug)]
pub(super) struct Mbarrier {
    /// Arrivals of a phase.
    count: u32,
    /// Arrivals that this phase lacks.
    pub(super) pending: u32,
    /// Bytes that this phase lacks; below zero while copies were faster than the expectation.
    pub(super) bytes: i64,
    /// The phase it is in.
    pub(super) phase: u64,
    /// What arrivals of this phase release.
    given: Known,
    /// What the phases before released.
    known: Known,
    /// Copies of this phase, with warp and lane of who began them.
    copies: Vec<(Ticket, u32, u32)>,
    /// Its own bytes.
    memory: Ticket,
}

/// What lanes do with a barrier. Numbers are positions in the register file.
#[derive(Clone, Copy, Debug)]
enum Action {
    Init {
        count: u32,
    },
    Inval,
    Arrive {
        count: Option<u32>,
        state: Option<u32>,
    },
    ArriveExpect {
        bytes: u32,
        state: Option<u32>,
    },
    Expect {
        bytes: u32,
    },
    Complete {
        bytes: u32,
    },
    TestState {
        done: u32,
        state: u32,
    },
    TestParity {
        done: u32,
        parity: u32,
    },
    /// Arrives with the copies of the lane.
    Copies {
        counted: bool,
    },
}

/// An operation on barriers.
#[derive(Clone, Copy, Debug)]
pub(super) struct MbarrierOp {
    bar: Place,
    action: Action,
}

/// Does it for the lanes. Returns the barrier that a lane waits for in vain.
pub(super) fn run(
    operation: &MbarrierOp,
    file: &mut File,
    mask: u32,
    copies: &mut Copies,
    stage: &mut Stage<'_, '_>,
) -> Result<Option<u32>, Refusal> {
    let addresses = operation.bar.addresses(file);
    let mut waits = None;
    for lane in lanes_of(mask) {
        let address = addresses[lane];
        let word = |index: u32| file.read::<u32>(index)[lane];
        let mut states: Option<(u32, u64)> = None;
        let mut answer: Option<(u32, bool)> = None;
        let refuse = |problem| refusal(lane, address, Wrong::Mbarrier(problem));
        match operation.action {
            Action::Init { count } => stage.init(lane, address, word(count))?,
            Action::Inval => stage.inval(lane, address)?,
            Action::Arrive { count, state } => {
                let bar = stage.reach(lane, address)?;
                states = state.map(|state| (state, stage.phase(bar)));
                stage.arrive(lane, bar, count.map_or(1, word)).map_err(refuse)?;
            }
            Action::ArriveExpect { bytes, state } => {
                let bar = stage.reach(lane, address)?;
                states = state.map(|state| (state, stage.phase(bar)));
                stage.expect(bar, i64::from(word(bytes))).map_err(refuse)?;
                stage.arrive(lane, bar, 1).map_err(refuse)?;
            }
            Action::Expect { bytes } => {
                let bar = stage.reach(lane, address)?;
                stage.expect(bar, i64::from(word(bytes))).map_err(refuse)?;
            }
            Action::Complete { bytes } => {
                let bar = stage.reach(lane, address)?;
                stage.expect(bar, -i64::from(word(bytes))).map_err(refuse)?;
                stage.complete(bar);
            }
            Action::TestState { done, state } => {
                let bar = stage.reach(lane, address)?;
                let is_past = file.read::<u64>(state)[lane] < stage.phase(bar);
                answer = Some((done, stage.test(lane, bar, is_past)));
            }
            Action::TestParity { done, parity } => {
                let bar = stage.reach(lane, address)?;
                let is_past = u64::from(word(parity) & 1) != stage.phase(bar) & 1;
                answer = Some((done, stage.test(lane, bar, is_past)));
            }
            Action::Copies { counted } => {
                let bar = stage.reach(lane, address)?;
                let tickets = copies.of_lane(lane, stage.flights);
                stage.arrive_with(lane, bar, &tickets, counted).map_err(refuse)?;
            }
        }
        if let Some((state, phase)) = states {
            file.write::<u64>(state, &[phase; super::file::LANES], 1 << lane);
        }
        if let Some((done, is_past)) = answer {
            file.write_pred(done, if is_past { u32::MAX } else { 0 }, 1 << lane);
            if !is_past {
                waits = Some(address as u32);
            }
        }
    }
    Ok(waits)
}

fn refusal(lane: usize, address: u64, wrong: Wrong) -> Refusal {
    let fault = Fault { lane: lane as u32, wrong, space: Space::Shared, address };
    Refusal { fault, bytes: BYTES, verb: "mbarrier" }
}

impl Stage<'_, '_> {
    fn init(&mut self, lane: usize, address: u64, count: u32) -> Result<(), Refusal> {
        let problem = if count == 0 || count > MOST {
            Some(MbarrierProblem::Count { count })
        } else if self.mbarriers.contains_key(&(address as u32)) {
            Some(MbarrierProblem::MadeTwice)
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(refusal(lane, address, Wrong::Mbarrier(problem)));
        }
        self.touch_shared(lane, address, (BYTES, BYTES), AccessKind::Store, "mbarrier")?;
        let holder = self.holder(lane, Busy::Barrier);
        let memory = self.flights.begin(address as usize, BYTES as usize, SmallVec::new(), holder);
        let (given, known) = (Known::default(), Known::default());
        let bar =
            Mbarrier { count, pending: count, bytes: 0, phase: 0, given, known, copies: Vec::new(), memory };
        self.mbarriers.insert(address as u32, bar);
        Ok(())
    }

    fn inval(&mut self, lane: usize, address: u64) -> Result<(), Refusal> {
        let bar = self.reach(lane, address)?;
        if let Some(bar) = self.mbarriers.remove(&bar) {
            self.flights.end(bar.memory);
        }
        self.touch_shared(lane, address, (BYTES, BYTES), AccessKind::Store, "mbarrier")
    }

    /// The barrier at an address: there, and known to the lane as such.
    pub(super) fn reach(&mut self, lane: usize, address: u64) -> Result<u32, Refusal> {
        self.touch_shared(lane, address, (BYTES, BYTES), AccessKind::Update, "mbarrier")?;
        let bar = address as u32;
        if !self.mbarriers.contains_key(&bar) {
            return Err(refusal(lane, address, Wrong::Mbarrier(MbarrierProblem::NotMade)));
        }
        Ok(bar)
    }

    fn bar(&mut self, bar: u32) -> &mut Mbarrier {
        self.mbarriers.get_mut(&bar).expect("it was found when the lane reached it")
    }

    fn phase(&mut self, bar: u32) -> u64 {
        self.bar(bar).phase
    }

    fn arrive(&mut self, lane: usize, bar: u32, count: u32) -> Result<(), MbarrierProblem> {
        if self.sanitizes() {
            let given = self.order.gather(self.time, self.warp, 1 << lane);
            self.bar(bar).given.join(&given);
            self.time.now += 1;
        }
        self.count_off(bar, count)
    }

    fn count_off(&mut self, bar: u32, count: u32) -> Result<(), MbarrierProblem> {
        let state = self.bar(bar);
        if count == 0 || count > state.pending {
            return Err(MbarrierProblem::Arrivals { count, pending: state.pending });
        }
        state.pending -= count;
        self.complete(bar);
        Ok(())
    }

    /// Expects bytes, or takes off those that came.
    pub(super) fn expect(&mut self, bar: u32, bytes: i64) -> Result<(), MbarrierProblem> {
        let state = self.bar(bar);
        state.bytes += bytes;
        if state.bytes.unsigned_abs() > u64::from(MOST) {
            return Err(MbarrierProblem::Bytes { bytes: state.bytes });
        }
        Ok(())
    }

    /// Arrives once copies are done; they are, as far as their bytes go. `counted`: the arrival is one of those that
    /// the barrier was made for.
    fn arrive_with(
        &mut self,
        lane: usize,
        bar: u32,
        tickets: &[Ticket],
        counted: bool,
    ) -> Result<(), MbarrierProblem> {
        for &ticket in tickets {
            if self.flights.leave_to_phase(ticket) {
                self.tie(lane, bar, ticket);
            }
        }
        if counted { self.count_off(bar, 1) } else { Ok(()) }
    }

    /// Lets a copy end with the phase that the barrier is in.
    pub(super) fn tie(&mut self, lane: usize, bar: u32, ticket: Ticket) {
        let warp = self.warp;
        self.bar(bar).copies.push((ticket, warp, lane as u32));
    }

    /// Ends the phase if nothing lacks.
    pub(super) fn complete(&mut self, bar: u32) {
        let state = self.bar(bar);
        if state.pending != 0 || state.bytes != 0 {
            return;
        }
        state.pending = state.count;
        state.phase += 1;
        let copies = std::mem::take(&mut state.copies);
        let mut known = std::mem::take(&mut state.given);
        let (now, engine) = (self.time.now, self.time.cta | ENGINE);
        for (ticket, warp, lane) in copies {
            let mut clock = CtaClock::default();
            clock.raise(warp, 1 << lane, now);
            match self.flights.end(ticket) {
                Some(flight) => {
                    self.land(&flight, engine);
                    known.learn(engine, &clock);
                }
                // Its thread waited for its group before.
                None => known.learn(self.time.cta, &clock),
            }
        }
        self.time.now += 1;
        if self.sanitizes() {
            self.bar(bar).known.join(&known);
        }
    }

    /// What a lane learns from a phase that is complete. Returns whether it is.
    fn test(&mut self, lane: usize, bar: u32, is_past: bool) -> bool {
        if is_past && self.sanitizes() {
            let known = self.bar(bar).known.clone();
            self.order.spread(1 << lane, &known);
        }
        is_past
    }
}

fn plan(
    planner: &mut Planner<'_>,
    (space, bar): (Option<SharedName>, Address),
    action: Action,
) -> Result<Plan, Unsupported> {
    let bar = Place::shared(planner, bar, space.is_none())?;
    Ok(planner.asynchronous(Async::Mbarrier(MbarrierOp { bar, action })))
}

fn word(planner: &mut Planner<'_>, value: Use) -> u32 {
    planner.value(value, RegClass::B32)
}

fn state(planner: &Planner<'_>, reg: Option<Reg>) -> Option<u32> {
    reg.map(|reg| planner.reg(reg))
}

/// What each row does.
macro_rules! steps {
    ($($row:ident: |$self:ident, $planner:ident| $action:expr;)*) => {$(
        impl Step for $row {
            fn plan(&self, $planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                let $self = self;
                let action = $action;
                plan($planner, ($self.space, $self.bar), action)
            }
        }
    )*};
}

steps! {
    MbarrierInit: |it, planner| Action::Init { count: word(planner, it.count) };
    MbarrierInval: |_it, planner| Action::Inval;
    MbarrierArrive: |it, planner| Action::Arrive {
        count: it.count.0.map(|count| word(planner, count)),
        state: state(planner, it.state.0),
    };
    MbarrierArriveExpect: |it, planner| Action::ArriveExpect {
        bytes: word(planner, it.bytes),
        state: state(planner, it.state.0),
    };
    MbarrierExpect: |it, planner| Action::Expect { bytes: word(planner, it.bytes) };
    MbarrierComplete: |it, planner| Action::Complete { bytes: word(planner, it.bytes) };
    MbarrierTest: |it, planner| Action::TestState {
        done: pred(it.done.0),
        state: planner.value(it.state, RegClass::B64),
    };
    MbarrierTestParity: |it, planner| Action::TestParity {
        done: pred(it.done.0),
        parity: word(planner, it.parity),
    };
    MbarrierTry: |it, planner| Action::TestState {
        done: pred(it.done.0),
        state: planner.value(it.state, RegClass::B64),
    };
    MbarrierTryParity: |it, planner| Action::TestParity {
        done: pred(it.done.0),
        parity: word(planner, it.parity),
    };
    CpAsyncArrive: |it, planner| Action::Copies { counted: it.noinc.0 };
}

impl Step for FenceMbarrierInit {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Fence(FenceKind { reach: Reach::Cta, sequential: false })))
    }
}

/// The emulator's copies see what threads see: what lacks this fence is not found.
impl Step for FenceProxyAsync {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Lanes))
    }
}
