/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS.
   CLH lock that waits with relaxed loads. */
#define WAIT memory_order_relaxed
#include "clh.c"
