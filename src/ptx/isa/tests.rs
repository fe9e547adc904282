//! Round trips over every row.
