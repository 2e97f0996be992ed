/* The same with `if` instead of `while`: who wakes up for no reason takes what is not there.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t full = PTHREAD_COND_INITIALIZER;
int items;

void *producer(void *unused) {
  pthread_mutex_lock(&m);
  items++;
  pthread_cond_signal(&full);
  pthread_mutex_unlock(&m);
  return NULL;
}

void *consumer(void *unused) {
  pthread_mutex_lock(&m);
  if (items == 0)
    pthread_cond_wait(&full, &m);
  items--;
  if (!(items >= 0)) { reach_error(); abort(); }
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, producer, NULL);
  pthread_create(&t[1], NULL, consumer, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
