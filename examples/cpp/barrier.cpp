/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A sense-reversing barrier: no thread continues before all have arrived. */
#include <atomic>
#include <cassert>
#include <thread>

class Barrier {
  static constexpr int all = 2;
  std::atomic<int> missing{all};
  std::atomic<bool> sense{false};

public:
  void wait() {
    const bool mine = !sense.load(std::memory_order_relaxed);
    if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      missing.store(all, std::memory_order_relaxed);
      sense.store(mine, std::memory_order_release);
    } else {
      while (sense.load(std::memory_order_acquire) != mine) {
      }
    }
  }
};

Barrier barrier;
int data[2];

void work(int me) {
  data[me] = me + 1;
  barrier.wait();
  const int other = 1 - me;
  assert(data[other] == other + 1);
}

int main() {
  std::thread first([] { work(0); }), second([] { work(1); });
  first.join();
  second.join();
}
