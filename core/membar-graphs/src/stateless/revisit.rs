//! Backward revisits: an older read reads from a new write.
//!
//! A revisit of read `r` by write `w` keeps everything that is not newer than `r`, and the prefix of `w`. So that
//! every graph is reached in only one way, it happens only from the one graph in which every event that it deletes,
//! and `r` itself, was added *maximally*: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless,
//! optimal dynamic partial order reduction", POPL 2022. The test of each item is relative to the items before it
//! and to the prefix of `w`, and does not depend on `r`: going from the newest item down, the first failure ends
//! the search for reads.

use crate::stateless::clocks::Prefix;
use crate::stateless::coherence_bounds::CoherenceBounds;
use crate::stateless::explore::Explorer;
use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, GraphEvent, Label, Place, Places};
use crate::stateless::remaining_work::{Frame, WorkItem};
use crate::stateless::thread_tree::{SegmentId, ThreadTree};
use membar_ir::error::Failure;
use membar_ir::words::narrow;

impl Graph {
    /// Whether `item` was added maximally, as seen from a write with the prefix `prefix`.
    #[must_use]
    pub fn is_maximal(&self, id: EventId, prefix: Prefix<'_>) -> bool {
        let counts = |other: EventId| other <= id || prefix.has(other, self.item(other));
        let is_last = |place: Place, write: EventId| {
            let later = self.writes(place).iter().rev().take_while(|&&other| other != write);
            !later.into_iter().any(|&other| counts(other))
        };
        match self.item(id).label {
            Label::Initial(_) | Label::Fence | Label::Join => true,
            Label::Choice(is_maximal) => is_maximal,
            Label::Read(place, source) => counts(source) && is_last(place, source),
            // Only reads that were revisited precede the write that they read.
            Label::Write(place) => is_last(place, id) && !self.is_read_before(id),
        }
    }

    fn is_read_before(&self, write: EventId) -> bool {
        self.items[..write.index()].iter().any(|item| matches!(item.label, Label::Read(_, w) if w == write))
    }

    /// Fills `out` with what a revisit of `read` keeps: items up to it, and the prefix of the write, of which `place`
    /// is the location. `moved` is room for the new stamps.
    pub fn restrict(
        &self,
        out: &mut Self,
        read: EventId,
        prefix: Prefix<'_>,
        place: Place,
        moved: &mut Vec<EventId>,
        thread_tree: &ThreadTree<'_>,
    ) {
        let is_kept =
            |id: usize, item: &GraphEvent| id <= read.index() || prefix.has(EventId(narrow(id)), item);
        let mut used = vec![false; self.locations.len()];
        used[place.index()] = true;
        for (id, item) in self.items.iter().enumerate() {
            if let Label::Read(place, _) | Label::Write(place) = item.label
                && is_kept(id, item)
            {
                used[place.index()] = true;
            }
        }
        let is_kept = |id: usize, item: &GraphEvent| match item.label {
            Label::Initial(place) => used[place.index()],
            _ => is_kept(id, item),
        };
        out.clear();
        moved.clear();
        let mut count = 0;
        for (id, item) in self.items.iter().enumerate() {
            moved.push(EventId(count));
            count += u32::from(is_kept(id, item));
        }
        let mut places = vec![Place(0); self.locations.len()];
        let all = self.locations.iter().enumerate().filter(|(old, _)| used[*old]);
        for (next, (old, location)) in (0..).zip(all) {
            places[old] = Place(next);
            let writes = location.writes.iter();
            let kept = writes.filter(|write| is_kept(write.index(), self.item(**write)));
            out.add_location(Place(next), location.cell, kept.map(|write| moved[write.index()]));
        }
        for (id, item) in self.items.iter().enumerate().filter(|(id, item)| is_kept(*id, item)) {
            let label = match item.label {
                Label::Initial(place) => Label::Initial(places[place.index()]),
                Label::Read(place, source) => Label::Read(places[place.index()], moved[source.index()]),
                Label::Write(place) => Label::Write(places[place.index()]),
                other => other,
            };
            out.copy_item(self, EventId(narrow(id)), GraphEvent { label, ..*item }, thread_tree);
        }
        out.set_lanes(self, self.item(read).thread as usize, thread_tree);
    }

