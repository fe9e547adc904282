//! Runs a load or store for the lanes of a mask: addresses, checks, bytes, registers.
//!
//! Bounds and alignment are always checked: there is nothing to read elsewhere. Entry: a decoded [`Access`]. Exit:
//! either all lanes are done, or the lowest lane that may not is reported, and then nothing counts any more.

use super::access::{Access, AddressBase, Element};
use super::decode::{LOCAL_BASE, SHARED_BASE};
use super::file::{File, LANES};
use super::finding_async::MbarrierProblem;
use super::flight::{Flights, Holder};
use super::global::{GlobalMemory, Page, View};
use super::race::Race;
use super::shadow::{Clash, LanesTouch, SPAN, Shadow, Touch};
use super::space::{Bytes, CONST_BASE, CONST_WINDOW, WINDOW, WINDOWS};
use super::tensor_map::TensorMapProblem;
use super::writer::Author;
use std::sync::MutexGuard;

use crate::ptx::isa::RegClass;
use crate::ptx::isa::modifier::Space;

/// Elements of the widest vector.
const ELEMENTS: usize = 8;

/// What an access works on.
pub(super) struct Memories<'a> {
    pub(super) global: &'a GlobalMemory,
    pub(super) shared: &'a mut Bytes,
    /// Address after the last byte of shared memory.
    pub(super) shared_end: u32,
    /// The local memory of all lanes of the warp, one after another.
    pub(super) local: &'a mut Bytes,
    /// Address after the last byte of a lane's local memory.
    pub(super) local_end: u32,
    pub(super) params: &'a [u8],
    /// Constant memory from [`CONST_BASE`] on.
    pub(super) constants: &'a [u8],
    pub(super) sanitize: bool,
    pub(super) parallel: bool,
    /// Whether stores are noted for read-only loads.
    pub(super) track_stores: bool,
    /// There with the sanitizer.
    pub(super) race: Option<Race<'a>>,
    /// What is on its way to shared memory, if anything is; there with the sanitizer.
    pub(super) flights: Option<&'a Flights>,
    /// CTA and warp, where it is noted who writes.
    pub(super) writer: Option<Author>,
}

/// What a lane may not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    OutOfBounds,
    Misaligned,
    Uninitialised,
    ReadOnlyWritten,
    Race(Clash),
    InFlight(Holder),
    CopySize,
    Mbarrier(MbarrierProblem),
    TensorMap(TensorMapProblem),
}

/// A lane that may not do its access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) lane: u32,
    pub(super) wrong: Wrong,
    pub(super) space: Space,
    /// Address in that space.
    pub(super) address: u64,
}

type Values = [[u64; LANES]];

/// Those lanes of a mask whose address lies in the window that begins at `start`.
pub(super) fn lanes_within(addresses: &[u64; LANES], mask: u32, start: u64) -> u32 {
    let inside = lanes_of(mask).filter(|&lane| addresses[lane].wrapping_sub(start) < WINDOW);
    inside.fold(0, |lanes, lane| lanes | 1 << lane)
}

/// Lanes of a mask, lowest first.
pub(super) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = (rest != 0).then(|| rest.trailing_zeros() as usize);
        rest &= rest.wrapping_sub(1);
        lane
    })
}

/// Bytes from the local memory of a lane to that of the next: the alignment of any access survives.
pub(super) fn lane_stride(local_end: u32) -> usize {
    (local_end as usize).next_multiple_of(32)
}

/// The address of each lane.
pub(super) fn addresses_of(base: AddressBase, offset: i64, file: &File) -> [u64; LANES] {
    let offset = offset.cast_unsigned();
    match base {
        AddressBase::Fixed => [offset; LANES],
        AddressBase::Long(index) => file.read::<u64>(index).map(|base| base.wrapping_add(offset)),
        // A 32-bit address wraps at 32 bits.
        AddressBase::Word(index) => {
            file.read::<u32>(index).map(|base| u64::from(base.wrapping_add(offset as u32)))
        }
    }
}

/// Moves values to or from shared memory, for instructions that have their own way with registers.
pub(super) fn shared(
    access: &Access,
    addresses: &[u64; LANES],
    mask: u32,
    values: &mut Values,
    memories: &mut Memories<'_>,
) -> Result<(), Fault> {
    in_space(access, Space::Shared, addresses, mask, values, memories)
}

