/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Lamport's fast mutex: seven accesses without contention. Here a thread that meets another gives up. */
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> busy[2];
std::atomic<int> x, y;

bool try_lock(int me) {
  busy[me] = true;
  x = me + 1;
  if (y != 0) {
    busy[me] = false;
    return false;
  }
  y = me + 1;
  if (x != me + 1) {
    busy[me] = false;
    while (busy[1 - me]) {
    }
    return y == me + 1;
  }
  return true;
}

void unlock(int me) {
  y.store(0, std::memory_order_seq_cst);
  busy[me].store(false, std::memory_order_seq_cst);
}

int shared;

void work(int me) {
  if (try_lock(me)) {
    shared = me;
    assert(shared == me);
    unlock(me);
  }
}

int main() {
  std::thread first([] { work(0); }), second([] { work(1); });
  first.join();
  second.join();
}
