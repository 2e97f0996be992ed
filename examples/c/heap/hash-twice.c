/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The hash table that does not look for the key again after a failed compare-exchange: both threads may insert it. */
#define AGAIN seen
#include "hash.c"
