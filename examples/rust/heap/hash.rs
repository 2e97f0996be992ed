// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Buckets of a lock-free hash table: a compare-exchange inserts a node at the front, unless its key is present.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

struct Node {
    key: usize,
    value: u32,
    next: *mut Node,
}

static BUCKETS: [AtomicPtr<Node>; 2] = [const { AtomicPtr::new(ptr::null_mut()) }; 2];

fn find(mut node: *mut Node, key: usize) -> *mut Node {
    while !node.is_null() && unsafe { (*node).key } != key {
        node = unsafe { (*node).next };
    }
    node
}

fn insert(key: usize, value: u32) -> bool {
    let place = &BUCKETS[key % 2];
    let mut mine = Box::new(Node { key, value, next: ptr::null_mut() });
    let mut first = place.load(Ordering::Acquire);
    loop {
        if !find(first, key).is_null() {
            return false;
        }
        mine.next = first;
        let new = Box::into_raw(mine);
        match place.compare_exchange(first, new, Ordering::Release, Ordering::Acquire) {
            Ok(_) => return true,
            Err(seen) => first = seen,
        }
        mine = unsafe { Box::from_raw(new) };
    }
}

fn work(value: u32) -> bool {
    let inserted = insert(3, value);
    let found = find(BUCKETS[1].load(Ordering::Acquire), 3);
    assert!(!found.is_null());
    let value = unsafe { (*found).value };
    assert!(value == 1 || value == 2);
    inserted
}

fn main() {
    let a = thread::spawn(|| work(1));
    let b = thread::spawn(|| work(2));
    assert!(a.join().unwrap() ^ b.join().unwrap());
}
