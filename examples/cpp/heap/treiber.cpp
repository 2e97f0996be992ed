/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Treiber's stack with allocated nodes: each thread pushes one and pops one. Nodes are deleted after all threads have ended. */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Node {
  int value;
  std::atomic<Node *> next{nullptr};
  explicit Node(int value) : value(value) {}
};

class Stack {
  std::atomic<Node *> top{nullptr};

public:
  void push(int value) {
    Node *node = new Node(value);
    Node *old = top.load(std::memory_order_relaxed);
    do
      node->next.store(old, std::memory_order_relaxed);
    while (!top.compare_exchange_strong(old, node, std::memory_order_release, std::memory_order_relaxed));
  }
  std::unique_ptr<Node> pop() {
    Node *old = top.load(std::memory_order_acquire);
    while (old && !top.compare_exchange_strong(old, old->next.load(std::memory_order_relaxed), std::memory_order_acquire)) {
    }
    return std::unique_ptr<Node>(old);
  }
};

Stack stack;
std::unique_ptr<Node> retired[2];

void work(int me) {
  stack.push(me + 1);
  std::unique_ptr<Node> mine = stack.pop();
  assert(mine && (mine->value == 1 || mine->value == 2));
  retired[me] = std::move(mine);
}

int main() {
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
}
