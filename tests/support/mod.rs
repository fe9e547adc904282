//! What several test binaries share: random kernels.

pub(crate) mod emulated;
pub(crate) mod oracle;
pub(crate) mod random_kernel;
mod tape;
