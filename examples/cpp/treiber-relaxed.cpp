/* Expected: rc20 VIOLATED, x86-tso HOLDS WITHIN, armv8 VIOLATED.
   A push publishes its node with a relaxed compare-exchange: a pop may read it before it is filled. */
#define RELEASE std::memory_order_relaxed
#include "treiber.cpp"
