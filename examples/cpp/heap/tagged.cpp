/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A stack whose top is a pointer with a version number in its low bits, which every change increments. The link between
   its two nodes is stored elsewhere, so that no thread reads a node it does not own; but `new` may return a deleted node
   again at the same address. */
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

struct Node {
  long value;
};

class Tagged {
  static constexpr std::uintptr_t mask = 7;
  std::uintptr_t word;

public:
  Tagged() = default;
  explicit Tagged(Node *node, std::uintptr_t version = 0) : word(reinterpret_cast<std::uintptr_t>(node) | (version & mask)) {}
  Node *node() const { return reinterpret_cast<Node *>(word & ~mask); }
  Tagged followed_by(Node *next) const { return Tagged(next, word + 1); }
};

auto *first = new Node, *second = new Node;
std::atomic<Tagged> top{Tagged(first)};
std::atomic<Node *> below{second}; // the node below the top

void pop() {
  Tagged old = top.load();
  Node *next = below.load();
  if (old.node() && next && top.compare_exchange_strong(old, old.followed_by(next)))
    next->value = 7;
}

void reuse() {
  Tagged old = top.load();
  if (old.node() == first && top.compare_exchange_strong(old, old.followed_by(nullptr))) {
    delete second;
    delete first;
    auto *again = new Node{3};
    below.store(nullptr);
    top.store(top.load().followed_by(again));
  }
}

int main() {
  std::thread popper(pop), worker(reuse);
  popper.join();
  worker.join();
}
