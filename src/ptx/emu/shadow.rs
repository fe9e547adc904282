//! The shadow of memory: who touched each granule of four bytes last, and when.
//!
//! Two accesses of different threads to one byte are a race if neither is known to the other, one is a write, and they
//! are not both atomic; two writes of the same bits are none. Entry: accesses in the order in which they run. Exit: a
//! [`Clash`] is such a pair, never a guess: both accesses happened. A granule remembers its last write and its last
//! reads; those of a warp's lanes at one instruction are one record. Where that is not enough (readers of several
//! warps, unordered atomics) it has a list of its own, and where single bytes are touched a cell for each byte.
//! What is missed: with more than [`MOST`] records of unordered CTAs the oldest is forgotten.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::file::LANES;
use super::load_store::lanes_of;
use super::order::{Reach, Releases, Time, WarpOrder};

/// Bytes that one shadow covers; a multiple of every access.
pub(super) const SPAN: usize = 1 << 12;

/// Bytes of a granule.
const GRANULE: usize = 4;

/// Records in a list, where lanes of different CTAs may be ordered.
const MOST: usize = 64;

/// A record: lanes of a warp that did one access at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    moment: u32,
    /// None: there is no record.
    pub(super) lanes: u32,
    pub(super) cta: u32,
    /// Instruction, warp and [`Strength`].
    place: u32,
}

const EMPTY: Record = Record { moment: 0, lanes: 0, cta: 0, place: 0 };

/// A record that stands for a list or for four cells, by its `place`; `moment` is the index. No CTA has its number, so
/// that no thread takes it for known.
const fn reference(place: u32, index: usize) -> Record {
    Record { moment: index as u32, lanes: u32::MAX, cta: u32::MAX, place }
}

const LIST: u32 = 0;
const SPLIT: u32 = 1;

/// Weak, or atomic for whom.
type Strength = Option<Reach>;

const fn place(pc: u32, warp: u32, strength: Strength) -> u32 {
    let strength = match strength {
        None => 0,
        Some(Reach::Cta) => 1,
        Some(Reach::Gpu) => 2,
    };
    pc << 8 | warp << 3 | strength
}

impl Record {
    /// A weak access of lanes of a warp of a CTA.
    pub(super) const fn weak(moment: u32, lanes: u32, cta: u32, (pc, warp): (u32, u32)) -> Self {
        Self { moment, lanes, cta, place: place(pc, warp, None) }
    }

    pub(super) const fn pc(&self) -> u32 {
        self.place >> 8
    }

    pub(super) const fn warp(&self) -> u32 {
        self.place >> 3 & 31
    }

    const fn strength(&self) -> Strength {
        match self.place & 7 {
            0 => None,
            1 => Some(Reach::Cta),
            _ => Some(Reach::Gpu),
        }
    }

    const fn is_reference(&self) -> bool {
        self.cta == u32::MAX
    }

    /// Whether both may touch a byte at the same time because they are atomic for each other.
    fn is_atomic_with(&self, other: &Self) -> bool {
        match (self.strength(), other.strength()) {
            (Some(mine), Some(theirs)) => self.cta == other.cta || mine.min(theirs) == Reach::Gpu,
            (None, _) | (_, None) => false,
        }
    }

    /// Whether it is the same access by other lanes.
    const fn is_beside(&self, other: &Self) -> bool {
        self.moment == other.moment && self.cta == other.cta && self.place == other.place
    }
}

/// Who does an access: the lanes of a warp at an instruction.
#[derive(Clone, Copy)]
pub(super) struct Actor<'a> {
    time: &'a Time,
    order: &'a WarpOrder,
    /// Whether the program has what may order CTAs.
    ordered_ctas: bool,
    /// Whether it is no atomic access: then it clashes with whatever clashes with a record of the same threads.
    weak: bool,
    /// What the CTA and the warp know, at hand.
    all: u32,
    warp_all: u32,
    record: Record,
}

impl<'a> Actor<'a> {
    pub(super) fn new(
        (time, order): (&'a Time, &'a WarpOrder),
        (pc, warp): (u32, u32),
        strength: Strength,
        ordered_ctas: bool,
    ) -> Self {
        let record = Record { moment: time.now, lanes: 0, cta: time.cta, place: place(pc, warp, strength) };
        Self {
            time,
            order,
            ordered_ctas,
            weak: strength.is_none(),
            all: time.all,
            warp_all: order.all,
            record,
        }
    }

