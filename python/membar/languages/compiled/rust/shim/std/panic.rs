//! Panics end the program. Where it would go on after one, the execution is not followed.
pub use real::panic::*;

use crate::primitives::{self, Own};
use real::thread::Result;

static MEMBAR_THREAD_LOCAL_CATCHING: Own<u32> = Own::new(0);

/// Calls the function. Executions in which it panics are not followed. membar looks for calls of it.
#[inline(never)]
pub fn catch_unwind<F: FnOnce() -> R + UnwindSafe, R>(function: F) -> Result<R> {
    let depth = &MEMBAR_THREAD_LOCAL_CATCHING.0;
    depth.set(depth.get() + 1);
    let found = function();
    depth.set(depth.get() - 1);
    Ok(found)
}

/// What the panics of a program that catches some do; membar calls it.
#[no_mangle]
pub extern "C" fn __mb_rust_panics() {
    if MEMBAR_THREAD_LOCAL_CATCHING.0.get() != 0 {
        primitives::unwind();
    }
}

pub fn resume_unwind(_: real::boxed::Box<dyn core::any::Any + Send>) -> ! {
    primitives::unwind()
}
