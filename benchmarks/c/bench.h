/* What the parametric programs share: short names for the orders, and `main`, which starts their threads. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void __VERIFIER_assume(int);

#define R(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define A(x) atomic_load_explicit(&(x), memory_order_acquire)
#define W(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
#define L(x, v) atomic_store_explicit(&(x), (v), memory_order_release)
#define MB() atomic_thread_fence(memory_order_seq_cst)
#define THREAD(name, me) \
  static void run_##name(int me); \
  static void *name(void *argument) { \
    run_##name((int)(long)argument); \
    return NULL; \
  } \
  static void run_##name(int me)
#define START(name, me) \
  { \
    pthread_t started; \
    pthread_create(&started, NULL, name, (void *)(long)(me)); \
  }
