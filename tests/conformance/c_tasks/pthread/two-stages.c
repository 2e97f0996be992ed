/* A value is set in two stages behind two mutexes; a reader between them sees one without the other.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int one, two;

void *writer(void *unused) {
  pthread_mutex_lock(&a);
  one = 1;
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&b);
  two = one + 1;
  pthread_mutex_unlock(&b);
  return NULL;
}

void *reader(void *unused) {
  pthread_mutex_lock(&a);
  int seen = one;
  pthread_mutex_unlock(&a);
  if (seen == 0)
    return NULL;
  pthread_mutex_lock(&b);
  int next = two;
  pthread_mutex_unlock(&b);
  if (!(next == seen + 1)) { reach_error(); abort(); }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, writer, NULL);
  pthread_create(&t[1], NULL, reader, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
