/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Double-checked locking whose first check is relaxed: the thread may see the pointer before the object. It works
   on processors that respect address dependencies. */
#define LOOK memory_order_relaxed
#include "double-checked.c"
