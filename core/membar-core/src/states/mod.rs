//! Explicit states of a program under sc, tso(k), pso(k) and cam(k).
//!
//! `step` says what one step does, in the words of the reference machine (`engines/reference/machine.py`), which is
//! its specification; `system` lists the moves of a state; `store` keeps states as trees of shared parts; `safety`
//! visits all of them, breadth-first.

pub mod fault;
pub mod program;
pub mod safety;
pub mod system;

mod buffer;
mod form;
mod liveness;
mod local;
mod step;
mod store;
