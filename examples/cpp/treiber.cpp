/* Expected: rc20 HOLDS WITHIN, x86-tso HOLDS WITHIN, armv8 HOLDS WITHIN.
   Treiber's stack; nodes are deleted by the one thread that pops. */
#include <atomic>
#include <cassert>
#include <thread>

#ifndef RELEASE
#define RELEASE std::memory_order_release
#endif

class Stack {
  struct Node {
    int value;
    Node *next;
  };
  std::atomic<Node *> top{nullptr};

public:
  void push(int value) {
    auto *node = new Node{value, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(node->next, node, RELEASE, std::memory_order_relaxed)) {
    }
  }
  bool pop(int &value) {
    Node *node = top.load(std::memory_order_acquire);
    while (node && !top.compare_exchange_weak(node, node->next, std::memory_order_acquire)) {
    }
    if (!node)
      return false;
    value = node->value;
    delete node;
    return true;
  }
};

Stack stack;

int main() {
  std::thread other([] { stack.push(1); });
  stack.push(2);
  int value = 0;
  const bool is_found = stack.pop(value);
  assert(is_found && (value == 1 || value == 2));
  other.join();
  while (stack.pop(value)) {
  }
}
