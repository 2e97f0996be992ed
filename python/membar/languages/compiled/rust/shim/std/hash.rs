//! Hashing: only the keys of `RandomState` are our own.
pub use crate::collections::hash_map::RandomState;
pub use real::hash::*;
