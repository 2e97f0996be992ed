//! The end of the process.
pub use real::process::*;

use crate::primitives;

/// Ends the process, and violates `exits`.
#[inline]
pub fn abort() -> ! {
    primitives::check(false, c"exits", c"process::abort is called");
    primitives::exit(134)
}

/// Ends the process; a code other than 0 violates `exits`.
#[inline]
pub fn exit(code: i32) -> ! {
    primitives::check(code == 0, c"exits", c"process::exit is called with a code other than 0");
    primitives::exit(code)
}
