/* ttas(N): N threads take a test-and-test-and-set lock once. */
#include "bench.h"

atomic_int taken;
int cs;
THREAD(worker, me) {
  do {
    while (A(taken))
      ;
  } while (atomic_exchange_explicit(&taken, 1, memory_order_acquire));
  cs = me;
  assert(cs == me);
  L(taken, 0);
}
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
