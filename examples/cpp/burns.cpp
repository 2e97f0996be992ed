/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Burns' mutual exclusion: one bit per thread; the thread with the lower number has priority. */
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> flag[2];

void lock(int me) {
  if (me == 0) {
    flag[0].store(true, std::memory_order_seq_cst);
    while (flag[1]) {
    }
    return;
  }
  do {
    flag[1].store(false, std::memory_order_seq_cst);
    while (flag[0]) {
    }
    flag[1].store(true, std::memory_order_seq_cst);
  } while (flag[0]);
}

void unlock(int me) { flag[me].store(false, std::memory_order_release); }

int shared;

void work(int me) {
  lock(me);
  shared = me;
  assert(shared == me);
  unlock(me);
}

int main() {
  std::thread first([] { work(0); }), second([] { work(1); });
  first.join();
  second.join();
}
