//! Remaining work: forward revisits, coherence placements, backward revisits and choices, and its share of the
//! whole search.

use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{Label, Place};

/// What is still to be tried in a graph of `len` items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Items before the one that it is about.
    pub(super) len: usize,
    /// The thread whose next item it is about.
    pub(super) thread: usize,
    /// What is left.
    pub(super) left: WorkItem,
    /// How many ways there were: sources, options, or places; for a write one more, for all its revisits.
    pub(super) ways: usize,
    /// For a landing the result of `Explorer::floor`: a write is after this position.
    pub(super) floor: usize,
}

/// What is left to try.
#[derive(Debug, Clone, Copy)]
pub(super) enum WorkItem {
    /// A read may read from the first so many writes of co.
    Sources(Place, usize),
    /// A write may stand at a range of places of co, then it may revisit.
    Places(Place, usize, usize),
    /// A write may revisit reads among the first so many items.
    Reads(Place, usize),
    /// The write that revisits a read, the newest item of a graph of its own, may stand at a range of places.
    RevisitPlacement(Place, usize, usize),
    /// The first so many options of a choice.
    Options(usize),
}

impl Frame {
    pub(super) fn is_landing(&self) -> bool {
        matches!(self.left, WorkItem::RevisitPlacement(..))
    }

    /// The same with nothing left: another worker does the rest.
    pub(super) fn without_rest(self) -> Self {
        let left = match self.left {
            WorkItem::Sources(place, _) => WorkItem::Sources(place, 0),
            WorkItem::Places(place, ..) | WorkItem::Reads(place, _) => WorkItem::Reads(place, 0),
            WorkItem::RevisitPlacement(place, ..) => WorkItem::RevisitPlacement(place, 1, 0),
            WorkItem::Options(_) => WorkItem::Options(0),
        };
        Self { left, ..self }
    }

    /// Whether something may be left; `graph` is that of the frame, or longer.
    pub(super) fn has_rest(&self, graph: &Graph) -> bool {
        let revisits = |place: Place, count: usize| {
            let is_read = |label: Label| matches!(label, Label::Read(other, _) if other == place);
            graph.items[..count].iter().any(|item| is_read(item.label))
        };
        match self.left {
            WorkItem::Sources(_, count) | WorkItem::Options(count) => count > 0,
            WorkItem::Places(place, lowest, at) => at >= lowest || revisits(place, self.len),
            WorkItem::RevisitPlacement(_, lowest, at) => at >= lowest && at > self.floor,
            WorkItem::Reads(place, count) => revisits(place, count),
        }
    }

    /// What part is done, and what part is being looked into, if all ways were the same amount of work.
    pub(super) fn shares(&self) -> (f64, f64) {
        let ways = real(self.ways.max(1));
        let part = |left: usize| ((ways - real(left) - 1.0).max(0.0) / ways, 1.0 / ways);
        match self.left {
            WorkItem::Sources(_, left) | WorkItem::Options(left) => part(left),
            WorkItem::Places(_, lowest, at) => part((at + 1).saturating_sub(lowest) + 1),
            WorkItem::RevisitPlacement(_, lowest, at) => part((at + 1).saturating_sub(lowest)),
            WorkItem::Reads(_, count) => {
                let items = real(self.len.max(1));
                let done = (items - real(count) - 1.0).max(0.0) / items;
                ((ways - 1.0 + done) / ways, 1.0 / (items * ways))
            }
        }
    }

    /// What part is left, by the same measure.
    pub(super) fn remaining_share(&self) -> f64 {
        let (done, now) = self.shares();
        (1.0 - done - now).max(0.0)
    }
}

fn real(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
