//! `cp.async.bulk.tensor`: copies of tiles that a tensor map describes.
//!
//! They begin, land and are waited for as bulk copies are (`cp_bulk`). The map is read when the copy begins, as a load of
//! its thread. A tile lies in shared memory row by row, innermost dimension first, its chunks where the swizzle puts
//! them; it permutes addresses, as it is published of hardware, not compared with it, which is the same as offsets in a tile that begins where the pattern
//! does. Elements outside the tensor come as zeros, and are not written. Deliberately not here: constant memory, which
//! the emulator lacks, so that a map lies in the parameters or in global memory.

use smallvec::SmallVec;

use super::access::AddressBase;
use super::asynchronous::Async;
use super::context::Launch;
use super::cp_async::Copies;
use super::cp_bulk::count_bytes;
use super::decode::Planner;
use super::file::File;
use super::flight::Busy;
use super::load_store::{Fault, Wrong, addresses_of, lanes_of};
use super::memory::{PARAM_WINDOW, WINDOW};
use super::race::AccessKind;
use super::step::{Plan, Step, Unsupported};
use super::tensor_map::{MAP_BYTES, TensorMap, TensorMapProblem};
use super::transfer::{Place, Refusal, Stage};
use crate::ptx::isa::modifier::Space;
use crate::ptx::isa::{Address, Base, RegClass, TensorLoad, TensorLoadHint, TensorPlace, TensorStore};
use crate::ptx::module::VarSpace;

/// Alignment of a tensor map.
const MAP_ALIGN: u64 = 64;

/// Bytes that a swizzle keeps together.
const CHUNK: usize = 16;

/// Most coordinates of a tile.
const MOST_COORDINATES: usize = 5;

/// A copy of a tile by each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct TensorCopy {
    map: AddressBase,
    /// Of a map that a symbol names.
    map_offset: i64,
    /// The words of the coordinates.
    coordinates: [u32; MOST_COORDINATES],
    rank: usize,
    shared: Place,
    /// The mbarrier of a load; a store has none.
    bar: Option<Place>,
}

/// What a tile has of one row of a tensor.
struct Row {
    /// Global address of its first byte.
    address: u64,
    /// Its place in the tile, before the swizzle.
    offset: usize,
    bytes: usize,
}

/// The parts of a tile that lie in the tensor.
fn rows<'a>(map: &'a TensorMap, corner: &'a [i32]) -> impl Iterator<Item = Row> + 'a {
    let width = i128::from(map.element_bytes);
    let first = i128::from(corner[0]);
    let low = first.max(0);
    let high = (first + i128::from(map.tile[0])).min(i128::from(map.sizes[0]));
    let row_bytes = map.tile[0] as usize * map.element_bytes as usize;
    let count = map.tile[1..].iter().map(|&extent| extent as usize).product::<usize>();
    (0..count).filter(move |_| low < high).filter_map(move |row| {
        let mut address = map.address.wrapping_add((low * width) as u64);
        let mut rest = row;
        for (dimension, &stride) in (1..).zip(&map.strides) {
            let extent = map.tile[dimension] as usize;
            let at = i64::from(corner[dimension]) + (rest % extent) as i64;
            rest /= extent;
            let at = u64::try_from(at).ok().filter(|&at| at < map.sizes[dimension])?;
            address = address.wrapping_add(at.wrapping_mul(stride));
        }
        let offset = row * row_bytes + ((low - first) * width) as usize;
        Some(Row { address, offset, bytes: ((high - low) * width) as usize })
    })
}

/// The runs of shared memory that a tile at an address takes: one, unless it ends within a line of the swizzle.
fn runs(map: &TensorMap, start: usize, bytes: usize) -> SmallVec<[(usize, u32); 1]> {
    let mut chunks: SmallVec<[usize; 64]> =
        (start..start + bytes).step_by(CHUNK).map(|at| map.swizzle.apply(at)).collect();
    chunks.sort_unstable();
    let mut runs: SmallVec<[(usize, u32); 1]> = SmallVec::new();
    for at in chunks {
        match runs.last_mut() {
            Some((first, length)) if *first + *length as usize == at => *length += CHUNK as u32,
            _ => runs.push((at, CHUNK as u32)),
        }
    }
    runs
}

/// A tile on its way: its map, its corner in the tensor, and where it lies in shared memory.
struct Tile<'m> {
    map: &'m TensorMap,
    corner: &'m [i32],
    start: usize,
    bytes: u32,
    runs: SmallVec<[(usize, u32); 1]>,
}

impl Tile<'_> {
    /// Shared addresses of the bytes of a row.
    fn places(&self, row: &Row) -> impl Iterator<Item = usize> {
        let (first, swizzle) = (self.start + row.offset, self.map.swizzle);
        (first..first + row.bytes).map(move |at| swizzle.apply(at))
    }
}

