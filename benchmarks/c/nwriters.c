/* nwriters(N): thread i writes i + 1. */
#include "bench.h"

atomic_int x;
THREAD(worker, me) { W(x, me + 1); }
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
