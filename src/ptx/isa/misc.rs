//! Instructions about the execution itself: pauses, events, how many registers a warp holds, dependent launches.

use super::arith_modifier::{DependencyAction, RegisterChange};
use super::row::row;
use super::slot::{EventMask, EventNumber, RegisterCount, Use};
use super::types::ScalarType::U32;
use super::version::{ArchGate, Requirement};

row! {
    /// Suspends the thread for about so many nanoseconds.
    Nanosleep = "nanosleep.u32" { duration: Use(U32) }
    since ptx(6, 3), sm(70); manual "miscellaneous-instructions-nanosleep"
}

row! {
    /// Stops for a debugger; without one it ends the launch with an error.
    Brkpt = "brkpt" {}
    since ptx(1, 0), sm(11); manual "miscellaneous-instructions-brkpt"
}

row! {
    /// Triggers the performance counter event of a number.
    PmEvent = "pmevent" { event: EventNumber }
    since ptx(1, 4), sm(10); manual "miscellaneous-instructions-pmevent"
}

row! {
    /// Triggers the performance counter events of a mask.
    PmEventMask = "pmevent.mask" { mask: EventMask }
    since ptx(3, 0), sm(20); manual "miscellaneous-instructions-pmevent"
}

row! {
    /// Waits for the grids that this one depends on, or lets those go on that depend on it.
    GridDepControl = "griddepcontrol" [action: DependencyAction] {}
    since ptx(7, 8), sm(90); manual "parallel-synchronization-and-communication-instructions-griddepcontrol"
}

row! {
    /// Asks for registers, or gives some back: so many for each thread of the warp from here on.
    SetMaxNReg = "setmaxnreg" [change: RegisterChange] ".sync.aligned.u32" { count: RegisterCount }
    since ptx(8, 0), sm(90); manual "miscellaneous-instructions-setmaxnreg"; needs count_needs
}

fn count_needs(_row: &SetMaxNReg) -> Requirement {
    Requirement { arch: ArchGate::ArchSpecific, ..Requirement::new(8, 0, 90) }
}
