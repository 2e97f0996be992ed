use super::{unless_poisoned, LockResult, MutexGuard};
use crate::primitives::{self, Word};
use core::fmt;
use core::sync::atomic::Ordering::Relaxed;
use core::time::Duration;

/// See `std::sync::Condvar`: a word with a bit for each thread that waits. A notification clears the bit of any
/// one of them, or all. Waits may end spuriously, and order nothing besides the mutex.
pub struct Condvar {
    waiters: Word,
}

/// See `std::sync::WaitTimeoutResult`.
#[derive(Debug, PartialEq, Eq, Copy, Clone)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    #[inline]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    #[inline]
    pub const fn new() -> Condvar {
        Condvar { waiters: Word::new(0) }
    }

    /// Whether the time was over.
    #[inline]
    fn wait_for<T>(&self, guard: &MutexGuard<'_, T>, is_timed: bool) -> bool {
        let bit = 1 << primitives::me();
        let mut is_late = false;
        self.waiters.fetch_or(bit, Relaxed);
        primitives::unlock(&guard.mutex.word);
        if primitives::wakes() {
            self.waiters.fetch_and(!bit, Relaxed);
            is_late = is_timed && primitives::choose(0, 1) != 0;
        } else if is_timed {
            primitives::assume(self.waiters.load(Relaxed) & bit == 0);
        } else {
            primitives::wait(self.waiters.load(Relaxed) & bit == 0);
        }
        primitives::lock(&guard.mutex.word);
        is_late
    }

    #[inline]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        self.wait_for(&guard, false);
        unless_poisoned(guard)
    }
    #[inline]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            self.wait_for(&guard, false);
        }
        unless_poisoned(guard)
    }
    #[inline]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        _: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let is_late = self.wait_for(&guard, true);
        unless_poisoned((guard, WaitTimeoutResult(is_late)))
    }
    #[inline]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        _: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let is_late = self.wait_for(&guard, true);
        unless_poisoned((guard, !is_late))
    }
    #[inline]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        _: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            if self.wait_for(&guard, true) {
                let is_late = condition(&mut *guard);
                return unless_poisoned((guard, WaitTimeoutResult(is_late)));
            }
        }
        unless_poisoned((guard, WaitTimeoutResult(false)))
    }
    #[inline]
    pub fn notify_one(&self) {
        let thread = primitives::choose(0, primitives::thread_count() - 1);
        let bit = 1u32.wrapping_shl(thread as u32);
        let found = self.waiters.fetch_and(!bit, Relaxed);
        // If nobody waits, one choice is enough.
        primitives::assume((found & bit != 0) | ((found == 0) & (thread == 0)));
    }
    #[inline]
    pub fn notify_all(&self) {
        self.waiters.swap(0, Relaxed);
    }
}

impl Default for Condvar {
    #[inline]
    fn default() -> Condvar {
        Condvar::new()
    }
}
impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Condvar { .. }")
    }
}
