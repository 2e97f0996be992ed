/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED.
   Szymanski's algorithm with release stores. */
#define ENTER memory_order_release
#include "szymanski.c"
