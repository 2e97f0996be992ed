/* Expected: rc20 VIOLATED, x86-tso HOLDS, armv8 VIOLATED.
   The producer publishes with a relaxed store: the consumer may read an item before it is there. */
#define RELEASE std::memory_order_relaxed
#include "spsc.cpp"
