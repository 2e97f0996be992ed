/* Expected with --threads any: sc HOLDS, x86-tso VIOLATED.
   The naive mutex without its fence: the own flag is still in the store buffer while the others are looked at. */
#define FENCE
#include "naive-mutex.c"
