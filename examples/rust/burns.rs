// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Burns' mutual exclusion: one bit per thread; the thread with the lower number has priority.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static FLAG: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];

fn lock(me: usize) {
    if me == 0 {
        FLAG[0].store(true, Ordering::SeqCst);
        while FLAG[1].load(Ordering::SeqCst) {}
        return;
    }
    loop {
        FLAG[1].store(false, Ordering::SeqCst);
        while FLAG[0].load(Ordering::SeqCst) {}
        FLAG[1].store(true, Ordering::SeqCst);
        if !FLAG[0].load(Ordering::SeqCst) {
            return;
        }
    }
}

fn unlock(me: usize) {
    FLAG[me].store(false, Ordering::Release);
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
