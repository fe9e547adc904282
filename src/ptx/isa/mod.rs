//! The PTX instruction set as data: one row an instruction.
//!
//! A row gives the struct, the printer, the parser, the operand walk, the check and the version gate; [`Op`] is one
//! of all of them, and [`Inst`] adds the guard. Entry: text or typed values. Exit: `parse(print(x)) == x`, and a
//! checked instruction is one that the assembler takes. Not here: what an instruction does (`ptx::emu`), directives
//! and bodies (`ptx::module`), and which instruction serves an operation (`ptx::lower`).

pub mod arith_modifier;
pub mod async_modifier;
pub mod atom;
pub mod atom_vector;
pub mod barrier;
pub mod bits;
pub mod cache_hint;
pub mod carry;
pub mod cluster;
pub mod constant;
pub mod control;
pub mod cp_async;
pub mod cp_bulk;
pub mod cvt;
pub mod cvt_narrow;
pub mod cvt_pack;
pub mod error;
pub mod float;
pub mod float_rare;
pub mod int;
pub mod int_narrow;
pub mod lacking;
pub mod lex;
pub mod logic;
pub mod matrix_move;
pub mod mbarrier;
pub mod memory;
pub mod memory_rare;
pub mod misc;
pub mod mma;
pub mod modifier;
pub mod mov;
pub mod name;
pub mod redux;
pub mod reg;
mod row;
pub mod sample;
pub mod scan;
pub mod select;
pub mod setp;
pub mod shfl;
pub mod slot;
pub mod sreg;
pub mod types;
pub mod version;
pub mod video;
pub mod vote;

mod op;
#[cfg(test)]
mod tests;

pub use atom::{Atom, AtomCas, Red};
pub use atom_vector::{AtomHint, AtomVector, RedHint, RedVector};
pub use barrier::{
    BarArrive, BarRed, BarRedPopc, BarSync, BarWarpSync, BarrierArrive, BarrierRed, BarrierRedPopc,
    BarrierSync, Fence, FenceProxyAlias, FenceScope, Membar,
};
pub use bits::{Bfind, Bmsk, Cnot, Lop3Pred, Szext};
pub use cache_hint::{CreatePolicy, LdHint, Prefetch, PrefetchTensormap, PrefetchUniform, StHint};
pub use carry::{AddCarry, AddCarryOut, MadCarry, MadCarryOut, SubCarry, SubCarryOut};
pub use cluster::{ClusterArrive, ClusterWait, GetCtaRank, MapA, MapASymbol};
pub use control::{Bra, BrxIdx, Call, Exit, Ret, Trap};
pub use cp_async::{
    CpAsync, CpAsyncArrive, CpAsyncCommit, CpAsyncHint, CpAsyncIgnore, CpAsyncIgnoreHint, CpAsyncWait,
    CpAsyncWaitAll,
};
pub use cp_bulk::{
    BulkCommit, BulkLoad, BulkLoadHint, BulkPrefetch, BulkPrefetchHint, BulkStore, BulkStoreHint, BulkWait,
    TensorLoad, TensorLoadHint, TensorStore,
};
pub use cvt::{Cvt, CvtPack, CvtTf32, CvtTf32Away};
pub use cvt_narrow::{CvtNarrow, CvtScale, CvtWiden, CvtWidenScale};
pub use cvt_pack::{CvtNarrowHalves, CvtPackFields, CvtPackHalves, CvtScaleHalves};
pub use error::{FormError, ParseError, ParseErrorKind};
pub use float::{
    AbsFloat, AddFloat, CopySign, Cos, DivFloat, Ex2, Fma, Lg2, MaxFloat, MinFloat, MulFloat, NegFloat, Rcp,
    Rsqrt, Sin, Sqrt, SubFloat, Tanh,
};
pub use float_rare::{
    AddMixed, AddPair, FmaMixed, FmaPair, MadFloat, MaxThree, MinThree, MulPair, SubMixed, SubPair,
};
pub use int::{Abs, Add, Clz, Div, Mad, Max, Min, Mul, Neg, Popc, Rem, Sub};
pub use int_narrow::{AddPacked, Dp2a, Dp4a, Mad24, MaxPacked, MaxRelu, MinPacked, MinRelu, Mul24, Sad};
pub use logic::{
    And, AndPred, Bfe, Bfi, Brev, Fns, Lop3, Not, NotPred, Or, OrPred, Prmt, Shf, Shl, Shr, Xor, XorPred,
};
pub use matrix_move::{LdMatrix, MovMatrix, StMatrix};
pub use mbarrier::{
    FenceMbarrierInit, FenceProxyAsync, MbarrierArrive, MbarrierArriveExpect, MbarrierComplete,
    MbarrierExpect, MbarrierInit, MbarrierInval, MbarrierTest, MbarrierTestParity, MbarrierTry,
    MbarrierTryParity,
};
pub use memory::{Cvta, CvtaSymbol, CvtaTo, Ld, St};
pub use memory_rare::{
    ApplyPriority, ConvertPolicy, CreateRangePolicy, Discard, Isspacep, LdEvict, LdMmio, Ldu, StEvict, StMmio,
};
pub use misc::{Brkpt, GridDepControl, Nanosleep, PmEvent, PmEventMask, SetMaxNReg};
pub use mma::Mma;
pub use mov::{Mov, MovAddress, MovPack, MovPred, MovSpecial, MovTruth, MovUnpack, Selp};
pub use name::{FunctionId, GlobalId, LabelId, Names, ParamId, Resolve, Symbol, TableId, VarId};
pub use op::{Guard, Inst, Op};
pub use redux::{Redux, ReduxFloat};
pub use reg::{Reg, RegClass, RegTable};
pub use row::Instruction;
pub use select::{Set, SetBool, Slct, SlctFloat, Testp};
pub use setp::{Setp, SetpBool};
pub use shfl::Shfl;
pub use slot::{
    Address, Base, BesideDef, Bounded, CallOperand, CallSite, Callee, CopySize, Def, FragmentDef,
    FragmentUse, InnerUse, Literal, OptUse, PairedDef, PredUse, Role, ScaleUse, ScaleWord, SinkDef,
    SymbolAddress, TensorPlace, Truth, Use, VecDef, VecUse,
};
pub use sreg::SpecialReg;
pub use types::{ScalarType, TypeKind};
pub use version::{ArchGate, PtxVersion, Requirement, SmTarget, TargetSuffix};
pub use video::{
    VAbsDiff2, VAbsDiff4, VAdd2, VAdd4, VAvrg2, VAvrg4, VMax2, VMax4, VMin2, VMin4, VSet2, VSet4, VSub2,
    VSub4,
};
pub use vote::{ActiveMask, Ballot, Elect, MatchAll, MatchAny, Vote};

