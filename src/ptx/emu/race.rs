//! Races while a kernel runs: brings accesses to the shadow of their memory, and atomic ones to what they order.
//!
//! Entry: an access that is in bounds and aligned, before its bytes change. Exit: it is noted, or clashes with one that
//! nothing orders before it. Of the order between CTAs a release and the acquire that reads it are all there is. Not
//! here: local memory, which nobody shares, and read-only loads, which have a check of their own (`stored` of a page).

use super::access::Order;
use super::file::LANES;
use super::order::{Reach, Time, WarpOrder, add};
use super::shadow::{Actor, Clash, LanesTouch, SPAN, Shadow, Touch};
use crate::ptx::isa::modifier::Scope;

/// What an access does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
    Load,
    Store,
    /// An atomic operation that reads and writes.
    Update,
}

/// One access by lanes of a warp.
pub(super) struct Race<'a> {
    time: &'a Time,
    order: &'a mut WarpOrder,
    /// The shadows of shared memory, one for each [`SPAN`].
    shared: &'a mut [Shadow],
    /// Instruction and warp.
    place: (u32, u32),
    strong: Option<(Order, Reach)>,
    /// Whether the program orders anything by atomic accesses.
    ordered: bool,
}

impl<'a> Race<'a> {
    pub(super) fn new(
        (time, order): (&'a Time, &'a mut WarpOrder),
        shared: &'a mut [Shadow],
        place: (u32, u32),
        strong: Option<(Order, Scope)>,
        ordered: bool,
    ) -> Self {
        let strong = strong.map(|(order, scope)| (order, Reach::from(scope)));
        Self { time, order, shared, place, strong, ordered }
    }

    fn actor(&self) -> Actor<'_> {
        let strength = self.strong.map(|(_, reach)| reach);
        Actor::new((self.time, self.order), self.place, strength, self.ordered)
    }

    /// Notes the accesses of lanes to shared memory as far as that is simple; returns the lanes noted.
    pub(super) fn touch_lanes_shared(
        &mut self,
        (addresses, mask): (&[u64; LANES], u32),
        (start, end): (u64, u64),
        bytes: u32,
        write: bool,
    ) -> u32 {
        let base = addresses[mask.trailing_zeros() as usize] / SPAN as u64 * SPAN as u64;
        if base >= end {
            return 0;
        }
        let mut shadow = std::mem::take(&mut self.shared[base as usize / SPAN]);
        let range = (start.saturating_sub(base), (end - base).min(SPAN as u64));
        let noted =
            shadow.touch_lanes(&self.actor(), &LanesTouch { addresses, mask, base, range, bytes, write });
        self.shared[base as usize / SPAN] = shadow;
        noted
    }

    /// The same for global memory: `base` and `range` are where the shadow lies and which of its bytes exist.
    pub(super) fn touch_lanes(&self, shadow: &mut Shadow, touch: &LanesTouch<'_>) -> u32 {
        shadow.touch_lanes(&self.actor(), touch)
    }

    /// Notes the access of a lane to bytes of shared memory.
    #[inline(always)]
    pub(super) fn touch_shared(&mut self, kind: AccessKind, touch: &Touch<'_>) -> Result<(), Clash> {
        let Self { time, order, shared, place, strong, ordered } = self;
        let shadow = &mut shared[touch.at / SPAN];
        let touch = &Touch { at: touch.at % SPAN, ..*touch };
        note(shadow, (time, order), *place, (*strong, *ordered), kind, touch)
    }

    /// Notes the access of a lane to bytes that a shadow covers.
    #[inline(always)]
    pub(super) fn touch(
        &mut self,
        shadow: &mut Shadow,
        kind: AccessKind,
        touch: &Touch<'_>,
    ) -> Result<(), Clash> {
        note(shadow, (self.time, self.order), self.place, (self.strong, self.ordered), kind, touch)
    }
}

#[inline(always)]
fn note(
    shadow: &mut Shadow,
    (time, order): (&Time, &mut WarpOrder),
    place: (u32, u32),
    (strong, ordered): (Option<(Order, Reach)>, bool),
    kind: AccessKind,
    touch: &Touch<'_>,
) -> Result<(), Clash> {
    let actor = Actor::new((time, order), place, strong.map(|(_, reach)| reach), ordered);
    shadow.touch(&actor, touch)?;
    if let Some(strong) = strong
        && ordered
    {
        synchronise(shadow, (time, order), place.1, strong, kind, touch);
    }
    Ok(())
}

/// Takes what was released where an atomic access reads, and leaves what it releases where it writes.
#[cold]
fn synchronise(
    shadow: &mut Shadow,
    (time, order): (&Time, &mut WarpOrder),
    warp: u32,
    strong: (Order, Reach),
    kind: AccessKind,
    touch: &Touch<'_>,
) {
    let granules = touch.at / 4..(touch.at + touch.bytes as usize).div_ceil(4);
    if kind != AccessKind::Store {
        for granule in granules.clone() {
            if let Some(releases) = shadow.released.get(&granule) {
                order.read_released(time, touch.lane, strong, releases);
            }
        }
    }
    if kind == AccessKind::Load {
        return;
    }
    let released = order.releases(time, warp, touch.lane, strong);
    for granule in granules {
        match kind {
            // Who reads what an update stored also reads, through it, what the store before released.
            AccessKind::Update if released.is_empty() => {}
            AccessKind::Update => add(shadow.released.entry(granule).or_default(), &released),
            AccessKind::Load | AccessKind::Store if released.is_empty() => {
                shadow.released.remove(&granule);
            }
            AccessKind::Load | AccessKind::Store => {
                shadow.released.insert(granule, released.clone());
            }
        }
    }
}
