/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   Test-and-test-and-set lock acquired with a relaxed exchange: the owner may miss what the last one wrote. */
#define TAKE memory_order_relaxed
#include "ttas.c"