    /// The read at `read` now reads from the write that will be added next; `node` is where its thread goes with
    /// that value, and `clock` the write's prefix, itself included.
    pub fn redirect(&mut self, read: EventId, node: SegmentId, clock: &[u32], thread_tree: &ThreadTree<'_>) {
        let source = EventId(narrow(self.items.len()));
        let step = &thread_tree.node(node).steps[0];
        let item = &mut self.items[read.index()];
        if let Label::Read(place, _) = item.label {
            item.label = Label::Read(place, source);
        }
        item.node = node;
        item.tags = Some(step.event.tags);
        item.value = step.value;
        let thread = item.thread as usize;
        self.threads[thread].node = node;
        self.threads[thread].at = 1;
        self.renew_clock(read, clock);
    }
}

impl Explorer<'_> {
    /// Finds the prefix of the next write of `thread`.
    fn find_prefix(&mut self, thread: usize) -> Result<(), Failure> {
        let graph = &mut self.graphs[self.depth];
        match &mut self.order {
            None => graph.prefix_of_next(thread, &mut self.clock),
            Some(order) => {
                order.mark_prefix(graph, thread, &mut self.thread_tree, &mut self.marks, &mut self.watch)?;
            }
        }
        Ok(())
    }

    /// The prefix that was found last.
    fn prefix(&self) -> Prefix<'_> {
        if self.order.is_none() { Prefix::Clock(&self.clock) } else { Prefix::Items(&self.marks) }
    }

    /// The newest read among the first `count` items that the next write of `thread` may revisit.
    pub(super) fn next_revisit(
        &mut self,
        thread: usize,
        place: Place,
        count: usize,
    ) -> Result<Option<EventId>, Failure> {
        self.find_prefix(thread)?;
        let (graph, prefix) = (&self.graphs[self.depth], self.prefix());
        for (index, item) in graph.items.iter().enumerate().take(count).rev() {
            let id = EventId(narrow(index));
            let is_read = matches!(item.label, Label::Read(other, _) if other == place);
            if prefix.has(id, item) {
                continue;
            }
            if !graph.is_maximal(id, prefix) {
                return Ok(None);
            }
            if is_read {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Lets the next write of `thread` revisit `read`: true if there is a graph to go on from.
    pub(super) fn revisit(&mut self, thread: usize, place: Place, read: EventId) -> Result<bool, Failure> {
        let step = self.update_bounds()?;
        if self.graphs.len() == self.depth + 1 {
            let copy = self.graphs[self.depth].clone();
            self.graphs.push(copy);
        }
        self.find_prefix(thread)?;
        let prefix =
            if self.order.is_none() { Prefix::Clock(&self.clock) } else { Prefix::Items(&self.marks) };
        let (outer, inner) = self.graphs.split_at_mut(self.depth + 1);
        let (graph, kept) = (&outer[self.depth], &mut inner[0]);
        let value = graph.pending(thread, &self.thread_tree).value;
        let before = self.thread_tree.before(graph.item(read).node).unwrap_or(graph.item(read).node);
        let node = self.thread_tree.child(before, value)?;
        let floor = step.map(|step| self.bounds[self.depth].landing_floor(graph, step, thread, read, place));
        graph.restrict(kept, read, prefix, place, &mut self.moved, &self.thread_tree);
        let read = self.moved[read.index()];
        if self.order.is_some() {
            kept.redirect(read, node, &[], &self.thread_tree);
            if !kept.reroute_revisited(read, thread, graph.next_position(thread), &mut self.thread_tree)? {
                return Ok(false);
            }
        } else {
            self.clock[thread] = kept.threads[thread].next + 1;
            kept.redirect(read, node, &self.clock, &self.thread_tree);
            kept.arrive(kept.item(read).thread as usize, &self.thread_tree)?;
        }
        let Label::Read(place, _) = kept.item(read).label else { return Ok(false) };
        self.depth += 1;
        if self.bounds.len() == self.depth {
            self.bounds.push(CoherenceBounds::default());
        }
        self.bounds[self.depth].items = 0;
        self.make_room();
        let graph = &self.graphs[self.depth];
        let Places { lowest, highest, .. } = graph.places(thread, place, &self.thread_tree);
        let len = graph.items.len();
        let lowest = lowest.max(graph.floor(thread)).max(graph.floor_of_revisit(read));
        let ways = (highest + 1).saturating_sub(lowest);
        let floor = floor.map(|write| self.moved[write.index()]);
        let floor = graph.writes(place).iter().position(|write| Some(*write) == floor).unwrap_or(0);
        self.resume(Frame {
            len,
            thread,
            left: WorkItem::RevisitPlacement(place, lowest, highest),
            ways,
            floor,
        })
    }
}
