//! Innermost loops.
//!
//! Entry: blocks in the order of the text. Exit: numbers of the loops that contain no other. A loop is a jump back: the
//! blocks from its target to the jump, which is what the emitted text and compilers' text make of a structured loop.

use super::features::{Body, written};
use super::schedule::Kind;

/// What the loads from shared memory in one turn of an innermost loop fill, the most of any, in quarters.
pub(super) fn shared_of_innermost(body: &Body<'_>, cost: &[u32]) -> u32 {
    let blocks = &body.code.blocks;
    let mut most = 0;
    // The last block that begins or ends a loop seen so far: a loop that begins after it contains none of them.
    let mut last_start = None;
    for (at, block) in blocks.iter().enumerate() {
        let back = block.next.iter().map(|&next| next as usize);
        for start in back.filter(|&start| start <= at) {
            let is_innermost = last_start.is_none_or(|last| start > last);
            if is_innermost {
                let steps = blocks[start].steps.start..block.steps.end;
                let shared = steps.filter(|&step| body.kinds[step] == Kind::Shared);
                most = most.max(shared.map(|step| written(body, step, cost)).sum());
            }
            last_start = last_start.max(Some(start));
        }
    }
    most
}