/// What one lane finds at a generic address.
pub(super) fn generic(
    address: u64,
    bytes: u32,
    lane: usize,
    memories: &mut Memories<'_>,
) -> Result<u64, Fault> {
    let element = Element { class: RegClass::B64, index: 0 };
    let access = Access {
        store: false,
        space: None,
        bytes,
        signed: false,
        elements: [element].into_iter().collect(),
        base: AddressBase::Fixed,
        offset: 0,
        strong: None,
        nc: false,
    };
    let mut values = [[0; LANES]];
    by_window(&access, &WINDOWS, &[address; LANES], 1 << lane, &mut values, memories)?;
    Ok(values[0][lane])
}

/// Does the access in the lanes of the mask.
pub(super) fn run(
    access: &Access,
    file: &mut File,
    mask: u32,
    memories: &mut Memories<'_>,
) -> Result<(), Fault> {
    match access.elements.len() {
        1 => run_sized::<1>(access, file, mask, memories),
        2 => run_sized::<2>(access, file, mask, memories),
        _ => run_sized::<ELEMENTS>(access, file, mask, memories),
    }
}

/// The same for vectors of at most `N` elements: clearing room for more costs as much as the access itself.
fn run_sized<const N: usize>(
    access: &Access,
    file: &mut File,
    mask: u32,
    memories: &mut Memories<'_>,
) -> Result<(), Fault> {
    let addresses = addresses_of(access.base, access.offset, file);
    let mut values = [[0; LANES]; N];
    if access.store {
        for (values, element) in values.iter_mut().zip(&access.elements) {
            read_element(*element, file, values);
        }
    }
    match access.space {
        Some(space) => in_space(access, space, &addresses, mask, &mut values, memories)?,
        None => by_window(access, &WINDOWS, &addresses, mask, &mut values, memories)?,
    }
    if !access.store {
        for (values, element) in values.iter().zip(&access.elements) {
            write_element(access, *element, file, values, mask);
        }
    }
    Ok(())
}

/// The values of a register in all lanes.
pub(super) fn read_element(element: Element, file: &File, values: &mut [u64; LANES]) {
    match element.class {
        RegClass::Pred | RegClass::B8 | RegClass::B16 => {
            *values = file.read::<u16>(element.index).map(u64::from);
        }
        RegClass::B32 => *values = file.read::<u32>(element.index).map(u64::from),
        RegClass::B64 | RegClass::B128 => *values = *file.read::<u64>(element.index),
    }
}

fn write_element(access: &Access, element: Element, file: &mut File, values: &[u64; LANES], mask: u32) {
    let unused = 64 - 8 * access.bytes;
    let extend = |value: u64| {
        if access.signed { ((value << unused).cast_signed() >> unused).cast_unsigned() } else { value }
    };
    match element.class {
        RegClass::B8 => file.write::<u16>(element.index, &values.map(|value| value as u16 & 0xff), mask),
        RegClass::Pred | RegClass::B16 => {
            file.write::<u16>(element.index, &values.map(|value| extend(value) as u16), mask);
        }
        RegClass::B32 => file.write::<u32>(element.index, &values.map(|value| extend(value) as u32), mask),
        RegClass::B64 | RegClass::B128 => file.write::<u64>(element.index, &values.map(extend), mask),
    }
}

fn in_space(
    access: &Access,
    space: Space,
    addresses: &[u64; LANES],
    mask: u32,
    values: &mut Values,
    memories: &mut Memories<'_>,
) -> Result<(), Fault> {
    match space {
        Space::Global => match global(access, addresses, mask, values, memories) {
            // Hardware keeps constants in global memory, and compilers count on it: their generic addresses serve.
            Err(fault) if !access.store && fault.address.wrapping_sub(CONST_WINDOW) < WINDOW => {
                let constants = [(Space::Const, CONST_WINDOW)];
                by_window(access, &constants, addresses, mask, values, memories)
            }
            done => done,
        },
        Space::Shared | Space::SharedCta | Space::SharedCluster => {
            let range = (SHARED_BASE, memories.shared_end);
            let sanitize = memories.sanitize;
            let (race, flights) = (memories.race.as_mut(), memories.flights);
            let bytes = &mut *memories.shared;
            let place = Own { bytes, range, stride: 0, space: Space::Shared, sanitize, race, flights };
            own(access, addresses, mask, values, place)
        }
        Space::Local => {
            let range = (LOCAL_BASE, memories.local_end);
            let stride = lane_stride(memories.local_end);
            let sanitize = memories.sanitize;
            let (race, flights, bytes) = (None, None, &mut *memories.local);
            let place = Own { bytes, range, stride, space: Space::Local, sanitize, race, flights };
            own(access, addresses, mask, values, place)
        }
        Space::Param => read_only(access, addresses, mask, values, (space, 0, memories.params)),
        Space::Const => {
            let base = u64::from(CONST_BASE);
            read_only(access, addresses, mask, values, (space, base, memories.constants))
        }
    }
}

