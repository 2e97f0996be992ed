/* ticket(N): N threads take a ticket lock once. */
#include "bench.h"

atomic_int next, owner;
int cs;
THREAD(worker, me) {
  int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (A(owner) != mine)
    ;
  cs = me;
  assert(cs == me);
  L(owner, mine + 1);
}
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
