/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The queue whose senders take a cell without a compare-exchange: two may write to the same cell. */
#define CLAIM(counter, expected) (atomic_store_explicit(counter, *(expected) + 1, memory_order_relaxed), 1)
#include "mpmc.c"
