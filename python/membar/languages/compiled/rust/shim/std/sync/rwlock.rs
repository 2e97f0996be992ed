use super::{unless_poisoned, LockResult, TryLockError, TryLockResult};
use crate::primitives::{self, Word};
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::sync::atomic::Ordering;

/// What the word of a lock is that somebody holds to write; otherwise it counts the readers.
const WRITER: u32 = 0x8000_0000;

/// See `std::sync::RwLock`: locking is an acquire, unlocking a release. No order among waiting threads is
/// assumed: readers do not wait for a writer that waits.
pub struct RwLock<T: ?Sized> {
    word: Word,
    data: UnsafeCell<T>,
}
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}
impl<T: ?Sized> UnwindSafe for RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for RwLock<T> {}

/// See `std::sync::RwLockReadGuard`.
#[must_use]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    not_send: PhantomData<*const ()>,
}
/// See `std::sync::RwLockWriteGuard`.
#[must_use]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    not_send: PhantomData<*const ()>,
}
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<T> RwLock<T> {
    #[inline]
    pub const fn new(data: T) -> RwLock<T> {
        RwLock { word: Word::new(0), data: UnsafeCell::new(data) }
    }
    #[inline]
    pub fn into_inner(self) -> LockResult<T> {
        unless_poisoned(self.data.into_inner())
    }
}

impl<T: ?Sized> RwLock<T> {
    #[inline]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        primitives::may_read_again();
        let found = primitives::add_within(&self.word, 0, WRITER - 2, 1);
        primitives::wait(found < WRITER);
        unless_poisoned(RwLockReadGuard { lock: self, not_send: PhantomData })
    }
    #[inline]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let found = primitives::add_within(&self.word, 0, 0, WRITER);
        primitives::wait(found == 0);
        unless_poisoned(RwLockWriteGuard { lock: self, not_send: PhantomData })
    }
    #[inline]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        if primitives::add_within(&self.word, 0, WRITER - 2, 1) < WRITER {
            Ok(RwLockReadGuard { lock: self, not_send: PhantomData })
        } else {
            Err(TryLockError::WouldBlock)
        }
    }
    #[inline]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        if primitives::add_within(&self.word, 0, 0, WRITER) == 0 {
            Ok(RwLockWriteGuard { lock: self, not_send: PhantomData })
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

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        unsafe { &*self.lock.data.get() }
    }
}
impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        unsafe { &*self.lock.data.get() }
    }
}
impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.lock.data.get() }
    }
}
impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.word.fetch_sub(1, Ordering::Release);
    }
}
impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.word.store(0, Ordering::Release);
    }
}

impl<T> From<T> for RwLock<T> {
    #[inline]
    fn from(data: T) -> RwLock<T> {
        RwLock::new(data)
    }
}
impl<T: Default> Default for RwLock<T> {
    #[inline]
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}
impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RwLock { .. }")
    }
}
impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
