/* Expected with --threads any: x86-tso VIOLATED.
   Lamport's bakery with release stores, which may still be in the store buffer when the other numbers are read. */
#define TAKE memory_order_release
#include "bakery.c"
