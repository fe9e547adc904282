//! The PTX targets: chips, their suffixes, and which one a device or a kernel needs.
//!
//! A plain target (`sm_121`) loads on every device from its number up; a family target (`sm_120f`) on its family
//! from its number up; an architecture target (`sm_121a`) on exactly that device.

use std::fmt;
use std::str::FromStr;

use super::error::{DeviceTooOld, UnknownTarget, Unsupported};
use super::feature::{self, Feature};
use super::limits::{GridLimits, Limits, Occupancy};
use super::version::PtxVersion;

/// A chip by its compute capability. In ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the number is the whole meaning")]
pub enum Chip {
    Sm80,
    Sm86,
    Sm87,
    Sm89,
    Sm90,
    Sm100,
    Sm120,
    Sm121,
}

impl Chip {
    /// All of them, in ascending order.
    pub const ALL: [Self; 8] =
        [Self::Sm80, Self::Sm86, Self::Sm87, Self::Sm89, Self::Sm90, Self::Sm100, Self::Sm120, Self::Sm121];

    /// Ten times the compute capability, as in the target's name.
    pub const fn number(self) -> u32 {
        match self {
            Self::Sm80 => 80,
            Self::Sm86 => 86,
            Self::Sm87 => 87,
            Self::Sm89 => 89,
            Self::Sm90 => 90,
            Self::Sm100 => 100,
            Self::Sm120 => 120,
            Self::Sm121 => 121,
        }
    }

    /// The family whose members answer alike.
    pub const fn family(self) -> Family {
        match self {
            Self::Sm80 | Self::Sm86 | Self::Sm87 | Self::Sm89 => Family::V8,
            Self::Sm90 => Family::V9,
            Self::Sm100 => Family::V10,
            Self::Sm120 | Self::Sm121 => Family::V12,
        }
    }

    /// What one SM holds. KiB per SM are from the facts sheet; sm_87 (Orin) and the counts of warps and CTAs are
    /// NVIDIA's documented compute-capability table.
    pub const fn occupancy(self) -> Occupancy {
        let (shared_kib, warps, ctas) = match self {
            Self::Sm80 => (164, 64, 32),
            Self::Sm86 => (100, 48, 16),
            Self::Sm87 => (164, 48, 16),
            Self::Sm89 | Self::Sm120 | Self::Sm121 => (100, 48, 24),
            Self::Sm90 | Self::Sm100 => (228, 64, 32),
        };
        Occupancy {
            registers_per_sm: 65536,
            register_granule: 256,
            parts: 4,
            shared_bytes_per_sm: shared_kib * 1024,
            shared_granule: 128,
            shared_reserved_per_cta: 1024,
            warps_per_sm: warps,
            ctas_per_sm: ctas,
        }
    }

    /// What one kernel may use.
    pub const fn limits(self) -> Limits {
        let occupancy = self.occupancy();
        Limits {
            shared_static_bytes: 48 * 1024,
            // Everything the SM has but the part that the system reserves for each CTA.
            shared_max_bytes: occupancy.shared_bytes_per_sm - occupancy.shared_reserved_per_cta,
            registers_per_thread: Some(255),
            threads_per_cta: 1024,
            cta_dims: [1024, 1024, 64],
            grid: GridLimits { x: i32::MAX as u32, y: 65535, z: 65535 },
            warp_lanes: 32,
        }
    }
}

/// Chips that answer alike for every feature of a family target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// 8.x. Its members differ: sm_89 has fp8.
    V8,
    /// 9.0.
    V9,
    /// 10.x.
    V10,
    /// 12.x.
    V12,
}

/// What follows the number in a target's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suffix {
    /// Nothing: portable to every later device.
    Plain,
    /// `f`: portable within the family.
    Family,
    /// `a`: this chip only.
    Arch,
}

impl Suffix {
    /// From the most portable to the least.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Family, Self::Arch];

    const fn letter(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Family => "f",
            Self::Arch => "a",
        }
    }
}

/// A PTX `.target`. Only those of [`Target::all`] can be made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    chip: Chip,
    suffix: Suffix,
}

/// What is known of a target beside its name.
struct Row {
    target: Target,
    floor: PtxVersion,
}

const fn row(chip: Chip, suffix: Suffix, floor: (u8, u8)) -> Row {
    Row { target: Target { chip, suffix }, floor: PtxVersion::new(floor.0, floor.1) }
}

