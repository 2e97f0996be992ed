/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A pool of two workers, each with a queue of jobs protected by a lock: an idle worker steals from the other. Jobs are
   objects with a virtual function; the worker that ran one deletes it. */
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

std::atomic<int> sum{0}, product{1};

struct Job {
  Job *next{nullptr};
  virtual ~Job() = default;
  virtual void run() = 0;
};

struct Add : Job {
  int number;
  explicit Add(int number) : number(number) {}
  void run() override { sum.fetch_add(number); }
};

struct Multiply : Job {
  int number;
  explicit Multiply(int number) : number(number) {}
  void run() override { product.store(product.load() * number); }
};

class Jobs {
  std::mutex mutex;
  Job *first{nullptr};

public:
  void put(Job *job) {
    job->next = first;
    first = job;
  }
  std::unique_ptr<Job> get() {
    std::lock_guard<std::mutex> guard(mutex);
    std::unique_ptr<Job> job(first);
    if (job)
      first = job->next;
    return job;
  }
};

Jobs queues[2];

void work(int me) {
  std::unique_ptr<Job> job = queues[me].get();
  if (!job)
    job = queues[1 - me].get();
  if (job)
    job->run();
}

int main() {
  queues[0].put(new Add(4));
  queues[0].put(new Multiply(3));
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  assert(sum == 4 && product == 3);
}
