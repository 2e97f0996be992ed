/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Michael and Scott's queue with static nodes: one thread enqueues while another dequeues. */
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  int value{0};
  std::atomic<Node *> next{nullptr};
};

Node dummy, node;

class Queue {
  std::atomic<Node *> head{&dummy}, tail{&dummy};

  void advance(Node *last, Node *next) {
    tail.compare_exchange_strong(last, next, std::memory_order_release, std::memory_order_relaxed);
  }

public:
  void enqueue(Node *mine) {
    for (;;) {
      Node *last = tail.load(std::memory_order_acquire);
      Node *next = last->next.load(std::memory_order_acquire);
      if (next != nullptr) {
        advance(last, next);
      } else if (last->next.compare_exchange_strong(next, mine, std::memory_order_release, std::memory_order_relaxed)) {
        advance(last, mine);
        return;
      }
    }
  }
  int dequeue() {
    for (;;) {
      Node *first = head.load(std::memory_order_acquire);
      Node *last = tail.load(std::memory_order_acquire);
      Node *next = first->next.load(std::memory_order_acquire);
      if (next == nullptr)
        return 0;
      if (first == last) {
        advance(last, next);
        continue;
      }
      const int value = next->value;
      if (head.compare_exchange_strong(first, next, std::memory_order_release, std::memory_order_relaxed))
        return value;
    }
  }
};

Queue queue;

int main() {
  std::thread producer([] {
    node.value = 1;
    queue.enqueue(&node);
  });
  const int taken = queue.dequeue();
  producer.join();
  assert(taken + queue.dequeue() == 1);
}