/// Sorts the lanes of an access by the window that their address lies in; those in none go to global memory.
fn by_window(
    access: &Access,
    windows: &[(Space, u64)],
    addresses: &[u64; LANES],
    mask: u32,
    values: &mut Values,
    memories: &mut Memories<'_>,
) -> Result<(), Fault> {
    let mut rest = mask;
    for &(space, start) in windows {
        let inside = lanes_within(addresses, mask, start);
        if inside != 0 {
            let addresses = addresses.map(|address| address.wrapping_sub(start));
            in_space(access, space, &addresses, inside, values, memories)?;
        }
        rest &= !inside;
    }
    if rest == 0 { Ok(()) } else { global(access, addresses, rest, values, memories) }
}

fn global(
    access: &Access,
    addresses: &[u64; LANES],
    mask: u32,
    values: &mut Values,
    memories: &mut Memories<'_>,
) -> Result<(), Fault> {
    let total = access.total();
    let count = access.elements.len();
    let mut held: Option<Held<'_>> = None;
    // A strong access of two words meets atomic operations of other workers.
    let in_one_step = memories.parallel && access.strong.is_some() && access.bytes == 8;
    let mut view = View { base: 0, bytes: 0, page: None };
    let mut noted = 0;
    if let Some(race) = memories.race.as_ref().filter(|_| !access.nc)
        && let address = addresses[mask.trailing_zeros() as usize]
        && let Some(first) = memories.global.view(address, access.store)
        && let Some(page) = first.page
    {
        view = first;
        let at = (address - view.base) as usize;
        let base = address - (at % SPAN) as u64;
        let range = (0, (view.base + view.bytes - base).min(SPAN as u64));
        let shadow = held_at(&mut held, page, address, at);
        let (bytes, write) = (total, access.store);
        noted = race.touch_lanes(shadow, &LanesTouch { addresses, mask, base, range, bytes, write });
    }
    for lane in lanes_of(mask) {
        let address = addresses[lane];
        let fault = |wrong| Fault { lane: lane as u32, wrong, space: Space::Global, address };
        if address & u64::from(total - 1) != 0 {
            return Err(fault(Wrong::Misaligned));
        }
        let mut at = address.wrapping_sub(view.base);
        if at >= view.bytes {
            view = memories.global.view(address, access.store).ok_or(fault(Wrong::OutOfBounds))?;
            at = address - view.base;
        }
        if at + u64::from(total) > view.bytes {
            return Err(fault(Wrong::OutOfBounds));
        }
        let at = at as usize;
        let Some(page) = view.page else {
            // Nobody has touched the page: there is nothing but zeros that nobody wrote.
            if memories.sanitize {
                return Err(fault(Wrong::Uninitialised));
            }
            continue;
        };
        if !access.store && memories.sanitize && !page.is_initialised(at, total) {
            return Err(fault(Wrong::Uninitialised));
        }
        if let Some(race) = &mut memories.race
            && !access.nc
            && noted >> lane & 1 == 0
        {
            let shadow = held_at(&mut held, page, address, at);
            let same = |offset| page.load(at + offset, 1) == byte_of(access, values, lane, offset);
            let touch = Touch { lane, at: at % SPAN, bytes: total, write: access.store, same: &same };
            race.touch(shadow, access.kind(), &touch).map_err(|clash| fault(Wrong::Race(clash)))?;
        }
        if access.store {
            for (index, values) in values.iter().enumerate().take(count) {
                let at = at + index * access.bytes as usize;
                if in_one_step {
                    page.update(at, access.bytes, true, |_| values[lane]);
                } else {
                    page.store(at, access.bytes, values[lane], memories.parallel);
                }
            }
            page.mark_initialised(at, total, memories.parallel);
            if let Some(writer) = memories.writer {
                page.mark_writer(at, total, writer, lane);
            }
            if memories.track_stores {
                page.mark_stored(at, total, memories.parallel);
            }
            continue;
        }
        if access.nc && memories.track_stores && page.was_stored(at, total) {
            return Err(fault(Wrong::ReadOnlyWritten));
        }
        for (index, values) in values.iter_mut().enumerate().take(count) {
            let at = at + index * access.bytes as usize;
            values[lane] = if in_one_step {
                page.update(at, access.bytes, true, |old| old)
            } else {
                page.load(at, access.bytes)
            };
        }
    }
    Ok(())
}

