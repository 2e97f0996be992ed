/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 HOLDS.
   The bakery with release stores of its numbers: two threads may miss each other's number. */
#define TAKE memory_order_release
#include "bakery.c"
