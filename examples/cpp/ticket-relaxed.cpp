/* Expected: rc20 VIOLATED, x86-tso HOLDS, armv8 VIOLATED.
   A ticket lock whose owner does not acquire. */
#define ACQUIRE std::memory_order_relaxed
#include "ticket.cpp"
