#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int data, flag;
void *sender(void *unused) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, sender, 0);
  if (atomic_load_explicit(&flag, memory_order_acquire) == 1)
    if (atomic_load_explicit(&data, memory_order_relaxed) == 0)
      abort();
  pthread_join(thread, 0);
}
