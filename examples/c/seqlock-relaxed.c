/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   The seqlock without a fence before the second read of the sequence number. */
#define CHECK memory_order_relaxed
#include "seqlock.c"
