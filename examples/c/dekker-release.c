/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 HOLDS.
   Dekker's algorithm with a release store of the flag: both threads may enter. */
#define RAISE memory_order_release
#include "dekker.c"
