//! Holds a setup against its kernel's signature.
//!
//! On entry: anything a user wrote. On exit: a [`Case`] in which each parameter has one argument of its type, or every
//! mistake that was found. Whether the kernel itself is valid is not asked here.

use super::buffer::Contents;
use super::error::{CaseError, CaseErrors};
use super::{Expectation, ShapeClass, SizeClass, TestBuffer, TestSetup, Tolerance};
use crate::ir::op::Keyword as _;
use crate::ir::{Kernel, Launch, Literal, ParamId, ParamKind, Scalar};

/// A buffer of a case.
#[derive(Clone, PartialEq, Debug)]
pub struct CaseBuffer {
    /// The parameter.
    pub param: ParamId,
    /// Whether the kernel may write it.
    pub written: bool,
    /// Its contents and shape.
    pub buffer: TestBuffer,
}

/// A case whose arguments fit its kernel.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kernel.
    pub kernel: Kernel,
    /// The launch.
    pub launch: Launch,
    /// One for each buffer parameter, in the kernel's order.
    pub buffers: Vec<CaseBuffer>,
    /// One for each scalar parameter, in the kernel's order.
    pub scalars: Vec<(ParamId, Literal)>,
    /// What must come out.
    pub expectations: Vec<Expectation>,
    /// Where it runs.
    pub size: SizeClass,
    /// Why its bits depend on an order that nobody fixes.
    pub unordered: Option<String>,
    /// Why and how far it approximates.
    pub approx: Option<(String, Tolerance)>,
    /// Whether it asserts that nothing is written.
    pub guard: bool,
    /// What is special about its sizes.
    pub shape_class: ShapeClass,
}

impl TestSetup {
    /// The case, checked.
    ///
    /// # Errors
    /// Every argument, shape, expectation or geometry that does not fit the kernel.
    pub fn check(self) -> Result<Case, CaseErrors> {
        let mut errors = self.problems.clone();
        let kernel = match &self.kernel {
            Ok(kernel) => kernel.clone(),
            Err(error) => {
                errors.push(CaseError::Kernel(error.clone()));
                return Err(CaseErrors(errors));
            }
        };
        match (kernel.approximation(), &self.approx) {
            (Some(op), None) => {
                errors.push(CaseError::Approximates { kernel: kernel.path(), op: op.keyword() });
            }
            (None, Some(_)) => errors.push(CaseError::NotApproximate { kernel: kernel.path() }),
            (None, None) | (Some(_), Some(_)) => {}
        }
        if kernel.adds_floats_atomically() && self.unordered.is_none() {
            errors.push(CaseError::Unordered { kernel: kernel.path() });
        }
        let launch = self.launch(&kernel, &mut errors);
        self.check_names(&kernel, &mut errors);
        let (buffers, scalars) = self.bind(&kernel, &mut errors);
        let expectations = self.resolve_expectations(&buffers, &mut errors);
        let Some(launch) = launch.filter(|_| errors.is_empty()) else { return Err(CaseErrors(errors)) };
        let Self { size, unordered, approx, guard, shape_class, .. } = self;
        let mut case = Case {
            kernel,
            launch,
            buffers,
            scalars,
            expectations,
            size,
            unordered,
            approx,
            guard,
            shape_class: ShapeClass::Tail,
        };
        case.shape_class = shape_class.unwrap_or_else(|| ShapeClass::of(&case));
        Ok(case)
    }

    fn launch(&self, kernel: &Kernel, errors: &mut Vec<CaseError>) -> Option<Launch> {
        if let (Some(declared), Some(given)) = (kernel.mode, self.mode)
            && declared != given
        {
            errors.push(CaseError::Mode { kernel: kernel.path(), declared, given });
        }
        let mode = kernel.mode.or(self.mode).unwrap_or_default();
        if self.geometry.is_none() {
            errors.push(CaseError::NoGrid);
        }
        self.geometry.map(|geometry| geometry.launch(mode))
    }

    /// Each name stands for one parameter, once.
    fn check_names(&self, kernel: &Kernel, errors: &mut Vec<CaseError>) {
        let buffers = self.buffers.iter().map(|(buffer, _)| buffer.name.as_str());
        let names: Vec<&str> = buffers.chain(self.scalars.iter().map(|(name, _)| name.as_str())).collect();
        for (index, &name) in names.iter().enumerate() {
            if names[..index].contains(&name) {
                errors.push(CaseError::Twice { name: name.to_owned() });
            } else if kernel.param(name).is_none() {
                let known = kernel.params.values().map(|param| param.name.clone()).collect();
                errors.push(CaseError::Unknown { kernel: kernel.path(), name: name.to_owned(), known });
            }
        }
    }

