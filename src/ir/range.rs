//! stub
use super::*;
/// r
#[derive(Debug)]
pub struct Ranges;
impl Ranges {
    /// o
    pub fn of(_k: &Kernel, _c: &LaunchClass) -> Self {
        Self
    }
    /// c
    pub fn cannot_wrap(&self, _v: ValueId) -> bool {
        false
    }
}