/// Begins the copies of the lanes.
pub(super) fn run(
    copy: &TensorCopy,
    file: &File,
    mask: u32,
    copies: &mut Copies,
    stage: &mut Stage<'_, '_>,
) -> Result<(), Refusal> {
    let maps = addresses_of(copy.map, copy.map_offset, file);
    let shared = copy.shared.addresses(file);
    let bars = copy.bar.map(|bar| bar.addresses(file));
    for lane in lanes_of(mask) {
        let map = stage.tensor_map(lane, maps[lane], copy.rank)?;
        let corner = copy.corner(lane, file);
        let kind = if bars.is_some() { AccessKind::Store } else { AccessKind::Load };
        let tile = stage.tile(lane, &map, &corner, shared[lane], kind)?;
        match bars {
            Some(bars) => load(lane, &tile, bars[lane], stage)?,
            None => store(lane, &tile, copies, stage)?,
        }
    }
    Ok(())
}

impl TensorCopy {
    fn corner(&self, lane: usize, file: &File) -> SmallVec<[i32; MOST_COORDINATES]> {
        let words = self.coordinates[..self.rank].iter();
        words.map(|&word| file.read::<u32>(word)[lane].cast_signed()).collect()
    }

    /// For counters: the bytes of a lane's tile, and address and bytes of what it moves in global memory. Nothing for a
    /// copy that will be refused.
    pub(super) fn asked(
        &self,
        lane: usize,
        file: &File,
        launch: &Launch<'_>,
    ) -> Option<(u64, Vec<(u64, u64)>)> {
        let address = addresses_of(self.map, self.map_offset, file)[lane];
        let mut bytes = [0; MAP_BYTES];
        match param(launch, address) {
            Some(found) => bytes.copy_from_slice(found?),
            None => launch.global.read(address, &mut bytes).ok()?,
        }
        let map = TensorMap::decode(&bytes).ok().filter(|map| map.rank() == self.rank)?;
        let total = map.tile_bytes();
        if total > u64::from(launch.shared_end()) {
            return None;
        }
        let corner = self.corner(lane, file);
        Some((total, rows(&map, &corner).map(|row| (row.address, row.bytes as u64)).collect()))
    }
}

/// The bytes of a map in the parameters, if they are all there; `None` for an address elsewhere.
fn param<'a>(launch: &'a Launch<'_>, address: u64) -> Option<Option<&'a [u8]>> {
    let at = address.wrapping_sub(PARAM_WINDOW);
    (at < WINDOW).then(|| launch.launch.params.get(at as usize..at as usize + MAP_BYTES))
}

impl Stage<'_, '_> {
    /// The map at a generic address.
    fn tensor_map(&mut self, lane: usize, generic: u64, rank: usize) -> Result<TensorMap, Refusal> {
        let launch = self.launch;
        let found = param(launch, generic);
        let (space, address) = match found {
            Some(_) => (Space::Param, generic.wrapping_sub(PARAM_WINDOW)),
            None => (Space::Global, generic),
        };
        let refuse = |wrong| {
            let fault = Fault { lane: lane as u32, wrong, space, address };
            Refusal { fault, bytes: MAP_BYTES as u32, verb: "load" }
        };
        if !address.is_multiple_of(MAP_ALIGN) {
            return Err(refuse(Wrong::Misaligned));
        }
        let mut bytes = [0; MAP_BYTES];
        match found {
            Some(found) => bytes.copy_from_slice(found.ok_or(refuse(Wrong::OutOfBounds))?),
            None => self.read_global(lane, address, &mut bytes)?,
        }
        let map = TensorMap::decode(&bytes).map_err(|problem| refuse(Wrong::TensorMap(problem)))?;
        if map.rank() != rank {
            let problem = TensorMapProblem::Dimensions { map: map.rank(), copy: rank };
            return Err(refuse(Wrong::TensorMap(problem)));
        }
        Ok(map)
    }

    /// A tile in shared memory that a copy may touch; the access is noted.
    fn tile<'m>(
        &mut self,
        lane: usize,
        map: &'m TensorMap,
        corner: &'m [i32],
        address: u64,
        kind: AccessKind,
    ) -> Result<Tile<'m>, Refusal> {
        let total = map.tile_bytes();
        let bytes = u32::try_from(total).unwrap_or(u32::MAX);
        let verb = if kind == AccessKind::Load { "load" } else { "store" };
        let refuse = |wrong| {
            let fault = Fault { lane: lane as u32, wrong, space: Space::Shared, address };
            Refusal { fault, bytes, verb }
        };
        let align = map.tile_alignment();
        if !address.is_multiple_of(u64::from(align)) {
            return Err(refuse(Wrong::TensorMap(TensorMapProblem::Place { align })));
        }
        if total > u64::from(self.launch.shared_end()) {
            return Err(refuse(Wrong::OutOfBounds));
        }
        // An address beyond 32 bits is refused before anything is done with it.
        let runs = match usize::try_from(address).ok().filter(|&start| start as u64 <= u64::from(u32::MAX)) {
            Some(start) => runs(map, start, bytes as usize),
            None => return Err(refuse(Wrong::OutOfBounds)),
        };
        for &(start, bytes) in &runs {
            self.touch_shared(lane, start as u64, (bytes, CHUNK as u32), kind, verb)?;
        }
        Ok(Tile { map, corner, start: address as usize, bytes, runs })
    }
}

