/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   The queue that links nodes with a relaxed compare-exchange: a dequeue may miss the value. */
#define LINK memory_order_relaxed
#include "msqueue.c"
