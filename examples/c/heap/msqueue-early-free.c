/* Expected: rc11 VIOLATED, sc VIOLATED, x86-tso VIOLATED, armv8 VIOLATED, power VIOLATED.
   The queue that frees the old dummy node at once: an enqueue may still follow its link. */
#define RETIRE(node) free(node)
#include "msqueue.c"
