/* Spin locks of the Linux kernel. Its other functions are instructions: see <lkmm.h>. */
#include "membar.h"

/// __LKMM_SPIN_LOCK, __LKMM_SPIN_UNLOCK: An acquire and a release, as the model of the kernel has them.
int __LKMM_SPIN_LOCK(unsigned *lock)
{
    __membar_lock(lock);
    return 0;
}
int __LKMM_SPIN_UNLOCK(unsigned *lock)
{
    __membar_unlock(lock);
    return 0;
}

/// __LKMM_SPIN_TRYLOCK: An acquire if it succeeds; fails only if the lock is held.
int __LKMM_SPIN_TRYLOCK(unsigned *lock) { return __membar_try_lock(lock); }

/// __LKMM_SPIN_IS_LOCKED: A relaxed load.
int __LKMM_SPIN_IS_LOCKED(unsigned *lock) { return LOAD(lock, RELAXED) != 0; }
