/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED, power VIOLATED, riscv VIOLATED.
   Publication with a relaxed store: the reader may see the pointer before the structure it points to. */
#define PUBLISH memory_order_relaxed
#include "publication.c"
