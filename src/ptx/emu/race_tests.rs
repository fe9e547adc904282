//! The race detector against a plain one: a full clock for every thread, and every access remembered.

use proptest::prelude::*;

use super::access::Order;
use super::order::{FenceKind, Reach, Time, WarpOrder};
use super::race::{AccessKind, Race};
use super::shadow::{LanesTouch, Shadow, Touch};
use crate::ptx::isa::modifier::Scope;

const CTAS: usize = 2;
const WARPS: usize = 2;
const LANES: usize = 3;
const THREADS: usize = CTAS * WARPS * LANES;

type Strong = Option<(Order, Scope)>;

#[derive(Clone, Debug)]
enum Event {
    Access {
        thread: usize,
        at: usize,
        bytes: u32,
        kind: AccessKind,
        strong: Strong,
    },
    /// Lanes of a warp, as a mask of their numbers.
    WarpBarrier {
        warp: usize,
        lanes: u32,
    },
    CtaBarrier {
        cta: usize,
    },
    Fence {
        thread: usize,
        scope: Scope,
    },
}

fn event() -> impl Strategy<Value = Event> {
    let order =
        prop_oneof![Just(Order::Relaxed), Just(Order::Acquire), Just(Order::Release), Just(Order::AcqRel)];
    let scope = || prop_oneof![Just(Scope::Cta), Just(Scope::Gpu)];
    let strong = prop_oneof![3 => Just(None), 2 => (order, scope()).prop_map(Some)];
    let kind = prop_oneof![Just(AccessKind::Load), Just(AccessKind::Store), Just(AccessKind::Update)];
    let access =
        (0..THREADS, 0..4_usize, 0..3_u32, kind, strong).prop_map(|(thread, at, size, kind, strong)| {
            let bytes = 1 << size;
            let at = at * 4 / bytes as usize * bytes as usize % 8;
            // An update is atomic always, a load releases nothing, a store acquires nothing.
            let strong = match (kind, strong) {
                (AccessKind::Update, None) => Some((Order::Relaxed, Scope::Gpu)),
                (AccessKind::Load, Some((Order::Release, scope))) => Some((Order::Relaxed, scope)),
                (AccessKind::Load, Some((Order::AcqRel, scope))) => Some((Order::Acquire, scope)),
                (AccessKind::Store, Some((Order::Acquire, scope))) => Some((Order::Relaxed, scope)),
                (AccessKind::Store, Some((Order::AcqRel, scope))) => Some((Order::Release, scope)),
                (_, strong) => strong,
            };
            Event::Access { thread, at, bytes, kind, strong }
        });
    prop_oneof![
        6 => access,
        2 => (0..CTAS * WARPS, 1..1_u32 << LANES).prop_map(|(warp, lanes)| Event::WarpBarrier { warp, lanes }),
        1 => (0..CTAS).prop_map(|cta| Event::CtaBarrier { cta }),
        1 => (0..THREADS, scope()).prop_map(|(thread, scope)| Event::Fence { thread, scope }),
    ]
}

type Clock = [u32; THREADS];

