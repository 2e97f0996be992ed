// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Michael and Scott's queue with allocated nodes: two threads enqueue, one dequeues; the old dummy node is freed at the end.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

struct Node {
    value: u32,
    next: AtomicPtr<Node>,
}

static HEAD: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());
static TAIL: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

fn make(value: u32) -> *mut Node {
    Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(ptr::null_mut()) }))
}

fn advance(tail: *mut Node, next: *mut Node) {
    let _ = TAIL.compare_exchange(tail, next, Ordering::Release, Ordering::Relaxed);
}

fn enqueue(value: u32) {
    let mine = make(value);
    loop {
        let last = TAIL.load(Ordering::Acquire);
        let link = unsafe { &(*last).next };
        let next = link.load(Ordering::Acquire);
        if !next.is_null() {
            advance(last, next);
        } else if link.compare_exchange(next, mine, Ordering::Release, Ordering::Relaxed).is_ok() {
            return advance(last, mine);
        }
    }
}

// Gives the value and the old dummy node.
fn dequeue() -> Option<(u32, *mut Node)> {
    loop {
        let first = HEAD.load(Ordering::Acquire);
        let last = TAIL.load(Ordering::Acquire);
        let next = unsafe { &(*first).next }.load(Ordering::Acquire);
        if next.is_null() {
            return None;
        }
        if first == last {
            advance(last, next);
        }
        let value = unsafe { (*next).value };
        if HEAD.compare_exchange(first, next, Ordering::Release, Ordering::Relaxed).is_ok() {
            return Some((value, first));
        }
    }
}

fn main() {
    let dummy = make(0);
    HEAD.store(dummy, Ordering::Relaxed);
    TAIL.store(dummy, Ordering::Relaxed);
    let a = thread::spawn(|| enqueue(5));
    let b = thread::spawn(|| enqueue(5));
    if let Some((value, retired)) = dequeue() {
        assert_eq!(value, 5);
        a.join().unwrap();
        b.join().unwrap();
        drop(unsafe { Box::from_raw(retired) });
    }
}
