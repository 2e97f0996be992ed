/* ainc(N): N threads increment x, relaxed. */
#include "bench.h"

atomic_int x;
THREAD(worker, me) { (void)me; atomic_fetch_add_explicit(&x, 1, memory_order_relaxed); }
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
