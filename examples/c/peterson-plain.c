/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso VIOLATED, armv8 VIOLATED.
   Peterson's algorithm as textbooks write it, with plain variables: a data race in C, and wrong on x86 too. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int flag[2], turn, shared;

static void *worker(void *argument) {
  int me = (int)(long)argument;
  flag[me] = 1;
  turn = 1 - me;
  while (flag[1 - me] && turn == 1 - me)
    ;
  shared = me;
  assert(shared == me);
  flag[me] = 0;
  return NULL;
}

int main(void) {
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
