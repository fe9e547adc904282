//! Each kind of finding, planted, with its message.
