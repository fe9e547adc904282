//! Devices of known honesty: one runs the oracle, the others go wrong in one way each.

use std::any::Any;
use std::sync::Mutex;

use crate::backend::{
    AbiKind, AbiParam, DeviceBackend, DeviceError, DeviceKernel, DeviceMemory, Emitted, LaunchStats,
};
use crate::ir::{Kernel, Launch, Literal, ParamKind};
use crate::oracle::{self, Arguments, Buffer};
use crate::target::{Target, TargetProfile};

/// What a device does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Nothing: it runs the oracle.
    None,
    /// It does nothing at all.
    Idle,
    /// It writes all ones over every written buffer: NaN in every float type.
    AllOnes,
    /// It flips the lowest bit of the last byte that the oracle would leave.
    LastByte,
    /// It flips the lowest bit of each f32 that it writes, as other hardware's approximation might.
    LastPlace,
    /// It writes one byte behind each buffer.
    Overrun,
    /// It writes to what is only read.
    Input,
    /// It panics.
    Panic,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fake {
    pub(super) flaw: Flaw,
}

#[derive(Debug)]
struct FakeMemory(Mutex<Vec<u8>>);

#[derive(Debug)]
struct FakeKernel {
    kernel: Kernel,
    params: Vec<AbiParam>,
    flaw: Flaw,
}

impl DeviceBackend for Fake {
    fn name(&self) -> String {
        "fake".into()
    }

    fn description(&self) -> String {
        format!("a fake whose flaw is {:?}", self.flaw)
    }

    fn target(&self) -> TargetProfile {
        Target::SM_90.into()
    }

    fn alloc(&self, bytes: u64) -> Result<Box<dyn DeviceMemory>, DeviceError> {
        // The corpus has sparse buffers beyond 4 GiB, and these fakes keep every byte: such a case has no result here.
        if bytes > LARGEST {
            let reason = format!("{bytes} bytes are over the {LARGEST} of a fake");
            return Err(DeviceError::Memory { device: self.name(), reason });
        }
        Ok(Box::new(FakeMemory(Mutex::new(vec![0; bytes as usize]))))
    }

    fn load(&self, kernel: &Kernel, emitted: &Emitted) -> Result<Box<dyn DeviceKernel>, DeviceError> {
        let (kernel, params) = (kernel.clone(), emitted.params.clone());
        Ok(Box::new(FakeKernel { kernel, params, flaw: self.flaw }))
    }
}

/// The most bytes of one buffer.
const LARGEST: u64 = 1 << 26;

impl DeviceMemory for FakeMemory {
    fn bytes(&self) -> u64 {
        self.0.lock().unwrap().len() as u64
    }

    fn address(&self) -> u64 {
        0x1000
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.0.lock().unwrap()[offset as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        data.copy_from_slice(&self.0.lock().unwrap()[offset as usize..][..data.len()]);
        Ok(())
    }

    fn fill(&self, offset: u64, bytes: u64, pattern: &[u8], _: bool) -> Result<(), DeviceError> {
        let mut memory = self.0.lock().unwrap();
        for (byte, pattern) in
            memory[offset as usize..][..bytes as usize].iter_mut().zip(pattern.iter().cycle())
        {
            *byte = *pattern;
        }
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Bytes of the guard zone, which this device has behind each buffer.
const GUARD: usize = 256;

impl DeviceKernel for FakeKernel {
    fn launch(
        &self,
        launch: &Launch,
        params: &[u64],
        buffers: &[&dyn DeviceMemory],
    ) -> Result<LaunchStats, DeviceError> {
        let memories: Vec<&Mutex<Vec<u8>>> = buffers
            .iter()
            .map(|buffer| &buffer.as_any().downcast_ref::<FakeMemory>().expect("own memory").0)
            .collect();
        let written: Vec<bool> = self
            .kernel
            .params
            .values()
            .filter_map(|param| match param.kind {
                ParamKind::Buffer { written, .. } => Some(written),
                ParamKind::Scalar => None,
            })
            .collect();
        assert_eq!(memories.len(), written.len());
        assert_ne!(self.flaw, Flaw::Panic, "this device panics");
        let honest =
            matches!(self.flaw, Flaw::None | Flaw::LastByte | Flaw::LastPlace | Flaw::Overrun | Flaw::Input);
        let results = if honest { Some(self.oracle(launch, params, &memories)) } else { None };
        for (index, memory) in memories.iter().enumerate() {
            let mut memory = memory.lock().unwrap();
            let len = memory.len() - GUARD;
            if let Some(results) = &results {
                memory[..len].copy_from_slice(&results[index]);
            }
            match self.flaw {
                Flaw::AllOnes if written[index] => memory[..len].fill(0xff),
                Flaw::LastByte if written[index] && len > 0 => memory[len - 1] ^= 1,
                Flaw::LastPlace if written[index] => {
                    memory[..len].iter_mut().step_by(4).for_each(|byte| *byte ^= 1);
                }
                Flaw::Overrun => memory[len] ^= 1,
                Flaw::Input if !written[index] && len > 0 => memory[0] ^= 1,
                Flaw::None
                | Flaw::Idle
                | Flaw::AllOnes
                | Flaw::LastByte
                | Flaw::LastPlace
                | Flaw::Input
                | Flaw::Panic => {}
            }
        }
        Ok(LaunchStats::default())
    }
}

impl FakeKernel {
    fn oracle(&self, launch: &Launch, params: &[u64], memories: &[&Mutex<Vec<u8>>]) -> Vec<Vec<u8>> {
        let bytes: Vec<u8> = params.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut at = 0usize;
        let mut values = Vec::new();
        for param in &self.params {
            at = at.next_multiple_of(param.size as usize);
            let value = bytes[at..at + param.size as usize].iter().rev();
            values.push(value.fold(0, |bits, &byte| bits << 8 | u64::from(byte)));
            at += param.size as usize;
        }
        let value = |kind: AbiKind| {
            let index = self.params.iter().position(|param| param.kind == kind);
            index.map(|index| values[index])
        };
        let mut args = Arguments::new(&self.kernel);
        let mut memory = memories.iter();
        for (id, param) in self.kernel.params.iter() {
            match param.kind {
                ParamKind::Scalar => {
                    let bits = value(AbiKind::Scalar(id)).unwrap();
                    args.bind_scalar(id, Literal::from_bits(param.dtype, bits)).unwrap();
                }
                ParamKind::Buffer { rank, .. } => {
                    let bytes = memory.next().unwrap().lock().unwrap();
                    let buffer = Buffer::from_bytes(param.dtype, bytes[..bytes.len() - GUARD].to_vec());
                    let shape: Vec<u64> =
                        (0..rank).map(|axis| value(AbiKind::Shape(id, axis)).unwrap()).collect();
                    let strides: Vec<u64> =
                        (0..rank).map(|axis| value(AbiKind::Stride(id, axis)).unwrap()).collect();
                    args.bind_buffer(id, buffer, &shape, &strides).unwrap();
                }
            }
        }
        oracle::run(&self.kernel, launch, &mut args, &oracle::Config::default()).unwrap();
        let buffers = self.kernel.params.values().filter(|param| param.is_buffer());
        buffers.map(|param| args.get(&param.name).unwrap().bytes().unwrap().to_vec()).collect()
    }
}

pub(super) fn fake(flaw: Flaw) -> crate::runtime::Device {
    crate::runtime::Device::new(Fake { flaw })
}
