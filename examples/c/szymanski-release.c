/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 HOLDS.
   Szymanski's algorithm with release stores: two threads may enter. */
#define ENTER memory_order_release
#include "szymanski.c"
