//! The typed launch builder: one method for each parameter, over `warpsmith::runtime::LaunchBuilder`.
//!
//! This is the one place that names the runtime.

use proc_macro2::TokenStream;

use crate::parse::signature::Signature;

/// The builder of a kernel, and the function that begins a launch.
pub(super) fn builder(_signature: &Signature) -> TokenStream {
    TokenStream::new()
}
