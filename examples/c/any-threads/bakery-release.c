/* Expected with --threads any: x86-tso VIOLATED.
   Lamport's bakery with release stores, which may wait in the store buffer while others' numbers are read. */
#define TAKE memory_order_release
#include "bakery.c"
