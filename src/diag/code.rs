//! Stable codes of the errors that a user can meet: one list, by layer.
//!
//! An error type says its code in a `match` without a wildcard ([`Help::code`](super::Help::code), or an inherent
//! `code`), so that a new variant does not build until it has one: a code of this list whose explanation fits, or a new
//! line here and a section in `docs/errors.md`, which `warpsmith explain` shows. On exit: a number never changes its
//! meaning, and is not used again when its error is gone. Deliberately not here: the messages themselves.

use std::fmt;
use std::str::FromStr;

macro_rules! codes {
    ($($layer:literal $layer_number:literal { $($name:ident = $number:literal $title:literal,)* })*) => {
        /// A code such as `W0601`: what kind of mistake a message is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[doc = $title] $name = $number,)*)* }

        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Self] = &[$($(Self::$name),*),*];

            /// What it stands for, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $($(Self::$name => $title,)*)* }
            }

            /// The layer that it belongs to, in words.
            pub const fn layer(self) -> &'static str {
                match self { $($(Self::$name => $layer,)*)* }
            }

            #[cfg(test)]
            const LAYERS: &'static [(&'static str, u16, &'static [Self])] =
                &[$(($layer, $layer_number, &[$(Self::$name),*])),*];
        }
    };
}

codes! {
    "building a kernel" 1 {
        OperandType = 101 "an operation does not take an operand of this type",
        OperandsDiffer = 102 "two operands of different types",
        ParamKind = 103 "a parameter of another kind",
        NotWrittenParam = 104 "a store to a parameter that is not declared as written",
        VectorForm = 105 "a vector that has no form in memory",
        NoCastMode = 106 "a conversion without that mode",
        AtomicForm = 107 "an atomic operation without that form",
        InlineText = 108 "an inline text that does not fit its operands",
        FragmentRegisters = 109 "a fragment of another form",
        NoIeeeForm = 110 "a product without an IEEE order",
        BlockScales = 111 "block scales that the form does not take",
        NotSharedMemory = 112 "an operation that goes with shared memory only",
        CopySize = 113 "an asynchronous copy of a size that no target has",
        LiteralRange = 114 "a literal that its type can't hold",
        NotHost = 115 "a size that is not known while building",
        HostIndex = 116 "a host array indexed outside its length",
        HostUnderTraced = 117 "a host value that depends on a traced condition",
        CrossesLoop = 118 "a loop left from inside another",
        ForeignValue = 119 "a value of another kernel's build",
        EffectInArm = 120 "an arm of `select` with an effect",
        ArrayName = 121 "a name that is no array of that space",
        DeclaredTwice = 122 "a name declared twice",
        BadSize = 123 "a size that is no size",
        Axes = 124 "an axis that does not exist",
        ZeroStep = 125 "a host loop whose step is 0",
        RefusedWord = 126 "a word used in a way that has no meaning",
        BodyPanicked = 127 "a kernel whose body panicked",
        NoResult = 128 "a called kernel without a result",
    }
    "the text form of kernels" 2 {
        IrSyntax = 201 "a text that is not a kernel",
        IrUnknownOp = 202 "an operation that does not exist",
        IrName = 203 "a name that is not defined, or twice",
        IrNumber = 204 "a number that its type can't hold",
        IrTooDeep = 205 "regions nested too deep",
        IrResults = 206 "another number of results",
    }
    "validation" 3 {
        IrStructure = 301 "a kernel that contradicts itself",
        Escapes = 302 "a value used outside its region",
        Names = 303 "a name that can't be one",
        TooManyAxes = 304 "a strided parameter with too many axes",
        EmptyArray = 305 "an array without elements",
        Remark = 306 "a remark over several lines",
        LoopWords = 307 "`break` or `continue` in the wrong place",
        InlineModel = 308 "a model that does more than compute",
        NamedBarrier = 309 "a named barrier that does not exist",
        LoopCount = 310 "a loop that would never move",
        NeverWritten = 311 "a variable read before it is assigned",
        IndexOutOfBounds = 312 "a constant index outside an array",
        VectorMisaligned = 313 "a vector access at an odd index",
        DivergentBarrier = 314 "a barrier in divergent flow",
        PartedBarrier = 315 "a named barrier that parts a warp",
        ClassConflict = 316 "a launch that the kernel rules out",
        CtaShape = 317 "a CTA of a shape that can't be",
        CtaOpExtent = 318 "a CTA-wide operation whose warps are not known",
        CopyReadsMore = 319 "a copy that reads more than it writes",
        NoTid = 320 "`tid` in a mode that has none",
        SharedTooLarge = 321 "more shared memory than a CTA has",
        ParamsTooLarge = 322 "more parameters than a launch takes",
        TargetLacksType = 323 "a type that the target lacks",
    }
    "targets and emitted text" 4 {
        UnknownTarget = 401 "a target that does not exist",
        DeviceTooOld = 402 "a device below every target",
        TargetLacksFeature = 403 "a feature that the target lacks",
        NoForm = 404 "an operation without a form in this language",
        PartialWarp = 405 "a whole-warp operation where lanes may be missing",
        WrongTarget = 406 "a target of another language",
        InlineRefused = 407 "an inline text that the target does not take",
        BadClass = 408 "a launch class that contradicts itself",
    }
    "PTX text" 5 {
        PtxCharacter = 501 "a character that is not PTX",
        PtxSyntax = 502 "something else was expected",
        PtxNumber = 503 "a number that does not fit",
        PtxUnknownName = 504 "a name that nothing declares",
        PtxDuplicate = 505 "a name that is declared twice",
        PtxUnknownInstruction = 506 "an instruction that is not known",
        PtxNoSuchForm = 507 "modifiers that don't go together",
        PtxUnsupported = 508 "a construct that is not supported",
        PtxOperand = 509 "an operand that the form does not take",
        PtxVersion = 510 "a module whose version is too old",
        PtxTarget = 511 "an instruction that the module's target lacks",
        PtxName = 512 "a name that PTX does not spell so",
        PtxLabel = 513 "a label that is not placed once",
        PtxForeignId = 514 "an id of another entry",
        PtxSpace = 515 "a variable of another state space",
        PtxVariable = 516 "a declaration that a rule forbids",
        PtxParamBytes = 517 "more parameters than the version takes",
        PtxBounds = 518 "two limits on a CTA's threads",
        PtxText = 519 "a text that would not stay on its line",
        NoEntry = 520 "a module without that entry",
        EmulatorLacks = 521 "an instruction that the emulator lacks",
        PtxCall = 522 "a call that is wrong, or can't be put in place",
    }
    "what the emulator finds" 6 {
        OutOfBounds = 601 "an access outside every allocation",
        Misaligned = 602 "an address that is no multiple of the access's size",
        Uninitialised = 603 "a load of bytes that nothing wrote",
        ReadOnlyWritten = 604 "a read-only load of written memory",
        Race = 605 "a race",
        InFlight = 606 "shared memory touched while a copy is under way",
        CopyBytes = 607 "a copy of a size that hardware does not take",
        Mbarrier = 608 "a wrong use of an mbarrier",
        TensorMap = 609 "a copy that goes against its tensor map",
        MbarrierHang = 610 "a wait for an mbarrier that never completes",
        OutsideOwnMask = 611 "a lane outside its own mask",
        AbsentLanes = 612 "a mask that names lanes that do not exist",
        EndedLanes = 613 "a mask that names lanes that have ended",
        MaskMismatch = 614 "masks that differ",
        SyncMismatch = 615 "lanes of a mask that wait elsewhere",
        InactiveSource = 616 "a shuffle from an inactive lane",
        PartOfWarp = 617 "a part of a warp where all lanes are needed",
        NoTensorForm = 618 "a matrix form that the modelled hardware lacks",
        BarrierDivergence = 619 "an aligned barrier in divergent flow",
        BarrierEnded = 620 "a barrier that ended threads never reach",
        BarrierSites = 621 "one barrier waited for in two places",
        BadBarrier = 622 "a barrier number or count that hardware does not take",
        BarrierCount = 623 "counts of a barrier that differ",
        Deadlock = 624 "a deadlock",
        Hang = 625 "a launch without an end",
        Trap = 626 "a trap",
        DivergentUniform = 627 "a uniform branch that lanes take apart",
        LaunchRefused = 628 "a launch beyond a limit",
        LeadsNowhere = 629 "a branch or call through a register that leads nowhere",
        StackFull = 630 "a recursion that is too deep",
    }
    "what the oracle finds" 7 {
        OracleOutOfBounds = 701 "an index outside a buffer",
        OracleUninitialised = 702 "a read of what was never written",
        OracleMisaligned = 703 "a vector access at an odd index",
        OracleRace = 704 "threads that store different bits to one element",
        OraclePartialWarp = 705 "a whole-warp operation with lanes missing",
        OracleNoModel = 706 "a matrix form that the architecture lacks",
        OracleCopyCount = 707 "a copy that reads more than it writes",
        OracleStepZero = 708 "a counted loop whose step is 0",
        OracleBarrier = 709 "a barrier that only some threads reach",
        OracleNamedBarrier = 710 "a named barrier that can't complete",
        OracleOpaque = 711 "an inline text without a model",
        OracleInactiveSource = 712 "a shuffle from an inactive lane",
        OracleHang = 713 "a CTA without an end",
        OracleArgument = 714 "an argument that does not fit the kernel",
        OracleLaunch = 715 "a launch that does not fit the kernel",
    }
    "launches" 8 {
        BuildFailed = 801 "a kernel that can't be built for these dtypes",
        ArgumentMissing = 802 "a parameter without an argument",
        ArgumentUnknown = 803 "an argument for no parameter",
        ArgumentTwice = 804 "an argument given twice",
        ArgumentDType = 805 "a buffer of other elements",
        TypeParameters = 806 "dtypes that are not fixed, or in two ways",
        BufferOrScalar = 807 "a buffer for a scalar, or a scalar for a buffer",
        ScalarValue = 808 "a number that the parameter can't hold",
        NotMutable = 809 "a written parameter bound for reading only",
        ForeignBuffer = 810 "a buffer of another device",
        ViewAxes = 811 "a view with another number of axes",
        ViewTooLong = 812 "a view that leaves its buffer",
        BufferTooShort = 813 "a buffer that every launch of this size would leave",
        BuffersOverlap = 814 "a written buffer that overlaps another argument",
        NoGrid = 815 "a launch without a grid",
        GridShape = 816 "a grid of a shape that the mode does not take",
        GridTooLarge = 817 "a grid beyond what a launch takes",
        NoDevice = 818 "a device that is not here",
        ModuleRefused = 819 "a device that does not take the text",
        DeviceLaunch = 820 "a launch that is not possible on the device",
        DeviceMemory = 821 "memory that the device does not have",
        DeviceFailed = 822 "a device or driver that failed",
    }
    "the CUDA driver" 9 {
        DriverMissing = 901 "no CUDA driver library",
        DriverTooOld = 902 "a driver without a function",
        DriverNoDevice = 903 "a driver without that device",
        DriverCall = 904 "a call that the driver refused",
        DriverOutOfMemory = 905 "a device without room",
        DriverContextDead = 906 "a context that an earlier fault ended",
        DriverJit = 907 "PTX that the driver's assembler refused",
        DriverText = 908 "PTX with a NUL character",
        DriverFunction = 909 "a module without that kernel",
        DriverLayout = 910 "parameters declared otherwise than compiled",
        DriverLaunch = 911 "a launch beyond the device's limits",
        DriverHandle = 912 "a handle of another context",
        DriverRange = 913 "a range outside a buffer",
    }
    "cases and verdicts" 10 {
        CaseKernel = 1001 "a case whose kernel can't be built",
        CaseArguments = 1002 "a case whose arguments don't fit",
        CaseNotWritten = 1003 "an output that the kernel does not write",
        CaseShape = 1004 "a buffer whose shape or contents don't fit",
        CaseExpectation = 1005 "an expectation that can't be held",
        CaseGrid = 1006 "a case without a grid",
        CaseApproximates = 1007 "a case that is wrong about approximations",
        CaseUnordered = 1008 "a case that adds floats atomically without saying so",
        CaseMode = 1009 "a case in another mode than its kernel",
        OracleGivesNothing = 1010 "a case that the oracle gives no result for",
        OpaqueText = 1011 "a case whose inline text has no model",
        NothingChanges = 1012 "a case that can't fail: nothing changes",
        OnlyNan = 1013 "a case that can't fail: only NaN",
        GuardWrites = 1014 "a guard case that writes",
        NoReference = 1015 "a case without a reference",
        LenientComparator = 1016 "a tolerance that lets wrong results pass",
        Overrun = 1017 "a write behind a buffer",
        Mismatch = 1018 "results that differ",
        CasePanicked = 1019 "a case that panicked",
    }
    "the command" 11 {
        Usage = 1101 "a command line without a meaning",
        Io = 1102 "a file or stream that failed",
        KernelUnknown = 1103 "a kernel that does not exist",
        KernelAmbiguous = 1104 "a name of several kernels",
        BadShard = 1105 "a shard that is none",
        BrokenCases = 1106 "cases that are not valid",
        SettingsFile = 1107 "a `warpsmith.toml` that can't be read",
        NotACode = 1108 "an error code that does not exist",
        NoLayout = 1109 "a layout that does not exist",
        SettingsVariable = 1110 "a variable with a value that means nothing",
    }
    "the CUDA toolkit" 12 {
        ToolMissing = 1201 "an assembler or disassembler that is not here",
        ToolNotRun = 1202 "a tool that does not run",
        ToolRefused = 1203 "a tool that refuses its input",
        ToolScratch = 1204 "scratch files that can't be kept",
    }
    "PTX files and arrays" 13 {
        FileText = 1301 "a file that holds no PTX",
        FileEntry = 1302 "an entry that is not chosen",
        FileArguments = 1303 "arguments that don't fit the entry",
        ArgumentSyntax = 1304 "an argument that is spelled wrong",
        ArrayFile = 1305 "a file that is no array",
        ArrayShared = 1306 "a written file that two arguments name",
        FileLaunch = 1307 "a launch that the entry or the target rules out",
        NotComparable = 1308 "results that can't be compared",
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "W{:04}", *self as u16)
    }
}