fn load(lane: usize, tile: &Tile<'_>, bar: u64, stage: &mut Stage<'_, '_>) -> Result<(), Refusal> {
    let counts = stage.reach(lane, bar)?;
    let end = tile.runs.iter().map(|&(start, bytes)| start + bytes as usize).max().unwrap_or(tile.start);
    let mut image = vec![0; end - tile.start];
    let mut contents = Vec::new();
    for row in rows(tile.map, tile.corner) {
        contents.resize(row.bytes, 0);
        stage.read_global(lane, row.address, &mut contents)?;
        for (at, &byte) in tile.places(&row).zip(&contents) {
            image[at - tile.start] = byte;
        }
    }
    for &(start, bytes) in &tile.runs {
        let data = SmallVec::from_slice(&image[start - tile.start..][..bytes as usize]);
        let holder = stage.holder(lane, Busy::Phase);
        let ticket = stage.flights.begin(start, bytes as usize, data, holder);
        stage.tie(lane, counts, ticket);
    }
    count_bytes(lane, (bar, counts), tile.bytes, stage)
}

fn store(
    lane: usize,
    tile: &Tile<'_>,
    copies: &mut Copies,
    stage: &mut Stage<'_, '_>,
) -> Result<(), Refusal> {
    let mut contents = Vec::new();
    for row in rows(tile.map, tile.corner) {
        contents.clear();
        for at in tile.places(&row) {
            if stage.sanitizes() && !stage.shared.is_initialised(at, 1) {
                let (wrong, space) = (Wrong::Uninitialised, Space::Shared);
                let fault = Fault { lane: lane as u32, wrong, space, address: at as u64 };
                return Err(Refusal { fault, bytes: tile.bytes, verb: "load" });
            }
            contents.push(stage.shared.load(at, 1) as u8);
        }
        stage.write_global(lane, row.address, &contents)?;
    }
    for &(start, bytes) in &tile.runs {
        let holder = stage.holder(lane, Busy::Read);
        let ticket = stage.flights.begin(start, bytes as usize, SmallVec::new(), holder);
        copies.add(lane, ticket);
    }
    Ok(())
}

fn plan(
    planner: &mut Planner<'_>,
    place: &TensorPlace,
    shared: Address,
    bar: Option<Address>,
) -> Result<Plan, Unsupported> {
    let (map, map_offset) = match place.map {
        Base::Reg(reg) => (AddressBase::Long(planner.reg(reg)), 0),
        Base::Symbol(symbol) => {
            let (space, address) = planner.symbol(symbol)?;
            let start = match space {
                None => PARAM_WINDOW,
                Some(VarSpace::Global) => 0,
                Some(VarSpace::Const) => return Err(Unsupported("tensor maps in constant memory")),
                Some(VarSpace::Shared | VarSpace::Local | VarSpace::Param) => {
                    return Err(Unsupported("a symbol used in another space than its own"));
                }
            };
            (AddressBase::Fixed, start.wrapping_add(address).cast_signed())
        }
    };
    let rank = place.coordinates.len();
    let mut coordinates = [0; MOST_COORDINATES];
    for (word, &coordinate) in coordinates.iter_mut().zip(&place.coordinates) {
        *word = planner.value(coordinate, RegClass::B32);
    }
    let shared = Place::shared(planner, shared, false)?;
    let bar = bar.map(|bar| Place::shared(planner, bar, false)).transpose()?;
    let copy = TensorCopy { map, map_offset, coordinates, rank, shared, bar };
    Ok(planner.asynchronous(Async::Tensor(copy)))
}

impl Step for TensorLoad {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        plan(planner, &self.src, self.dst, Some(self.bar))
    }
}

impl Step for TensorLoadHint {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        plan(planner, &self.src, self.dst, Some(self.bar))
    }
}

impl Step for TensorStore {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        plan(planner, &self.dst, self.src, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::tensor::Swizzle;

    #[test]
    fn a_tile_takes_the_chunks_that_its_swizzle_gives() {
        let taken = |swizzle, tile: [u32; 2]| {
            let map = TensorMap::new(0, 2, &[64, 64], &[128], &tile, swizzle).unwrap();
            runs(&map, 1024, map.tile_bytes() as usize).to_vec()
        };
        assert_eq!(taken(Swizzle::None, [24, 9]), [(1024, 432)]);
        assert_eq!(taken(Swizzle::B128, [64, 9]), [(1024, 9 * 128)]);
        // Rows of 48 bytes: three lines, and three chunks of the fourth, which are 3 to 1 in it.
        assert_eq!(taken(Swizzle::B128, [24, 9]), [(1024, 384), (1024 + 400, 48)]);
    }
}
