//! The seam between the IR and a code generator.
