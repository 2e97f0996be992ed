/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Publication: a structure is filled in, then a pointer to it is published with a release store. */
#include <atomic>
#include <cassert>
#include <thread>

struct Message {
  int length;
  long body;
};

Message letter;
std::atomic<Message *> box;

int main() {
  std::thread sender([] {
    letter = {1, 42};
    box.store(&letter, std::memory_order_release);
  });
  std::thread receiver([] {
    if (Message *found = box.load(std::memory_order_acquire))
      assert(found->length == 1 && found->body == 42);
  });
  sender.join();
  receiver.join();
}
