/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   Hazard pointers whose writer frees the old object without reading the hazard pointers: a use after free. */
#define MAY_FREE(old) 1
#include "hazard.c"
