//! The exploration loops of membar: what runs millions of times, and nothing else.
//!
//! Python lowers a program and a model to lists of words (`program`, `plan`); `search` lists every consistent
//! execution and answers with a `tally`. No Python, no input or output.

pub mod buffers;
pub mod cubes;
pub mod error;
pub mod evaluation;
pub mod execution;
pub mod expr;
pub mod forced;
pub mod form;
pub mod graph;
pub mod interner;
pub mod liveness;
pub mod origins;
pub mod plan;
pub mod program;
pub mod promises;
pub mod relation;
pub mod schedule;
pub mod search;
pub mod small_set;
pub mod stateless;
pub mod states;
mod stay;
pub mod step;
pub mod stop;
pub mod store_buffers;
pub mod tally;
pub mod thread;
pub mod traces;
pub mod words;

mod mistakes;
mod waiting;
