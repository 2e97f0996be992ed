/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 HOLDS.
   Burns' algorithm with a release store of the flag: two threads may enter. */
#define RAISE memory_order_release
#include "burns.c"
