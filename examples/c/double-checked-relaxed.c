/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS.
   Double-checked locking whose first look is relaxed: the object may not be there yet. On processors that keep
   address dependencies it works all the same. */
#define LOOK memory_order_relaxed
#include "double-checked.c"