    /// Whether a record happened before for certain, by what the CTA, the warp or the lane itself knows.
    #[inline(always)]
    fn follows(&self, record: &Record, lane: u32) -> bool {
        record.lanes == 0
            || (record.cta == self.record.cta
                && (record.moment <= self.all
                    || (record.warp() == self.record.warp()
                        && (record.moment <= self.warp_all || record.lanes == 1 << lane))))
    }

    /// The lanes of a record that did not happen before.
    fn unordered(&self, record: &Record, lane: u32) -> u32 {
        let Record { moment, lanes, cta, .. } = *record;
        let mut rest = lanes;
        if cta == self.record.cta {
            let same_warp = record.warp() == self.record.warp();
            if moment <= self.time.all || (same_warp && moment <= self.order.all) {
                return 0;
            }
            if same_warp {
                rest &= !(1 << lane);
            }
        }
        if !self.time.known.is_empty() {
            rest = self.time.known.unknown(cta, record.warp(), rest, moment);
        }
        self.order.unknown(lane as usize, cta, record.warp(), rest, moment)
    }
}

/// What is known of four bytes, or of one.
#[derive(Clone, Copy, Debug)]
struct Cell {
    write: Record,
    read: Record,
}

impl Cell {
    /// Notes a weak access that is after all that the cell knows, or beside a read; returns whether it is one.
    #[inline(always)]
    fn note(&mut self, actor: &Actor<'_>, lane: u32, write: bool) -> bool {
        if !actor.follows(&self.write, lane) {
            return false;
        }
        let mine = Record { lanes: 1 << lane, ..actor.record };
        let follows = actor.follows(&self.read, lane);
        if write && follows {
            *self = Self { write: mine, read: EMPTY };
            return true;
        }
        if !write && (follows || self.read.is_beside(&mine)) {
            mine_beside(&mut self.read, mine, follows);
            return true;
        }
        false
    }
}

const UNTOUCHED: Cell = Cell { write: EMPTY, read: EMPTY };

/// A cell that needs more than one record of a kind.
#[derive(Clone, Debug, Default)]
struct History {
    writes: SmallVec<[Record; 2]>,
    reads: SmallVec<[Record; 2]>,
}

/// Two accesses that nothing orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clash {
    /// The access that ran before.
    pub(super) record: Record,
    /// The lowest of its lanes that is not ordered.
    pub(super) lane: u32,
    /// Whether it wrote.
    pub(super) wrote: bool,
    /// Whether both are atomic, but not for each other: for one CTA, and of two.
    pub(super) narrow: bool,
    /// The byte, from the start of the later access.
    pub(super) offset: u32,
}

/// An access of one lane.
#[derive(Clone, Copy)]
pub(super) struct Touch<'a> {
    pub(super) lane: usize,
    /// First byte, from the start of the span.
    pub(super) at: usize,
    pub(super) bytes: u32,
    pub(super) write: bool,
    /// Whether the byte at an offset is written with the bits that it has.
    pub(super) same: &'a dyn Fn(usize) -> bool,
}

/// Histories by index; those that nobody needs any more are used again.
#[derive(Debug, Default)]
struct Histories {
    items: Vec<History>,
    free: Vec<usize>,
}

impl Histories {
    /// Keeps a history; returns the record that stands for it.
    fn keep(&mut self, history: History) -> Record {
        let index = self.free.pop().unwrap_or_else(|| {
            self.items.push(History::default());
            self.items.len() - 1
        });
        self.items[index] = history;
        reference(LIST, index)
    }

    fn of(&mut self, reference: &Record) -> &mut History {
        &mut self.items[reference.moment as usize]
    }

    fn take(&mut self, reference: &Record) -> History {
        self.free.push(reference.moment as usize);
        std::mem::take(self.of(reference))
    }
}

/// The same access by lanes of a warp.
#[derive(Clone, Copy)]
pub(super) struct LanesTouch<'a> {
    pub(super) addresses: &'a [u64; LANES],
    pub(super) mask: u32,
    /// Where the span begins.
    pub(super) base: u64,
    /// Bytes of the span that exist: from, to.
    pub(super) range: (u64, u64),
    pub(super) bytes: u32,
    pub(super) write: bool,
}

/// The shadow of [`SPAN`] bytes.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    cells: Vec<Cell>,
    histories: Histories,
    splits: Vec<[Cell; GRANULE]>,
    /// What atomic stores to a granule released.
    pub(super) released: HashMap<usize, Releases>,
}

