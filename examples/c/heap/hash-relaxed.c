/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED, power VIOLATED.
   The hash table that inserts with a relaxed compare-exchange: a reader of a node may miss its key. */
#define INSERT memory_order_relaxed
#include "hash.c"
