/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   Hazard pointers without fences: the writer may not see the reader's hazard pointer yet. */
#define FENCE (void)0
#include "hazard.c"
