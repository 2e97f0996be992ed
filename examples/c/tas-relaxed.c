/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   Test-and-set lock that is left with a relaxed store. */
#define RELEASE memory_order_relaxed
#include "tas.c"
