//! How many CTAs and warps of a kernel an SM holds at once, and what stands in the way of more.
//!
//! Entry: what one CTA uses, and a device's numbers from `target`. Exit: a count and the resource that limits it.
//! A kernel whose CTA does not fit at all has a count of 0. Not here: which occupancy is worth having.

use crate::target::{self, Target};

/// What one CTA uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CtaResources {
    /// Threads.
    pub threads: u32,
    /// Registers of 32 bits per thread.
    pub registers: u32,
    /// Shared memory in bytes, static and dynamic.
    pub shared_bytes: u32,
}

/// What stands in the way of one more CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitingResource {
    /// Resident warps.
    Warps,
    /// Resident CTAs.
    Ctas,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
}

/// What an SM holds at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OccupancyReport {
    /// CTAs.
    pub ctas: u32,
    /// Warps.
    pub warps: u32,
    /// Warps that the SM could hold.
    pub max_warps: u32,
    /// What stands in the way of one more CTA; the first in the order of [`LimitingResource`] if several do.
    pub limit: LimitingResource,
}

impl OccupancyReport {
    /// The occupancy of a kernel on a target.
    pub fn of(target: Target, cta: CtaResources) -> Self {
        let (sm, limits) = (target.occupancy(), target.limits());
        let warps = cta.threads.div_ceil(limits.warp_lanes).max(1);
        let by_registers = match limits.registers_per_thread {
            Some(most) if cta.registers > most => 0,
            Some(_) | None => by_registers(&sm, limits.warp_lanes, cta.registers, warps),
        };
        let shared = cta.shared_bytes.saturating_add(sm.shared_reserved_per_cta);
        let shared = shared.checked_next_multiple_of(sm.shared_granule).unwrap_or(u32::MAX);
        let fits_launch = cta.threads <= limits.threads_per_cta;
        let counts = [
            (LimitingResource::Warps, if fits_launch { sm.warps_per_sm / warps } else { 0 }),
            (LimitingResource::Ctas, sm.ctas_per_sm),
            (LimitingResource::Registers, by_registers),
            (LimitingResource::Shared, sm.shared_bytes_per_sm.checked_div(shared).unwrap_or(u32::MAX)),
        ];
        let (limit, ctas) =
            counts.into_iter().min_by_key(|&(_, count)| count).expect("there are four limits");
        Self { ctas, warps: ctas * warps, max_warps: sm.warps_per_sm, limit }
    }

    /// Warps as a part of those that the SM could hold.
    pub fn fraction(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.max_warps)
    }
}

/// Warps get registers in granules, each from the part of the SM that it runs on; a CTA's warps all need theirs, and
/// are spread over the parts evenly.
fn by_registers(sm: &target::Occupancy, lanes: u32, registers: u32, warps: u32) -> u32 {
    let of_warp = registers.saturating_mul(lanes).max(1).next_multiple_of(sm.register_granule);
    let of_cta = of_warp.saturating_mul(warps.next_multiple_of(sm.parts));
    if of_cta > sm.registers_per_sm {
        return 0;
    }
    (sm.registers_per_sm / sm.parts / of_warp * sm.parts) / warps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(threads: u32, registers: u32, shared_bytes: u32) -> (u32, u32, LimitingResource) {
        let report = OccupancyReport::of(Target::SM_90, CtaResources { threads, registers, shared_bytes });
        (report.ctas, report.warps, report.limit)
    }

    #[test]
    fn each_resource_limits_in_its_turn() {
        assert_eq!(of(256, 32, 0), (8, 64, LimitingResource::Warps));
        assert_eq!(of(32, 16, 0), (32, 32, LimitingResource::Ctas));
        assert_eq!(of(256, 128, 0), (2, 16, LimitingResource::Registers));
        assert_eq!(of(128, 32, 48 * 1024), (4, 16, LimitingResource::Shared));
    }

    #[test]
    fn registers_come_in_granules_and_odd_warps_round_up() {
        // 33 registers of 32 lanes are 1056, which takes 5 granules of 256.
        assert_eq!(of(1024, 33, 0), (1, 32, LimitingResource::Registers));
        assert_eq!(of(33, 32, 0).1 % 2, 0);
    }

    #[test]
    fn each_part_of_the_sm_has_its_own_registers() {
        // 200 registers of 32 lanes are 6,400: two warps in each of four parts, though ten would fit the whole.
        assert_eq!(of(64, 200, 0), (4, 8, LimitingResource::Registers));
        // From the CUDA occupancy calculator: 37 to 40 registers and CTAs of 256 threads are 75 % of an sm_80.
        let known = |target, threads, registers, shared_bytes| {
            let report = OccupancyReport::of(target, CtaResources { threads, registers, shared_bytes });
            (report.ctas, report.warps, report.max_warps)
        };
        assert_eq!(known(Target::SM_80, 256, 37, 0), (6, 48, 64));
        assert_eq!(known(Target::SM_80, 256, 40, 0), (6, 48, 64));
        assert_eq!(known(Target::SM_86, 128, 40, 0), (12, 48, 48));
        assert_eq!(known(Target::SM_121, 1024, 64, 0), (1, 32, 48));
        // 100 KiB of an SM hold two CTAs of 49 KiB with the 1 KiB that each costs more, and one of a byte more.
        assert_eq!(known(Target::SM_121, 128, 32, 49 * 1024).0, 2);
        assert_eq!(known(Target::SM_121, 128, 32, 49 * 1024 + 1).0, 1);
    }

    #[test]
    fn what_does_not_fit_at_all_has_no_cta() {
        assert_eq!(of(1024, 128, 0).0, 0);
        assert_eq!(of(32, 300, 0).0, 0);
        assert_eq!(of(2048, 16, 0).0, 0);
        assert_eq!(of(32, 16, 400 * 1024).0, 0);
    }
}
