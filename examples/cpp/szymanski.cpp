/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Szymanski's mutual exclusion: a waiting room whose door closes behind a group. */
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> stage[2];

void lock(int me) {
  const std::atomic<int> &other = stage[1 - me];
  stage[me].store(1, std::memory_order_seq_cst);
  while (other >= 3) {
  }
  stage[me].store(3, std::memory_order_seq_cst);
  if (other == 1) {
    stage[me].store(2, std::memory_order_seq_cst);
    while (other != 4) {
    }
  }
  stage[me].store(4, std::memory_order_seq_cst);
  while (me == 1 && other >= 2) {
  }
}

void unlock(int me) {
  if (me == 0) {
    int seen;
    do {
      seen = stage[1];
    } while (seen == 2 || seen == 3);
  }
  stage[me].store(0, std::memory_order_release);
}

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
