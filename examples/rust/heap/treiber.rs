// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Treiber's stack with allocated nodes: each thread pushes one and pops one. Nodes are freed after all threads have ended.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

struct Node {
    value: u32,
    next: AtomicPtr<Node>,
}
struct Popped(*mut Node);
unsafe impl Send for Popped {}
impl Drop for Popped {
    fn drop(&mut self) {
        drop(unsafe { Box::from_raw(self.0) });
    }
}

static TOP: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

fn push(value: u32) {
    let mine = Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(ptr::null_mut()) }));
    let mut old = TOP.load(Ordering::Relaxed);
    loop {
        unsafe { (*mine).next.store(old, Ordering::Relaxed) };
        match TOP.compare_exchange(old, mine, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(found) => old = found,
        }
    }
}

fn pop() -> *mut Node {
    let mut old = TOP.load(Ordering::Acquire);
    while !old.is_null() {
        let next = unsafe { (*old).next.load(Ordering::Relaxed) };
        match TOP.compare_exchange(old, next, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => break,
            Err(found) => old = found,
        }
    }
    old
}

fn work(value: u32) -> Popped {
    push(value);
    let mine = pop();
    assert!(!mine.is_null());
    let value = unsafe { (*mine).value };
    assert!(value == 1 || value == 2);
    Popped(mine)
}

fn main() {
    let a = thread::spawn(|| work(1));
    let b = thread::spawn(|| work(2));
    let popped = (a.join().unwrap(), b.join().unwrap());
    drop(popped);
}
