use super::{unless_poisoned, LockResult, TryLockError, TryLockResult};
use crate::primitives::{self, Word};
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::panic::{RefUnwindSafe, UnwindSafe};

/// See `std::sync::Mutex`: locking is an acquire, unlocking a release, and nothing more. A thread that
/// locks twice waits forever.
pub struct Mutex<T: ?Sized> {
    pub(super) word: Word,
    data: UnsafeCell<T>,
}
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}
impl<T: ?Sized> UnwindSafe for Mutex<T> {}
impl<T: ?Sized> RefUnwindSafe for Mutex<T> {}

/// See `std::sync::MutexGuard`.
#[must_use]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    pub(super) mutex: &'a Mutex<T>,
    not_send: PhantomData<*const ()>,
}
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    #[inline]
    pub(super) fn new(mutex: &'a Mutex<T>) -> MutexGuard<'a, T> {
        MutexGuard { mutex, not_send: PhantomData }
    }
}

impl<T> Mutex<T> {
    #[inline]
    pub const fn new(data: T) -> Mutex<T> {
        Mutex { word: Word::new(0), data: UnsafeCell::new(data) }
    }
    #[inline]
    pub fn into_inner(self) -> LockResult<T> {
        unless_poisoned(self.data.into_inner())
    }
}

impl<T: ?Sized> Mutex<T> {
    #[inline]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        primitives::lock(&self.word);
        unless_poisoned(MutexGuard::new(self))
    }
    /// Fails only if the mutex is held; that orders nothing.
    #[inline]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        if primitives::try_lock(&self.word) {
            Ok(MutexGuard::new(self))
        } else {
            Err(TryLockError::WouldBlock)
        }
    }
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        primitives::panicked(false)
    }
    #[inline]
    pub fn clear_poison(&self) {}
    #[inline]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        unless_poisoned(self.data.get_mut())
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        unsafe { &*self.mutex.data.get() }
    }
}
impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.mutex.data.get() }
    }
}
impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        primitives::unlock(&self.mutex.word);
    }
}

impl<T> From<T> for Mutex<T> {
    #[inline]
    fn from(data: T) -> Mutex<T> {
        Mutex::new(data)
    }
}
impl<T: Default> Default for Mutex<T> {
    #[inline]
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}
impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mutex { .. }")
    }
}
impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

