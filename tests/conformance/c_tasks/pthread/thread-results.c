/* Threads return what they computed in allocated memory.
   Expected: sc HOLDS. */
#include <stdlib.h>
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
void *square(void *argument) {
  int *result = malloc(sizeof *result);
  *result = (int)(long)argument * (int)(long)argument;
  return result;
}

int main(void) {
  pthread_t t[2];
  int sum = 0;
  for (long i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, square, (void *)(i + 2));
  for (int i = 0; i < 2; i++) {
    void *result;
    pthread_join(t[i], &result);
    sum += *(int *)result;
    free(result);
  }
  if (!(sum == 13)) { reach_error(); abort(); }
  return 0;
}
