/* Two threads count behind a mutex.
   Expected: sc HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int count;

void *count_up(void *unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
  }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, count_up, NULL);
  pthread_create(&t[1], NULL, count_up, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(count == 4)) { reach_error(); abort(); }
  return 0;
}
