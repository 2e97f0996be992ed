/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Lamport's bakery: each thread takes a number, and the lowest number goes first. */
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> choosing[2], number[2];

void lock(int me) {
  const int other = 1 - me;
  choosing[me] = 1;
  const int mine = number[other] + 1;
  number[me].store(mine, std::memory_order_seq_cst);
  choosing[me].store(0, std::memory_order_seq_cst);
  while (choosing[other] != 0) {
  }
  int seen;
  do {
    seen = number[other];
  } while (seen != 0 && (seen < mine || (seen == mine && other < me)));
}

void unlock(int me) { number[me].store(0, std::memory_order_release); }

int shared;

void work(int me) {
  lock(me);
  shared = me;
  assert(shared == me);
  unlock(me);
}

int main() {
  std::thread first([] { work(0); }), second([] { work(1); });
  first.join();
  second.join();
}
