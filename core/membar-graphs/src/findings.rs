//! What a search finds: counts, final states, and the first execution for each finding.

use std::collections::{BTreeMap, BTreeSet};

use crate::execution::Execution;
use crate::thread::Status;
use membar_ir::limits::Stopped;

/// How often something was seen, and where first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Number of executions.
    pub count: u64,
    /// The first of them.
    pub first: Execution,
    /// The part of the search that found it, where there are several workers; else 0.
    pub task: u32,
}

/// Per relation that was asked for the threads and cells in which it ends.
pub type RelationEnds = [BTreeSet<(u32, u32)>; 3];

/// Everything found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Complete consistent executions.
    pub executions: u64,
    /// Those of them that were explored: one of all that differ only in the names of interchangeable threads.
    pub explored: u64,
    /// The groups of interchangeable threads, if these were explored up to symmetry.
    pub symmetric: Vec<Vec<usize>>,
    /// Consistent executions in which some thread waits forever.
    pub blocked: u64,
    /// Consistent executions in which an assertion fails, or an access goes to what is no location.
    pub failed: u64,
    /// Consistent executions of which some run was cut by the loop bound, and nothing failed before; counted only if all
    /// are to be kept.
    pub truncated: u64,
    /// Whether some run of some thread was cut by the loop bound.
    pub cut: bool,
    /// Final states of complete executions: a word per term.
    pub states: BTreeMap<Box<[u64]>, Seen>,
    /// Executions in which an assertion fails, by thread.
    pub failures: BTreeMap<u32, Seen>,
    /// Executions with an access to what is no location, by thread.
    pub faults: BTreeMap<u32, Seen>,
    /// Liveness violations: executions that never change again although memory is fair, because a thread waits and reads
    /// the latest values. In a loop: key 0; in a call that blocks: key 1. From key 2 on: in a call that blocks, but the loop
    /// bound truncated another thread, which might have helped; one for each situation.
    pub stuck: BTreeMap<u32, Seen>,
    /// The steps at which threads that wait look first: thread and edge.
    pub waits: BTreeSet<(u32, u32)>,
    /// The steps that close loops which were cut: thread and edge.
    pub cuts: BTreeSet<(u32, u32)>,
    /// Where the relations that were asked for end: per relation the threads and cells of the events.
    pub relation_ends: RelationEnds,
    /// Checks that are no requirement and have something to say, by number.
    pub flags: BTreeMap<u32, Seen>,
    /// Every complete execution, and every one that failed or was cut, if they are to be kept.
    pub kept: Vec<Execution>,
    /// Combinations of classes explored.
    pub combinations: u64,
    /// Partial executions explored.
    pub nodes: u64,
    /// Rough number of bytes held.
    pub bytes: usize,
    /// Why it did not end, if it did not.
    pub stopped: Option<Stopped>,
}

/// How an execution ended to which nothing can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A thread accessed what is no location.
    Fault(usize),
    /// An assertion of a thread failed.
    Failed(usize),
    /// The loop bound cut a thread: it is not complete, and whether it would be blocked cannot be said.
    Cut,
    /// A thread waits forever.
    Blocked,
    /// Every thread that was started has come to its end.
    Complete,
}

impl Ending {
    /// Of the ways in which the threads ended.
    pub(crate) fn of(status: impl Fn(usize) -> Status, threads: usize) -> Self {
        let with = |wanted: &[Status]| (0..threads).find(|&thread| wanted.contains(&status(thread)));
        if let Some(thread) = with(&[Status::Fault]) {
            Self::Fault(thread)
        } else if let Some(thread) = with(&[Status::Failed]) {
            Self::Failed(thread)
        } else if with(&[Status::Cut]).is_some() {
            Self::Cut
        } else if with(&[Status::Blocked, Status::Waiting, Status::Suspended]).is_some() {
            Self::Blocked
        } else {
            Self::Complete
        }
    }
}
