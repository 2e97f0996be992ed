/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The list whose writer frees a node without waiting for the reader: a use after free. */
#define SYNCHRONIZE (void)0
#include "rcu-list.c"
