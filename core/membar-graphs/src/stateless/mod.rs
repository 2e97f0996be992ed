//! The exactly-once search: every consistent execution of a program once, without a set of visited graphs.
//!
//! After Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless, optimal dynamic partial order
//! reduction", POPL 2022, for any model with these properties, which tests check for every model that claims them:
//!
//! - po, rf, and the starting and joining of threads have no cycle together,
//! - every prefix (by these relations) of a consistent graph is consistent,
//! - adding an event *maximally* (a read reads the co-last write, a write becomes co-last) keeps a graph
//!   consistent,
//! - the write of an RMW immediately follows, in co, the write that its read reads from.
//!
//! Consistency is evaluated by the model's plan; nothing here is specific to a model. Memory use is one graph for
//! each revisit that is being explored, and a bounded cache of thread runs (`thread_tree`).

pub mod classes;
pub mod graph;
pub mod graph_events;
pub mod thread_tree;
pub mod view;

mod checker;
mod clocks;
mod coherence_bounds;
mod explore;
mod merge;
mod missing_events;
mod record;
mod relation_ends;
mod remaining_work;
mod revisit;
mod shrink;
mod spin_reads;
mod stuck;
mod symmetry;
mod thread_order;
mod work_queue;
mod worker;

use crate::findings::Findings;
use crate::stateless::explore::Explorer;
use crate::stateless::record::Record;
use crate::stateless::work_queue::WorkQueue;
use crate::stateless::worker::Share;
use membar_cat::plan::{Plan, Slot};
use membar_cat::schedule::Schedule;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Limits, Stop, Stopped, Watch};
use membar_ir::program::Program;

pub use crate::stateless::symmetry::Symmetry;

/// How to search.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "switches that have nothing to do with one another")]
pub struct Options {
    /// How often each back edge may be taken.
    pub bound: u32,
    /// How much may be spent.
    pub limits: Limits,
    /// Whether to keep every complete execution.
    pub keep_all: bool,
    /// Whether the first failed assertion is enough.
    pub stop_at_failure: bool,
    /// How many threads work at it; 0 is 1.
    pub jobs: usize,
    /// Whether spinning threads read only when no other thread can go on, and then only the latest values.
    pub in_place: bool,
    /// For the dependency-aware search, the slot of what the model orders inside threads (`thread_order`); see
    /// `program/dependency_order.py` for the programs that this search is for.
    pub order: Option<Slot>,
    /// Relations of which it is told where they end, in graphs to which nothing can be added; nothing more is told once
    /// the first one has a pair.
    pub relation_ends: Option<[Slot; 3]>,
    /// For tests: look for what must not happen (`Verification`).
    pub verify: bool,
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
    /// Whether it stopped because symmetry cannot be used.
    is_asymmetric: bool,
    /// Not a mistake: reads-from classes, of executions of all kinds.
    pub classes: u64,
}

/// Searches all executions.
pub fn search(
    program: &Program,
    plan: &Plan,
    schedule: &Schedule,
    options: Options,
    symmetry: &Symmetry,
    stop: &Stop<'_>,
) -> Result<(Findings, Verification), CoreError> {
    // Symmetric threads are compared along program order, which graphs with gaps do not follow.
    let none = Symmetry::default();
    let symmetry = if options.order.is_some() { &none } else { symmetry };
    let found = search_once(program, plan, schedule, options, symmetry, stop)?;
    if found.1.is_asymmetric {
        stop.meter().clear();
        return search_once(program, plan, schedule, options, &Symmetry::default(), stop);
    }
    Ok(found)
}

fn search_once(
    program: &Program,
    plan: &Plan,
    schedule: &Schedule,
    options: Options,
    symmetry: &Symmetry,
    stop: &Stop<'_>,
) -> Result<(Findings, Verification), CoreError> {
    let watch = Watch::new(stop, options.limits);
    // What workers hand to each other has no gaps.
    if options.jobs > 1 && options.order.is_none() {
        return search_together(program, plan, schedule, options, symmetry, &watch);
    }
    let mut explorer = Explorer::new(program, plan, schedule, options, symmetry, watch, Share::new(None))?;
    let stopped = Failure::reason(explorer.run())?;
    let (record, verification) = explorer.finish();
    Ok((record.into_findings(None, stopped), verification))
}

/// The same by several threads; the calling one works too, and it alone asks whether to go on.
fn search_together(
    program: &Program,
    plan: &Plan,
    schedule: &Schedule,
    options: Options,
    symmetry: &Symmetry,
    watch: &Watch<'_>,
) -> Result<(Findings, Verification), CoreError> {
    let work_queue = WorkQueue::new(options.verify);
    let worker = |watch: Watch<'_>| -> Result<(Record, Verification), CoreError> {
        let share = Share::new(Some(&work_queue));
        let mut explorer = Explorer::new(program, plan, schedule, options, symmetry, watch, share)?;
        Failure::reason(explorer.work(&work_queue))?;
        Ok(explorer.finish())
    };
    let found: Vec<_> = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..options.jobs)
            .map(|_| {
                let watch = watch.of_helper();
                scope.spawn(|| worker(watch))
            })
            .collect();
        let own = worker(watch.of_caller());
        let others = helpers.into_iter().map(|helper| match helper.join() {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(own).chain(others).collect()
    });
    let (stopped, failed) = work_queue.end();
    let mut all = Vec::new();
    for found in found {
        all.push(found?);
    }
    let mut all = all.into_iter();
    let Some((mut record, mut verification)) = all.next() else {
        return Err(CoreError::TooLarge("the search has no worker"));
    };
    for (other, more) in all {
        record.absorb(other);
        verification.surprises += more.surprises;
        verification.contradictions += more.contradictions;
        verification.is_asymmetric |= more.is_asymmetric;
    }
    verification.duplicates = record.duplicates;
    let stopped = stopped.or(failed.as_ref().map(|_| Stopped::Found));
    Ok((record.into_findings(failed.as_ref(), stopped), verification))
}
