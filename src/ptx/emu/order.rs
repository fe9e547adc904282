//! What orders memory: barriers of the CTA and the warp, and release and acquire through atomic accesses.
//!
//! A CTA's moments count up at each of these. A barrier for all threads raises what everybody knows; one for a whole
//! warp what the warp knows; anything else is kept for single lanes, which few kernels need. Fences are halves: a
//! fence and a later atomic store release, an atomic load and a later fence acquire. Shuffles and votes order nothing.
//! Not here: which accesses are compared (`shadow`), and the tree of what is known (`clock`).

use smallvec::SmallVec;

use super::access::Order;
use super::clock::{CtaClock, Known};
use super::file::LANES;
use super::load_store::lanes_of;
use crate::ptx::isa::modifier::Scope;

/// Who sees an order. Without clusters a cluster is its only CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    Cta,
    Gpu,
}

impl From<Scope> for Reach {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Cta | Scope::Cluster => Self::Cta,
            Scope::Gpu | Scope::Sys => Self::Gpu,
        }
    }
}

/// The moments of one CTA.
#[derive(Debug, Default)]
pub(super) struct Time {
    pub(super) cta: u32,
    /// The moment of an access made now.
    pub(super) now: u32,
    /// Accesses of the CTA up to this moment are known to all its threads.
    pub(super) all: u32,
    /// What all threads know of other CTAs.
    pub(super) known: Known,
}

impl Time {
    pub(super) fn begin(&mut self, cta: u32) {
        *self = Self { cta, now: 1, all: 0, known: Known::default() };
    }
}

/// What a fence or a release vouches for, kept small until somebody acquires it.
#[derive(Clone, Debug)]
struct Snapshot {
    moment: u32,
    all: u32,
    warp_all: u32,
    known: Known,
}

/// What a lane knows beyond its warp and its CTA.
#[derive(Clone, Debug, Default)]
struct LaneOrder {
    known: Known,
    /// Read by atomic loads from its own CTA, and not acquired before a fence.
    near: Known,
    /// The same from other CTAs.
    far: Known,
    /// What the last fence vouches for, for each [`Reach`].
    fenced: [Option<Snapshot>; 2],
}

/// What the lanes of a warp know.
#[derive(Clone, Debug, Default)]
pub(super) struct WarpOrder {
    /// Accesses of the warp up to this moment are known to all its lanes.
    pub(super) all: u32,
    /// One for each lane, once one knows more.
    lanes: Vec<LaneOrder>,
}

/// What an atomic store leaves for those who read what it stored.
#[derive(Clone, Debug)]
pub(super) struct Release {
    reach: Reach,
    cta: u32,
    known: Known,
}

/// Releases at one address.
pub(super) type Releases = SmallVec<[Release; 1]>;

/// Releases at one address that are kept apart.
const MOST: usize = 8;

/// Adds what an update releases to what it found. Of many, those for the whole grid become one a CTA: only an acquire for
/// its own CTA alone can tell who released. Of too many CTAs, one for all.
pub(super) fn add(releases: &mut Releases, new: &Releases) {
    releases.extend(new.iter().cloned());
    if releases.len() <= MOST {
        return;
    }
    let mut merged = Releases::new();
    for release in releases.drain(..) {
        let same = |other: &&mut Release| other.reach == release.reach && other.cta == release.cta;
        match merged.iter_mut().find(same) {
            Some(other) => other.known.join(&release.known),
            None => merged.push(release),
        }
    }
    *releases = merged;
    if releases.len() <= MOST {
        return;
    }
    let mut all = Known::default();
    releases.retain(|release| {
        if release.reach == Reach::Gpu {
            all.join(&release.known);
        }
        release.reach == Reach::Cta
    });
    releases.push(Release { reach: Reach::Gpu, cta: u32::MAX, known: all });
}

impl WarpOrder {
    pub(super) fn begin(&mut self) {
        self.all = 0;
        self.lanes.clear();
    }

    fn lane(&mut self, lane: usize) -> &mut LaneOrder {
        if self.lanes.is_empty() {
            self.lanes.resize(LANES, LaneOrder::default());
        }
        &mut self.lanes[lane]
    }

    /// Lanes of a warp of which this lane does not know the accesses at a moment, from what only single lanes know.
    pub(super) fn unknown(&self, lane: usize, cta: u32, warp: u32, lanes: u32, moment: u32) -> u32 {
        self.lanes.get(lane).map_or(lanes, |order| order.known.unknown(cta, warp, lanes, moment))
    }

