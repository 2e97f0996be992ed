/* Expected with --threads any: sc HOLDS, x86-tso VIOLATED.
   The naive mutex without its fence: a thread's flag may still be in its store buffer when it reads the others. */
#define FENCE
#include "naive-mutex.c"
