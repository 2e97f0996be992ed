//! What programs get as `std` while membar checks them: the real one, except for threads, locks and other
//! things that wait. These are made of membar's primitives, as membar's C library is.
//!
//! Nothing here is stronger than the documentation of `std` promises: locks acquire and release, waits may end
//! spuriously where `std` says so.
#![no_std]
#![allow(clippy::all)]

extern crate std as real;

pub use real::*;

pub mod collections;
pub mod hash;
pub mod panic;
pub mod prelude;
#[doc(hidden)]
pub mod primitives;
pub mod process;
mod runtime;
pub mod sync;
pub mod thread;
pub mod time;

/// Prints nothing: the text is made of references that nobody follows.
#[macro_export]
macro_rules! print {
    ($($text:tt)*) => {{
        let _ = $crate::format_args!($($text)*);
        $crate::primitives::not_printed();
    }};
}
#[macro_export]
macro_rules! println {
    () => { $crate::print!("\n") };
    ($($text:tt)*) => { $crate::print!($($text)*) };
}
#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => { $crate::print!($($text)*) };
}
#[macro_export]
macro_rules! eprintln {
    () => { $crate::print!("\n") };
    ($($text:tt)*) => { $crate::print!($($text)*) };
}
/// Tells nothing, and gives its argument.
#[macro_export]
macro_rules! dbg {
    () => { $crate::print!("\n") };
    ($value:expr $(,)?) => {
        match $value {
            value => {
                $crate::primitives::not_printed();
                value
            }
        }
    };
    ($($value:expr),+ $(,)?) => { ($($crate::dbg!($value)),+,) };
}
// As the real one expands, `static` becomes a constant that knows two functions. membar gives each thread its own
// copy of variables with this name (`membar/languages/compiled/rust/runtime.py`).
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$a:meta])* $v:vis static $name:ident: $t:ty = const $init:block; $($rest:tt)*) => {
        $crate::thread_local!($(#[$a])* $v static $name: $t = const $init);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$a:meta])* $v:vis static $name:ident: $t:ty = const $init:block) => {
        $crate::thread_local!($(#[$a])* $v static $name: $t = { const INIT: $t = $init; INIT });
    };
    ($(#[$a:meta])* $v:vis static $name:ident: $t:ty = $init:expr; $($rest:tt)*) => {
        $crate::thread_local!($(#[$a])* $v static $name: $t = $init);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$a:meta])* $v:vis static $name:ident: $t:ty = $init:expr) => {
        $(#[$a])* $v const $name: $crate::thread::LocalKey<$t> = {
            fn begin() -> $t { $init }
            fn own() -> &'static $crate::thread::Value<$t> {
                static MEMBAR_THREAD_LOCAL: $crate::thread::Value<$t> = $crate::thread::Value::new();
                &MEMBAR_THREAD_LOCAL
            }
            $crate::thread::LocalKey::new(begin, own)
        };
    };
}
