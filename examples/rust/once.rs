// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A value that whoever comes first initialises, by `Once`.
use std::cell::UnsafeCell;
use std::sync::Once;
use std::thread;

struct Value(UnsafeCell<u32>);
unsafe impl Sync for Value {}
static ONCE: Once = Once::new();
static VALUE: Value = Value(UnsafeCell::new(0));

fn get() -> u32 {
    ONCE.call_once(|| unsafe {
        *VALUE.0.get() += 7;
    });
    unsafe { *VALUE.0.get() }
}

fn main() {
    let other = thread::spawn(|| assert_eq!(get(), 7));
    assert_eq!(get(), 7);
    other.join().unwrap();
}
