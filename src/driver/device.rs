//! A CUDA device and its limits.
//!
//! What this is: data read once when the device is opened. On entry: libcuda is initialised and the number is in
//! range. On exit: limits that a launch is checked against. Not here: what an architecture can do by its number; the
//! `target` module holds that as data, and this one only reports the number.

use std::ffi::{CStr, c_char, c_int};

use super::error::DriverError;
use super::loader::Driver;
use super::result::ResultCode;
use super::sys::{Ordinal, device_attribute as attribute};

/// What a device can take in one launch and what it is built of, as the driver reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Threads of one CTA.
    pub max_threads_per_cta: u32,
    /// Threads of one CTA along x, y, z.
    pub max_block: [u32; 3],
    /// CTAs of one grid along x, y, z.
    pub max_grid: [u32; 3],
    /// Bytes of shared memory that a CTA gets without asking.
    pub shared_per_cta: u32,
    /// Bytes of shared memory that a CTA can opt in to, static and dynamic together.
    pub shared_per_cta_opt_in: u32,
    /// Bytes of shared memory that the driver keeps of each CTA's share; 0 where the driver doesn't say.
    pub shared_reserved_per_cta: u32,
    /// Bytes of shared memory of one multiprocessor; 0 where the driver doesn't say.
    pub shared_per_multiprocessor: u32,
    /// 32-bit registers of one CTA.
    pub registers_per_cta: u32,
    /// 32-bit registers of one multiprocessor; 0 where the driver doesn't say.
    pub registers_per_multiprocessor: u32,
    /// Resident threads of one multiprocessor.
    pub threads_per_multiprocessor: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Threads of a warp.
    pub warp_size: u32,
    /// Peak clock in kHz; 0 where the driver doesn't say.
    pub clock_khz: u32,
    /// Bytes of second-level cache; 0 where the driver doesn't say.
    pub l2_bytes: u32,
}

/// A device that libcuda sees. Cheap to clone; opening one takes no memory on it.
#[derive(Debug, Clone)]
pub struct CudaDevice {
    driver: Driver,
    ordinal: u32,
    handle: Ordinal,
    name: String,
    compute_capability: (u32, u32),
    memory_bytes: u64,
    limits: DeviceLimits,
}

impl CudaDevice {
    /// Opens a device whose number was checked against the count.
    pub(super) fn open(driver: &Driver, ordinal: u32) -> Result<Self, DriverError> {
        let api = &driver.inner.api;
        let mut handle: Ordinal = 0;
        let raw = c_int::try_from(ordinal).map_err(|_| DriverError::NoSuchDevice { ordinal, count: 0 })?;
        // SAFETY: the call writes one int.
        unsafe { api.device_get(&mut handle, raw) }?;

        let mut name = [0 as c_char; 256];
        // SAFETY: the call writes at most the 255 bytes it is told, and the last one stays NUL.
        unsafe { api.device_get_name(name.as_mut_ptr(), 255, handle) }?;
        // SAFETY: the array ends in a NUL that nothing wrote over.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();

        let mut memory_bytes = 0usize;
        // SAFETY: the call writes one size.
        unsafe { api.device_total_mem(&mut memory_bytes, handle) }?;

        let ask = Attributes { driver, handle };
        let compute_capability = (
            ask.required(attribute::COMPUTE_CAPABILITY_MAJOR)?,
            ask.required(attribute::COMPUTE_CAPABILITY_MINOR)?,
        );
        let limits = ask.limits()?;
        Ok(Self {
            driver: driver.clone(),
            ordinal,
            handle,
            name,
            compute_capability,
            memory_bytes: memory_bytes as u64,
            limits,
        })
    }

    /// The number, from 0.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// The marketing name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Major and minor: (12, 1) for sm_121.
    pub fn compute_capability(&self) -> (u32, u32) {
        self.compute_capability
    }

    /// Bytes of device memory.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    /// What a launch may ask for.
    pub fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    /// The library that it was found through.
    pub fn driver(&self) -> &Driver {
        &self.driver
    }

    pub(super) fn handle(&self) -> Ordinal {
        self.handle
    }
}

/// Asks one device for its numbers.
struct Attributes<'a> {
    driver: &'a Driver,
    handle: Ordinal,
}

impl Attributes<'_> {
    fn required(&self, attribute: c_int) -> Result<u32, DriverError> {
        let mut value: c_int = 0;
        // SAFETY: the call writes one int.
        unsafe { self.driver.inner.api.device_get_attribute(&mut value, attribute, self.handle) }?;
        // No attribute that is read here is negative.
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// `otherwise` where the driver is older than the attribute.
    fn or(&self, attribute: c_int, otherwise: u32) -> Result<u32, DriverError> {
        match self.required(attribute) {
            Err(DriverError::Call { code: ResultCode::ERROR_INVALID_VALUE, .. }) => Ok(otherwise),
            answer => answer,
        }
    }

    /// Three attributes in a row: x, y, z.
    fn axes(&self, first: c_int) -> Result<[u32; 3], DriverError> {
        Ok([self.required(first)?, self.required(first + 1)?, self.required(first + 2)?])
    }

    fn limits(&self) -> Result<DeviceLimits, DriverError> {
        let shared_per_cta = self.required(attribute::MAX_SHARED_MEMORY_PER_BLOCK)?;
        Ok(DeviceLimits {
            max_threads_per_cta: self.required(attribute::MAX_THREADS_PER_BLOCK)?,
            max_block: self.axes(attribute::MAX_BLOCK_DIM_X)?,
            max_grid: self.axes(attribute::MAX_GRID_DIM_X)?,
            shared_per_cta,
            // A driver older than the attribute is also older than the opt-in.
            shared_per_cta_opt_in: self
                .or(attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_per_cta)?
                .max(shared_per_cta),
            shared_reserved_per_cta: self.or(attribute::RESERVED_SHARED_MEMORY_PER_BLOCK, 0)?,
            shared_per_multiprocessor: self.or(attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 0)?,
            registers_per_cta: self.required(attribute::MAX_REGISTERS_PER_BLOCK)?,
            registers_per_multiprocessor: self.or(attribute::MAX_REGISTERS_PER_MULTIPROCESSOR, 0)?,
            threads_per_multiprocessor: self.required(attribute::MAX_THREADS_PER_MULTIPROCESSOR)?,
            multiprocessors: self.required(attribute::MULTIPROCESSOR_COUNT)?,
            warp_size: self.required(attribute::WARP_SIZE)?,
            clock_khz: self.or(attribute::CLOCK_RATE_KHZ, 0)?,
            l2_bytes: self.or(attribute::L2_CACHE_BYTES, 0)?,
        })
    }
}
