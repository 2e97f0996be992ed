//! Reads-from classes: every reads-from relation once, whatever the coherence order.
//!
//! Executions that differ only in co form one class. A class is consistent if some co makes it so; where final
//! states show a location, its co-last write belongs to the class. The requirements on a model are part of those of
//! the exactly-once search: po, rf, and the starting and joining of threads have no cycle together, prefixes by
//! these are consistent, and the write of an RMW immediately follows the write that its read reads from. And
//! nothing but the required axioms may depend on co; the caller ensures that.
//!
//! `explore` builds graphs forward; `coherence` finds a coherence order for a graph, or shows that there is none.

mod coherence;
mod explore;
mod futures;
mod solver;

use crate::findings::Findings;
use crate::stateless::Verification;
use crate::stateless::classes::explore::Explorer;
use membar_cat::plan::Plan;
use membar_cat::schedule::Schedule;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Limits, Stop, Watch};
use membar_ir::program::Program;

/// How to search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// How often each back edge may be taken.
    pub bound: u32,
    /// How much may be spent; executions are classes here.
    pub limits: Limits,
    /// Whether to keep an execution of every class of complete executions.
    pub keep_all: bool,
    /// Whether the first failed assertion is enough.
    pub stop_at_failure: bool,
    /// For tests: count classes that come twice.
    pub verify: bool,
}

/// Searches all classes; counts are counts of classes.
pub fn search(
    program: &Program,
    plan: &Plan,
    schedule: &Schedule,
    options: Options,
    stop: &Stop<'_>,
) -> Result<(Findings, Verification), CoreError> {
    let mut explorer = Explorer::new(program, plan, schedule, options, Watch::new(stop, options.limits))?;
    let stopped = Failure::reason(explorer.run())?;
    let record = explorer.finish();
    let verification = Verification {
        duplicates: record.class_duplicates(),
        classes: record.distinct_classes(),
        ..Verification::default()
    };
    Ok((record.into_findings(None, stopped), verification))
}
