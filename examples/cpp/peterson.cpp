/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Peterson's mutual exclusion with seq_cst atomics. */
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> wants[2];
std::atomic<int> last;

void lock(int me) {
  wants[me].store(true, std::memory_order_seq_cst);
  last.store(me, std::memory_order_seq_cst);
  while (wants[1 - me] && last == me) {
  }
}

void unlock(int me) { wants[me].store(false, std::memory_order_release); }

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
