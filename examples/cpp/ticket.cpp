/* Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A ticket lock. */
#include <atomic>
#include <cassert>
#include <thread>

#ifndef ACQUIRE
#define ACQUIRE std::memory_order_acquire
#endif

class TicketLock {
  std::atomic<unsigned> next{0}, serving{0};

public:
  void lock() {
    const unsigned mine = next.fetch_add(1, std::memory_order_relaxed);
    while (serving.load(ACQUIRE) != mine) {
    }
  }
  void unlock() { serving.store(serving.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
};

TicketLock ticket;
int counter = 0;

void work() {
  ticket.lock();
  ++counter;
  ticket.unlock();
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(counter == 2);
}
