/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Dekker's mutual exclusion for two threads. */
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> wants[2];
std::atomic<int> turn;

void lock(int me) {
  const int other = 1 - me;
  wants[me].store(true, std::memory_order_seq_cst);
  while (wants[other]) {
    if (turn.load(std::memory_order_relaxed) != me) {
      wants[me].store(false, std::memory_order_relaxed);
      while (turn.load(std::memory_order_relaxed) != me) {
      }
      wants[me].store(true, std::memory_order_seq_cst);
    }
  }
}

void unlock(int me) {
  turn.store(1 - me, std::memory_order_relaxed);
  wants[me].store(false, std::memory_order_release);
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