/// Every target, with the lowest PTX version that knows it.
const ROWS: [Row; 14] = [
    row(Chip::Sm80, Suffix::Plain, (7, 0)),
    row(Chip::Sm86, Suffix::Plain, (7, 1)),
    row(Chip::Sm87, Suffix::Plain, (7, 4)),
    row(Chip::Sm89, Suffix::Plain, (7, 8)),
    row(Chip::Sm90, Suffix::Plain, (7, 8)),
    row(Chip::Sm90, Suffix::Arch, (8, 0)),
    row(Chip::Sm100, Suffix::Plain, (8, 6)),
    row(Chip::Sm100, Suffix::Arch, (8, 6)),
    row(Chip::Sm120, Suffix::Plain, (8, 7)),
    row(Chip::Sm120, Suffix::Family, (8, 8)),
    row(Chip::Sm120, Suffix::Arch, (8, 7)),
    row(Chip::Sm121, Suffix::Plain, (8, 8)),
    row(Chip::Sm121, Suffix::Family, (8, 8)),
    row(Chip::Sm121, Suffix::Arch, (8, 8)),
];

impl Target {
    /// sm_80, the oldest.
    pub const SM_80: Self = Self::named(Chip::Sm80, Suffix::Plain);
    /// sm_86.
    pub const SM_86: Self = Self::named(Chip::Sm86, Suffix::Plain);
    /// sm_87.
    pub const SM_87: Self = Self::named(Chip::Sm87, Suffix::Plain);
    /// sm_89, the first with fp8.
    pub const SM_89: Self = Self::named(Chip::Sm89, Suffix::Plain);
    /// sm_90.
    pub const SM_90: Self = Self::named(Chip::Sm90, Suffix::Plain);
    /// sm_90a, the only one with wgmma.
    pub const SM_90A: Self = Self::named(Chip::Sm90, Suffix::Arch);
    /// sm_100.
    pub const SM_100: Self = Self::named(Chip::Sm100, Suffix::Plain);
    /// sm_100a, the only one with tcgen05.
    pub const SM_100A: Self = Self::named(Chip::Sm100, Suffix::Arch);
    /// sm_120.
    pub const SM_120: Self = Self::named(Chip::Sm120, Suffix::Plain);
    /// sm_120f: loads on sm_120 and sm_121.
    pub const SM_120F: Self = Self::named(Chip::Sm120, Suffix::Family);
    /// sm_120a.
    pub const SM_120A: Self = Self::named(Chip::Sm120, Suffix::Arch);
    /// sm_121, the chip of a DGX Spark.
    pub const SM_121: Self = Self::named(Chip::Sm121, Suffix::Plain);
    /// sm_121f.
    pub const SM_121F: Self = Self::named(Chip::Sm121, Suffix::Family);
    /// sm_121a.
    pub const SM_121A: Self = Self::named(Chip::Sm121, Suffix::Arch);

    const fn named(chip: Chip, suffix: Suffix) -> Self {
        Self { chip, suffix }
    }

