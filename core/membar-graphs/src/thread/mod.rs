//! One thread on its own: runs until it must choose, then continues with each choice.
//!
//! The semantics is that of `engines/reference/threads.py`. A run tracks, for each register, the reads that its
//! value depends on, and the reads that decided the path so far; these give the address, data and control
//! dependencies. The dependencies of a branch end where the program says that its paths join again. A run is
//! determined by its choices: values read, values chosen, edges where several are enabled, the status of
//! store-conditionals, and whether a join completes.

mod run;
mod runner;
mod skeleton;
#[cfg(test)]
mod tests;

pub use run::{Question, Run, ThreadRun};
pub use runner::ThreadRunner;
pub use skeleton::{Event, Kind, Skeleton, SpawnOrJoin, Status};
