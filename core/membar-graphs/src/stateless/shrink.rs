//! Restricts graphs: removes the newest events, or copies a prefix.

use crate::stateless::graph::{Graph, event_of, put, take};
use crate::stateless::graph_events::{EventId, GraphEvent, Label, Location, Place, Start};
use crate::stateless::thread_tree::{SegmentId, ThreadTree};
use membar_ir::program::CellId;
use membar_ir::words::narrow;

impl Graph {
    /// Threads that `thread` started when it had `items` items or more are not started any more.
    fn unspawn(&mut self, thread: usize, items: usize) {
        for own in 0..self.threads.len() {
            if let Start::Spawned { by, items: before } = self.threads[own].start
                && by as usize == thread
                && before as usize >= items
            {
                self.threads[own].start = Start::NotStarted;
                self.unspawn(own, 0);
            }
        }
    }

    /// Takes back the newest items until `len` are left.
    pub fn truncate(&mut self, len: usize, thread_tree: &ThreadTree<'_>) {
        while self.items.len() > len {
            self.pop(thread_tree);
        }
    }

    fn pop(&mut self, thread_tree: &ThreadTree<'_>) {
        let Some(item) = self.items.pop() else { return };
        let width = self.width();
        self.clocks.truncate(self.items.len() * width);
        if self.has_spawns {
            self.spawn_clocks.truncate(self.items.len() * width);
        }
        if item.is_event() {
            self.events.pop();
        }
        if let Label::Initial(place) = item.label {
            self.places[self.locations[place.index()].cell.index()] = None;
            self.spare.extend(self.locations.pop().map(|location| location.writes));
            return;
        }
        if let Label::Write(place) = item.label {
            let id = EventId(narrow(self.items.len()));
            let writes = &mut self.locations[place.index()].writes;
            if let Some(at) = writes.iter().rposition(|&write| write == id) {
                writes.remove(at);
            }
        }
        let thread = item.thread as usize;
        let own = &mut self.threads[thread];
        take(&mut own.items, item.position as usize);
        own.next = item.position;
        if item.is_event() {
            take(&mut own.events, event_of(thread_tree, item.node, item.index));
        }
        match item.label {
            Label::Write(_) | Label::Fence => (own.node, own.at) = (item.node, item.index),
            _ => {
                if let Some(before) = thread_tree.before(item.node) {
                    (own.node, own.at) = (before, narrow(thread_tree.node(before).steps.len()));
                }
            }
        }
        if self.has_spawns {
            let left = self.threads[thread].items.len();
            self.unspawn(thread, left + 1);
        }
    }

    /// Empties it; `set_lanes` must follow.
    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.events.clear();
        self.clocks.clear();
        self.spawn_clocks.clear();
        for location in &self.locations {
            self.places[location.cell.index()] = None;
        }
        for own in &mut self.threads {
            own.items.clear();
            own.events.clear();
        }
        self.spare.extend(self.locations.drain(..).map(|location| location.writes));
    }

    /// Adds a location, its writes as they will be.
    pub(super) fn add_location(&mut self, place: Place, cell: CellId, writes: impl Iterator<Item = EventId>) {
        let mut list = self.spare.pop().unwrap_or_default();
        list.clear();
        list.extend(writes);
        self.places[cell.index()] = Some(place);
        self.locations.push(Location { cell, writes: list });
    }

    /// Appends `item`, with the clocks of item `id` of `from`.
    pub(super) fn copy_item(
        &mut self,
        from: &Self,
        id: EventId,
        mut item: GraphEvent,
        thread_tree: &ThreadTree<'_>,
    ) {
        let new = EventId(narrow(self.items.len()));
        item.event = narrow(self.events.len());
        if item.is_event() {
            self.events.push(new);
        }
        if !matches!(item.label, Label::Initial(_)) {
            let own = &mut self.threads[item.thread as usize];
            put(&mut own.items, item.position as usize, new);
            if item.is_event() {
                put(&mut own.events, event_of(thread_tree, item.node, item.index), new);
            }
        }
        self.items.push(item);
        if self.has_clocks {
            self.clocks.extend_from_slice(from.clock(id));
        }
        self.spawn_clocks.extend_from_slice(from.spawn_clock(id));
    }

    /// Puts the threads where their items end; threads that `revisited` starts after its last item are not started.
    pub(super) fn set_lanes(&mut self, from: &Self, revisited: usize, thread_tree: &ThreadTree<'_>) {
        for thread in 0..self.threads.len() {
            self.seek(thread, thread_tree);
            let start = match from.threads[thread].start {
                Start::Spawned { by, items } => {
                    let left = self.threads[by as usize].items.len() - usize::from(by as usize == revisited);
                    if items as usize <= left { from.threads[thread].start } else { Start::NotStarted }
                }
                other => other,
            };
            self.threads[thread].start = start;
        }
    }

    /// What comes next in `thread` is its first gap, or what follows its last item.
    pub fn seek(&mut self, thread: usize, thread_tree: &ThreadTree<'_>) {
        let own = &self.threads[thread];
        let gap = own.items.iter().position(|&id| id == EventId::MISSING);
        let next = gap.unwrap_or(own.items.len());
        let before = next.checked_sub(1).map(|last| self.item(own.items[last]));
        let (node, at) = match before {
            None => (thread_tree.root(thread), 0),
            Some(item) => match item.label {
                Label::Write(_) | Label::Fence => (item.node, item.index + 1),
                Label::Read(..) => (item.node, 1),
                _ => (item.node, 0),
            },
        };
        let own = &mut self.threads[thread];
        (own.next, own.node, own.at) = (narrow(next), node, at);
    }

    /// Nodes that the graph refers to.
    pub fn nodes(&self) -> impl Iterator<Item = SegmentId> + '_ {
        let of_items = self.items.iter().filter(|item| !matches!(item.label, Label::Initial(_)));
        of_items.map(|item| item.node).chain(self.threads.iter().map(|own| own.node))
    }

    /// Nodes have moved.
    pub fn move_nodes(&mut self, moved: &[Option<SegmentId>]) {
        for item in self.items.iter_mut().filter(|item| !matches!(item.label, Label::Initial(_))) {
            item.node = moved[item.node.index()].unwrap_or(item.node);
        }
        for own in &mut self.threads {
            own.node = moved[own.node.index()].unwrap_or(own.node);
        }
    }
}