    /// All targets: by chip, and plain, family, architecture within one.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        ROWS.iter().map(|row| row.target)
    }

    /// The target of this name, such as `sm_121` or `sm_120f`.
    ///
    /// # Errors
    /// Returns the nearest known name when there is no such target.
    pub fn parse(name: &str) -> Result<Self, UnknownTarget> {
        let found = Self::all().find(|target| target.to_string() == name);
        found.ok_or_else(|| UnknownTarget::new(name, Self::all().map(|target| target.to_string())))
    }

    /// The target of this chip and suffix, if there is one.
    pub fn of(chip: Chip, suffix: Suffix) -> Option<Self> {
        Self::all().find(|target| *target == Self { chip, suffix })
    }

    /// The plain target for a device of compute capability `major.minor`: its own, or else the highest below it,
    /// since plain PTX loads on every later device.
    ///
    /// # Errors
    /// Returns the capability when it is below every target.
    pub fn for_device(major: u32, minor: u32) -> Result<DeviceTarget, DeviceTooOld> {
        let capability = (major, minor);
        let plain = Self::all().filter(|target| target.suffix == Suffix::Plain);
        let below = plain.filter(|target| target.capability() <= capability).max();
        let target = below.ok_or(DeviceTooOld { major, minor })?;
        Ok(DeviceTarget { target, major, minor })
    }

    /// The chip.
    pub const fn chip(self) -> Chip {
        self.chip
    }

    /// The suffix.
    pub const fn suffix(self) -> Suffix {
        self.suffix
    }

    /// The chip's family.
    pub const fn family(self) -> Family {
        self.chip.family()
    }

    /// The compute capability, as the driver reports it for the chip.
    pub const fn capability(self) -> (u32, u32) {
        (self.chip.number() / 10, self.chip.number() % 10)
    }

    /// The lowest PTX version that knows this target.
    pub fn ptx_floor(self) -> PtxVersion {
        let row = ROWS.iter().find(|row| row.target == self);
        row.expect("a target is made from the rows, by name or by constant; the tests walk both").floor
    }

    /// The lowest PTX version a module for this target must declare to use the given features.
    pub fn ptx_version_for(self, needs: Feature) -> PtxVersion {
        needs.rows().map(|row| row.since).fold(self.ptx_floor(), Ord::max)
    }

    /// What one kernel may use.
    pub const fn limits(self) -> Limits {
        self.chip.limits()
    }

    /// What one SM holds.
    pub const fn occupancy(self) -> Occupancy {
        self.chip.occupancy()
    }

    /// Everything this very target can do; what a different suffix would add is not in it.
    pub fn features(self) -> Feature {
        feature::features_of(self)
    }

    /// Whether this very target can do all of it.
    pub fn has(self, needs: Feature) -> bool {
        self.features().contains(needs)
    }

    /// The target that a kernel with these needs is compiled for: a plain name stands for its chip, so the first
    /// of plain, family and architecture that has everything; a name with a suffix stands for itself.
    ///
    /// # Errors
    /// Returns the first need that the chip, or the pinned target, can't meet.
    pub fn resolve(self, needs: Feature) -> Result<Self, Unsupported> {
        let fits = |target: &Self| target.has(needs);
        self.candidates().find(fits).ok_or_else(|| {
            let missing = needs.rows().find(|row| !self.candidates().any(|target| target.has(row.feature)));
            // Each need alone may be met by a different suffix; then the last candidate's gap is the one to name.
            let last = self.candidates().next_back().unwrap_or(self);
            let gap = || needs.rows().find(|row| !last.has(row.feature));
            let row = missing.or_else(gap).expect("a candidate that lacks nothing would have been found");
            Unsupported { feature: row.feature, target: self }
        })
    }

    /// Whether the chip can do it, under whatever suffix this name allows.
    pub fn can(self, needs: Feature) -> bool {
        self.resolve(needs).is_ok()
    }

    /// Refuses what the chip can't do.
    ///
    /// # Errors
    /// Returns the first need that can't be met.
    pub fn require(self, needs: Feature) -> Result<(), Unsupported> {
        self.resolve(needs).map(drop)
    }

    /// Whether PTX for this target loads on a device of compute capability `major.minor`.
    pub fn loads_on(self, major: u32, minor: u32) -> bool {
        let own = self.capability();
        match self.suffix {
            Suffix::Plain => own <= (major, minor),
            Suffix::Family => own.0 == major && own.1 <= minor,
            Suffix::Arch => own == (major, minor),
        }
    }

    fn candidates(self) -> impl DoubleEndedIterator<Item = Self> {
        let pinned = self.suffix != Suffix::Plain;
        Suffix::ALL
            .into_iter()
            .filter(move |suffix| !pinned || *suffix == self.suffix)
            .filter_map(move |suffix| Self::of(self.chip, suffix))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("sm_{}{}", self.chip.number(), self.suffix.letter()))
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, UnknownTarget> {
        Self::parse(name)
    }
}

/// The target chosen for a device. Displays as the notice owed to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceTarget {
    /// The target to compile for.
    pub target: Target,
    /// The device's compute capability, before the dot.
    pub major: u32,
    /// The device's compute capability, after the dot.
    pub minor: u32,
}

impl DeviceTarget {
    /// Whether the target is the device's own.
    pub fn is_exact(self) -> bool {
        self.target.capability() == (self.major, self.minor)
    }

    /// What the user should be told, when the target is not the device's own.
    pub fn notice(self) -> Option<String> {
        (!self.is_exact()).then(|| {
            let Self { target, major, minor } = self;
            format!("compute capability {major}.{minor} is not known; compiling for {target}, the highest below it")
        })
    }
}
