// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Lamport's bakery: each thread takes a number, and the lowest number goes first.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

static CHOOSING: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static NUMBER: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

fn lock(me: usize) {
    let other = 1 - me;
    CHOOSING[me].store(true, Ordering::SeqCst);
    let mine = NUMBER[other].load(Ordering::SeqCst) + 1;
    NUMBER[me].store(mine, Ordering::SeqCst);
    CHOOSING[me].store(false, Ordering::SeqCst);
    while CHOOSING[other].load(Ordering::SeqCst) {}
    loop {
        let seen = NUMBER[other].load(Ordering::SeqCst);
        if seen == 0 || (mine, me) < (seen, other) {
            return;
        }
    }
}

fn unlock(me: usize) {
    NUMBER[me].store(0, Ordering::Release);
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
