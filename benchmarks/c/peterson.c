/* peterson(N): two threads, N rounds; waiting is an assumption. */
#include "bench.h"

atomic_int flag[2], turn, cs;
THREAD(worker, me) {
  int other = 1 - me;
  for (int i = 0; i < N; i++) {
    W(flag[me], 1);
    MB();
    W(turn, other);
    MB();
    int f = R(flag[other]);
    int g = R(turn);
    __VERIFIER_assume(!f || g == me);
    MB();
    W(cs, me);
    assert(R(cs) == me);
    MB();
    W(flag[me], 0);
  }
}
int main(void) {
  START(worker, 0)
  START(worker, 1)
  return 0;
}
