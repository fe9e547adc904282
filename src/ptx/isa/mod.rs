//! The PTX instruction set as data: one row an instruction.
//!
//! A row gives the struct, the printer, the parser, the operand walk, the check and the version gate; [`Op`] is one
//! of all of them, and [`Inst`] adds the guard. Entry: text or typed values. Exit: `parse(print(x)) == x`, and a
//! checked instruction is one that the assembler takes. Not here: what an instruction does (`ptx::emu`), directives
//! and bodies (`ptx::module`), and which instruction serves an operation (`ptx::lower`).

pub mod async_modifier;
pub mod atom;
pub mod barrier;
pub mod cache_hint;
pub mod control;
pub mod cp_async;
pub mod cp_bulk;
pub mod cvt;
pub mod cvt_narrow;
pub mod error;
pub mod float;
pub mod int;
pub mod lex;
pub mod logic;
pub mod matrix_move;
pub mod mbarrier;
pub mod memory;
pub mod mma;
pub mod modifier;
pub mod mov;
pub mod name;
pub mod redux;
pub mod reg;
mod row;
pub mod sample;
pub mod scan;
pub mod setp;
pub mod shfl;
pub mod slot;
pub mod sreg;
pub mod types;
pub mod version;
pub mod vote;

mod op;
#[cfg(test)]
mod tests;

pub use atom::{Atom, AtomCas, Red};
pub use barrier::{
    BarArrive, BarRed, BarRedPopc, BarSync, BarWarpSync, BarrierArrive, BarrierRed, BarrierRedPopc,
    BarrierSync, Fence, Membar,
};
pub use cache_hint::{CreatePolicy, LdHint, Prefetch, PrefetchTensormap, PrefetchUniform, StHint};
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
pub use error::{FormError, ParseError, ParseErrorKind};
pub use float::{
    AbsFloat, AddFloat, CopySign, Cos, DivFloat, Ex2, Fma, Lg2, MaxFloat, MinFloat, MulFloat, NegFloat, Rcp,
    Rsqrt, Sin, Sqrt, SubFloat, Tanh,
};
pub use int::{Abs, Add, Clz, Div, Mad, Max, Min, Mul, Neg, Popc, Rem, Sub};
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
pub use mma::Mma;
pub use mov::{Mov, MovAddress, MovPack, MovPred, MovSpecial, MovUnpack, Selp};
pub use name::{FunctionId, GlobalId, LabelId, Names, ParamId, Resolve, Symbol, TableId, VarId};
pub use op::{Guard, Inst, Op};
pub use redux::Redux;
pub use reg::{Reg, RegClass, RegTable};
pub use row::Instruction;
pub use setp::{Setp, SetpBool};
pub use shfl::Shfl;
pub use slot::{
    Address, Base, CallOperand, CallSite, Callee, CopySize, Def, FragmentDef, FragmentUse, InnerUse, Literal,
    OptUse, PairedDef, PredUse, Role, ScaleUse, ScaleWord, SinkDef, SymbolAddress, TensorPlace, Use, VecDef,
    VecUse,
};
pub use sreg::SpecialReg;
pub use types::{ScalarType, TypeKind};
pub use version::{ArchGate, PtxVersion, Requirement, SmTarget, TargetSuffix};
pub use vote::{ActiveMask, Ballot, MatchAll, MatchAny, Vote};

/// Calls a macro with the names of all rows: `for_each_inst!(name)` expands to `name! { Mov, … }`.
///
/// [`Op`] is made with it, and so is the emulator's dispatch: a row without semantics doesn't build.
macro_rules! for_each_inst {
    ($callback:ident) => {
        $callback! {
            Mov, MovPred, MovSpecial, MovAddress, MovPack, MovUnpack, Selp,
            Add, Sub, Mul, Mad, Div, Rem, Min, Max, Abs, Neg, Popc, Clz,
            AddFloat, SubFloat, MulFloat, Fma, DivFloat, MinFloat, MaxFloat, AbsFloat, NegFloat, CopySign,
            Sqrt, Rcp, Rsqrt, Ex2, Lg2, Sin, Cos, Tanh,
            And, Or, Xor, Not, AndPred, OrPred, XorPred, NotPred, Shl, Shr, Shf, Lop3, Bfe, Bfi, Brev, Prmt, Fns,
            Setp, SetpBool, Cvt, CvtPack, CvtTf32Away, CvtTf32, CvtNarrow, CvtWiden, CvtScale, CvtWidenScale,
            Ld, St, Cvta, CvtaSymbol, CvtaTo, Atom, AtomCas, Red,
            Bra, BrxIdx, Call, Ret, Exit, Trap,
            Shfl, Vote, Ballot, MatchAny, MatchAll, Redux, ActiveMask,
            BarSync, BarrierSync, BarArrive, BarrierArrive, BarRed, BarRedPopc, BarrierRed, BarrierRedPopc,
            BarWarpSync, Membar, Fence,
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
