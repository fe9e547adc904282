//! Loads and stores of rare kinds: of memory-mapped devices, uniform ones, and those of 256 bits that say how long L2
//! keeps them. Also here: which state space a generic address lies in, and hints about lines of L2.

use super::arith_modifier::{DeviceSpace, L2Eviction};
use super::async_modifier::{PrimaryPriority, SecondaryPriority};
use super::memory::access;
use super::modifier::{L1Eviction, L2Prefetch, Nc, Space, VecWidth};
use super::reg::RegClass::{B64, Pred};
use super::row::row;
use super::slot::{Address, Def, LineBytes, Rule, Use, VecDef, VecUse};
use super::types::MemType;
use super::types::ScalarType::{U32, U64};
use super::version::Requirement;

row! {
    /// A load from memory of a device, relaxed and seen by everybody: it is done exactly once.
    LdMmio = "ld.mmio.relaxed.sys" [space: Option<DeviceSpace>] [ty: MemType] {
        dst: VecDef(access(None, ty)), addr: Address(B64),
    }
    since ptx(8, 2), sm(70); manual "data-movement-and-conversion-instructions-ld"
}

row! {
    /// A store to memory of a device, relaxed and seen by everybody: it is done exactly once.
    StMmio = "st.mmio.relaxed.sys" [space: Option<DeviceSpace>] [ty: MemType] {
        addr: Address(B64), src: VecUse(access(None, ty)),
    }
    since ptx(8, 2), sm(70); manual "data-movement-and-conversion-instructions-st"
}

row! {
    /// A load of read-only data from an address that all lanes share.
    Ldu = "ldu" [space: Option<DeviceSpace>] [vec: Option<VecWidth>] [ty: MemType] {
        dst: VecDef(access(vec, ty)), addr: Address(B64),
    }
    since ptx(2, 0), sm(20); manual "data-movement-and-conversion-instructions-ldu"; check check_ldu
}

row! {
    /// A load of 256 bits with a priority in L2.
    LdEvict = "ld.global" [nc: Nc] [l1: Option<L1Eviction>] [l2: L2Eviction] [prefetch: Option<L2Prefetch>]
        [vec: VecWidth] [ty: MemType] {
        dst: VecDef(access(Some(vec), ty)), addr: Address(B64),
    }
    since ptx(8, 8), sm(100); manual "data-movement-and-conversion-instructions-ld"; check check_load
}

row! {
    /// A store of 256 bits with a priority in L2.
    StEvict = "st.global" [l1: Option<L1Eviction>] [l2: L2Eviction] [vec: VecWidth] [ty: MemType] {
        addr: Address(B64), src: VecUse(access(Some(vec), ty)),
    }
    since ptx(8, 8), sm(100); manual "data-movement-and-conversion-instructions-st"; check check_store
}

row! {
    /// Whether a generic address lies in a state space.
    Isspacep = "isspacep" [space: Space] { dst: Def(Pred), a: Use(Rule::from(U64).no_imm()) }
    since ptx(2, 0), sm(20); manual "data-movement-and-conversion-instructions-isspacep"; needs isspacep_needs
}

row! {
    /// Gives up the 128 bytes of a line: what they are from here on nobody knows.
    Discard = "discard" [space: Option<DeviceSpace>] ".L2" { addr: Address(B64), bytes: LineBytes }
    since ptx(7, 4), sm(80); manual "data-movement-and-conversion-instructions-discard"
}

row! {
    /// Gives the 128 bytes of a line the usual priority.
    ApplyPriority = "applypriority" [space: Option<DeviceSpace>] ".L2::evict_normal" { addr: Address(B64), bytes: LineBytes }
    since ptx(7, 4), sm(80); manual "data-movement-and-conversion-instructions-applypriority"
}

row! {
    /// Makes a policy for a range of addresses: `primary` for its first bytes, `secondary` for the others.
    CreateRangePolicy = "createpolicy.range" [space: Option<DeviceSpace>] [primary: PrimaryPriority]
        [secondary: Option<SecondaryPriority>] ".b64" {
        policy: Def(U64), addr: Address(B64), first: Use(U32), all: Use(U32),
    }
    since ptx(7, 4), sm(80); manual "data-movement-and-conversion-instructions-createpolicy"; check check_range
}

row! {
    /// Makes a policy of what the driver gives.
    ConvertPolicy = "createpolicy.cvt.L2.b64" { policy: Def(U64), property: Use(U64) }
    since ptx(7, 4), sm(80); manual "data-movement-and-conversion-instructions-createpolicy"
}

fn check_128(vec: Option<VecWidth>, ty: MemType) -> Result<(), &'static str> {
    let bits = vec.map_or(1, VecWidth::lanes) * ty.scalar().bits() as usize;
    if vec == Some(VecWidth::V8) || bits > 128 { Err("a vector has at most 128 bits") } else { Ok(()) }
}

fn check_256(vec: VecWidth, ty: MemType) -> Result<(), &'static str> {
    if vec.lanes() * ty.scalar().bits() as usize == 256 {
        return Ok(());
    }
    Err("a priority in L2 goes with `.v8` of 32 bits and `.v4` of 64; elsewhere use `.L2::cache_hint`")
}

fn check_ldu(row: &Ldu) -> Result<(), &'static str> {
    check_128(row.vec, row.ty)
}

fn check_load(row: &LdEvict) -> Result<(), &'static str> {
    check_256(row.vec, row.ty)
}

fn check_store(row: &StEvict) -> Result<(), &'static str> {
    check_256(row.vec, row.ty)
}

fn isspacep_needs(row: &Isspacep) -> Requirement {
    match row.space {
        Space::Global | Space::Shared | Space::Local => Requirement::NONE,
        Space::Const => Requirement::new(3, 1, 20),
        Space::Param => Requirement::new(7, 7, 70),
        Space::SharedCta => Requirement::new(7, 8, 30),
        Space::SharedCluster => Requirement::new(7, 8, 90),
    }
}

fn check_range(row: &CreateRangePolicy) -> Result<(), &'static str> {
    match (row.first, row.all) {
        (Use::Int(first), Use::Int(all)) if first > all => Err("the first bytes are part of all"),
        _ => Ok(()),
    }
}
