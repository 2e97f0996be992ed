/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS WITHIN.
   A test-and-set lock for std::lock_guard. Under armv8 the loop is bounded. */
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef RELEASE
#define RELEASE std::memory_order_release
#endif

class SpinLock {
  std::atomic<bool> locked{false};

public:
  void lock() {
    while (locked.exchange(true, std::memory_order_acquire)) {
    }
  }
  void unlock() { locked.store(false, RELEASE); }
};

SpinLock spin;
int counter = 0;

void work() {
  std::lock_guard guard(spin);
  ++counter;
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(counter == 2);
}
