// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Dekker's mutual exclusion for two threads.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static TURN: AtomicUsize = AtomicUsize::new(0);

fn lock(me: usize) {
    let other = 1 - me;
    WANTS[me].store(true, Ordering::SeqCst);
    while WANTS[other].load(Ordering::SeqCst) {
        if TURN.load(Ordering::Relaxed) != me {
            WANTS[me].store(false, Ordering::Relaxed);
            while TURN.load(Ordering::Relaxed) != me {}
            WANTS[me].store(true, Ordering::SeqCst);
        }
    }
}

fn unlock(me: usize) {
    TURN.store(1 - me, Ordering::Relaxed);
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
