// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS WITHIN.
// A flag behind a mutex, and a condition variable whose waits may end spuriously.
use std::sync::{Condvar, Mutex};
use std::thread;

static READY: Mutex<bool> = Mutex::new(false);
static CONDITION: Condvar = Condvar::new();

fn main() {
    let other = thread::spawn(|| {
        *READY.lock().unwrap() = true;
        CONDITION.notify_one();
    });
    let mut ready = READY.lock().unwrap();
    while !*ready {
        ready = CONDITION.wait(ready).unwrap();
    }
    assert!(*ready);
    drop(ready);
    other.join().unwrap();
}
