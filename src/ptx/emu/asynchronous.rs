//! Asynchronous operations of a warp: brings each to the file of its family.
//!
//! Entry: lanes at one instruction. Exit: it is done for all of them, or the first lane that may not is a finding. Not
//! here: what is done (`cp_async`, `mbarrier`, `cp_bulk`, `cp_tensor`).

use super::context::Context;
use super::cp_async::{self, CopyAsync};
use super::cp_bulk::{self, Bulk};
use super::cp_tensor::{self, TensorCopy};
use super::decode::Planner;
use super::finding::Finding;
use super::mbarrier::{self, MbarrierOp};
use super::micro::Kind;
use super::step::Plan;
use super::transfer::Stage;
use super::warp::Warp;

/// An asynchronous operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Async {
    /// Begins a copy by each lane.
    Copy(CopyAsync),
    /// Makes a group of the copies of each lane.
    Commit,
    /// Waits for the copies of each lane: for all, or for all but the newest groups.
    Wait { pending: Option<u32> },
    /// Does something with an mbarrier.
    Mbarrier(MbarrierOp),
    /// Begins a bulk copy by each lane.
    Bulk(Bulk),
    /// Makes a bulk group.
    BulkCommit,
    /// Waits for bulk groups.
    BulkWait { pending: u32 },
    /// Begins a copy of a tile by each lane.
    Tensor(TensorCopy),
}

impl Planner<'_> {
    /// A plan for an asynchronous operation.
    pub(super) fn asynchronous(&mut self, operation: Async) -> Plan {
        self.asyncs.push(operation);
        Plan::of(Kind::Async(self.asyncs.len() as u32 - 1))
    }
}

impl Warp {
    /// Does an operation for the lanes of the mask. Returns whether the warp should let others run: it waits for them.
    pub(super) fn asynchronous(
        &mut self,
        index: u32,
        mask: u32,
        pc: u32,
        context: &mut Context<'_>,
    ) -> Result<bool, Box<Finding>> {
        let launch = context.launch;
        let warp = self.index;
        let mut stage = Stage {
            launch,
            shared: &mut context.shared,
            local: &mut self.local,
            shadows: &mut context.shadows,
            time: &mut context.time,
            order: &mut self.order,
            flights: &mut context.flights,
            mbarriers: &mut context.mbarriers,
            pc,
            warp,
        };
        let done = match &launch.program.asyncs[index as usize] {
            Async::Copy(copy) => cp_async::run(copy, &self.file, mask, &mut self.copies, &mut stage),
            Async::Commit => {
                self.copies.commit(mask);
                Ok(())
            }
            Async::Wait { pending } => {
                cp_async::wait(mask, *pending, &mut self.copies, &mut stage);
                Ok(())
            }
            Async::Bulk(bulk) => cp_bulk::run(bulk, &self.file, mask, &mut self.bulk_copies, &mut stage),
            Async::BulkCommit => {
                self.bulk_copies.commit(mask);
                Ok(())
            }
            Async::BulkWait { pending } => {
                for ticket in self.bulk_copies.take(mask, Some(*pending)) {
                    stage.flights.end(ticket);
                }
                Ok(())
            }
            Async::Mbarrier(operation) => {
                let waits = mbarrier::run(operation, &mut self.file, mask, &mut self.copies, &mut stage);
                match waits {
                    Ok(waits) => {
                        self.waits_for = waits.map(|bar| (pc, bar));
                        return Ok(waits.is_some());
                    }
                    Err(refusal) => Err(refusal),
                }
            }
            Async::Tensor(copy) => cp_tensor::run(copy, &self.file, mask, &mut self.bulk_copies, &mut stage),
        };
        done.map(|()| false)
            .map_err(|refusal| context.fault(&refusal.fault, pc, warp, refusal.bytes, refusal.verb))
    }
}
