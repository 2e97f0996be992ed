/* Two mutexes, always taken in the same order.
   Expected: sc HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x = x + 1;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, worker, NULL);
  pthread_create(&t[1], NULL, worker, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(x == 2)) { reach_error(); abort(); }
  return 0;
}
