/* The same with a bound that is passed.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
int i = 1, j = 1;

void *first(void *unused) {
  for (int k = 0; k < 2; k++)
    i = i + j;
  return NULL;
}

void *second(void *unused) {
  for (int k = 0; k < 2; k++)
    j = j + i;
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, first, NULL);
  pthread_create(&t[1], NULL, second, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(i < 8 && j < 8)) { reach_error(); abort(); }
  return 0;
}
