/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   The ring buffer whose items are published with a relaxed store: the consumer may miss an item. */
#define PUBLISH memory_order_relaxed
#include "ring.c"
