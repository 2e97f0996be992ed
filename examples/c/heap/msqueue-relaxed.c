/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED, power VIOLATED.
   The queue that links a node with a relaxed compare-exchange: a dequeue may miss its contents. */
#define LINK memory_order_relaxed
#include "msqueue.c"
