/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Test-and-test-and-set lock: spins until the lock is free, then tries to acquire it. */
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> taken;

void lock(int) {
  do {
    while (taken.load(std::memory_order_relaxed)) {
    }
  } while (taken.exchange(true, std::memory_order_acquire));
}

void unlock(int) { taken.store(false, std::memory_order_release); }

int shared;

void work(int me) {
  lock(me);
  ++shared;
  unlock(me);
}

int main() {
  std::thread first([] { work(0); }), second([] { work(1); });
  first.join();
  second.join();
  assert(shared == 2);
}
