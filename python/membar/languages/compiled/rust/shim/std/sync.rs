//! Locks and other things that wait; `Arc` and the atomics are the real ones.
mod barrier;
mod condvar;
pub mod mpsc;
mod mutex;
mod once;
mod rwlock;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use once::{LazyLock, Once, OnceLock, OnceState, ONCE_INIT};
pub use real::sync::{atomic, Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::primitives;

/// What a lock gives, or an error if a thread panicked that held it.
#[inline]
fn unless_poisoned<G>(found: G) -> LockResult<G> {
    if primitives::panicked(false) { Err(PoisonError::new(found)) } else { Ok(found) }
}
