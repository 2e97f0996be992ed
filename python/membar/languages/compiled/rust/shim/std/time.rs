//! Time: an instant is any of two, and no clock is read. Executions in which others matter are not followed.
//! The clock of a thread does not run backwards; those of two threads may differ. The system's clock may be set.
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

/// See `std::time::SystemTime`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SystemTime(Duration);

pub const UNIX_EPOCH: SystemTime = SystemTime(Duration::ZERO);

/// The system's clock is about there: a program may look back from it.
const SOME_YEARS: u64 = 1 << 30;

/// How far a time is behind another one that was expected to be earlier.
#[derive(Clone, Debug)]
pub struct SystemTimeError(Duration);

impl SystemTimeError {
    #[inline]
    pub fn duration(&self) -> Duration {
        self.0
    }
}
impl core::fmt::Display for SystemTimeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("second time provided was later than self")
    }
}
impl core::error::Error for SystemTimeError {}

impl SystemTime {
    pub const UNIX_EPOCH: SystemTime = UNIX_EPOCH;
    #[inline]
    pub fn now() -> SystemTime {
        SystemTime(Duration::new(SOME_YEARS + primitives::input(0, 1) as u64, 0))
    }
    #[inline]
    pub fn duration_since(&self, earlier: SystemTime) -> Result<Duration, SystemTimeError> {
        self.0.checked_sub(earlier.0).ok_or_else(|| SystemTimeError(earlier.0 - self.0))
    }
    #[inline]
    pub fn elapsed(&self) -> Result<Duration, SystemTimeError> {
        SystemTime::now().duration_since(*self)
    }
    #[inline]
    pub fn checked_add(&self, duration: Duration) -> Option<SystemTime> {
        self.0.checked_add(duration).map(SystemTime)
    }
    #[inline]
    pub fn checked_sub(&self, duration: Duration) -> Option<SystemTime> {
        self.0.checked_sub(duration).map(SystemTime)
    }
}

/// Operators for times before or after another one.
macro_rules! times {
    ($($time:ident)*) => {$(
        impl Add<Duration> for $time {
            type Output = $time;
            #[inline]
            fn add(self, other: Duration) -> $time {
                $time(self.0 + other)
            }
        }
        impl AddAssign<Duration> for $time {
            #[inline]
            fn add_assign(&mut self, other: Duration) {
                *self = *self + other;
            }
        }
        impl Sub<Duration> for $time {
            type Output = $time;
            #[inline]
            fn sub(self, other: Duration) -> $time {
                $time(self.0 - other)
            }
        }
        impl SubAssign<Duration> for $time {
            #[inline]
            fn sub_assign(&mut self, other: Duration) {
                *self = *self - other;
            }
        }
    )*};
}
times! { Instant SystemTime }

impl Sub<Instant> for Instant {
    type Output = Duration;
    #[inline]
    fn sub(self, other: Instant) -> Duration {
        self.duration_since(other)
    }
}
