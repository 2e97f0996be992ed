/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED, power VIOLATED.
   The queue that marks a cell full with a relaxed store: the receiver may miss the message. */
#define FILLED memory_order_relaxed
#include "mpmc.c"
