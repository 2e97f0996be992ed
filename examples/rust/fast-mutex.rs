// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Lamport's fast mutex: seven accesses without contention. Here a thread that meets another gives up.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

static BUSY: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static X: AtomicUsize = AtomicUsize::new(0);
static Y: AtomicUsize = AtomicUsize::new(0);

fn try_lock(me: usize) -> bool {
    BUSY[me].store(true, Ordering::SeqCst);
    X.store(me + 1, Ordering::SeqCst);
    if Y.load(Ordering::SeqCst) != 0 {
        BUSY[me].store(false, Ordering::SeqCst);
        return false;
    }
    Y.store(me + 1, Ordering::SeqCst);
    if X.load(Ordering::SeqCst) != me + 1 {
        BUSY[me].store(false, Ordering::SeqCst);
        while BUSY[1 - me].load(Ordering::SeqCst) {}
        return Y.load(Ordering::SeqCst) == me + 1;
    }
    true
}

fn unlock(me: usize) {
    Y.store(0, Ordering::SeqCst);
    BUSY[me].store(false, Ordering::SeqCst);
}

static SHARED: Shared = Shared(UnsafeCell::new(0));

struct Shared(UnsafeCell<usize>);
unsafe impl Sync for Shared {}

fn work(me: usize) {
    if try_lock(me) {
        unsafe {
            *SHARED.0.get() = me;
            assert_eq!(*SHARED.0.get(), me);
        }
        unlock(me);
    }
}

fn main() {
    let other = thread::spawn(|| work(1));
    work(0);
    other.join().unwrap();
}
