//! Runs an atomic operation for the lanes of a mask, one lane after another.
//!
//! Entry: a decoded [`Atomic`], and the order of the lanes: ascending, or what the adversarial schedule draws. Exit:
//! each lane has the value that it found, or the first lane that may not is reported. In global memory the step is
//! one also for CTAs on other workers. Bounds, alignment and initialisation are checked as for a load. Not here: what
//! an operation makes of a value (`atom`).

use super::access::{AddressBase, Element, Order};
use super::atom::replaced;
use super::decode::SHARED_BASE;
use super::file::{File, LANES};
use super::load_store::{Fault, Memories, Wrong, addresses_of, read_element};
use super::race::AccessKind;
use super::shadow::{SPAN, Touch};
use super::space::of_generic;
use crate::ptx::isa::RegClass;
use crate::ptx::isa::modifier::{AtomOp, Scope, Space};
use crate::ptx::isa::types::{AtomType, CasType};

/// What happens to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// An operation with one operand.
    Operation(AtomOp, AtomType),
    /// An exchange under a condition.
    CompareAndSwap(CasType),
}

/// One atomic operation.
#[derive(Clone, Debug)]
pub(super) struct Atomic {
    pub(super) what: What,
    pub(super) strength: (Order, Scope),
    /// State space; `None` for a generic address.
    pub(super) space: Option<Space>,
    /// Bytes: 2, 4 or 8.
    pub(super) bytes: u32,
    /// Bytes of the whole vector, which is its alignment too.
    pub(super) total: u32,
    /// Elements of the same vector that follow among the program's operations.
    pub(super) more: u32,
    /// Start of the address.
    pub(super) base: AddressBase,
    /// Bytes from there.
    pub(super) offset: i64,
    /// Where the old value goes.
    pub(super) dst: Option<Element>,
    pub(super) value: Element,
    pub(super) compare: Option<Element>,
}

/// Does the operation in the lanes given, in their order. Those before one that may not have done it.
pub(super) fn run(
    atomic: &Atomic,
    file: &mut File,
    lanes: &[usize],
    memories: &mut Memories<'_>,
) -> Result<(), Fault> {
    let addresses = addresses_of(atomic.base, atomic.offset, file);
    let (mut values, mut compares) = ([0; LANES], [0; LANES]);
    read_element(atomic.value, file, &mut values);
    if let Some(compare) = atomic.compare {
        read_element(compare, file, &mut compares);
    }
    let (mut old, mut mask) = ([0; LANES], 0);
    let mut one = |lane: usize| {
        let (space, address) = place(atomic.space, addresses[lane]);
        let fault = |wrong| Fault { lane: lane as u32, wrong, space, address };
        if address & u64::from(atomic.total - 1) != 0 {
            return Err(fault(Wrong::Misaligned));
        }
        let in_global = space == Space::Global;
        let replace = |old| replaced(atomic.what, old, values[lane], compares[lane], in_global);
        let found = match space {
            Space::Global => global(atomic, (lane, address), memories, replace),
            Space::Shared | Space::SharedCta | Space::SharedCluster => {
                shared(atomic, (lane, address), memories, replace)
            }
            Space::Local | Space::Param | Space::Const => Err(Wrong::OutOfBounds),
        }
        .map_err(fault)?;
        (old[lane], mask) = (found, mask | 1 << lane);
        Ok(())
    };
    let done = lanes.iter().try_for_each(|&lane| one(lane));
    if let Some(Element { class, index }) = atomic.dst {
        match class {
            RegClass::Pred | RegClass::B8 | RegClass::B16 => {
                file.write::<u16>(index, &old.map(|value| value as u16), mask);
            }
            RegClass::B32 => file.write::<u32>(index, &old.map(|value| value as u32), mask),
            RegClass::B64 | RegClass::B128 => file.write::<u64>(index, &old, mask),
        }
    }
    done
}

/// Space and address in it.
fn place(space: Option<Space>, address: u64) -> (Space, u64) {
    space.map_or_else(|| of_generic(address), |space| (space, address))
}

fn global(
    atomic: &Atomic,
    (lane, address): (usize, u64),
    memories: &mut Memories<'_>,
    replace: impl Fn(u64) -> u64,
) -> Result<u64, Wrong> {
    let view = memories.global.view(address, true).ok_or(Wrong::OutOfBounds)?;
    let at = address - view.base;
    if at + u64::from(atomic.bytes) > view.bytes {
        return Err(Wrong::OutOfBounds);
    }
    let (at, page) = (at as usize, view.page.expect("a view for a store makes its page"));
    if memories.sanitize && !page.is_initialised(at, atomic.bytes) {
        return Err(Wrong::Uninitialised);
    }
    let touch = Touch { lane, at: at % SPAN, bytes: atomic.bytes, write: true, same: &|_| false };
    let mut held = memories.race.is_some().then(|| page.shadow(at));
    if let (Some(race), Some(shadow)) = (&mut memories.race, &mut held) {
        race.touch(shadow, AccessKind::Update, &touch).map_err(Wrong::Race)?;
    }
    let old = page.update(at, atomic.bytes, memories.parallel, replace);
    page.mark_initialised(at, atomic.bytes, memories.parallel);
    if let Some(writer) = memories.writer {
        page.mark_writer(at, atomic.bytes, writer, lane);
    }
    if memories.track_stores {
        page.mark_stored(at, atomic.bytes, memories.parallel);
    }
    Ok(old)
}

fn shared(
    atomic: &Atomic,
    (lane, address): (usize, u64),
    memories: &mut Memories<'_>,
    replace: impl Fn(u64) -> u64,
) -> Result<u64, Wrong> {
    let (start, end) = (u64::from(SHARED_BASE), u64::from(memories.shared_end));
    if address < start || address >= end || address + u64::from(atomic.bytes) > end {
        return Err(Wrong::OutOfBounds);
    }
    let at = address as usize;
    if let Some(holder) = memories.flights.and_then(|flights| flights.holder(at, atomic.bytes, true)) {
        return Err(Wrong::InFlight(holder));
    }
    if memories.sanitize && !memories.shared.is_initialised(at, atomic.bytes) {
        return Err(Wrong::Uninitialised);
    }
    let touch = Touch { lane, at, bytes: atomic.bytes, write: true, same: &|_| false };
    if let Some(race) = &mut memories.race {
        race.touch_shared(AccessKind::Update, &touch).map_err(Wrong::Race)?;
    }
    let old = memories.shared.load(at, atomic.bytes);
    memories.shared.store(at, atomic.bytes, replace(old));
    Ok(old)
}
