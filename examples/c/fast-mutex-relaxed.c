/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS.
   Lamport's fast mutex that leaves with relaxed stores: the next thread need not see what the last one wrote. */
#define LEAVE memory_order_relaxed
#include "fast-mutex.c"
