/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A list in the style of RCU: a reader traverses it without locks; the writer removes a node and waits until a reader
   that was inside has left before it deletes the node. */
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  int value;
  std::atomic<Node *> next;
};

std::atomic<Node *> list{new Node{1, new Node{2, nullptr}}};
std::atomic<bool> is_inside{false};

void synchronize() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  while (is_inside.load(std::memory_order_acquire)) {
  }
}

void traverse() {
  is_inside.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  int sum = 0;
  for (const Node *node = list.load(std::memory_order_acquire); node; node = node->next.load(std::memory_order_acquire))
    sum += node->value;
  is_inside.store(false, std::memory_order_release);
  assert(sum == 3 || sum == 2 || sum == 6);
}

void replace() {
  Node *first = list.load(std::memory_order_relaxed);
  Node *second = first->next.load(std::memory_order_relaxed);
  list.store(second, std::memory_order_release);
  synchronize();
  delete first;
  list.store(new Node{4, second}, std::memory_order_release);
}

int main() {
  std::thread reader(traverse), writer(replace);
  reader.join();
  writer.join();
}
