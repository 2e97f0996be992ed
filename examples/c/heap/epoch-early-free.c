/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   Epochs whose writer treats a reader of the old epoch as inactive: a use after free. */
#define IS_QUIET(seen, epoch) ((seen) <= (epoch))
#include "epoch.c"
