//! One thread on its own: run until it must choose, then go on with each choice.
//!
//! The meaning is that of `engines/reference/threads.py`. A run carries, for each register, the reads that its value
//! comes from, and the reads that decided the path so far; from these come the address, data and control
//! dependencies. What the guards of a branch decide is forgotten where the program says that its paths meet again. A
//! run is determined by its choices: values read, values chosen, edges where several are open, the status of
//! store-conditionals, and whether a join passes.

mod run;
mod runner;
mod skeleton;
#[cfg(test)]
mod tests;

pub use run::{Question, Run, ThreadRun};
pub use runner::ThreadRunner;
pub use skeleton::{Event, Kind, Skeleton, SpawnOrJoin, Status};