/// A byte of what a lane stores; `offset` counts from the start of the vector.
fn byte_of(access: &Access, values: &Values, lane: usize, offset: usize) -> u64 {
    let bytes = access.bytes as usize;
    values[offset / bytes][lane] >> (8 * (offset % bytes)) & 0xff
}

/// A shadow of global memory that is kept from one lane to the next, with the address that it begins at.
type Held<'a> = (u64, MutexGuard<'a, Shadow>);

/// The shadow of an address, at `at` in the page.
#[inline(always)]
fn held_at<'a, 'b>(
    held: &'b mut Option<Held<'a>>,
    page: &'a Page,
    address: u64,
    at: usize,
) -> &'b mut Shadow {
    let start = address - address % SPAN as u64;
    if held.as_ref().is_none_or(|(base, _)| *base != start) {
        // A worker holds one shadow at a time, so that none waits for another in a circle.
        *held = None;
        *held = Some((start, page.shadow(at)));
    }
    &mut held.as_mut().expect("it was taken just now").1
}

/// A memory of the CTA or the warp.
struct Own<'a, 'b> {
    bytes: &'a mut Bytes,
    /// Addresses that exist: from, to.
    range: (u32, u32),
    /// Bytes from the memory of a lane to that of the next.
    stride: usize,
    space: Space,
    sanitize: bool,
    race: Option<&'a mut Race<'b>>,
    flights: Option<&'a Flights>,
}

fn own(
    access: &Access,
    addresses: &[u64; LANES],
    mask: u32,
    values: &mut Values,
    mut place: Own<'_, '_>,
) -> Result<(), Fault> {
    let total = access.total();
    let count = access.elements.len();
    let (start, end) = (u64::from(place.range.0), u64::from(place.range.1));
    let noted = place
        .race
        .as_mut()
        .map_or(0, |race| race.touch_lanes_shared((addresses, mask), (start, end), total, access.store));
    for lane in lanes_of(mask) {
        let address = addresses[lane];
        let fault = |wrong| Fault { lane: lane as u32, wrong, space: place.space, address };
        if address & u64::from(total - 1) != 0 {
            return Err(fault(Wrong::Misaligned));
        }
        if address < start || address >= end || address + u64::from(total) > end {
            return Err(fault(Wrong::OutOfBounds));
        }
        let at = address as usize + lane * place.stride;
        if let Some(holder) = place.flights.and_then(|flights| flights.holder(at, total, access.store)) {
            return Err(fault(Wrong::InFlight(holder)));
        }
        if !access.store && place.sanitize && !place.bytes.are_initialised(at, total) {
            return Err(fault(Wrong::Uninitialised));
        }
        if let Some(race) = &mut place.race
            && noted >> lane & 1 == 0
        {
            let bytes = &*place.bytes;
            let same = |offset| bytes.load(at + offset, 1) == byte_of(access, values, lane, offset);
            let touch = Touch { lane, at, bytes: total, write: access.store, same: &same };
            race.touch_shared(access.kind(), &touch).map_err(|clash| fault(Wrong::Race(clash)))?;
        }
        for (index, values) in values.iter_mut().enumerate().take(count) {
            let at = at + index * access.bytes as usize;
            if access.store {
                place.bytes.store(at, access.bytes, values[lane]);
            } else {
                values[lane] = place.bytes.load(at, access.bytes);
            }
        }
    }
    Ok(())
}

/// Loads from the parameters or from constant memory, whose bytes begin at an address.
fn read_only(
    access: &Access,
    addresses: &[u64; LANES],
    mask: u32,
    values: &mut Values,
    (space, start, contents): (Space, u64, &[u8]),
) -> Result<(), Fault> {
    let total = access.total();
    for lane in lanes_of(mask) {
        let address = addresses[lane];
        let fault = |wrong| Fault { lane: lane as u32, wrong, space, address };
        if address & u64::from(total - 1) != 0 {
            return Err(fault(Wrong::Misaligned));
        }
        let bytes = address
            .checked_sub(start)
            .and_then(|at| usize::try_from(at).ok())
            .and_then(|at| contents.get(at..at.checked_add(total as usize)?))
            .filter(|_| !access.store)
            .ok_or(fault(Wrong::OutOfBounds))?;
        for (values, element) in values.iter_mut().zip(bytes.chunks_exact(access.bytes as usize)) {
            let mut value = [0; 8];
            value[..element.len()].copy_from_slice(element);
            values[lane] = u64::from_le_bytes(value);
        }
    }
    Ok(())
}
