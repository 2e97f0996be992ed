/* mutex(N): N threads take a pthread mutex once. */
#include "bench.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int cs;
THREAD(worker, me) {
  pthread_mutex_lock(&mutex);
  cs = me;
  assert(cs == me);
  pthread_mutex_unlock(&mutex);
}
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