impl Shadow {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.cells.clear();
        self.histories = Histories::default();
        self.splits.clear();
        self.released.clear();
    }

    /// Notes weak accesses of lanes to whole words for as long as they need nothing but the last records, which is nearly
    /// always. Returns the lanes noted; the first of the others, and those after it, are for [`touch`](Self::touch).
    pub(super) fn touch_lanes(&mut self, actor: &Actor<'_>, touch: &LanesTouch<'_>) -> u32 {
        let LanesTouch { addresses, mask, base, range: (low, high), bytes, write } = *touch;
        if !actor.weak || (bytes as usize) < GRANULE {
            return 0;
        }
        self.fill();
        let mut noted = 0;
        for lane in lanes_of(mask) {
            let at = addresses[lane].wrapping_sub(base);
            if at < low || at >= high || at + u64::from(bytes) > high || at & u64::from(bytes - 1) != 0 {
                break;
            }
            let first = at as usize / GRANULE;
            let cells = &mut self.cells[first..first + bytes as usize / GRANULE];
            if !cells.iter_mut().all(|cell| cell.note(actor, lane as u32, write)) {
                break;
            }
            noted |= 1 << lane;
        }
        noted
    }

    fn fill(&mut self) {
        if self.cells.is_empty() {
            self.cells.resize(SPAN / GRANULE, UNTOUCHED);
        }
    }

    /// Notes an access.
    ///
    /// # Errors
    /// An earlier one that is not ordered with it.
    #[inline(always)]
    pub(super) fn touch(&mut self, actor: &Actor<'_>, touch: &Touch<'_>) -> Result<(), Clash> {
        self.fill();
        let first = touch.at / GRANULE;
        if touch.bytes as usize >= GRANULE {
            for index in 0..touch.bytes as usize / GRANULE {
                self.granule(actor, touch, first + index, index * GRANULE)?;
            }
            return Ok(());
        }
        self.bytes(actor, touch, first)
    }

    /// Makes a write all that is known of whole granules: whatever else could touch them was kept off.
    pub(super) fn settle(&mut self, first: usize, bytes: usize, written: Record) {
        self.fill();
        let Self { cells, histories, .. } = self;
        for cell in &mut cells[first / GRANULE..(first + bytes) / GRANULE] {
            if cell.write.is_reference() && cell.write.place == LIST {
                histories.take(&cell.write);
            }
            *cell = Cell { write: written, read: EMPTY };
        }
    }

    /// Notes an access to a whole granule; `offset` is its place in the access.
    #[inline(always)]
    fn granule(
        &mut self,
        actor: &Actor<'_>,
        touch: &Touch<'_>,
        index: usize,
        offset: usize,
    ) -> Result<(), Clash> {
        let cell = &mut self.cells[index];
        let lane = touch.lane as u32;
        if actor.weak && cell.note(actor, lane, touch.write) {
            return Ok(());
        }
        self.slow_granule(actor, touch, index, offset)
    }

    #[cold]
    #[inline(never)]
    fn slow_granule(
        &mut self,
        actor: &Actor<'_>,
        touch: &Touch<'_>,
        index: usize,
        offset: usize,
    ) -> Result<(), Clash> {
        let same = |offset: usize, bytes: usize| (offset..offset + bytes).all(touch.same);
        let Self { cells, histories, splits, .. } = self;
        let cell = &mut cells[index];
        if cell.write.is_reference() && cell.write.place == SPLIT {
            let split = &mut splits[cell.write.moment as usize];
            for (byte, cell) in split.iter_mut().enumerate() {
                let offset = offset + byte;
                cell_touch(cell, histories, actor, touch, &|| same(offset, 1))
                    .map_err(|clash| Clash { offset: offset as u32, ..clash })?;
            }
            return Ok(());
        }
        cell_touch(cell, histories, actor, touch, &|| same(offset, GRANULE))
            .map_err(|clash| Clash { offset: offset as u32, ..clash })
    }

    /// Notes an access to a part of a granule.
    fn bytes(&mut self, actor: &Actor<'_>, touch: &Touch<'_>, index: usize) -> Result<(), Clash> {
        let Self { cells, histories, splits, .. } = self;
        let cell = &mut cells[index];
        if !(cell.write.is_reference() && cell.write.place == SPLIT) {
            let history = cell.write.is_reference().then(|| histories.take(&cell.write));
            let copies: [Cell; GRANULE] = std::array::from_fn(|_| match &history {
                Some(history) => Cell { write: histories.keep(history.clone()), read: EMPTY },
                None => *cell,
            });
            *cell = Cell { write: reference(SPLIT, splits.len()), read: EMPTY };
            splits.push(copies);
        }
        let split = &mut splits[cell.write.moment as usize];
        let first = touch.at % GRANULE;
        for (offset, cell) in split.iter_mut().skip(first).take(touch.bytes as usize).enumerate() {
            cell_touch(cell, histories, actor, touch, &|| (touch.same)(offset))
                .map_err(|clash| Clash { offset: offset as u32, ..clash })?;
        }
        Ok(())
    }
}

