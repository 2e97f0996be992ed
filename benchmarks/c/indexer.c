/* indexer(N): each thread inserts four items into a table of 128 cells. */
#include "bench.h"

atomic_int table[128];
THREAD(worker, me) {
  for (int i = 0; i < 4; i++) {
    int w = 11 * (i + 1) + me;
    int h = (w * 7) % 128;
    for (;;) {
      int expected = 0;
      if (atomic_compare_exchange_strong_explicit(&table[h], &expected, w, memory_order_relaxed,
                                                  memory_order_relaxed))
        break;
      h = (h + 1) % 128;
    }
  }
}
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
