/* lamport(N): one pass of the fast mutex; waiting is an assumption, a failed attempt gives up. */
#include "bench.h"

atomic_int b[N], x, y, cs;
THREAD(worker, me) {
  W(b[me], 1);
  MB();
  W(x, me + 1);
  MB();
  if (R(y) != 0) {
    W(b[me], 0);
    return;
  }
  W(y, me + 1);
  MB();
  if (R(x) != me + 1) {
    W(b[me], 0);
    MB();
    for (int i = 0; i < N; i++)
      __VERIFIER_assume(R(b[i]) == 0);
    if (R(y) != me + 1)
      return;
  }
  W(cs, me);
  assert(R(cs) == me);
  W(y, 0);
  W(b[me], 0);
}
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
