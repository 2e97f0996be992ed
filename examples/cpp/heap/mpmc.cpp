/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS WITHIN.
   Vyukov's bounded queue for many producers and consumers, with messages of which one thread is the owner: two threads send, one receives. */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Message {
  int number;
};

class Queue {
  static constexpr long size = 2;
  struct Cell {
    std::atomic<long> turn;
    std::unique_ptr<Message> message;
  };
  std::unique_ptr<Cell[]> cells{new Cell[size]};
  std::atomic<long> tail{0}, head{0};

  static bool claim(std::atomic<long> &counter, long &expected) {
    return counter.compare_exchange_strong(expected, expected + 1, std::memory_order_relaxed);
  }

public:
  Queue() {
    for (long i = 0; i < size; i++)
      cells[i].turn.store(i, std::memory_order_relaxed);
  }
  bool send(std::unique_ptr<Message> message) {
    long at = tail.load(std::memory_order_relaxed);
    for (;;) {
      Cell &cell = cells[at % size];
      const long turn = cell.turn.load(std::memory_order_acquire);
      if (turn < at)
        return false;
      if (turn == at && claim(tail, at)) {
        cell.message = std::move(message);
        cell.turn.store(at + 1, std::memory_order_release);
        return true;
      }
      if (turn > at)
        at = tail.load(std::memory_order_relaxed);
    }
  }
  std::unique_ptr<Message> receive() {
    long at = head.load(std::memory_order_relaxed);
    Cell &cell = cells[at % size];
    if (cell.turn.load(std::memory_order_acquire) != at + 1 || !claim(head, at))
      return nullptr;
    std::unique_ptr<Message> message = std::move(cell.message);
    cell.turn.store(at + size, std::memory_order_release);
    return message;
  }
};

Queue queue;
std::atomic<int> sent{0};
int received = 0;

void send(int number) {
  if (queue.send(std::unique_ptr<Message>(new Message{number})))
    ++sent;
}

void receive() {
  if (auto message = queue.receive()) {
    assert(message->number == 1 || message->number == 2);
    received++;
  }
}

int main() {
  std::thread first(send, 1), second(send, 2), third(receive);
  first.join();
  second.join();
  third.join();
  receive();
  receive();
  assert(received == sent);
}
