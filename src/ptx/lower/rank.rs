//! Ranks: where the neighbours of a lane are among the members of a mask.
//!
//! A reduction needs the member 16, 8, 4, 2 and 1 ranks above, a scan the one as far below. Among the first lanes of a
//! warp that is the lane itself plus or minus the distance. Among any lanes, the next member is found in the mask; the
//! member twice as far is the neighbour's neighbour, one shuffle away. They are computed once for each mask.

use super::state::{Lowering, Members};
use super::warp::Source;
use crate::ptx::isa::modifier::{CmpOp, Sat, ShflMode};
use crate::ptx::isa::types::{BitType, IntType, SetpType, WordType};
use crate::ptx::isa::{self, Def, Reg, RegClass, Use};
use crate::ptx::regalloc::Prefix;

/// Distances, each twice the one before.
pub(super) const DISTANCES: [i64; 5] = [1, 2, 4, 8, 16];

/// Which way a neighbour lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Above,
    Below,
}

/// A neighbour: the lane to read, where there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub(super) source: Source,
    /// Whether there is one; else the source gives a value of no use.
    pub(super) exists: Reg,
}

/// The neighbours in one mask, by distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranks {
    mask: Option<Reg>,
    way: Way,
    neighbours: [Neighbour; 5],
}

impl Lowering<'_> {
    /// The neighbours of each lane among the members here, by [`DISTANCES`].
    pub(super) fn neighbours(&mut self, way: Way) -> [Neighbour; 5] {
        let mask = match self.members {
            Members::Prefix { mask, .. } | Members::Any(mask) => Some(mask),
            Members::Full | Members::None => None,
        };
        let known = self.ranks.iter().find(|ranks| ranks.mask == mask && ranks.way == way);
        if let Some(ranks) = known {
            return ranks.neighbours;
        }
        let neighbours = match self.members {
            Members::Any(mask) => self.neighbours_in(mask, way),
            Members::Full | Members::None => self.neighbours_in_front(Use::Int(32), way),
            Members::Prefix { count, .. } => self.neighbours_in_front(count.into(), way),
        };
        self.ranks.push(Ranks { mask, way, neighbours });
        neighbours
    }

    /// Among the first lanes of a warp.
    fn neighbours_in_front(&mut self, count: Use, way: Way) -> [Neighbour; 5] {
        let lane = self.lane();
        DISTANCES.map(|distance| {
            let step = Use::Int(distance);
            match way {
                Way::Below => {
                    let exists = self.setp(CmpOp::Ge, SetpType::U32, lane, step);
                    Neighbour { source: Source { mode: ShflMode::Up, lane: step, clamp: 0 }, exists }
                }
                Way::Above => {
                    let partner = self.add_u32(lane, step);
                    let exists = self.setp(CmpOp::Lt, SetpType::U32, partner, count);
                    // Past the members would be a lane that takes no part: its own instead.
                    Neighbour { source: self.lane_or_own(partner, exists), exists }
                }
            }
        })
    }

    /// Among any lanes.
    fn neighbours_in(&mut self, mask: Reg, way: Way) -> [Neighbour; 5] {
        let lane = self.lane();
        let (ty, count) = (BitType::B32, lane.into());
        // The bits on that side of the own one: below it 2^lane − 1, above it −2 · 2^lane.
        let (shifted, name) = match way {
            Way::Below => (1, "below"),
            Way::Above => (-2, "above"),
        };
        let (side, beside) = (self.temp(RegClass::B32), self.mask_reg(name));
        self.emit(isa::Shl { ty, dst: Def(side), a: Use::Int(shifted), count });
        let side = match way {
            Way::Below => self.add_u32(side, Use::Int(-1)),
            Way::Above => side,
        };
        self.emit(isa::And { ty, dst: Def(beside), a: mask.into(), b: side.into() });
        let how_many = self.named(RegClass::B32, Prefix::Int, Some("rank"));
        self.emit(isa::Popc { ty: WordType::B32, dst: Def(how_many), a: beside.into() });
        let nearest = self.nearest(beside, way);
        let exists = self.setp(CmpOp::Ge, SetpType::U32, how_many, Use::Int(1));
        let mut neighbour = Neighbour { source: self.lane_or_own(nearest, exists), exists };
        DISTANCES.map(|distance| {
            if distance > 1 {
                let further = self.temp(RegClass::B32);
                let from = neighbour.source.lane.reg().expect("a neighbour in a mask is in a register");
                self.shfl_from(further, from, neighbour.source);
                let exists = self.setp(CmpOp::Ge, SetpType::U32, how_many, Use::Int(distance));
                neighbour = Neighbour { source: self.lane_or_own(further, exists), exists };
            }
            neighbour
        })
    }

    /// The lowest bit of what is above, or the highest of what is below.
    fn nearest(&mut self, beside: Reg, way: Way) -> Reg {
        let (zeros, nearest) = (self.temp(RegClass::B32), self.temp(RegClass::B32));
        match way {
            Way::Above => {
                self.emit(isa::Brev { ty: WordType::B32, dst: Def(zeros), a: beside.into() });
                self.emit(isa::Clz { ty: WordType::B32, dst: Def(nearest), a: zeros.into() });
            }
            Way::Below => {
                self.emit(isa::Clz { ty: WordType::B32, dst: Def(zeros), a: beside.into() });
                let (sat, ty) = (Sat(false), IntType::U32);
                self.emit(isa::Sub { sat, ty, dst: Def(nearest), a: Use::Int(31), b: zeros.into() });
            }
        }
        nearest
    }

    /// A lane to read where it exists, else the own one.
    fn lane_or_own(&mut self, there: Reg, exists: Reg) -> Source {
        let (own, lane) = (self.lane(), self.temp(RegClass::B32));
        self.selp(crate::ir::DType::U32, lane, exists, there, own);
        Source { mode: ShflMode::Idx, lane: lane.into(), clamp: 0x1f }
    }

    fn add_u32(&mut self, a: Reg, b: Use) -> Reg {
        let dst = self.temp(RegClass::B32);
        self.emit(isa::Add { sat: Sat(false), ty: IntType::U32, dst: Def(dst), a: a.into(), b });
        dst
    }

    /// The member with rank 0.
    pub(super) fn first_member(&mut self) -> Use {
        let Members::Any(mask) = self.members else { return Use::Int(0) };
        self.nearest(mask, Way::Above).into()
    }
}
