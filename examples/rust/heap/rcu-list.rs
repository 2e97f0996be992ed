// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A list in the style of RCU: a reader traverses it without locks; the writer removes a node and waits until a reader
// that was inside has left before it frees the node.
use std::ptr;
use std::sync::atomic::{fence, AtomicBool, AtomicPtr, Ordering};
use std::thread;

struct Node {
    value: u32,
    next: AtomicPtr<Node>,
}

static LIST: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());
static INSIDE: AtomicBool = AtomicBool::new(false);

fn make(value: u32, next: *mut Node) -> *mut Node {
    Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(next) }))
}

fn synchronize() {
    fence(Ordering::SeqCst);
    while INSIDE.load(Ordering::Acquire) {}
}

fn read() {
    INSIDE.store(true, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    let mut sum = 0;
    let mut node = LIST.load(Ordering::Acquire);
    while !node.is_null() {
        sum += unsafe { (*node).value };
        node = unsafe { (*node).next.load(Ordering::Acquire) };
    }
    INSIDE.store(false, Ordering::Release);
    assert!(sum == 3 || sum == 2 || sum == 6);
}

fn write() {
    let first = LIST.load(Ordering::Relaxed);
    let second = unsafe { (*first).next.load(Ordering::Relaxed) };
    LIST.store(second, Ordering::Release);
    synchronize();
    drop(unsafe { Box::from_raw(first) });
    LIST.store(make(4, second), Ordering::Release);
}

fn main() {
    LIST.store(make(1, make(2, ptr::null_mut())), Ordering::Relaxed);
    let reader = thread::spawn(read);
    let writer = thread::spawn(write);
    reader.join().unwrap();
    writer.join().unwrap();
}
