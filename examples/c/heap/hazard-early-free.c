/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   A writer that frees the old object without asking who looks at it. */
#define MAY_FREE(old) 1
#include "hazard.c"
