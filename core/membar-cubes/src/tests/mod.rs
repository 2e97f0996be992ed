//! Tests of several modules: examples, laws that hold of all cubes, and random systems compared with a search forward
//! and with plain reference implementations.

mod differential;
mod examples;
mod forward;
mod laws;
mod membership;
mod random;
mod reference_instance;
