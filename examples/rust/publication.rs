// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Publication: a structure is filled in, then a pointer to it is published with a release store.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

struct Message {
    length: u32,
    body: u64,
}

fn main() {
    let published = AtomicPtr::new(ptr::null_mut());
    thread::scope(|s| {
        s.spawn(|| {
            let letter = Box::new(Message { length: 1, body: 42 });
            published.store(Box::into_raw(letter), Ordering::Release);
        });
        s.spawn(|| {
            let found: *mut Message = published.load(Ordering::Acquire);
            if let Some(letter) = unsafe { found.as_ref() } {
                assert_eq!((letter.length, letter.body), (1, 42));
            }
        });
    });
    drop(unsafe { Box::from_raw(published.into_inner()) });
}
