/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The list whose writer does not wait before it frees: the reader may stand on the node. */
#define SYNCHRONIZE (void)0
#include "rcu-list.c"
