/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A ring for one producer and one consumer. */
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <optional>
#include <thread>

#ifndef RELEASE
#define RELEASE std::memory_order_release
#endif

template <class T, std::size_t Size> class Ring {
  std::array<T, Size> items{};
  std::atomic<std::size_t> head{0}, tail{0};

public:
  bool push(const T &value) {
    const auto at = tail.load(std::memory_order_relaxed);
    if (at - head.load(std::memory_order_acquire) == Size)
      return false;
    items[at % Size] = value;
    tail.store(at + 1, RELEASE);
    return true;
  }
  std::optional<T> pop() {
    const auto at = head.load(std::memory_order_relaxed);
    if (at == tail.load(std::memory_order_acquire))
      return std::nullopt;
    T value = items[at % Size];
    head.store(at + 1, std::memory_order_release);
    return value;
  }
};

Ring<int, 2> ring;

int main() {
  std::thread producer([] {
    ring.push(1);
    ring.push(2);
  });
  int last = 0;
  for (int i = 0; i < 2; ++i)
    if (const auto value = ring.pop()) {
      assert(*value == last + 1);
      last = *value;
    }
  producer.join();
}
