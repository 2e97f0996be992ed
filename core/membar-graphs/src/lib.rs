//! Execution graphs under axiomatic models: stateless exploration (`stateless`) and enumeration of candidates (`search`).
//!
//! No Python, no input or output.

pub mod execution;
pub mod forced_coherence;
pub mod graph;
pub mod search;
pub mod stateless;
mod stay;
pub mod tally;
pub mod thread;
pub mod traces;
mod waiting;
