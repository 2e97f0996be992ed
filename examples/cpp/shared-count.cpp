/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A pointer that counts its owners: the last one deletes the object. */
#include <atomic>
#include <cassert>
#include <thread>

#ifndef ACQ_REL
#define ACQ_REL std::memory_order_acq_rel
#endif

struct Shared {
  std::atomic<int> owners{2};
  int value = 7;
};

void drop(Shared *shared) {
  if (shared->owners.fetch_sub(1, ACQ_REL) == 1)
    delete shared;
}

int main() {
  auto *shared = new Shared;
  std::thread other([shared] {
    assert(shared->value == 7);
    drop(shared);
  });
  assert(shared->value == 7);
  drop(shared);
  other.join();
}
