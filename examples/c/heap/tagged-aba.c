/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The stack without the version number: the compare-exchange mistakes a reused address for the old node (ABA). */
#define RAISED(old) 0
#include "tagged.c"
