/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   Epochs without fences: the reader's announcement may come after it has looked. */
#define FENCE (void)0
#include "epoch.c"
