/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   MCS lock that is handed over with a relaxed store. */
#define HAND_OVER memory_order_relaxed
#include "mcs.c"
