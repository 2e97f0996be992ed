/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The deque without its fences: owner and thief may both take the last task and free it twice. */
#define FENCE (void)0
#include "deque.c"
