/* Two threads count without a mutex: steps are lost.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
int count;

void *count_up(void *unused) {
  int seen = count;
  count = seen + 1;
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, count_up, NULL);
  pthread_create(&t[1], NULL, count_up, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(count == 2)) { reach_error(); abort(); }
  return 0;
}
