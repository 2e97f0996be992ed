/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Hazard pointers: a reader publishes the object that it is about to read and checks that it is still current;
   the writer replaces the object and deletes the old one only if no reader has published it. */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Object {
  int value;
};

std::atomic<Object *> current{new Object{1}}, hazard{nullptr};
std::unique_ptr<Object> kept;

void look() {
  Object *seen = current.load(std::memory_order_relaxed);
  hazard.store(seen, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (current.load(std::memory_order_acquire) == seen)
    assert(seen->value == 1 || seen->value == 2);
  hazard.store(nullptr, std::memory_order_release);
}

void replace() {
  std::unique_ptr<Object> old(current.exchange(new Object{2}, std::memory_order_acq_rel));
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (hazard.load(std::memory_order_acquire) == old.get())
    kept = std::move(old);
}

int main() {
  std::thread reader(look), writer(replace);
  reader.join();
  writer.join();
  delete current.load();
}
