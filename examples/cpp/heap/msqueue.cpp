/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Michael and Scott's queue with allocated nodes: two threads enqueue, one dequeues; the old dummy node is deleted at the end. */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Node {
  int value;
  std::atomic<Node *> next{nullptr};
  explicit Node(int value) : value(value) {}
};

std::unique_ptr<Node> retired;

class Queue {
  std::atomic<Node *> head{new Node(0)}, tail{head.load()};

  void advance(Node *last, Node *next) {
    tail.compare_exchange_strong(last, next, std::memory_order_release, std::memory_order_relaxed);
  }

public:
  void enqueue(int value) {
    Node *mine = new Node(value);
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
  bool dequeue(int &value) {
    for (;;) {
      Node *first = head.load(std::memory_order_acquire);
      Node *last = tail.load(std::memory_order_acquire);
      Node *next = first->next.load(std::memory_order_acquire);
      if (next == nullptr)
        return false;
      if (first == last)
        advance(last, next);
      value = next->value;
      if (head.compare_exchange_strong(first, next, std::memory_order_release, std::memory_order_relaxed)) {
        retired.reset(first);
        return true;
      }
    }
  }
};

Queue queue;

void produce() { queue.enqueue(5); }

int main() {
  std::thread first(produce), second(produce), consumer([] {
    int value = 0;
    if (queue.dequeue(value))
      assert(value == 5);
  });
  first.join();
  second.join();
  consumer.join();
}
