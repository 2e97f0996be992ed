// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Szymanski's mutual exclusion: a waiting room whose door closes behind a group.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static STAGE: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

fn lock(me: usize) {
    let other = &STAGE[1 - me];
    STAGE[me].store(1, Ordering::SeqCst);
    while other.load(Ordering::SeqCst) >= 3 {}
    STAGE[me].store(3, Ordering::SeqCst);
    if other.load(Ordering::SeqCst) == 1 {
        STAGE[me].store(2, Ordering::SeqCst);
        while other.load(Ordering::SeqCst) != 4 {}
    }
    STAGE[me].store(4, Ordering::SeqCst);
    while me == 1 && other.load(Ordering::SeqCst) >= 2 {}
}

fn unlock(me: usize) {
    while me == 0 && matches!(STAGE[1].load(Ordering::SeqCst), 2 | 3) {}
    STAGE[me].store(0, Ordering::Release);
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
