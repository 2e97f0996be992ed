/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED.
   Burns' algorithm that raises its flag with release only. */
#define RAISE memory_order_release
#include "burns.c"
