//! What a thread knows of the others: up to which moment their accesses happened before its own.
//!
//! Moments are numbers that a CTA counts up at everything that orders memory, so that an access carries one number and
//! not one for each thread. Exit: [`Known`] is persistent: a copy costs nothing, and what two of them share is joined
//! without a look. Not here: what orders memory (`order`).

use std::sync::Arc;

use smallvec::SmallVec;

use super::file::LANES;

/// What is known of one CTA.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CtaClock {
    /// Accesses of all its threads up to this moment.
    all: u32,
    /// Those of single threads beyond, ordered by warp.
    warps: SmallVec<[(u32, [u32; LANES]); 1]>,
}

impl CtaClock {
    pub(super) fn of_all(moment: u32) -> Self {
        Self { all: moment, warps: SmallVec::new() }
    }

    /// Adds the accesses of lanes of a warp up to a moment.
    pub(super) fn raise(&mut self, warp: u32, lanes: u32, moment: u32) {
        let at = self.warps.partition_point(|(index, _)| *index < warp);
        if self.warps.get(at).is_none_or(|(index, _)| *index != warp) {
            self.warps.insert(at, (warp, [0; LANES]));
        }
        for (lane, known) in self.warps[at].1.iter_mut().enumerate() {
            if lanes >> lane & 1 != 0 {
                *known = (*known).max(moment);
            }
        }
    }

    /// The lanes of which accesses at the moment are not known.
    fn unknown(&self, warp: u32, lanes: u32, moment: u32) -> u32 {
        if moment <= self.all {
            return 0;
        }
        let Some((_, known)) = self.warps.iter().find(|(index, _)| *index == warp) else { return lanes };
        (0..LANES).filter(|&lane| known[lane] < moment).fold(0, |all, lane| all | 1 << lane) & lanes
    }

    /// Adds all that the other knows; returns whether it was news.
    fn learn(&mut self, other: &Self) -> bool {
        let mut news = other.all > self.all;
        self.all = self.all.max(other.all);
        for (warp, lanes) in &other.warps {
            for (lane, &moment) in lanes.iter().enumerate() {
                if self.unknown(*warp, 1 << lane, moment) != 0 {
                    self.raise(*warp, 1 << lane, moment);
                    news = true;
                }
            }
        }
        let all = self.all;
        self.warps.retain(|(_, lanes)| lanes.iter().any(|&moment| moment > all));
        news
    }
}

/// Children of an inner node.
const FAN: usize = 16;

/// Bits of a key that a level takes.
const BITS: u32 = FAN.trailing_zeros();

#[derive(Clone, Debug)]
enum Node {
    Inner([Option<Arc<Node>>; FAN]),
    Leaf(CtaClock),
}

/// What is known of all CTAs: a tree by CTA index, of which copies share what is equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Levels above the leaves.
    height: u32,
    root: Option<Arc<Node>>,
}

impl Known {
    pub(super) const fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    fn find(&self, cta: u32) -> Option<&CtaClock> {
        if self.height * BITS < u32::BITS && cta >> (self.height * BITS) != 0 {
            return None;
        }
        let mut node = self.root.as_deref()?;
        for level in (0..self.height).rev() {
            let Node::Inner(children) = node else { return None };
            node = children[(cta >> (level * BITS)) as usize % FAN].as_deref()?;
        }
        match node {
            Node::Leaf(clock) => Some(clock),
            Node::Inner(_) => None,
        }
    }

    /// Lanes of a warp whose accesses at a moment are not known.
    pub(super) fn unknown(&self, cta: u32, warp: u32, lanes: u32, moment: u32) -> u32 {
        self.find(cta).map_or(lanes, |clock| clock.unknown(warp, lanes, moment))
    }

    /// Adds what is known of one CTA.
    pub(super) fn learn(&mut self, cta: u32, clock: &CtaClock) {
        while self.height * BITS < u32::BITS && cta >> (self.height * BITS) != 0 {
            self.grow();
        }
        let mut leaf = Some(Arc::new(Node::Leaf(clock.clone())));
        for level in 0..self.height {
            let mut children = [const { None }; FAN];
            children[(cta >> (level * BITS)) as usize % FAN] = leaf;
            leaf = Some(Arc::new(Node::Inner(children)));
        }
        self.root = joined(self.root.take(), leaf);
    }

    /// Adds all that the other knows.
    pub(super) fn join(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            *self = other.clone();
            return;
        }
        let mut other = other.clone();
        while self.height < other.height {
            self.grow();
        }
        while other.height < self.height {
            other.grow();
        }
        self.root = joined(self.root.take(), other.root);
    }

    fn grow(&mut self) {
        self.height += 1;
        if let Some(root) = self.root.take() {
            let mut children = [const { None }; FAN];
            children[0] = Some(root);
            self.root = Some(Arc::new(Node::Inner(children)));
        }
    }
}

