/* szymanski(N): two threads, N rounds; waiting is an assumption. */
#include "bench.h"

atomic_int flag[2], cs;
static void raise(int me, int value) {
  W(flag[me], value);
  MB();
}
THREAD(worker, me) {
  int other = 1 - me;
  for (int i = 0; i < N; i++) {
    raise(me, 1);
    __VERIFIER_assume(R(flag[other]) < 3);
    raise(me, 3);
    if (R(flag[other]) == 1) {
      raise(me, 2);
      __VERIFIER_assume(R(flag[other]) == 4);
    }
    raise(me, 4);
    if (me == 1)
      __VERIFIER_assume(R(flag[other]) < 2);
    MB();
    W(cs, me);
    assert(R(cs) == me);
    MB();
    if (me == 0) {
      int seen = R(flag[other]);
      __VERIFIER_assume(seen < 2 || seen == 4);
    }
    raise(me, 0);
  }
}
int main(void) {
  START(worker, 0)
  START(worker, 1)
  return 0;
}
