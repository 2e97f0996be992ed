/* Expected: rc20 VIOLATED, x86-tso HOLDS.
   The count is relaxed: what one owner reads is not ordered before the delete by the other. */
#define ACQ_REL std::memory_order_relaxed
#include "shared-count.cpp"
