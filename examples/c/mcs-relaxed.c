/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   MCS lock handed over with a relaxed store: the next owner may miss what the last one wrote. */
#define HAND_OVER memory_order_relaxed
#include "mcs.c"
