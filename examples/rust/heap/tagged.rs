// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A stack whose top is a pointer with a version number in its low bits, which every change increments. The link between
// its two nodes is stored elsewhere, so that no thread reads a node it does not own; but a freed node may be allocated
// again at the same address.
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread;

type Node = u64;

static TOP: AtomicUsize = AtomicUsize::new(0);
// The node below the top.
static BELOW: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

fn raised(old: usize) -> usize {
    (old + 1) & 7
}
fn node_of(word: usize) -> usize {
    word & !7
}
fn word_of(node: *mut Node, old: usize) -> usize {
    node as usize | raised(old)
}
fn exchange(old: usize, new: *mut Node) -> bool {
    TOP.compare_exchange(old, word_of(new, old), Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

fn pop() {
    let old = TOP.load(Ordering::SeqCst);
    let next = BELOW.load(Ordering::SeqCst);
    if node_of(old) != 0 && !next.is_null() && exchange(old, next) {
        unsafe { *next = 7 };
    }
}

fn work(first: *mut Node, second: *mut Node) {
    let old = TOP.load(Ordering::SeqCst);
    if node_of(old) == first as usize && exchange(old, ptr::null_mut()) {
        drop(unsafe { Box::from_raw(second) });
        drop(unsafe { Box::from_raw(first) });
        let again = Box::into_raw(Box::new(3));
        BELOW.store(ptr::null_mut(), Ordering::SeqCst);
        TOP.store(word_of(again, TOP.load(Ordering::SeqCst)), Ordering::SeqCst);
    }
}

fn main() {
    let first = Box::into_raw(Box::new(1));
    let second = Box::into_raw(Box::new(2));
    BELOW.store(second, Ordering::SeqCst);
    TOP.store(first as usize, Ordering::SeqCst);
    let popper = thread::spawn(pop);
    work(first, second);
    popper.join().unwrap();
}
