//! Bounds of coherence positions: what precedes an event whatever it reads, and how early in co it can be.
//!
//! Most of what a search tries is rejected because of coherence, and evaluating the model each time is unnecessary.
//! Let `before` be a transitive relation of the model that consists of program order, reads-from and the like, so
//! that it only leads from the prefix of an event to that event. If the model rejects `before ; (rf | co | fr)+`
//! loops, then a new event e must not be ordered before its own prefix: for y before e, of e's location, e cannot
//! read from a write that is earlier in co than y (or than the write that y reads), and as a write it cannot be
//! placed earlier.
//!
//! `Shapes::coherence_rule` looks for such a rule in the model's plan; there may be none. `before` of a graph,
//! restricted to a part with all prefixes, is `before` of that part. So it is computed once for the longest graph,
//! and serves all frames of that graph. Candidates that pass are still checked with the model in full; `verify`
//! also checks those that were rejected.

use crate::stateless::explore::Explorer;
use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, Label, Place};
use crate::stateless::remaining_work::{Frame, WorkItem};
use crate::stateless::view::View;
use membar_cat::rows::Row;
use membar_cat::shapes::Step;
use membar_ir::bits::contains;
use membar_ir::error::Failure;

/// `before` of the first items of a graph.
#[derive(Debug, Clone, Default)]
pub(super) struct CoherenceBounds {
    /// How many items it is about.
    pub(super) items: usize,
    /// Words per row.
    words: usize,
    /// Per event a row: what it lies before.
    rows: Vec<u64>,
}

impl CoherenceBounds {
    /// Takes new rows.
    pub(super) fn take<const W: usize>(&mut self, rows: &[Row<W>]) {
        self.words = W;
        self.rows.clear();
        self.rows.extend(rows.iter().flatten());
    }

    /// Whether event `a` lies before event `b`.
    fn has(&self, a: usize, b: usize) -> bool {
        contains(&self.rows[a * self.words..], b)
    }

    /// The place in co behind which an access of `place` stays, if it follows directly on the first `events` events of
    /// `thread`.
    pub(super) fn floor(
        &self,
        graph: &Graph,
        step: Step,
        thread: usize,
        events: usize,
        place: Place,
    ) -> usize {
        let is_here =
            |label: Label| matches!(label, Label::Read(other, _) | Label::Write(other) if other == place);
        let earlier = &graph.threads[thread].events[..events];
        let last = match step {
            Step::Any => earlier.last(),
            Step::SameLocation => earlier.iter().rev().find(|&&id| is_here(graph.item(id).label)),
        };
        let Some(last) = last.map(|&id| graph.item(id)) else { return 0 };
        if last.is_unordered {
            return 0;
        }
        let writes = graph.writes(place);
        let position = |write: EventId| writes.iter().rposition(|&other| other == write).unwrap_or(0);
        let mut floor = 0;
        for (event, &id) in graph.events.iter().enumerate() {
            let label = graph.item(id).label;
            if is_here(label) && (event == last.event as usize || self.has(event, last.event as usize)) {
                let write = if let Label::Read(_, source) = label { source } else { id };
                floor = floor.max(position(write));
            }
        }
        floor
    }

    /// The write after which the next write of `thread` must be if it is to be read by `read`.
    pub(super) fn landing_floor(
        &self,
        graph: &Graph,
        step: Step,
        thread: usize,
        read: EventId,
        place: Place,
    ) -> EventId {
        let reader = graph.item(read).thread as usize;
        let own = &graph.threads[reader];
        let earlier = own.events.iter().position(|&id| id == read).unwrap_or(0);
        let of_write = self.floor(graph, step, thread, graph.threads[thread].events.len(), place);
        graph.writes(place)[of_write.max(self.floor(graph, step, reader, earlier, place))]
    }
}

impl Explorer<'_> {
    /// The place in co at or before which nothing of `frame` is worth a question: an earlier one cannot be read, this
    /// and earlier ones cannot be taken. Graph and frame are of one length.
    pub(super) fn floor(&mut self, frame: &Frame) -> Result<usize, Failure> {
        let past = &mut self.bounds[self.depth];
        past.items = past.items.min(frame.len);
        let place = match frame.left {
            WorkItem::RevisitPlacement(..) => return Ok(frame.floor),
            WorkItem::Sources(place, count) if count > 0 => place,
            WorkItem::Places(place, lowest, at) if at >= lowest => place,
            _ => return Ok(0),
        };
        let Some(step) = self.update_bounds()? else { return Ok(0) };
        let graph = &self.graphs[self.depth];
        let events = graph.threads[frame.thread].events.len();
        let floor = self.bounds[self.depth].floor(graph, step, frame.thread, events, place);
        Ok(floor)
    }

    /// Brings what is known of the past of the present graph up to date; None if nothing can be known.
    pub(super) fn update_bounds(&mut self) -> Result<Option<Step>, Failure> {
        let Some(step) = self.checker.step() else { return Ok(None) };
        let graph = &self.graphs[self.depth];
        if self.bounds[self.depth].items < graph.items.len() {
            let view = View { graph, thread_tree: &self.thread_tree, program: self.program };
            if !self.checker.take_bounds(&view, &mut self.bounds[self.depth], &mut self.watch)? {
                return Ok(None);
            }
        }
        Ok(Some(step))
    }
}
