// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Hazard pointers: a reader publishes the object that it is about to read and checks that it is still current;
// the writer replaces the object and frees the old one only if no reader has published it.
use std::ptr;
use std::sync::atomic::{fence, AtomicPtr, Ordering};
use std::thread;

static CURRENT: AtomicPtr<u32> = AtomicPtr::new(ptr::null_mut());
static HAZARD: AtomicPtr<u32> = AtomicPtr::new(ptr::null_mut());

fn read() {
    let seen = CURRENT.load(Ordering::Relaxed);
    HAZARD.store(seen, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    if CURRENT.load(Ordering::Acquire) == seen {
        let value = unsafe { *seen };
        assert!(value == 1 || value == 2);
    }
    HAZARD.store(ptr::null_mut(), Ordering::Release);
}

fn may_free(old: *mut u32) -> bool {
    HAZARD.load(Ordering::Acquire) != old
}

fn main() {
    CURRENT.store(Box::into_raw(Box::new(1)), Ordering::Relaxed);
    let reader = thread::spawn(read);
    let writer = thread::spawn(|| {
        let old = CURRENT.swap(Box::into_raw(Box::new(2)), Ordering::AcqRel);
        fence(Ordering::SeqCst);
        if may_free(old) {
            drop(unsafe { Box::from_raw(old) });
            return None;
        }
        Some(unsafe { Box::from_raw(old) })
    });
    reader.join().unwrap();
    drop(writer.join().unwrap());
    drop(unsafe { Box::from_raw(CURRENT.load(Ordering::Relaxed)) });
}
