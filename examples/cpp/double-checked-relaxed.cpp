/* Expected: rc20 VIOLATED, x86-tso HOLDS, armv8 VIOLATED.
   The pointer is published with a relaxed store: a thread that does not take the mutex may see it before the value. */
#define RELEASE std::memory_order_relaxed
#include "double-checked.cpp"
