//! What every program imports, with our own macros: newer versions of Rust take macros from here.
macro_rules! preludes {
    ($($edition:ident)*) => {$(
        pub mod $edition {
            pub use crate::{dbg, eprint, eprintln, print, println, thread_local};
            pub use real::prelude::$edition::*;
        }
    )*};
}
preludes! { v1 rust_2015 rust_2018 rust_2021 rust_2024 }
