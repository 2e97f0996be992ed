/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   MCS lock: a queue of threads, each spinning on its own node. */
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  std::atomic<Node *> next{nullptr};
  std::atomic<bool> waits{false};
};

class Lock {
  std::atomic<Node *> tail{nullptr};

public:
  void lock(Node *mine) {
    mine->next.store(nullptr, std::memory_order_relaxed);
    mine->waits.store(true, std::memory_order_relaxed);
    Node *before = tail.exchange(mine, std::memory_order_acq_rel);
    if (before == nullptr)
      return;
    before->next.store(mine, std::memory_order_release);
    while (mine->waits.load(std::memory_order_acquire)) {
    }
  }
  void unlock(Node *mine) {
    Node *after = mine->next.load(std::memory_order_acquire);
    if (after == nullptr) {
      Node *expected = mine;
      if (tail.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel, std::memory_order_relaxed))
        return;
      while ((after = mine->next.load(std::memory_order_acquire)) == nullptr) {
      }
    }
    after->waits.store(false, std::memory_order_release);
  }
};

Lock mutex;
Node nodes[2];
int shared;

void work(int me) {
  mutex.lock(&nodes[me]);
  ++shared;
  mutex.unlock(&nodes[me]);
}

int main() {
  std::thread first([] { work(0); }), second([] { work(1); });
  first.join();
  second.join();
  assert(shared == 2);
}
