//! weaken: Ordering::Release, Ordering::Relaxed => Ordering::Relaxed, Ordering::Relaxed
// Nodes are freed when all threads have left the stack.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

struct Node {
    value: u32,
    next: *mut Node,
}
struct Stack {
    head: AtomicPtr<Node>,
}

impl Stack {
    fn push(&self, value: u32) {
        let node = Box::into_raw(Box::new(Node { value, next: ptr::null_mut() }));
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            unsafe { (*node).next = head };
            match self.head.compare_exchange(head, node, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(found) => head = found,
            }
        }
    }
    fn take_all(&self) -> u32 {
        let mut node = self.head.swap(ptr::null_mut(), Ordering::Acquire);
        let mut sum = 0;
        while !node.is_null() {
            let taken = unsafe { Box::from_raw(node) };
            sum += taken.value;
            node = taken.next;
        }
        sum
    }
}

fn main() {
    let stack = Stack { head: AtomicPtr::new(ptr::null_mut()) };
    let mut sum = 0;
    thread::scope(|s| {
        s.spawn(|| stack.push(1));
        stack.push(2);
        sum = stack.take_all();
    });
    sum += stack.take_all();
    assert_eq!(sum, 3);
}
