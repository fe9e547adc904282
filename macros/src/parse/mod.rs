//! Attributes, signatures and tokens as data.
//!
//! On entry: what the compiler hands the macro. On exit: plain structs that `generate` can write from without asking
//! again whether they are sensible. Deliberately not here: the body, which is rewritten where it stands.

pub(crate) mod attribute;
pub(crate) mod dtype;
pub(crate) mod hygiene;
pub(crate) mod inline;
pub(crate) mod signature;
pub(crate) mod test;
