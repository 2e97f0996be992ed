/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS, power HOLDS.
   A pool of two workers, each with a queue of jobs protected by a lock: an idle worker steals from the other. A job is a
   function and its argument; the worker that ran it frees it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef LOCK
#define LOCK(lock) pthread_mutex_lock(lock)
#define UNLOCK(lock) pthread_mutex_unlock(lock)
#endif
#define WORKERS 2

struct job {
  void (*run)(int);
  int argument;
  struct job *next;
};

struct queue {
  pthread_mutex_t lock;
  struct job *first;
} queue[WORKERS];
atomic_int sum, product = 1;

static void add(int number) { atomic_fetch_add(&sum, number); }

static void multiply(int number) { atomic_store(&product, atomic_load(&product) * number); }

static void put(struct queue *queue, void (*run)(int), int argument) {
  struct job *job = malloc(sizeof *job);
  *job = (struct job){.run = run, .argument = argument, .next = queue->first};
  queue->first = job;
}

static struct job *get(struct queue *queue) {
  LOCK(&queue->lock);
  struct job *job = queue->first;
  if (job != NULL)
    queue->first = job->next;
  UNLOCK(&queue->lock);
  return job;
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  struct job *job = get(&queue[me]);
  if (job == NULL)
    job = get(&queue[1 - me]);
  if (job != NULL) {
    job->run(job->argument);
    free(job);
  }
  return NULL;
}

int main(void) {
  pthread_t thread[WORKERS];
  for (int i = 0; i < WORKERS; i++)
    pthread_mutex_init(&queue[i].lock, NULL);
  put(&queue[0], add, 4);
  put(&queue[0], multiply, 3);
  for (long i = 0; i < WORKERS; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < WORKERS; i++)
    pthread_join(thread[i], NULL);
  assert(sum == 4 && product == 3);
  return 0;
}
