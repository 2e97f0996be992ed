/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A value made by whoever needs it first, under a std::mutex. */
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef RELEASE
#define RELEASE std::memory_order_release
#endif

std::mutex mutex;
int value = 0;
std::atomic<int *> ready{nullptr};

int *instance() {
  int *found = ready.load(std::memory_order_acquire);
  if (!found) {
    std::lock_guard guard(mutex);
    found = ready.load(std::memory_order_relaxed);
    if (!found) {
      value = 42;
      found = &value;
      ready.store(found, RELEASE);
    }
  }
  return found;
}

int main() {
  std::thread first([] { assert(*instance() == 42); }), second([] { assert(*instance() == 42); });
  first.join();
  second.join();
}
