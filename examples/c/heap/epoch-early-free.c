/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   A writer that takes a reader of the old epoch for a quiet one. */
#define IS_QUIET(seen, epoch) ((seen) <= (epoch))
#include "epoch.c"
