/* Expected with --threads any: sc HOLDS, x86-tso VIOLATED.
   The fast path of Lamport's mutex with release stores, which may still be in the store buffer. */
#define ENTER memory_order_release
#include "lamport.c"
