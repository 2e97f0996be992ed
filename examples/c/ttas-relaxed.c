/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   Test-and-test-and-set lock that is taken with a relaxed exchange. */
#define TAKE memory_order_relaxed
#include "ttas.c"
