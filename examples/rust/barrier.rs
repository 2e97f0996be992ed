// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A sense-reversing barrier: no thread continues before all have arrived.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

const ALL: u32 = 2;
static MISSING: AtomicU32 = AtomicU32::new(ALL);
static SENSE: AtomicBool = AtomicBool::new(false);
static DATA: [Slot; 2] = [Slot(UnsafeCell::new(0)), Slot(UnsafeCell::new(0))];

struct Slot(UnsafeCell<usize>);
unsafe impl Sync for Slot {}

fn wait_for_all() {
    let mine = !SENSE.load(Ordering::Relaxed);
    if MISSING.fetch_sub(1, Ordering::AcqRel) == 1 {
        MISSING.store(ALL, Ordering::Relaxed);
        SENSE.store(mine, Ordering::Release);
    } else {
        while SENSE.load(Ordering::Acquire) != mine {}
    }
}

fn work(me: usize) {
    unsafe { *DATA[me].0.get() = me + 1 };
    wait_for_all();
    let other = 1 - me;
    assert_eq!(unsafe { *DATA[other].0.get() }, other + 1);
}

fn main() {
    let other = thread::spawn(|| work(1));
    work(0);
    other.join().unwrap();
}
