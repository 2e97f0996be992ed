/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 HOLDS.
   Peterson's algorithm with release stores: each thread may miss the other's flag. */
#define RAISE memory_order_release
#include "peterson.c"
