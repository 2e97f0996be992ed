/* Expected with --threads any: sc HOLDS, x86-tso VIOLATED.
   The naive mutex without its fence: a thread's flag is still in its store buffer while it reads the others. */
#define FENCE
#include "naive-mutex.c"
