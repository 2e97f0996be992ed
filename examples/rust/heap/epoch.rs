// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Epoch-based reclamation: a reader announces the epoch in which it reads; the writer retires the old object in one
// epoch and frees it after the next, when no reader of the earlier epoch is left.
use std::ptr;
use std::sync::atomic::{fence, AtomicPtr, AtomicU32, Ordering};
use std::thread;

static CURRENT: AtomicPtr<u32> = AtomicPtr::new(ptr::null_mut());
static EPOCH: AtomicU32 = AtomicU32::new(1);
// The epoch in which the reader looks; 0: it does not.
static ACTIVE: AtomicU32 = AtomicU32::new(0);

fn is_quiet(seen: u32, epoch: u32) -> bool {
    seen == 0 || seen == epoch
}

fn read() {
    ACTIVE.store(EPOCH.load(Ordering::Relaxed), Ordering::Relaxed);
    fence(Ordering::SeqCst);
    let seen = unsafe { *CURRENT.load(Ordering::Acquire) };
    assert!(seen == 1 || seen == 2);
    ACTIVE.store(0, Ordering::Release);
}

// Returns the object that a reader may still look at.
fn replace() -> Option<Box<u32>> {
    let old = CURRENT.swap(Box::into_raw(Box::new(2)), Ordering::AcqRel);
    fence(Ordering::SeqCst);
    let now = EPOCH.fetch_add(1, Ordering::AcqRel) + 1;
    let seen = ACTIVE.load(Ordering::Acquire);
    let old = unsafe { Box::from_raw(old) };
    if is_quiet(seen, now) {
        drop(old);
        return None;
    }
    Some(old)
}

fn main() {
    CURRENT.store(Box::into_raw(Box::new(1)), Ordering::Relaxed);
    let reader = thread::spawn(read);
    let writer = thread::spawn(replace);
    reader.join().unwrap();
    drop(writer.join().unwrap());
    drop(unsafe { Box::from_raw(CURRENT.load(Ordering::Relaxed)) });
}
