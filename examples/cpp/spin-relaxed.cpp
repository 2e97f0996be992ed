/* Expected: rc20 VIOLATED, x86-tso HOLDS, armv8 VIOLATED.
   The lock is released with a relaxed store: the next owner may miss what the last one wrote. */
#define RELEASE std::memory_order_relaxed
#include "spin.cpp"
