/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   CLH lock that waits with relaxed loads: the next owner may miss what the last one wrote. */
#define WAIT memory_order_relaxed
#include "clh.c"
