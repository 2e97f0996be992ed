/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Epoch-based reclamation: a reader announces the epoch in which it reads; the writer retires the old object in one
   epoch and deletes it after the next, when no reader of the earlier epoch is left. */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Object {
  int value;
};

class Epochs {
  std::atomic<int> epoch{1};
  std::atomic<int> active{0}; // the epoch in which the reader looks; 0: it does not

public:
  void enter() {
    active.store(epoch.load(std::memory_order_relaxed), std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void leave() { active.store(0, std::memory_order_release); }
  bool is_quiet() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const int now = epoch.fetch_add(1, std::memory_order_acq_rel) + 1;
    const int seen = active.load(std::memory_order_acquire);
    return seen == 0 || seen == now;
  }
};

Epochs epochs;
std::atomic<Object *> current{new Object{1}};
std::unique_ptr<Object> kept;

int main() {
  std::thread reader([] {
    epochs.enter();
    const Object *seen = current.load(std::memory_order_acquire);
    assert(seen->value == 1 || seen->value == 2);
    epochs.leave();
  });
  std::unique_ptr<Object> old(current.exchange(new Object{2}, std::memory_order_acq_rel));
  if (!epochs.is_quiet())
    kept = std::move(old);
  old.reset();
  reader.join();
  delete current.load();
}
