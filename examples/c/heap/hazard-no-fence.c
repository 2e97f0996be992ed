/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   Hazard pointers without fences: the writer may not see yet what the reader has said. */
#define FENCE (void)0
#include "hazard.c"
