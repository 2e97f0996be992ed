/* A pair of variables set without a lock, checked as a pair.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
int a, b;

void *set(void *unused) {
  a = 1;
  b = -1;
  return NULL;
}

void *check(void *unused) {
  if (!((a == 0 && b == 0) || (a == 1 && b == -1))) { reach_error(); abort(); }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, set, NULL);
  pthread_create(&t[1], NULL, check, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
