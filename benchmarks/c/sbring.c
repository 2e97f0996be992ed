/* sbring(N): thread i writes v[i] and reads the next one. */
#include "bench.h"

atomic_int v[N];
THREAD(worker, me) { W(v[me], 1); (void)R(v[(me + 1) % N]); }
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
