/* storeload(N): thread i writes x and reads it. */
#include "bench.h"

atomic_int x;
THREAD(worker, me) { W(x, me + 1); (void)R(x); }
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
