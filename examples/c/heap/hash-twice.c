/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The table that looks for the key only once, before its compare-exchange fails: both threads may insert it. */
#define AGAIN seen
#include "hash.c"
