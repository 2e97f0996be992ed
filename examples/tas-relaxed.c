/* Expected: rc11 VIOLATED, sc HOLDS WITHIN, x86-tso HOLDS WITHIN, armv8 VIOLATED.
   Test-and-set lock that is left with a relaxed store. */
#define RELEASE memory_order_relaxed
#include "tas.c"
