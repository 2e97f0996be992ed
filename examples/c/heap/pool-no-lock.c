/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The pool whose workers take jobs without the lock: both may run and free the same job. */
#define LOCK(lock) (void)(lock)
#define UNLOCK(lock) (void)(lock)
#include "pool.c"
