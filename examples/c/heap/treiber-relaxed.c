/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED, power VIOLATED.
   The stack that pushes with a relaxed compare-exchange: who pops may not see the value. */
#define PUSH memory_order_relaxed
#include "treiber.c"
