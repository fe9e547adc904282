//! Instructions that PTX has and this crate has not, by name: so that a text that uses one is told from a misspelt one.

use super::sreg::SpecialReg;

/// Prefixes of opcodes, whole words only, with what they are about. Of several that match the longest counts.
const LACKING: &[(&str, &str)] = &[
    ("mov.v2", "moves of whole vectors, which have parts `.x`, `.y` and so on,"),
    ("mov.v4", "moves of whole vectors, which have parts `.x`, `.y` and so on,"),
    ("tex", "textures"),
    ("tld4", "textures"),
    ("txq", "textures"),
    ("istypep", "textures"),
    ("suld", "surfaces"),
    ("sust", "surfaces"),
    ("sured", "surfaces"),
    ("suq", "surfaces"),
    ("wmma", "the older matrix instructions"),
    ("wgmma", "products of warp groups, for sm_90a,"),
    ("mma.sp", "sparse products of matrices"),
    ("mma.sp::ordered_metadata", "sparse products of matrices"),
    ("tcgen05", "products in tensor memory, for sm_100a,"),
    ("multimem", "accesses to the memory of several devices"),
    ("st.async", "asynchronous stores to other CTAs"),
    ("st.bulk", "bulk stores"),
    ("red.async", "asynchronous reductions"),
    ("cp.reduce.async", "asynchronous reductions"),
    ("cp.async.mbarrier", "arrivals of this form"),
    ("cp.async.bulk.prefetch.tensor", "prefetches of tensors"),
    ("tensormap.replace", "tensor maps that a kernel changes"),
    ("tensormap.cp_fenceproxy", "tensor maps that a kernel changes"),
    ("fence.proxy.tensormap::generic", "tensor maps that a kernel changes"),
    ("clusterlaunchcontrol", "launches under a kernel's control"),
    ("stacksave", "stacks"),
    ("stackrestore", "stacks"),
    ("alloca", "stacks"),
    ("cvt.rs", "conversions that round by random bits"),
    ("fma.rn.oob", "operands out of bounds"),
    ("mbarrier.test_wait.parity.relaxed", "waits of this order"),
    ("vadd", "video instructions of one lane"),
    ("vsub", "video instructions of one lane"),
    ("vabsdiff", "video instructions of one lane"),
    ("vmin", "video instructions of one lane"),
    ("vmax", "video instructions of one lane"),
    ("vshl", "video instructions of one lane"),
    ("vshr", "video instructions of one lane"),
    ("vmad", "video instructions of one lane"),
    ("vset", "video instructions of one lane"),
    ("vadd2", "video instructions of two lanes with chosen bytes"),
    ("vsub2", "video instructions of two lanes with chosen bytes"),
    ("vavrg2", "video instructions of two lanes with chosen bytes"),
    ("vabsdiff2", "video instructions of two lanes with chosen bytes"),
    ("vmin2", "video instructions of two lanes with chosen bytes"),
    ("vmax2", "video instructions of two lanes with chosen bytes"),
    ("vset2", "video instructions of two lanes with chosen bytes"),
    ("vadd4", "video instructions of four lanes with chosen bytes"),
    ("vsub4", "video instructions of four lanes with chosen bytes"),
    ("vavrg4", "video instructions of four lanes with chosen bytes"),
    ("vabsdiff4", "video instructions of four lanes with chosen bytes"),
    ("vmin4", "video instructions of four lanes with chosen bytes"),
    ("vmax4", "video instructions of four lanes with chosen bytes"),
    ("vset4", "video instructions of four lanes with chosen bytes"),
    ("shfl.up", "shuffles without `.sync`, which no chip from sm_70 on has,"),
    ("shfl.down", "shuffles without `.sync`, which no chip from sm_70 on has,"),
    ("shfl.bfly", "shuffles without `.sync`, which no chip from sm_70 on has,"),
    ("shfl.idx", "shuffles without `.sync`, which no chip from sm_70 on has,"),
    ("vote.all", "votes without `.sync`, which no chip from sm_70 on has,"),
    ("vote.any", "votes without `.sync`, which no chip from sm_70 on has,"),
    ("vote.uni", "votes without `.sync`, which no chip from sm_70 on has,"),
    ("vote.ballot", "votes without `.sync`, which no chip from sm_70 on has,"),
];

/// Special registers that the assembler knows and whose value only a driver or a profiler decides.
const LACKING_SPECIAL: &[&str] = &["%envreg", "%pm", "%is_explicit_cluster"];

/// What an opcode that no row takes is about, if it is one of PTX: the part of it that says so, and the subject.
pub fn lacking(opcode: &str) -> Option<(&'static str, &'static str)> {
    if opcode.split('.').skip(1).any(|word| word == "b128") {
        return Some(("b128", "registers of 128 bits"));
    }
    let begins =
        |name: &str| opcode.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    LACKING.iter().copied().filter(|(name, _)| begins(name)).max_by_key(|(name, _)| name.len())
}

/// Whether a name is that of a special register that is not supported.
pub fn is_lacking_special(name: &str) -> bool {
    LACKING_SPECIAL.iter().any(|stem| name.starts_with(stem))
}

/// Whether a name is that of a special register of several parts, as a whole.
pub fn is_vector_special(name: &str) -> bool {
    SpecialReg::parse(&format!("{name}.x")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_counts_and_only_whole_words() {
        assert_eq!(
            lacking("vadd4.u32.u32.u32"),
            Some(("vadd4", "video instructions of four lanes with chosen bytes"))
        );
        assert_eq!(lacking("wgmma.mma_async.sync").map(|(name, _)| name), Some("wgmma"));
        assert_eq!(lacking("texture.2d"), None);
        assert_eq!(lacking("vote.sync.any.pred"), None);
        assert!(is_lacking_special("%envreg3") && !is_lacking_special("%tid.x"));
        assert!(is_vector_special("%ntid") && !is_vector_special("%ntid.x"));
        assert_eq!(lacking("ld.global.b128").map(|(_, subject)| subject), Some("registers of 128 bits"));
        assert_eq!(lacking("mov.v4.u32").map(|(name, _)| name), Some("mov.v4"));
    }
}