    fn bind(
        &self,
        kernel: &Kernel,
        errors: &mut Vec<CaseError>,
    ) -> (Vec<CaseBuffer>, Vec<(ParamId, Literal)>) {
        let (mut buffers, mut scalars) = (Vec::new(), Vec::new());
        for (param, declared) in kernel.params.iter() {
            match declared.kind {
                ParamKind::Buffer { .. } => match self.buffer_for(kernel, param) {
                    Ok(bound) => {
                        bound.buffer.check(errors);
                        buffers.push(bound);
                    }
                    Err(error) => errors.push(error),
                },
                ParamKind::Scalar => match self.scalar_for(kernel, param) {
                    Ok(literal) => scalars.push((param, literal)),
                    Err(error) => errors.push(error),
                },
            }
        }
        (buffers, scalars)
    }

    fn buffer_for(&self, kernel: &Kernel, param: ParamId) -> Result<CaseBuffer, CaseError> {
        let declared = &kernel.params[param];
        let name = || declared.name.clone();
        let missing = || CaseError::Missing { kernel: kernel.path(), param: name() };
        let found = self.buffers.iter().find(|(buffer, _)| buffer.name == declared.name);
        let (buffer, is_output) = match found {
            Some((buffer, is_output)) => (self.one_element(buffer, declared.dtype)?, *is_output),
            None => {
                // A value given for a buffer parameter makes a buffer of one element.
                let (_, value) =
                    self.scalars.iter().find(|(given, _)| *given == declared.name).ok_or_else(missing)?;
                (self.one_element(&TestBuffer::scalar(name(), *value), declared.dtype)?, false)
            }
        };
        if buffer.dtype != declared.dtype {
            return Err(CaseError::DType { param: name(), expected: declared.dtype, given: buffer.dtype });
        }
        if is_output && !declared.is_written() {
            return Err(CaseError::NotWritten { kernel: kernel.path(), param: name() });
        }
        let (rank, axes) = (usize::from(declared.rank()), buffer.shape.len());
        if rank > 0 && rank != axes {
            let why = format!("the kernel takes {rank} axes, the buffer has {axes}");
            return Err(CaseError::Shape { name: name(), why });
        }
        if rank == 0 && buffer.strides.is_some() {
            let why = "the kernel takes a flat buffer, not a strided one".into();
            return Err(CaseError::Shape { name: name(), why });
        }
        Ok(CaseBuffer { param, written: declared.is_written(), buffer })
    }

    /// A scalar's value as the contents of a buffer; other buffers as they are.
    fn one_element(&self, buffer: &TestBuffer, dtype: crate::ir::DType) -> Result<TestBuffer, CaseError> {
        let Contents::Scalar(value) = buffer.contents else { return Ok(buffer.clone()) };
        let literal =
            value.to(dtype).map_err(|error| CaseError::Scalar { param: buffer.name.clone(), error })?;
        Ok(TestBuffer {
            dtype,
            contents: Contents::Bytes(super::buffer::bytes_of(&[literal])),
            ..buffer.clone()
        })
    }

    fn scalar_for(&self, kernel: &Kernel, param: ParamId) -> Result<Literal, CaseError> {
        let declared = &kernel.params[param];
        let name = || declared.name.clone();
        let buffer = self.buffers.iter().find(|(buffer, _)| buffer.name == declared.name);
        let value: Scalar = match buffer.map(|(buffer, _)| &buffer.contents) {
            Some(Contents::Scalar(value)) => *value,
            Some(Contents::Bytes(_) | Contents::Canary | Contents::Sparse { .. }) => {
                return Err(CaseError::BufferForScalar { param: name() });
            }
            None => {
                let found = self.scalars.iter().find(|(given, _)| *given == declared.name);
                found.ok_or_else(|| CaseError::Missing { kernel: kernel.path(), param: name() })?.1
            }
        };
        value.to(declared.dtype).map_err(|error| CaseError::Scalar { param: name(), error })
    }

    fn resolve_expectations(&self, buffers: &[CaseBuffer], errors: &mut Vec<CaseError>) -> Vec<Expectation> {
        if self.expectations.is_empty() && !self.guard {
            errors.push(CaseError::NothingExpected);
        }
        let mut found = Vec::new();
        for draft in &self.expectations {
            let Some(output) = buffers.iter().find(|bound| bound.written && bound.buffer.name == draft.name)
            else {
                // A missing argument of that name is reported already.
                if errors.is_empty() {
                    let why = "it is no written buffer".into();
                    errors.push(CaseError::Expectation { name: draft.name.clone(), why });
                }
                continue;
            };
            let named = self.named_tolerances.iter().find(|(name, _)| *name == draft.name);
            let tolerance = named.map(|&(_, tolerance)| tolerance).or(self.tolerance);
            match draft.clone().resolve(&output.buffer, tolerance) {
                Ok(expectation) => found.push(expectation),
                Err(error) => errors.push(error),
            }
        }
        found
    }
}