fn join(into: &mut Clock, other: &Clock) {
    for (mine, theirs) in into.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

fn cta_of(thread: usize) -> usize {
    thread / (WARPS * LANES)
}

#[derive(Clone)]
struct Done {
    thread: usize,
    moment: u32,
    write: bool,
    strong: Option<Reach>,
}

#[derive(Clone)]
struct Left {
    reach: Reach,
    cta: usize,
    clock: Clock,
}

/// The plain detector.
struct Plain {
    clocks: [Clock; THREADS],
    fenced: Vec<[Option<Clock>; 2]>,
    near: [Clock; THREADS],
    far: [Clock; THREADS],
    bytes: Vec<Vec<Done>>,
    left: Vec<Vec<Left>>,
}

impl Plain {
    fn new() -> Self {
        let zero = [[0; THREADS]; THREADS];
        let mut clocks = zero;
        for (thread, clock) in clocks.iter_mut().enumerate() {
            clock[thread] = 1;
        }
        let fenced = vec![[None, None]; THREADS];
        Self { clocks, fenced, near: zero, far: zero, bytes: vec![Vec::new(); 16], left: vec![Vec::new(); 4] }
    }

    fn meet(&mut self, threads: &[usize]) {
        let mut all = [0; THREADS];
        threads.iter().for_each(|&thread| join(&mut all, &self.clocks[thread]));
        for &thread in threads {
            self.clocks[thread] = all;
            self.clocks[thread][thread] += 1;
        }
    }

    /// Whether the event is a race with one before.
    fn step(&mut self, event: &Event) -> bool {
        match *event {
            Event::WarpBarrier { warp, lanes } => {
                let threads: Vec<_> = (0..LANES)
                    .filter(|lane| lanes >> lane & 1 != 0)
                    .map(|lane| warp * LANES + lane)
                    .collect();
                self.meet(&threads);
            }
            Event::CtaBarrier { cta } => {
                let threads: Vec<_> = (0..THREADS).filter(|&thread| cta_of(thread) == cta).collect();
                self.meet(&threads);
            }
            Event::Fence { thread, scope } => {
                let near = std::mem::take(&mut self.near[thread]);
                join(&mut self.clocks[thread], &near);
                if Reach::from(scope) == Reach::Gpu {
                    let far = std::mem::take(&mut self.far[thread]);
                    join(&mut self.clocks[thread], &far);
                    self.fenced[thread][1] = Some(self.clocks[thread]);
                }
                self.fenced[thread][0] = Some(self.clocks[thread]);
                self.clocks[thread][thread] += 1;
            }
            Event::Access { thread, at, bytes, kind, strong } => {
                let strength = strong.map(|(_, scope)| Reach::from(scope));
                let write = kind != AccessKind::Load;
                for byte in at..at + bytes as usize {
                    let clashes = self.bytes[byte].iter().any(|done| {
                        let atomic = matches!((done.strong, strength), (Some(a), Some(b))
                            if cta_of(done.thread) == cta_of(thread) || a.min(b) == Reach::Gpu);
                        (done.write || write) && self.clocks[thread][done.thread] < done.moment && !atomic
                    });
                    if clashes {
                        return true;
                    }
                }
                let done = Done { thread, moment: self.clocks[thread][thread], write, strong: strength };
                self.bytes[at..at + bytes as usize].iter_mut().for_each(|byte| byte.push(done.clone()));
                if let Some((order, scope)) = strong {
                    self.synchronise(
                        thread,
                        at / 4..(at + bytes as usize).div_ceil(4),
                        kind,
                        (order, scope.into()),
                    );
                }
            }
        }
        false
    }

    fn synchronise(
        &mut self,
        thread: usize,
        granules: std::ops::Range<usize>,
        kind: AccessKind,
        (order, reach): (Order, Reach),
    ) {
        let cta = cta_of(thread);
        if kind != AccessKind::Store {
            for left in granules.clone().flat_map(|granule| self.left[granule].clone()) {
                if left.cta != cta && left.reach.min(reach) == Reach::Cta {
                    continue;
                }
                let place = match (order.acquires(), left.cta == cta) {
                    (true, _) => &mut self.clocks[thread],
                    (false, true) => &mut self.near[thread],
                    (false, false) => &mut self.far[thread],
                };
                join(place, &left.clock);
            }
        }
        if kind == AccessKind::Load {
            return;
        }
        let mut new = Vec::new();
        if order.releases() {
            new.push(Left { reach, cta, clock: self.clocks[thread] });
            self.clocks[thread][thread] += 1;
        } else {
            for (fence, clock) in [Reach::Cta, Reach::Gpu].into_iter().zip(&self.fenced[thread]) {
                if let Some(clock) = clock.filter(|_| fence <= reach) {
                    new.push(Left { reach: fence, cta, clock });
                }
            }
        }
        for granule in granules {
            if kind == AccessKind::Store {
                self.left[granule].clear();
            }
            self.left[granule].extend(new.iter().cloned());
        }
    }
}

/// The detector of the emulator, driven as its run loop does.
struct Judged {
    times: Vec<Time>,
    orders: Vec<WarpOrder>,
    shadow: Shadow,
    ordered: bool,
}

impl Judged {
    fn new(ordered: bool) -> Self {
        let times = (0..CTAS as u32).map(|cta| {
            let mut time = Time::default();
            time.begin(cta);
            time
        });
        let orders = vec![WarpOrder::default(); CTAS * WARPS];
        Self { times: times.collect(), orders, shadow: Shadow::default(), ordered }
    }

    fn step(&mut self, event: &Event) -> bool {
        match *event {
            Event::WarpBarrier { warp, lanes } => {
                let whole = lanes == (1 << LANES) - 1;
                self.orders[warp].meet(&mut self.times[warp / WARPS], (warp % WARPS) as u32, lanes, whole);
            }
            Event::CtaBarrier { cta } => {
                let time = &mut self.times[cta];
                self.orders[cta * WARPS..][..WARPS].iter_mut().for_each(|order| order.surrender(time));
                time.met();
                time.now += 1;
            }
            Event::Fence { thread, scope } => {
                let (warp, lane) = (thread / LANES, thread % LANES);
                let kind = FenceKind { reach: scope.into(), sequential: false };
                let time = &mut self.times[warp / WARPS];
                self.orders[warp].fence(time, (warp % WARPS) as u32, 1 << lane, kind);
            }
            Event::Access { thread, at, bytes, kind, strong } => {
                let (warp, lane) = (thread / LANES, thread % LANES);
                let time = &mut self.times[warp / WARPS];
                let clocks = (&*time, &mut self.orders[warp]);
                let mut race = Race::new(clocks, &mut [], (7, (warp % WARPS) as u32), strong, self.ordered);
                let touch = Touch { lane, at, bytes, write: kind != AccessKind::Load, same: &|_| false };
                let addresses = &[at as u64; 32];
                let (mask, range, write) = (1 << lane, (0, 4096), touch.write);
                let lanes = LanesTouch { addresses, mask, base: 0, range, bytes, write };
                let noted = race.touch_lanes(&mut self.shadow, &lanes) != 0;
                let clash = !noted && race.touch(&mut self.shadow, kind, &touch).is_err();
                time.now += u32::from(strong.is_some_and(|(order, _)| order.releases()));
                return clash;
            }
        }
        false
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// No race is missed, and none is reported that is not there.
    #[test]
    fn races_are_those_of_full_clocks(events in prop::collection::vec(event(), 1..40), orders in any::<bool>()) {
        let events: Vec<Event> = events.into_iter().filter(|event| {
            let synchronises = match event {
                Event::Fence { .. } => true,
                Event::Access { strong: Some((order, _)), .. } => *order != Order::Relaxed,
                Event::Access { strong: None, .. } | Event::WarpBarrier { .. } | Event::CtaBarrier { .. } => false,
            };
            orders || !synchronises
        }).collect();
        let (mut plain, mut judged) = (Plain::new(), Judged::new(orders));
        for (position, event) in events.iter().enumerate() {
            let expected = plain.step(event);
            prop_assert_eq!(judged.step(event), expected, "event {}: {:?}", position, event);
            if expected {
                break;
            }
        }
    }
}
