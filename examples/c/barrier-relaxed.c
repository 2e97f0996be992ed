/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   The barrier opened with a relaxed store: a thread may miss what others wrote before the barrier. */
#define OPEN memory_order_relaxed
#include "barrier.c"
