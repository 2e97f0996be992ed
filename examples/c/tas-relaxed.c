/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   Test-and-set lock released with a relaxed store: the next owner may miss what the last one wrote. */
#define RELEASE memory_order_relaxed
#include "tas.c"
