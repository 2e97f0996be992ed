// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A value made by whoever needs it first, under a mutex.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Mutex;
use std::thread;

static INSTANCE: AtomicPtr<u32> = AtomicPtr::new(ptr::null_mut());
static MUTEX: Mutex<()> = Mutex::new(());

fn get() -> &'static u32 {
    let mut found = INSTANCE.load(Ordering::Acquire);
    if found.is_null() {
        let _guard = MUTEX.lock().unwrap();
        found = INSTANCE.load(Ordering::Relaxed);
        if found.is_null() {
            found = Box::into_raw(Box::new(42));
            INSTANCE.store(found, Ordering::Release);
        }
    }
    unsafe { &*found }
}

fn main() {
    let other = thread::spawn(|| assert_eq!(*get(), 42));
    assert_eq!(*get(), 42);
    other.join().unwrap();
    drop(unsafe { Box::from_raw(INSTANCE.load(Ordering::Relaxed)) });
}
