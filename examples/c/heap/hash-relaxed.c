/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED, power VIOLATED.
   The table that inserts with a relaxed compare-exchange: who finds a node may not see its key. */
#define INSERT memory_order_relaxed
#include "hash.c"
