/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   CLH lock: each thread spins on the node of its predecessor. */
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  std::atomic<bool> busy{false};
};

Node nodes[3];
std::atomic<Node *> tail{&nodes[2]};

void lock(int me) {
  nodes[me].busy.store(true, std::memory_order_relaxed);
  Node *before = tail.exchange(&nodes[me], std::memory_order_acq_rel);
  while (before->busy.load(std::memory_order_acquire)) {
  }
}

void unlock(int me) { nodes[me].busy.store(false, std::memory_order_release); }

int shared;

void work(int me) {
  lock(me);
  ++shared;
  unlock(me);
}

int main() {
  std::thread first([] { work(0); }), second([] { work(1); });
  first.join();
  second.join();
  assert(shared == 2);
}
