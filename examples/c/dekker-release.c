/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED.
   Dekker's algorithm that raises its flag with release only. */
#define RAISE memory_order_release
#include "dekker.c"