/// Calls a macro with the names of all rows: `for_each_inst!(name)` expands to `name! { Mov, … }`.
///
/// [`Op`] is made with it, and so is the emulator's dispatch: a row without semantics doesn't build.
macro_rules! for_each_inst {
    ($callback:ident) => {
        $callback! {
            Mov, MovPred, MovTruth, MovSpecial, MovAddress, MovPack, MovUnpack, Selp,
            Add, Sub, Mul, Mad, Div, Rem, Min, Max, Abs, Neg, Popc, Clz,
            AddCarryOut, AddCarry, SubCarryOut, SubCarry, MadCarryOut, MadCarry,
            Mul24, Mad24, Sad, Dp4a, Dp2a, AddPacked, MinPacked, MaxPacked, MinRelu, MaxRelu,
            AddFloat, SubFloat, MulFloat, Fma, DivFloat, MinFloat, MaxFloat, AbsFloat, NegFloat, CopySign,
            AddPair, SubPair, MulPair, FmaPair, AddMixed, SubMixed, FmaMixed, MadFloat, MinThree, MaxThree,
            Sqrt, Rcp, Rsqrt, Ex2, Lg2, Sin, Cos, Tanh,
            VAdd2, VSub2, VAvrg2, VAbsDiff2, VMin2, VMax2, VSet2, VAdd4, VSub4, VAvrg4, VAbsDiff4, VMin4, VMax4, VSet4,
            And, Or, Xor, Not, AndPred, OrPred, XorPred, NotPred, Shl, Shr, Shf, Lop3, Bfe, Bfi, Brev, Prmt, Fns,
            Bfind, Szext, Bmsk, Cnot, Lop3Pred, Set, SetBool, Slct, SlctFloat, Testp,
            Setp, SetpBool, Cvt, CvtPack, CvtTf32Away, CvtTf32, CvtNarrow, CvtWiden, CvtScale, CvtWidenScale,
            CvtPackHalves, CvtPackFields, CvtNarrowHalves, CvtScaleHalves,
            Ld, St, Cvta, CvtaSymbol, CvtaTo, Atom, AtomCas, Red, AtomVector, RedVector, AtomHint, RedHint,
            LdMmio, StMmio, Ldu, LdEvict, StEvict, Isspacep, Discard, ApplyPriority, CreateRangePolicy, ConvertPolicy,
            MapA, MapASymbol, GetCtaRank, ClusterArrive, ClusterWait,
            Bra, BrxIdx, Call, Ret, Exit, Trap, Nanosleep, Brkpt, PmEvent, PmEventMask, GridDepControl, SetMaxNReg,
            Shfl, Vote, Ballot, MatchAny, MatchAll, Redux, ReduxFloat, Elect, ActiveMask,
            BarSync, BarrierSync, BarArrive, BarrierArrive, BarRed, BarRedPopc, BarrierRed, BarrierRedPopc,
            BarWarpSync, Membar, Fence, FenceScope, FenceProxyAlias,
            Mma, LdMatrix, StMatrix, MovMatrix,
            CpAsync, CpAsyncHint, CpAsyncIgnore, CpAsyncIgnoreHint, CpAsyncCommit, CpAsyncWait, CpAsyncWaitAll,
            CpAsyncArrive, MbarrierInit, MbarrierInval, MbarrierArrive, MbarrierArriveExpect, MbarrierExpect,
            MbarrierComplete, MbarrierTest, MbarrierTestParity, MbarrierTry, MbarrierTryParity, FenceMbarrierInit,
            FenceProxyAsync, BulkLoad, BulkLoadHint, BulkStore, BulkStoreHint, BulkCommit, BulkWait, BulkPrefetch,
            BulkPrefetchHint, TensorLoad, TensorLoadHint, TensorStore, Prefetch, PrefetchUniform, PrefetchTensormap,
            CreatePolicy, LdHint, StHint,
        }
    };
}

pub(crate) use for_each_inst;
