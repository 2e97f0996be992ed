// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Michael and Scott's queue with static nodes: one thread enqueues while another dequeues.
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

struct Node {
    value: UnsafeCell<u32>,
    next: AtomicPtr<Node>,
}
unsafe impl Sync for Node {}

impl Node {
    const fn new() -> Node {
        Node { value: UnsafeCell::new(0), next: AtomicPtr::new(ptr::null_mut()) }
    }
    fn at(&self) -> *mut Node {
        self as *const Node as *mut Node
    }
}

static DUMMY: Node = Node::new();
static NODE: Node = Node::new();

struct Queue {
    head: AtomicPtr<Node>,
    tail: AtomicPtr<Node>,
}

impl Queue {
    fn advance(&self, last: *mut Node, next: *mut Node) {
        let _ = self.tail.compare_exchange(last, next, Ordering::Release, Ordering::Relaxed);
    }
    fn enqueue(&self, mine: *mut Node) {
        loop {
            let last = self.tail.load(Ordering::Acquire);
            let link = unsafe { &(*last).next };
            let next = link.load(Ordering::Acquire);
            if !next.is_null() {
                self.advance(last, next);
            } else if link.compare_exchange(next, mine, Ordering::Release, Ordering::Relaxed).is_ok() {
                self.advance(last, mine);
                return;
            }
        }
    }
    fn dequeue(&self) -> u32 {
        loop {
            let first = self.head.load(Ordering::Acquire);
            let last = self.tail.load(Ordering::Acquire);
            let next = unsafe { (*first).next.load(Ordering::Acquire) };
            if next.is_null() {
                return 0;
            }
            if first == last {
                self.advance(last, next);
                continue;
            }
            let value = unsafe { *(*next).value.get() };
            if self.head.compare_exchange(first, next, Ordering::Release, Ordering::Relaxed).is_ok() {
                return value;
            }
        }
    }
}

fn main() {
    let queue = Queue { head: AtomicPtr::new(DUMMY.at()), tail: AtomicPtr::new(DUMMY.at()) };
    let taken = thread::scope(|s| {
        s.spawn(|| {
            unsafe { *NODE.value.get() = 1 };
            queue.enqueue(NODE.at());
        });
        queue.dequeue()
    });
    assert_eq!(taken + queue.dequeue(), 1);
}