    fn snapshot(&self, time: &Time, lane: usize) -> Snapshot {
        let mut known = time.known.clone();
        if let Some(order) = self.lanes.get(lane) {
            known.join(&order.known);
        }
        Snapshot { moment: time.now, all: time.all, warp_all: self.all, known }
    }

    /// Lanes wait for each other; `whole` if they are all lanes of the warp.
    pub(super) fn meet(&mut self, time: &mut Time, warp: u32, lanes: u32, whole: bool) {
        if !self.lanes.is_empty() || !whole {
            let known = self.gather(time, warp, lanes);
            self.spread(lanes, &known);
        }
        if whole {
            self.all = time.now;
        }
        time.now += 1;
    }

    /// What lanes that come to a barrier give to the others.
    pub(super) fn gather(&self, time: &Time, warp: u32, lanes: u32) -> Known {
        let mut known = Known::default();
        for lane in lanes_of(lanes) {
            if let Some(order) = self.lanes.get(lane) {
                known.join(&order.known);
            }
        }
        let mut clock = CtaClock::default();
        if self.all > time.all {
            clock.raise(warp, u32::MAX, self.all);
        }
        clock.raise(warp, lanes, time.now);
        known.learn(time.cta, &clock);
        known
    }

    /// What lanes take from a barrier.
    pub(super) fn spread(&mut self, lanes: u32, known: &Known) {
        for lane in lanes_of(lanes) {
            self.lane(lane).known.join(known);
        }
    }

    /// A barrier of all threads of the CTA: what lanes knew alone goes to `all`, and they know nothing alone.
    pub(super) fn surrender(&mut self, all: &mut Known) {
        for order in &mut self.lanes {
            all.join(&std::mem::take(&mut order.known));
        }
    }

    /// A fence: what came before stays before it, what comes after stays after.
    pub(super) fn fence(&mut self, time: &mut Time, lanes: u32, reach: Reach) {
        for lane in lanes_of(lanes) {
            let order = self.lane(lane);
            let near = std::mem::take(&mut order.near);
            order.known.join(&near);
            if reach == Reach::Gpu {
                let far = std::mem::take(&mut order.far);
                order.known.join(&far);
            }
            let snapshot = self.snapshot(time, lane);
            let fenced = &mut self.lane(lane).fenced;
            if reach == Reach::Gpu {
                fenced[Reach::Gpu as usize] = Some(snapshot.clone());
            }
            fenced[Reach::Cta as usize] = Some(snapshot);
        }
        time.now += 1;
    }

    /// What an atomic store of a lane releases.
    pub(super) fn releases(
        &self,
        time: &Time,
        warp: u32,
        lane: usize,
        (order, reach): (Order, Reach),
    ) -> Releases {
        let release = |snapshot: &Snapshot, reach: Reach| {
            let mut clock = CtaClock::of_all(snapshot.all);
            if snapshot.warp_all > snapshot.all {
                clock.raise(warp, u32::MAX, snapshot.warp_all);
            }
            clock.raise(warp, 1 << lane, snapshot.moment);
            let mut known = snapshot.known.clone();
            known.learn(time.cta, &clock);
            Release { reach, cta: time.cta, known }
        };
        if order.releases() {
            return Releases::from_iter([release(&self.snapshot(time, lane), reach)]);
        }
        let Some(lane_order) = self.lanes.get(lane) else { return Releases::new() };
        let fenced = [Reach::Cta, Reach::Gpu].into_iter().filter(|fence| *fence <= reach);
        fenced
            .filter_map(|fence| lane_order.fenced[fence as usize].as_ref().map(|snapshot| (fence, snapshot)))
            .map(|(fence, snapshot)| release(snapshot, fence))
            .collect()
    }

    /// An atomic load of a lane reads what these stored.
    pub(super) fn read_released(
        &mut self,
        time: &Time,
        lane: usize,
        (order, reach): (Order, Reach),
        releases: &[Release],
    ) {
        for release in releases {
            let near = release.cta == time.cta;
            if !near && release.reach.min(reach) == Reach::Cta {
                continue;
            }
            let lane_order = self.lane(lane);
            let place = match (order.acquires(), near) {
                (true, _) => &mut lane_order.known,
                (false, true) => &mut lane_order.near,
                (false, false) => &mut lane_order.far,
            };
            place.join(&release.known);
        }
    }
}
