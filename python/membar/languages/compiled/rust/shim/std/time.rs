//! Time: an instant is any of two, and no clock is read. Executions in which others matter are not followed.
//! The clock of a thread does not run backwards; those of two threads may differ.
pub use real::time::*;

use crate::primitives::{self, Own};
use core::ops::{Add, AddAssign, Sub, SubAssign};

static MEMBAR_THREAD_LOCAL_TIME: Own<u64> = Own::new(0);

/// See `std::time::Instant`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(Duration);

impl Instant {
    #[inline]
    pub fn now() -> Instant {
        let last = &MEMBAR_THREAD_LOCAL_TIME.0;
        if last.get() == 0 {
            last.set(primitives::input(0, 1) as u64);
        }
        Instant(Duration::new(last.get(), 0))
    }
    #[inline]
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
    #[inline]
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        self.0.checked_sub(earlier.0)
    }
    #[inline]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
    #[inline]
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }
    #[inline]
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_add(duration).map(Instant)
    }
    #[inline]
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_sub(duration).map(Instant)
    }
}
impl Add<Duration> for Instant {
    type Output = Instant;
    #[inline]
    fn add(self, other: Duration) -> Instant {
        Instant(self.0 + other)
    }
}
impl AddAssign<Duration> for Instant {
    #[inline]
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}
impl Sub<Duration> for Instant {
    type Output = Instant;
    #[inline]
    fn sub(self, other: Duration) -> Instant {
        Instant(self.0 - other)
    }
}
impl SubAssign<Duration> for Instant {
    #[inline]
    fn sub_assign(&mut self, other: Duration) {
        *self = *self - other;
    }
}
impl Sub<Instant> for Instant {
    type Output = Duration;
    #[inline]
    fn sub(self, other: Instant) -> Duration {
        self.duration_since(other)
    }
}
