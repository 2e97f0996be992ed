/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED, power VIOLATED.
   The queue that says with a relaxed store that a cell is full: who receives may not see the message. */
#define FILLED memory_order_relaxed
#include "mpmc.c"