/// A text that is no code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no error code `{0}`")]
pub struct NotACode(pub String);

impl FromStr for Code {
    type Err = NotACode;

    /// `W0601`, `w601`, `601`, and as a message has it: `error[W0601]`, with or without what follows.
    fn from_str(text: &str) -> Result<Self, NotACode> {
        let bare = text.trim();
        let in_message = ["error", "warning", ""].iter().find_map(|severity| {
            let (code, rest) = bare.strip_prefix(severity)?.strip_prefix('[')?.split_once(']')?;
            (rest.is_empty() || rest.starts_with(':')).then_some(code)
        });
        let digits = in_message.unwrap_or(bare).trim_start_matches(['w', 'W']);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse::<u16>().ok().filter(|_| is_number);
        let found = Self::ALL.iter().find(|code| Some(**code as u16) == number);
        found.copied().ok_or_else(|| NotACode(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_layer_and_stand_in_order() {
        let mut numbers = Vec::new();
        for (index, (layer, number, codes)) in Code::LAYERS.iter().enumerate() {
            assert_eq!(usize::from(*number), index + 1, "{layer}");
            for code in *codes {
                assert_eq!((*code as u16 / 100, code.layer()), (*number, *layer), "{code}");
                numbers.push(*code as u16);
            }
        }
        assert!(numbers.is_sorted_by(|a, b| a < b), "a number stands once, and in its place");
        assert_eq!(numbers.len(), Code::ALL.len());
    }

    #[test]
    fn codes_are_read_back() {
        for code in Code::ALL {
            assert_eq!(code.to_string().parse(), Ok(*code));
            assert_eq!(code.to_string().len(), 5);
        }
        assert_eq!("w601".parse(), Ok(Code::OutOfBounds));
        for right in ["601", "error[W0601]", "error[W0601]: out of bounds", "warning[601]:", "[w0601]"] {
            assert_eq!(right.parse(), Ok(Code::OutOfBounds), "{right}");
        }
        for wrong in [
            "",
            "W",
            "W9999",
            "-601",
            "+601",
            "601a",
            "99999999999",
            "error[W0601",
            "error[]",
            "x[601]",
            "error[601]x",
        ] {
            assert!(wrong.parse::<Code>().is_err(), "{wrong}");
        }
    }
}
