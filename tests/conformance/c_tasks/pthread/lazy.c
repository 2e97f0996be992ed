/* Three threads on one number behind a mutex; one of them checks it.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int data;

void *one(void *unused) {
  pthread_mutex_lock(&m);
  data++;
  pthread_mutex_unlock(&m);
  return NULL;
}

void *two(void *unused) {
  pthread_mutex_lock(&m);
  data += 2;
  pthread_mutex_unlock(&m);
  return NULL;
}

void *check(void *unused) {
  pthread_mutex_lock(&m);
  if (!(data < 3)) { reach_error(); abort(); }
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], NULL, one, NULL);
  pthread_create(&t[1], NULL, two, NULL);
  pthread_create(&t[2], NULL, check, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  pthread_join(t[2], NULL);
  return 0;
}
