/* Expected with --threads any: sc HOLDS, x86-tso VIOLATED.
   The fast way of Lamport's mutex with release stores, which may wait in the store buffer. */
#define ENTER memory_order_release
#include "lamport.c"
