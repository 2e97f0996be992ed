//! What every search shares: programs and their compact form, expressions, live registers, limits and errors.

pub mod bits;
pub mod decoder;
pub mod error;
pub mod expr;
mod floats;
pub mod interner;
pub mod limits;
pub mod liveness;
pub mod origins;
pub mod program;
pub mod words;
