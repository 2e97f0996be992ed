//! Executions that never change again: threads that spin or wait forever (liveness violations, deadlocks).

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::thread::{Skeleton, Status};
use membar_ir::program::{CellId, EdgeId};

/// What a thread does in an execution to which nothing can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FinalStatus {
    /// It has ended, and the process continues.
    Ended,
    /// It has ended, and the process with it.
    Exited,
    /// Nobody started it.
    NotStarted,
    /// It looks at memory in a loop, and sees what is last.
    Looks,
    /// It is in a step that blocks, and sees what is last.
    Blocks,
    /// It waits for the end of a thread.
    Joins(usize),
    /// The loop bound truncated it: what it would do next is not known.
    Truncated,
}

impl FinalStatus {
    /// Of a thread that ran so far, if it sees what is last where it looks or blocks; `None` if it is in no real
    /// execution, or failed.
    pub(crate) fn of(skeleton: &Skeleton) -> Option<Self> {
        match skeleton.status {
            Status::Complete if skeleton.ends_process => Some(Self::Exited),
            Status::Complete => Some(Self::Ended),
            Status::NotStarted => Some(Self::NotStarted),
            Status::Waiting => Some(Self::Looks),
            Status::Suspended => Some(Self::Blocks),
            Status::Blocked => skeleton.waits_for.map(|other| Self::Joins(other.index())),
            Status::Cut => Some(Self::Truncated),
            Status::Failed | Status::Fault => None,
        }
    }
}

/// How an execution stays as it is forever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stuck {
    /// Somebody looks at memory in a loop: `termination`.
    pub(crate) looks: bool,
    /// Somebody can never leave a call that blocks: `deadlock`.
    pub(crate) blocks: bool,
    /// Somebody is in a call that blocks, and only a thread that the loop bound truncated may help.
    pub(crate) blocks_beside_truncated: bool,
    /// Tells executions of that kind apart in which other threads are blocked, elsewhere or for something else.
    pub(crate) situation: u32,
}

/// Why an execution never changes again, as a key of `Findings::stuck`: each as the field of `Stuck` says. From the
/// last on there is one for each situation.
pub(crate) const LOOKS: usize = 0;
pub(crate) const BLOCKS: usize = 1;
pub(crate) const BLOCKS_BESIDE_TRUNCATED: usize = 2;
/// So many situations are told apart.
const MOST_SITUATIONS: u32 = 1 << 30;

/// A number for a situation: how the threads stay, where they stand, and which cells those look at that are blocked.
///
/// Two situations with the same number count as one: whether they are deadlocks is then asked of the first alone.
pub(crate) fn situation(
    threads: &[FinalStatus],
    places: impl Iterator<Item = (EdgeId, u32)>,
    cells: impl Iterator<Item = CellId>,
) -> u32 {
    let mut hasher = FxHasher::default();
    threads.hash(&mut hasher);
    places.for_each(|place| place.hash(&mut hasher));
    cells.for_each(|cell| cell.hash(&mut hasher));
    u32::try_from(hasher.finish() % u64::from(MOST_SITUATIONS)).unwrap_or_default()
}

impl Stuck {
    /// Of threads that all stay as they are.
    ///
    /// Joining a thread that spins is no deadlock: the loop does not end. The same is assumed of a truncated loop.
    pub(crate) fn of(threads: &[FinalStatus]) -> Self {
        if threads.contains(&FinalStatus::Exited) {
            return Self::default();
        }
        let blocks = |thread: &FinalStatus| match thread {
            FinalStatus::Blocks => true,
            FinalStatus::Joins(other) => !ends_in_a_loop(threads, *other),
            _ => false,
        };
        let (looks, blocks) = (threads.contains(&FinalStatus::Looks), threads.iter().any(blocks));
        if threads.contains(&FinalStatus::Truncated) {
            return Self { blocks_beside_truncated: blocks, ..Self::default() };
        }
        Self { looks, blocks, ..Self::default() }
    }

    /// The keys of what it is.
    pub(crate) fn keys(self) -> impl Iterator<Item = usize> {
        let looks = self.looks.then_some(LOOKS);
        let key = BLOCKS_BESIDE_TRUNCATED + self.situation as usize;
        let beside_truncated = self.blocks_beside_truncated.then_some(key);
        looks.into_iter().chain(self.blocks.then_some(BLOCKS)).chain(beside_truncated)
    }
}

/// Whether a thread is in a loop, or waits for the end of one that is, directly or by way of others.
fn ends_in_a_loop(threads: &[FinalStatus], first: usize) -> bool {
    let mut thread = first;
    for _ in 0..threads.len() {
        match threads.get(thread) {
            Some(FinalStatus::Joins(other)) => thread = *other,
            stay => return matches!(stay, Some(FinalStatus::Looks | FinalStatus::Truncated)),
        }
    }
    false
}
