/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   Epochs without fences: the reader's announcement may become visible after it has read the object. */
#define FENCE (void)0
#include "epoch.c"
