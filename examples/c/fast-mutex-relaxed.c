/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   Lamport's fast mutex released with relaxed stores: the next owner may miss what the last one wrote. */
#define LEAVE memory_order_relaxed
#include "fast-mutex.c"
