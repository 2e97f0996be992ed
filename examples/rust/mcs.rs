// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// An MCS lock: a queue of threads, each spinning on a node on its own stack.
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::thread;

struct Node {
    next: AtomicPtr<Node>,
    locked: AtomicBool,
}

struct Mcs {
    tail: AtomicPtr<Node>,
    data: UnsafeCell<u32>,
}
unsafe impl Sync for Mcs {}

impl Mcs {
    fn with(&self, f: impl FnOnce(&mut u32)) {
        let node = Node { next: AtomicPtr::new(ptr::null_mut()), locked: AtomicBool::new(true) };
        let me = &node as *const Node as *mut Node;
        let before = self.tail.swap(me, Ordering::AcqRel);
        if !before.is_null() {
            unsafe { (*before).next.store(me, Ordering::Release) };
            while node.locked.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
        }
        f(unsafe { &mut *self.data.get() });
        if node.next.load(Ordering::Acquire).is_null() {
            if self.tail.compare_exchange(me, ptr::null_mut(), Ordering::Release, Ordering::Relaxed).is_ok() {
                return;
            }
            while node.next.load(Ordering::Acquire).is_null() {
                std::hint::spin_loop();
            }
        }
        unsafe { (*node.next.load(Ordering::Acquire)).locked.store(false, Ordering::Release) };
    }
}

fn main() {
    static LOCK: Mcs = Mcs { tail: AtomicPtr::new(ptr::null_mut()), data: UnsafeCell::new(0) };
    let other = thread::spawn(|| LOCK.with(|n| *n += 1));
    LOCK.with(|n| *n += 1);
    other.join().unwrap();
    LOCK.with(|n| assert_eq!(*n, 2));
}
