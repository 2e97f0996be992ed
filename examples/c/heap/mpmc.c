/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Vyukov's bounded queue for many producers and consumers, with allocated messages: two threads send, one receives. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef FILLED
#define FILLED memory_order_release
#endif
#ifndef CLAIM
#define CLAIM(counter, expected) \
  atomic_compare_exchange_strong_explicit(counter, expected, *(expected) + 1, memory_order_relaxed, memory_order_relaxed)
#endif
#define SIZE 2

struct message {
  int number;
};

struct cell {
  atomic_long turn;
  struct message *message;
};

struct cell *cells;
atomic_long tail, head;
atomic_int sent;
int received;

static bool send(struct message *message) {
  long at = atomic_load_explicit(&tail, memory_order_relaxed);
  for (;;) {
    struct cell *cell = &cells[at % SIZE];
    long turn = atomic_load_explicit(&cell->turn, memory_order_acquire);
    if (turn < at)
      return false;
    if (turn == at && CLAIM(&tail, &at)) {
      cell->message = message;
      atomic_store_explicit(&cell->turn, at + 1, FILLED);
      return true;
    }
    if (turn > at)
      at = atomic_load_explicit(&tail, memory_order_relaxed);
  }
}

static struct message *receive(void) {
  long at = atomic_load_explicit(&head, memory_order_relaxed);
  struct cell *cell = &cells[at % SIZE];
  if (atomic_load_explicit(&cell->turn, memory_order_acquire) != at + 1)
    return NULL;
  if (!atomic_compare_exchange_strong_explicit(&head, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
    return NULL;
  struct message *message = cell->message;
  atomic_store_explicit(&cell->turn, at + SIZE, memory_order_release);
  return message;
}

static void *sender(void *argument) {
  struct message *message = malloc(sizeof *message);
  message->number = (int)(long)argument;
  if (send(message))
    atomic_fetch_add(&sent, 1);
  else
    free(message);
  return NULL;
}

static void *receiver(void *unused) {
  struct message *message = receive();
  if (message != NULL) {
    assert(message->number == 1 || message->number == 2);
    free(message);
    received++;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  cells = calloc(SIZE, sizeof *cells);
  for (long i = 0; i < SIZE; i++)
    atomic_init(&cells[i].turn, i);
  pthread_create(&a, NULL, sender, (void *)1);
  pthread_create(&b, NULL, sender, (void *)2);
  pthread_create(&c, NULL, receiver, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  for (int i = 0; i < SIZE; i++)
    receiver(NULL);
  assert(received == sent);
  free(cells);
  return 0;
}
