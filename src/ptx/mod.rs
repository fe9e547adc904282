//! PTX: the instruction set as data, the module around it, lowering, register allocation, and the emulator.

pub mod emu;
pub mod isa;
pub mod lower;
pub mod module;
pub mod regalloc;
