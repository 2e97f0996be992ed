/* casrot(N): thread i does one compare-exchange from i - 1 to i. */
#include "bench.h"

atomic_int x;
THREAD(worker, me) {
  int expected = me - 1;
  atomic_compare_exchange_strong_explicit(&x, &expected, me, memory_order_relaxed, memory_order_relaxed);
}
int main(void) {
  for (int i = 1; i <= N; i++)
    START(worker, i)
  return 0;
}
