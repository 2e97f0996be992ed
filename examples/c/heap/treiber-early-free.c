/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The stack that frees a node as soon as it is popped: another thread may still follow its link. */
#define FREE(node) free(node)
#include "treiber.c"
