/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED, power VIOLATED.
   The list whose writer publishes a new node with a relaxed store: the reader may miss its contents. */
#define PUBLISH memory_order_relaxed
#include "rcu-list.c"
