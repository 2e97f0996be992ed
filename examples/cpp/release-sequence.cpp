/* Expected: rc20 VIOLATED, rc11 HOLDS, x86-tso HOLDS.
   In C++20 a later relaxed store does not belong to the release sequence, as it does in C11: reading 2 orders nothing. */
#include <atomic>
#include <cassert>
#include <thread>

int data = 0;
std::atomic<int> flag{0};

int main() {
  std::thread writer([] {
    data = 1;
    flag.store(1, std::memory_order_release);
    flag.store(2, std::memory_order_relaxed);
  });
  if (flag.load(std::memory_order_acquire) == 2)
    assert(data == 1);
  writer.join();
}
