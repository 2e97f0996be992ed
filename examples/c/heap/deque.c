/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Chase and Lev's deque of allocated tasks: its owner pushes two and takes them back, a thief steals up to two; whoever takes a task frees it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef FENCE
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#endif
#define SIZE 2

struct task {
  int number;
};

atomic_long top, bottom;
_Atomic(struct task *) buffer[SIZE];

static void push(struct task *task) {
  long b = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&buffer[b % SIZE], task, memory_order_relaxed);
  atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static struct task *take(void) {
  long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
  FENCE;
  long t = atomic_load_explicit(&top, memory_order_relaxed);
  struct task *task = NULL;
  if (t <= b) {
    task = atomic_load_explicit(&buffer[b % SIZE], memory_order_relaxed);
    if (t == b) {
      if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
        task = NULL;
      atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
  } else {
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
  }
  return task;
}

static struct task *steal(void) {
  long t = atomic_load_explicit(&top, memory_order_acquire);
  FENCE;
  long b = atomic_load_explicit(&bottom, memory_order_acquire);
  if (t >= b)
    return NULL;
  struct task *task = atomic_load_explicit(&buffer[t % SIZE], memory_order_relaxed);
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
    return NULL;
  return task;
}

static void *thief(void *unused) {
  for (int i = 0; i < 2; i++) {
    struct task *task = steal();
    if (task != NULL) {
      assert(task->number == 1 || task->number == 2);
      free(task);
    }
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, thief, NULL);
  for (int i = 1; i <= 2; i++) {
    struct task *task = malloc(sizeof *task);
    task->number = i;
    push(task);
  }
  for (int i = 0; i < 2; i++) {
    struct task *task = take();
    if (task != NULL) {
      assert(task->number == 1 || task->number == 2);
      free(task);
    }
  }
  pthread_join(other, NULL);
  return 0;
}
