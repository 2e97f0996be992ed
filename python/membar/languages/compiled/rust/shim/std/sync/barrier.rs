use crate::primitives::{self, Word};
use core::fmt;
use core::sync::atomic::Ordering::{AcqRel, Acquire};

/// See `std::sync::Barrier`: what threads do before it happens before what they do after it.
pub struct Barrier {
    arrived: Word,
    count: u32,
}
/// See `std::sync::BarrierWaitResult`.
pub struct BarrierWaitResult(bool);

impl Barrier {
    #[inline]
    pub const fn new(count: usize) -> Barrier {
        Barrier { arrived: Word::new(0), count: if count == 0 { 1 } else { count as u32 } }
    }
    #[inline]
    pub fn wait(&self) -> BarrierWaitResult {
        let arrived = self.arrived.fetch_add(1, AcqRel);
        let all = (arrived / self.count + 1) * self.count;
        let is_last = arrived + 1 == all;
        if !is_last {
            primitives::wait(self.arrived.load(Acquire) >= all);
        }
        BarrierWaitResult(is_last)
    }
}
impl BarrierWaitResult {
    #[inline]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}
impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Barrier { .. }")
    }
}
impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BarrierWaitResult { .. }")
    }
}
