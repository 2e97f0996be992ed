/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS.
   The barrier that is opened with a relaxed store. */
#define OPEN memory_order_relaxed
#include "barrier.c"
