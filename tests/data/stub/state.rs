//! What the fake driver remembers, behind one lock.
#![allow(dead_code, reason = "the smaller stubs leave parts out")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub const OK: i32 = 0;
pub const INVALID_VALUE: i32 = 1;
pub const OUT_OF_MEMORY: i32 = 2;
pub const NOT_INITIALIZED: i32 = 3;
pub const INVALID_DEVICE: i32 = 101;
pub const INVALID_CONTEXT: i32 = 201;
pub const INVALID_HANDLE: i32 = 400;
pub const NOT_FOUND: i32 = 500;

/// Bytes of memory of each device.
pub const MEMORY: usize = 64 << 20;
pub const SHARED_PER_BLOCK: i32 = 48 << 10;
pub const SHARED_OPT_IN: i32 = 99 << 10;

pub struct Device {
    pub retained: u32,
    pub sticky: i32,
    pub used: usize,
}

pub struct Entry {
    pub module: usize,
    pub name: String,
    pub parameters: Vec<usize>,
    pub max_threads: i32,
    pub static_shared: i32,
    pub dynamic_shared: i32,
}

pub struct State {
    pub initialised: bool,
    pub devices: [Device; 4],
    /// Address to device and contents.
    pub memory: BTreeMap<u64, (usize, Vec<u8>)>,
    /// Device and text; `None` once unloaded.
    pub modules: Vec<Option<(usize, String)>>,
    pub functions: Vec<Entry>,
    /// The time of each event; `None` before it is recorded.
    pub events: Vec<Option<u32>>,
    pub streams: usize,
    /// Launches so far: the fake's clock.
    pub launches: u32,
}

static STATE: Mutex<State> = Mutex::new(State {
    initialised: false,
    devices: [const { Device { retained: 0, sticky: 0, used: 0 } }; 4],
    memory: BTreeMap::new(),
    modules: Vec::new(),
    functions: Vec::new(),
    events: Vec::new(),
    streams: 0,
    launches: 0,
});

thread_local! {
    /// The thread's stack of current contexts, as device numbers.
    pub static STACK: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

pub fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a call on the current context's device; without one, or in a dead one, it answers as libcuda does.
pub fn on_device(call: impl FnOnce(&mut State, usize) -> i32) -> i32 {
    let Some(device) = STACK.with_borrow(|stack| stack.last().copied()) else { return INVALID_CONTEXT };
    let mut state = state();
    match state.devices[device].sticky {
        OK => call(&mut state, device),
        sticky => sticky,
    }
}

/// Writes an answer through the caller's pointer.
pub fn put<T>(to: *mut T, value: T) -> i32 {
    if to.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: the driver module hands in pointers to values of this type.
    unsafe { to.write(value) };
    OK
}
