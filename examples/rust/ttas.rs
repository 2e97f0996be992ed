// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A test-and-test-and-set lock: spins until the lock is free, then tries to acquire it.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static TAKEN: AtomicBool = AtomicBool::new(false);

fn lock(_me: usize) {
    loop {
        while TAKEN.load(Ordering::Relaxed) {}
        if !TAKEN.swap(true, Ordering::Acquire) {
            return;
        }
    }
}

fn unlock(_me: usize) {
    TAKEN.store(false, Ordering::Release);
}

static SHARED: Shared = Shared(UnsafeCell::new(0));

struct Shared(UnsafeCell<usize>);
unsafe impl Sync for Shared {}

fn work(me: usize) {
    lock(me);
    unsafe { *SHARED.0.get() += 1 };
    unlock(me);
}

fn main() {
    let other = thread::spawn(|| work(1));
    work(0);
    other.join().unwrap();
    assert_eq!(unsafe { *SHARED.0.get() }, 2);
}
