/* Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Buckets of a lock-free hash table: a compare-exchange inserts a node at the front, unless its key is present. */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

class Table {
  struct Node {
    int key, value;
    Node *next;
  };
  std::atomic<Node *> buckets[2]{};

  static const Node *find(const Node *node, int key) {
    while (node && node->key != key)
      node = node->next;
    return node;
  }
  std::atomic<Node *> &bucket(int key) { return buckets[key % 2]; }

public:
  bool insert(int key, int value) {
    Node *first = bucket(key).load(std::memory_order_acquire);
    std::unique_ptr<Node> mine(new Node{key, value, nullptr});
    do {
      if (find(first, key))
        return false;
      mine->next = first;
    } while (!bucket(key).compare_exchange_strong(first, mine.get(), std::memory_order_release, std::memory_order_acquire));
    mine.release();
    return true;
  }
  int find(int key) {
    const Node *found = find(bucket(key).load(std::memory_order_acquire), key);
    return found ? found->value : 0;
  }
};

Table table;
std::atomic<int> inserted{0};

void work(int value) {
  if (table.insert(3, value))
    ++inserted;
  const int found = table.find(3);
  assert(found == 1 || found == 2);
}

int main() {
  std::thread first(work, 1), second(work, 2);
  first.join();
  second.join();
  assert(inserted == 1);
}
