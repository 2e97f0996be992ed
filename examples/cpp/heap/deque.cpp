/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Chase and Lev's deque: its owner pushes two tasks and takes them back, a thief tries to steal both; whoever takes a task deletes it.
   The store of `take` is a release: a relaxed one, which is enough in C11, ends the release sequence of `push` in C++20. */
#include <atomic>
#include <cassert>
#include <thread>

struct Task {
  int number;
};

class Deque {
  static constexpr long size = 2;
  std::atomic<long> top{0}, bottom{0};
  std::atomic<Task *> buffer[size];

  bool claim(long t) {
    return top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
  }

public:
  void push(Task *task) {
    const long b = bottom.load(std::memory_order_relaxed);
    buffer[b % size].store(task, std::memory_order_relaxed);
    bottom.store(b + 1, std::memory_order_release);
  }
  Task *take() {
    const long b = bottom.load(std::memory_order_relaxed) - 1;
    bottom.store(b, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const long t = top.load(std::memory_order_relaxed);
    if (t < b)
      return buffer[b % size].load(std::memory_order_relaxed);
    Task *task = nullptr;
    if (t == b && claim(t))
      task = buffer[b % size].load(std::memory_order_relaxed);
    bottom.store(b + 1, std::memory_order_relaxed);
    return task;
  }
  Task *steal() {
    const long t = top.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (t >= bottom.load(std::memory_order_acquire))
      return nullptr;
    Task *task = buffer[t % size].load(std::memory_order_relaxed);
    return claim(t) ? task : nullptr;
  }
};

Deque deque;

void run(Task *task) {
  if (task == nullptr)
    return;
  assert(task->number == 1 || task->number == 2);
  delete task;
}

int main() {
  std::thread thief([] {
    run(deque.steal());
    run(deque.steal());
  });
  deque.push(new Task{1});
  deque.push(new Task{2});
  run(deque.take());
  run(deque.take());
  thief.join();
}
