//! Execution graphs under axiomatic models: stateless exploration (`stateless`) and enumeration of candidates
//! (`enumeration`). Both give `Findings`, with an `Execution` for each.
//!
//! No Python, no input or output.

pub mod enumeration;
pub mod execution;
mod final_status;
pub mod findings;
pub mod stateless;
pub mod thread;
mod waiting;
