//! Liveness violations: executions that never change again although memory and the scheduler are fair.

use crate::final_status::{FinalStatus, Stuck, situation};
use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, Label};
use crate::stateless::thread_tree::{Next, ThreadTree};
use crate::thread::Status;

impl Graph {
    /// Who is stuck, if everybody has ended, waits for a thread that does not end, or waits and sees the last write of
    /// all that it looks at. Only for graphs to which nothing can be added.
    #[must_use]
    pub(crate) fn stuck(&self, thread_tree: &ThreadTree<'_>) -> Stuck {
        let mut threads = Vec::with_capacity(self.threads.len());
        for thread in 0..self.threads.len() {
            let Some(stay) = self.stay(thread, thread_tree) else { return Stuck::default() };
            threads.push(stay);
        }
        let stuck = Stuck::of(&threads);
        if !stuck.blocks_beside_truncated {
            return stuck;
        }
        let nodes = || self.threads.iter().map(|own| (own, thread_tree.node(own.node)));
        let looks = nodes().filter_map(|(own, node)| Some(&own.events[node.looks_from? as usize..]));
        let cells = looks.flatten().filter_map(|&event| match self.item(event).label {
            Label::Read(place, _) => Some(self.locations[place.index()].cell),
            _ => None,
        });
        Stuck { situation: situation(&threads, nodes().map(|(_, node)| node.place), cells), ..stuck }
    }

    fn stay(&self, thread: usize, thread_tree: &ThreadTree<'_>) -> Option<FinalStatus> {
        let node = thread_tree.node(self.threads[thread].node);
        match self.status(thread, thread_tree) {
            Some(Status::Complete) if node.ends_process => Some(FinalStatus::Exited),
            Some(Status::Complete) => Some(FinalStatus::Ended),
            Some(Status::NotStarted) => Some(FinalStatus::NotStarted),
            Some(Status::Waiting) => self.sees_last(thread, thread_tree).then_some(FinalStatus::Looks),
            Some(Status::Suspended) => self.sees_last(thread, thread_tree).then_some(FinalStatus::Blocks),
            Some(Status::Cut) => Some(FinalStatus::Truncated),
            None => match node.next {
                Next::Join(other) => Some(FinalStatus::Joins(other.index())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether `thread`, which waits, sees the last write of every location that it read in its last iteration.
    fn sees_last(&self, thread: usize, thread_tree: &ThreadTree<'_>) -> bool {
        let own = &self.threads[thread];
        let from = thread_tree.node(own.node).looks_from.unwrap_or_default() as usize;
        own.events[from..].iter().all(|&event| self.is_last(event))
    }

    fn is_last(&self, event: EventId) -> bool {
        match self.item(event).label {
            Label::Read(place, source) => self.writes(place).last() == Some(&source),
            _ => true,
        }
    }
}
