/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   Treiber's stack that pushes with a relaxed compare-exchange: a pop may miss the value. */
#define PUSH memory_order_relaxed
#include "treiber.c"
