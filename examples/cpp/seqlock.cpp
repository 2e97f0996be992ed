/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Seqlock: a reader checks that no writer was active meanwhile. Here it gives up after one failure. */
#include <atomic>
#include <cassert>
#include <thread>

class SeqLock {
  std::atomic<unsigned> sequence{0};
  std::atomic<int> left{0}, right{0};

public:
  void write(int value) {
    const unsigned now = sequence.load(std::memory_order_relaxed);
    sequence.store(now + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    left.store(value, std::memory_order_relaxed);
    right.store(value, std::memory_order_relaxed);
    sequence.store(now + 2, std::memory_order_release);
  }
  bool try_read(int &a, int &b) const {
    const unsigned before = sequence.load(std::memory_order_acquire);
    a = left.load(std::memory_order_relaxed);
    b = right.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    return before % 2 == 0 && sequence.load(std::memory_order_relaxed) == before;
  }
};

SeqLock pair;

int main() {
  std::thread writer([] { pair.write(1); });
  int a = 0, b = 0;
  if (pair.try_read(a, b))
    assert(a == b);
  writer.join();
}
