//! Panics end the program. Where it would go on after one, the execution is not followed.
pub use real::panic::*;

use crate::primitives;
use core::cell::UnsafeCell;
use real::thread::Result;

struct Depths(UnsafeCell<[u32; primitives::MOST_THREADS]>);
unsafe impl Sync for Depths {}
static CATCHING: Depths = Depths(UnsafeCell::new([0; primitives::MOST_THREADS]));

#[inline]
fn depth() -> *mut u32 {
    unsafe { (CATCHING.0.get() as *mut u32).add(primitives::me()) }
}

/// Calls the function. Executions in which it panics are not followed. membar looks for calls of it.
#[inline(never)]
pub fn catch_unwind<F: FnOnce() -> R + UnwindSafe, R>(function: F) -> Result<R> {
    unsafe { *depth() += 1 };
    let found = function();
    unsafe { *depth() -= 1 };
    Ok(found)
}

/// What the panics of a program that catches some do; membar calls it.
#[no_mangle]
pub extern "C" fn __mb_rust_panics() {
    if unsafe { *depth() } != 0 {
        primitives::unwind();
    }
}

pub fn resume_unwind(_: real::boxed::Box<dyn core::any::Any + Send>) -> ! {
    primitives::unwind()
}
