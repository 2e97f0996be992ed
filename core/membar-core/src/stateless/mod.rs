//! The exactly-once search: every consistent execution of a program once, without a set of visited graphs.
//!
//! After Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless, optimal dynamic partial order reduction",
//! POPL 2022, for any model with these properties, which tests check for every model that claims them:
//! - po, rf, and the starting and joining of threads have no cycle together,
//! - a prefix of a consistent graph by these is consistent,
//! - adding an event *maximally* (a read reads the co-last write, a write becomes co-last) keeps a graph consistent,
//! - the write of a read-modify-write stands directly behind the write that its read reads from.
//!
//! Consistency is asked of the model's plan; nothing here knows a model. Memory is that of one graph for each revisit
//! that is being looked into, and of a bounded cache of what threads do (`histories`).

pub mod fault;
pub mod graph;
pub mod histories;
pub mod item;
pub mod view;

mod clocks;
mod consistency;
mod explore;
mod judge;
mod questions;
mod record;
mod revisit;
mod rows;
mod shrink;

use crate::error::CoreError;
use crate::plan::Plan;
use crate::program::Program;
use crate::schedule::Schedule;
use crate::search::Findings;
use crate::stateless::explore::Explorer;
use crate::stateless::fault::Fault;
use crate::stop::{Limits, Stop, Watch};
use crate::traces::Failure;

/// How to search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// How often each back edge may be taken.
    pub bound: u32,
    /// How much may be spent.
    pub limits: Limits,
    /// Whether to keep every complete execution.
    pub keep_all: bool,
    /// For tests: look for what must not happen (`Verification`).
    pub verify: bool,
    /// For tests: a mistake to make.
    pub fault: Fault,
}

/// What `verify` found; all 0 if the model is what it claims and the search is right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verification {
    /// Executions that came once more.
    pub duplicates: u64,
    /// Maximal additions to a consistent graph that were not consistent.
    pub surprises: u64,
    /// Graphs about which the fast checks and `evaluation` differ.
    pub contradictions: u64,
}

/// Searches all executions.
///
/// # Errors
/// The core cannot hold the program.
pub fn search(
    program: &Program,
    plan: &Plan,
    schedule: &Schedule,
    options: Options,
    stop: &Stop<'_>,
) -> Result<(Findings, Verification), CoreError> {
    let mut explorer = Explorer::new(program, plan, schedule, options, Watch::new(stop, options.limits))?;
    let stopped = match explorer.run() {
        Ok(()) => None,
        Err(Failure::Stopped(stopped)) => Some(stopped),
        Err(Failure::Error(error)) => return Err(error),
    };
    let (mut record, verification) = explorer.finish();
    record.tally.stopped = stopped;
    Ok((Findings { tally: record.tally, classes: record.classes }, verification))
}
