/* Expected with --threads any: sc HOLDS, x86-tso HOLDS.
   Test-and-set lock: a thread that finds it free owns it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

atomic_flag taken = ATOMIC_FLAG_INIT;
int owner;

static void lock(int me) {
  (void)me;
  while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
    ;
}

static void unlock(int me) {
  (void)me;
  atomic_flag_clear_explicit(&taken, memory_order_release);
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  for (;;) {
    lock(me);
    owner = me;
    assert(owner == me);
    unlock(me);
  }
}

int main(void) {
  pthread_t thread[N];
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
