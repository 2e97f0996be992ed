/* A buffer of one item with condition variables.
   Expected: sc HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
int items, taken;

void *producer(void *unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    while (items > 0)
      pthread_cond_wait(&empty, &m);
    items++;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&m);
  }
  return NULL;
}

void *consumer(void *unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    while (items == 0)
      pthread_cond_wait(&full, &m);
    items--;
    taken++;
    pthread_cond_signal(&empty);
    pthread_mutex_unlock(&m);
  }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, producer, NULL);
  pthread_create(&t[1], NULL, consumer, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(items == 0 && taken == 2)) { reach_error(); abort(); }
  return 0;
}
