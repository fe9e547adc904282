//! What orders memory: barriers of the CTA and the warp, and release and acquire through atomic accesses.
//!
//! A CTA's moments count up at each of these. A barrier for all threads raises what everybody knows; one for a whole
//! warp what the warp knows; anything else is kept for single lanes, which few kernels need. Fences are halves: a
//! fence and a later atomic store release, an atomic load and a later fence acquire. Sequentially consistent ones do it
//! across a barrier too ([`Sequential`]). Shuffles and votes order nothing.
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

/// A fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FenceKind {
    pub(super) reach: Reach,
    /// `.sc`: all of its kind are in one order.
    pub(super) sequential: bool,
}

/// What sequentially consistent fences order of other CTAs.
///
/// All threads store, execute such a fence, and meet; one of them counts itself in. Who reads that count, meets with its
/// CTA, and executes such a fence comes after all of the first CTA's fences: in the other order of the two fences its read
/// would be before the count.
#[derive(Clone, Debug, Default)]
struct Sequential {
    /// What the fences since the last barrier of all threads vouch for.
    fenced: Known,
    /// What those before it do: the stores of every thread are behind them.
    vouched: Known,
    /// What was vouched for by others, and read before the last barrier of all threads.
    heard: Known,
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
    sequential: Sequential,
}

impl Time {
    pub(super) fn begin(&mut self, cta: u32) {
        *self = Self { cta, now: 1, ..Self::default() };
    }

    /// All threads of the CTA have met, and what they knew alone is [surrendered](WarpOrder::surrender).
    pub(super) fn met(&mut self) {
        let fenced = std::mem::take(&mut self.sequential.fenced);
        self.sequential.vouched.join(&fenced);
        self.all = self.now;
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

impl Snapshot {
    /// All that is vouched for.
    fn known(&self, cta: u32, warp: u32, lane: usize) -> Known {
        let mut clock = CtaClock::of_all(self.all);
        if self.warp_all > self.all {
            clock.raise(warp, u32::MAX, self.warp_all);
        }
        clock.raise(warp, 1 << lane, self.moment);
        let mut known = self.known.clone();
        known.learn(cta, &clock);
        known
    }
}

/// What a lane knows beyond its warp and its CTA.
#[derive(Clone, Debug, Default)]
struct LaneOrder {
    known: Known,
    /// Read by atomic loads from its own CTA, and not acquired before a fence.
    near: Known,
    /// The same from other CTAs.
    far: Known,
    /// What others read by it had [vouched](Sequential) for.
    heard: Known,
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
    /// For a later sequentially consistent fence only.
    sequential: bool,
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
        let key = |release: &Release| (release.reach, release.cta, release.sequential);
        let same = |other: &&mut Release| key(other) == key(&release);
        match merged.iter_mut().find(same) {
            Some(other) => other.known.join(&release.known),
            None => merged.push(release),
        }
    }
    *releases = merged;
    if releases.len() <= MOST {
        return;
    }
    for sequential in [false, true] {
        let mut all = Known::default();
        releases.retain(|release| {
            let goes = release.reach == Reach::Gpu && release.sequential == sequential;
            if goes {
                all.join(&release.known);
            }
            !goes
        });
        if !all.is_empty() {
            releases.push(Release { reach: Reach::Gpu, cta: u32::MAX, sequential, known: all });
        }
    }
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

    /// A barrier of all threads of the CTA: what lanes knew alone all know, and they know nothing alone.
    pub(super) fn surrender(&mut self, time: &mut Time) {
        for order in &mut self.lanes {
            time.known.join(&std::mem::take(&mut order.known));
            time.sequential.heard.join(&std::mem::take(&mut order.heard));
        }
    }

    /// A fence: what came before stays before it, what comes after stays after.
    pub(super) fn fence(&mut self, time: &mut Time, warp: u32, lanes: u32, kind: FenceKind) {
        let FenceKind { reach, sequential } = kind;
        let is_ordered = sequential && reach == Reach::Gpu;
        for lane in lanes_of(lanes) {
            let order = self.lane(lane);
            if is_ordered {
                let heard = std::mem::take(&mut order.heard);
                order.known.join(&heard);
                order.known.join(&time.sequential.heard);
            }
            let near = std::mem::take(&mut order.near);
            order.known.join(&near);
            if reach == Reach::Gpu {
                let far = std::mem::take(&mut order.far);
                order.known.join(&far);
            }
            let snapshot = self.snapshot(time, lane);
            if is_ordered {
                time.sequential.fenced.join(&snapshot.known(time.cta, warp, lane));
            }
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
        let cta = time.cta;
        let release = |snapshot: &Snapshot, reach: Reach| {
            let known = snapshot.known(cta, warp, lane);
            Release { reach, cta, sequential: false, known }
        };
        if order.releases() {
            return Releases::from_iter([release(&self.snapshot(time, lane), reach)]);
        }
        let fences = [Reach::Cta, Reach::Gpu].into_iter().filter(|fence| *fence <= reach);
        let fenced = fences.filter_map(|fence| {
            let snapshot = self.lanes.get(lane)?.fenced[fence as usize].as_ref()?;
            Some(release(snapshot, fence))
        });
        let vouched = Some(&time.sequential.vouched).filter(|known| reach == Reach::Gpu && !known.is_empty());
        let vouched = vouched.map(|known| Release { reach, cta, sequential: true, known: known.clone() });
        fenced.chain(vouched).collect()
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
            if release.sequential {
                // Within a CTA the barrier orders what it needs.
                if !near {
                    lane_order.heard.join(&release.known);
                }
                continue;
            }
            let place = match (order.acquires(), near) {
                (true, _) => &mut lane_order.known,
                (false, true) => &mut lane_order.near,
                (false, false) => &mut lane_order.far,
            };
            place.join(&release.known);
        }
    }
}