/// Both trees in one; the very same node where one of them has it all already.
fn joined(a: Option<Arc<Node>>, b: Option<Arc<Node>>) -> Option<Arc<Node>> {
    let (a, b) = match (a, b) {
        (None, other) | (other, None) => return other,
        (Some(a), Some(b)) => (a, b),
    };
    if Arc::ptr_eq(&a, &b) {
        return Some(a);
    }
    match (&*a, &*b) {
        (Node::Leaf(mine), Node::Leaf(other)) => {
            let mut both = mine.clone();
            if !both.learn(other) {
                return Some(a);
            }
            if both == *other { Some(b) } else { Some(Arc::new(Node::Leaf(both))) }
        }
        (Node::Inner(mine), Node::Inner(other)) => {
            let both: [_; FAN] = std::array::from_fn(|at| joined(mine[at].clone(), other[at].clone()));
            let same = |old: &[Option<Arc<Node>>; FAN]| {
                old.iter().zip(&both).all(|pair| match pair {
                    (Some(old), Some(new)) => Arc::ptr_eq(old, new),
                    (None, None) => true,
                    (Some(_), None) | (None, Some(_)) => false,
                })
            };
            if same(mine) {
                Some(a)
            } else if same(other) {
                Some(b)
            } else {
                Some(Arc::new(Node::Inner(both)))
            }
        }
        // Trees of one height have leaves at one depth.
        (Node::Leaf(_), Node::Inner(_)) | (Node::Inner(_), Node::Leaf(_)) => Some(a),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Fact {
        All(u32, u32),
        Lanes(u32, u32, u32, u32),
    }

    fn fact() -> impl Strategy<Value = Fact> {
        let cta = prop_oneof![0..3_u32, 14..18_u32, 4094..4098_u32, Just(u32::MAX - 1)];
        prop_oneof![
            (cta.clone(), 1..9_u32).prop_map(|(cta, moment)| Fact::All(cta, moment)),
            (cta, 0..3_u32, any::<u32>(), 1..9_u32)
                .prop_map(|(cta, warp, lanes, moment)| Fact::Lanes(cta, warp, lanes, moment)),
        ]
    }

    fn clock(fact: &Fact) -> (u32, CtaClock) {
        match *fact {
            Fact::All(cta, moment) => (cta, CtaClock::of_all(moment)),
            Fact::Lanes(cta, warp, lanes, moment) => {
                let mut clock = CtaClock::default();
                clock.raise(warp, lanes, moment);
                (cta, clock)
            }
        }
    }

    fn known(facts: &[Fact]) -> Known {
        let mut known = Known::default();
        for (cta, clock) in facts.iter().map(clock) {
            known.learn(cta, &clock);
        }
        known
    }

    /// The same from the facts alone.
    fn expected(facts: &[Fact], cta: u32, warp: u32, lane: u32, moment: u32) -> bool {
        facts.iter().any(|fact| match *fact {
            Fact::All(of, up_to) => of == cta && moment <= up_to,
            Fact::Lanes(of, of_warp, lanes, up_to) => {
                of == cta && of_warp == warp && lanes >> lane & 1 != 0 && moment <= up_to
            }
        })
    }

    proptest! {
        #[test]
        fn a_join_knows_what_either_knows(
            left in prop::collection::vec(fact(), 0..6),
            right in prop::collection::vec(fact(), 0..6),
        ) {
            let mut both = known(&left);
            both.join(&known(&right));
            let facts: Vec<Fact> = left.into_iter().chain(right).collect();
            for cta in [0, 1, 2, 14, 15, 16, 17, 4094, 4095, 4096, 4097, u32::MAX - 1] {
                for (warp, lane, moment) in places(3, 32, 9) {
                    let unknown = both.unknown(cta, warp, 1 << lane, moment) != 0;
                    prop_assert_eq!(unknown, !expected(&facts, cta, warp, lane, moment));
                }
            }
        }
    }

    fn places(warps: u32, lanes: u32, moments: u32) -> impl Iterator<Item = (u32, u32, u32)> {
        (0..warps)
            .flat_map(move |warp| (0..lanes).step_by(7).map(move |lane| (warp, lane)))
            .flat_map(move |(warp, lane)| (1..=moments).map(move |moment| (warp, lane, moment)))
    }

    #[test]
    fn what_is_known_already_is_shared() {
        let mut first = known(&[Fact::All(0, 3), Fact::All(40, 2)]);
        let before = first.root.clone().unwrap();
        let second = first.clone();
        first.join(&second);
        assert!(Arc::ptr_eq(&before, first.root.as_ref().unwrap()));
        first.join(&known(&[Fact::All(40, 1)]));
        assert!(Arc::ptr_eq(&before, first.root.as_ref().unwrap()));
    }
}
