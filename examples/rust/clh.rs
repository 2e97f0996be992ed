// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A CLH lock: each thread spins on the flag of its predecessor.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

static BUSY: [AtomicBool; 3] = [AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false)];
static TAIL: AtomicUsize = AtomicUsize::new(2);

fn lock(me: usize) {
    BUSY[me].store(true, Ordering::Relaxed);
    let before = TAIL.swap(me, Ordering::AcqRel);
    while BUSY[before].load(Ordering::Acquire) {}
}

fn unlock(me: usize) {
    BUSY[me].store(false, Ordering::Release);
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
