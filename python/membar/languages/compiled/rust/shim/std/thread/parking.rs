//! Handles of threads, and the token of each that `park` takes and `unpark` gives.
use super::ThreadId;
use crate::primitives::{self, Own, Word, MOST_THREADS};
use core::num::NonZeroU64;
use core::sync::atomic::Ordering;
use core::time::Duration;

static TOKENS: [Word; MOST_THREADS] = [const { Word::new(0) }; MOST_THREADS];

static MEMBAR_THREAD_LOCAL_NAME: Own<Option<&'static str>> = Own::new(None);

/// See `std::thread::Thread`.
#[derive(Clone)]
pub struct Thread {
    number: usize,
    name: Option<&'static str>,
}

impl Thread {
    #[inline]
    pub(super) fn numbered(number: usize, name: Option<&'static str>) -> Thread {
        Thread { number, name }
    }
    /// A release; further calls before the thread takes the token have no effect but that.
    #[inline]
    pub fn unpark(&self) {
        TOKENS[self.number].swap(1, Ordering::Release);
    }
    #[inline]
    pub fn id(&self) -> ThreadId {
        ThreadId(NonZeroU64::new(self.number as u64 + 1).unwrap())
    }
    #[inline]
    pub fn name(&self) -> Option<&str> {
        if self.number == 0 { Some("main") } else { self.name }
    }
}

impl core::fmt::Debug for Thread {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Thread { .. }")
    }
}

#[inline]
pub(super) fn set_name(name: Option<&'static str>) {
    MEMBAR_THREAD_LOCAL_NAME.0.set(name);
}

#[inline]
pub fn current() -> Thread {
    Thread { number: primitives::me(), name: MEMBAR_THREAD_LOCAL_NAME.0.get() }
}

/// Waits for the token and takes it, an acquire; or ends spuriously, which orders nothing.
#[inline]
pub fn park() {
    if !primitives::wakes() {
        let found = primitives::add_within(&TOKENS[primitives::me()], 1, 1, u32::MAX);
        primitives::wait(found == 1);
    }
}

/// As `park`, or the time is over, whether the token is there or not.
#[inline]
pub fn park_timeout(_: Duration) {
    primitives::add_within(&TOKENS[primitives::me()], 1, 1, u32::MAX);
}
#[inline]
pub fn park_timeout_ms(_: u32) {
    park_timeout(Duration::from_millis(0));
}
