//! How a kernel is launched and run, and what a run counts.

use super::profile::Count;
use crate::numerics::tensor::TensorModel;

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// CTAs of the grid: x, y, z.
    pub grid: [u32; 3],
    /// Threads of a CTA: x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameters, each at its own alignment in the order of the entry.
    pub params: Vec<u8>,
}

/// In which order lanes, warps and CTAs run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// The fragment with the lowest position first, reconverging where fragments meet; warps and CTAs in order.
    #[default]
    Default,
    /// Fragments split and run in random order and reconverge only where a `.sync` demands it; warps and CTAs in
    /// random order. Equal for equal seeds.
    Adversarial(u64),
}

/// How to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Order of execution.
    pub schedule: Schedule,
    /// Whether races, masks that name ended lanes, uninitialised reads, barriers that not all threads reach or reach at different instructions, reads of
    /// inactive lanes and `.nc` loads of written memory are findings. Bounds, alignment, masks and deadlocks always are.
    pub sanitize: bool,
    /// Instructions that the warps of one CTA may execute together before the launch counts as hanging.
    pub step_budget: u64,
    /// CTAs that run at a time; 0 for one per core.
    pub workers: usize,
    /// Whether each instruction's executions, lanes, bytes, sectors and bank conflicts are counted.
    pub profile: bool,
    /// What matrix multiplications compute; `None` for the hardware that the module's `.target` names.
    pub tensor_model: Option<TensorModel>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            schedule: Schedule::Default,
            sanitize: true,
            step_budget: 1 << 26,
            workers: 1,
            profile: false,
            tensor_model: None,
        }
    }
}

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions executed, counted once for a warp or a part of one.
    pub instructions: u64,
    /// Instructions times active lanes.
    pub lane_instructions: u64,
    /// One for each instruction of the program if [`Config::profile`] is on, else empty.
    pub profile: Vec<Count>,
    /// What device code printed: for each CTA that did its place in the grid, x fastest, and the text.
    pub printed: Vec<(u64, Vec<u8>)>,
}

impl Stats {
    /// Adds what another part of the launch did.
    pub(super) fn add(&mut self, other: &Self) {
        self.instructions += other.instructions;
        self.lane_instructions += other.lane_instructions;
        self.printed.extend(other.printed.iter().cloned());
        self.printed.sort_by_key(|(cta, _)| *cta);
        if self.profile.len() < other.profile.len() {
            self.profile.resize(other.profile.len(), Count::default());
        }
        for (sum, count) in self.profile.iter_mut().zip(&other.profile) {
            sum.add(count);
        }
    }
}
