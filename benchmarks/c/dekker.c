/* dekker(N): two threads, N rounds of a try-lock. */
#include "bench.h"

atomic_int flag[2], cs;
THREAD(worker, me) {
  for (int i = 0; i < N; i++) {
    W(flag[me], 1);
    MB();
    if (R(flag[1 - me]) == 0) {
      MB();
      W(cs, me);
      assert(R(cs) == me);
    }
    MB();
    W(flag[me], 0);
  }
}
int main(void) {
  START(worker, 0)
  START(worker, 1)
  return 0;
}