/// Joins a read to the last one, or takes its place.
#[inline(always)]
fn mine_beside(read: &mut Record, mine: Record, replaces: bool) {
    if replaces && !read.is_beside(&mine) {
        *read = mine;
    } else {
        read.lanes |= mine.lanes;
    }
}

/// Notes an access to a cell that is not split.
fn cell_touch(
    cell: &mut Cell,
    histories: &mut Histories,
    actor: &Actor<'_>,
    touch: &Touch<'_>,
    same: &dyn Fn() -> bool,
) -> Result<(), Clash> {
    let lane = touch.lane as u32;
    if actor.weak && actor.follows(&cell.write, lane) && actor.follows(&cell.read, lane) {
        let mine = Record { lanes: 1 << lane, ..actor.record };
        match touch.write {
            true => *cell = Cell { write: mine, read: EMPTY },
            false => mine_beside(&mut cell.read, mine, true),
        }
        return Ok(());
    }
    if cell.write.is_reference() {
        let history = histories.of(&cell.write);
        history.check(actor, touch, same)?;
        history.note(actor, touch);
        if history.is_plain() {
            *cell = histories.take(&cell.write).plain();
        }
        return Ok(());
    }
    let some = |record: Record| Some(record).filter(|record| record.lanes != 0).into_iter().collect();
    let mut history = History { writes: some(cell.write), reads: some(cell.read) };
    history.check(actor, touch, same)?;
    history.note(actor, touch);
    *cell = if history.is_plain() {
        history.plain()
    } else {
        Cell { write: histories.keep(history), read: EMPTY }
    };
    Ok(())
}

impl History {
    /// Whether a cell holds it.
    fn is_plain(&self) -> bool {
        self.writes.len() <= 1 && self.reads.len() <= 1
    }

    fn plain(&self) -> Cell {
        let only = |records: &[Record]| records.first().copied().unwrap_or(EMPTY);
        Cell { write: only(&self.writes), read: only(&self.reads) }
    }

    fn check(&self, actor: &Actor<'_>, touch: &Touch<'_>, same: &dyn Fn() -> bool) -> Result<(), Clash> {
        let lane = touch.lane as u32;
        let writes = self.writes.iter().map(|record| (record, true));
        let reads = self.reads.iter().filter(|_| touch.write).map(|record| (record, false));
        for (record, wrote) in writes.chain(reads) {
            let unordered = actor.unordered(record, lane);
            let is_race =
                unordered != 0 && !record.is_atomic_with(&actor.record) && !(touch.write && wrote && same());
            if is_race {
                let lane = unordered.trailing_zeros();
                let narrow = !actor.weak && record.strength().is_some();
                return Err(Clash { record: *record, lane, wrote, narrow, offset: 0 });
            }
        }
        Ok(())
    }

    /// Adds the access. One that happened before it says nothing that it doesn't say, unless that one clashes with more:
    /// an atomic access is no race where the weak one before it, by the same thread, is.
    fn note(&mut self, actor: &Actor<'_>, touch: &Touch<'_>) {
        let lane = touch.lane as u32;
        let mine = Record { lanes: 1 << lane, ..actor.record };
        let forget = |records: &mut SmallVec<[Record; 2]>| {
            records.retain_mut(|record| {
                if mine.strength() <= record.strength() {
                    record.lanes = actor.unordered(record, lane);
                }
                record.lanes != 0
            });
        };
        forget(&mut self.reads);
        let records = if touch.write {
            forget(&mut self.writes);
            &mut self.writes
        } else {
            &mut self.reads
        };
        if let Some(beside) = records.iter_mut().find(|record| record.is_beside(&mine)) {
            beside.lanes |= mine.lanes;
            return;
        }
        if !actor.ordered_ctas && says_enough(records, &mine) {
            return;
        }
        if records.len() == MOST {
            records.remove(0);
        }
        records.push(mine);
    }
}

/// Whether whatever clashes with a record also clashes with one of these. Where nothing orders CTAs, two of different
/// CTAs are enough: no thread is of both.
fn says_enough(records: &[Record], mine: &Record) -> bool {
    let mut as_strict = records.iter().filter(|record| record.strength() <= mine.strength());
    let Some(first) = as_strict.next() else { return false };
    as_strict.any(|record| record.cta != first.cta)
}

const _: () = assert!(LANES == 32 && size_of::<Cell>() == 32);
