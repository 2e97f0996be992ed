//! Candidate enumeration (as in herd): every consistent execution under any cat model, each exactly once.
//!
//! One class of runs per thread determines the events and everything static. Then each read takes a write (and a
//! value) in turn; for every thread the runs that still fit are kept as a set, so that runs that differ only in
//! values are explored together. Then each pair of writes of one location is ordered. After every choice the
//! monotone checks are evaluated (`schedule`). Nothing is assumed about the model: a read may take its value from a
//! later write of its own thread.

pub(crate) mod candidate;

mod count;
mod forced_coherence;
mod runs;
mod search;

use crate::enumeration::runs::all_classes;
use crate::enumeration::search::Search;
use crate::findings::Findings;
use crate::thread::Status;
use membar_cat::plan::Plan;
use membar_cat::schedule::Schedule;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Limits, Stop, Watch};
use membar_ir::program::Program;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How often each back edge may be taken.
    pub bound: u32,
    /// How much may be spent.
    pub limits: Limits,
    /// Whether to keep every complete execution.
    pub keep_all: bool,
}

/// Searches all executions.
pub fn search(
    program: &Program,
    plan: &Plan,
    schedule: &Schedule,
    options: Options,
    stop: &Stop<'_>,
) -> Result<Findings, CoreError> {
    let mut watch = Watch::new(stop, options.limits);
    let mut findings = Findings::default();
    let mut run = || -> Result<(), Failure> {
        watch.look()?;
        let classes = all_classes(program, options.bound, &mut watch, &mut findings)?;
        findings.cut = classes.iter().flatten().any(|class| class.skeleton.status == Status::Cut);
        Search::new(program, plan, schedule, options.keep_all, &mut watch, &mut findings).run(&classes)
    };
    findings.stopped = Failure::reason(run())?;
    Ok(findings)
}
