// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Peterson's mutual exclusion with sequentially consistent atomics.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static LAST: AtomicUsize = AtomicUsize::new(0);

fn lock(me: usize) {
    WANTS[me].store(true, Ordering::SeqCst);
    LAST.store(me, Ordering::SeqCst);
    while WANTS[1 - me].load(Ordering::SeqCst) && LAST.load(Ordering::SeqCst) == me {}
}

fn unlock(me: usize) {
    WANTS[me].store(false, Ordering::Release);
}

static SHARED: Shared = Shared(UnsafeCell::new(0));

struct Shared(UnsafeCell<usize>);
unsafe impl Sync for Shared {}

fn work(me: usize) {
    lock(me);
    unsafe {
        *SHARED.0.get() = me;
        assert_eq!(*SHARED.0.get(), me);
    }
    unlock(me);
}

fn main() {
    let other = thread::spawn(|| work(1));
    work(0);
    other.join().unwrap();
}
