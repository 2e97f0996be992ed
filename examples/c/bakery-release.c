/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED.
   The bakery whose numbers are published with release only: two threads may miss one another's. */
#define TAKE memory_order_release
#include "bakery.c"
