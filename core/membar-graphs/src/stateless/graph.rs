//! The execution graph of the search: events are added and removed at its end.
//!
//! Items are in the order in which they were added (their *stamps*): initial writes of the locations that occur,
//! events of the threads, and choices, which models do not see. Invariants: an item's thread predecessors, the
//! write it reads from (unless it was revisited: then that write is later) and the initial write of its location
//! precede it; `clocks` hold the *prefix* of each item: how many items of each thread reach it by program order,
//! reads-from, and the starting and joining of threads, itself included.

use crate::stateless::clocks::merge;
use crate::stateless::graph_events::{
    EventId, GraphEvent, Label, Location, Move, Place, Places, Start, ThreadEvents,
};
use crate::stateless::symmetry::SymmetricThreads;
use crate::stateless::thread_tree::{Next, SegmentId, Step, ThreadTree};
use crate::thread::{Kind, Status};
use membar_ir::error::CoreError;
use membar_ir::program::{CellId, Program};
use membar_ir::words::narrow;

/// A partial execution.
#[derive(Debug, Clone)]
pub struct Graph {
    /// All items by stamp.
    pub items: Vec<GraphEvent>,
    /// The items that models see, by their number.
    pub events: Vec<EventId>,
    /// Per item and thread the prefix.
    pub(super) clocks: Vec<u32>,
    /// The same without reads-from; kept only if some thread starts or joins another.
    pub(super) spawn_clocks: Vec<u32>,
    /// The threads.
    pub threads: Vec<ThreadEvents>,
    /// The locations that occur, by first occurrence.
    pub locations: Vec<Location>,
    /// Per cell its place, if it occurs.
    pub(super) places: Vec<Option<Place>>,
    pub(super) has_spawns: bool,
    /// Whether `clocks` are kept: not where threads may have gaps.
    pub(super) has_clocks: bool,
    /// Which threads are interchangeable.
    pub(super) symmetric_threads: SymmetricThreads,
    /// Room for clocks.
    pub(super) clock: Vec<u32>,
    /// Room for lists of writes.
    pub(super) spare: Vec<Vec<EventId>>,
}

impl Graph {
    /// No events; threads are where they begin.
    pub fn new(program: &Program, thread_tree: &ThreadTree<'_>) -> Result<Self, CoreError> {
        let own = |(number, thread): (usize, &membar_ir::program::Thread)| ThreadEvents {
            items: Vec::new(),
            events: Vec::new(),
            next: 0,
            node: thread_tree.root(number),
            at: 0,
            start: if thread.started { Start::Started } else { Start::NotStarted },
        };
        let mut graph = Self {
            items: Vec::new(),
            events: Vec::new(),
            clocks: Vec::new(),
            spawn_clocks: Vec::new(),
            threads: program.threads.iter().enumerate().map(own).collect(),
            locations: Vec::new(),
            places: vec![None; program.cells.len()],
            has_spawns: program.threads.iter().any(|thread| !thread.started) || joins(program),
            symmetric_threads: SymmetricThreads::default(),
            clock: vec![0; program.threads.len()],
            has_clocks: true,
            spare: Vec::new(),
        };
        for thread in 0..graph.threads.len() {
            if graph.threads[thread].start == Start::Started {
                graph.arrive(thread, thread_tree)?;
            }
        }
        Ok(graph)
    }

    /// Whether some thread starts or joins another.
    #[must_use]
    pub fn has_spawns(&self) -> bool {
        self.has_spawns
    }

    pub(super) fn width(&self) -> usize {
        self.threads.len()
    }

    /// The item at a stamp.
    #[must_use]
    pub fn item(&self, item: EventId) -> &GraphEvent {
        &self.items[item.index()]
    }

    /// The step of an event of a thread.
    #[must_use]
    pub fn step<'h>(&self, item: &GraphEvent, thread_tree: &'h ThreadTree<'_>) -> &'h Step {
        &thread_tree.node(item.node).steps[item.index as usize]
    }

    /// What `thread` can do.
    #[must_use]
    pub fn next(&self, thread: usize, thread_tree: &ThreadTree<'_>) -> Move {
        let own = &self.threads[thread];
        if own.start == Start::NotStarted {
            return Move::Nothing;
        }
        let node = thread_tree.node(own.node);
        if let Some(step) = node.steps.get(own.at as usize) {
            return match (step.event.kind, step.pair) {
                (Kind::Write, Some(pair)) if !pair.is_exclusive => Move::Finish,
                (Kind::Write, _) => Move::Write,
                _ => Move::Fence,
            };
        }
        match &node.next {
            Next::Read(cell) => Move::Read(*cell),
            Next::Choice(_) => Move::Choose,
            Next::Join(other) if self.status(other.index(), thread_tree) == Some(Status::Complete) => {
                Move::Join(other.0)
            }
            Next::Join(_) | Next::Ended(..) => Move::Nothing,
        }
    }

    /// How a thread has ended; None if it has not, or waits for another thread.
    #[must_use]
    pub fn status(&self, thread: usize, thread_tree: &ThreadTree<'_>) -> Option<Status> {
        let own = &self.threads[thread];
        if own.start == Start::NotStarted {
            return Some(Status::NotStarted);
        }
        let node = thread_tree.node(own.node);
        match &node.next {
            Next::Ended(status, _) if own.at as usize == node.steps.len() => Some(*status),
            _ => None,
        }
    }

    /// The place of a cell; its initial write is added if it is new.
    pub fn touch(&mut self, cell: CellId, initial: u64) -> Place {
        if let Some(place) = self.places[cell.index()] {
            return place;
        }
        let place = Place(narrow(self.locations.len()));
        let id = EventId(narrow(self.items.len()));
        self.places[cell.index()] = Some(place);
        let mut writes = self.spare.pop().unwrap_or_default();
        writes.clear();
        writes.push(id);
        self.locations.push(Location { cell, writes });
        self.items.push(GraphEvent {
            label: Label::Initial(place),
            thread: u32::MAX,
            position: 0,
            event: narrow(self.events.len()),
            tags: None,
            node: SegmentId(0),
            index: 0,
            value: initial,
            is_unordered: false,
            has_pair: false,
        });
        self.events.push(id);
        let width = self.width();
        if self.has_clocks {
            self.clocks.resize(self.clocks.len() + width, 0);
        }
        if self.has_spawns {
            self.spawn_clocks.resize(self.spawn_clocks.len() + width, 0);
        }
        place
    }

    /// The place of a cell, if it occurs.
    #[must_use]
    pub fn place_of(&self, cell: CellId) -> Option<Place> {
        self.places[cell.index()]
    }

    /// The writes of a location in the order of co.
    #[must_use]
    pub fn writes(&self, place: Place) -> &[EventId] {
        &self.locations[place.index()].writes
    }

    /// The next step of `thread`, which is a write or a fence.
    #[must_use]
    pub fn pending<'h>(&self, thread: usize, thread_tree: &'h ThreadTree<'_>) -> &'h Step {
        let own = &self.threads[thread];
        &thread_tree.node(own.node).steps[own.at as usize]
    }

    /// Where the write that is next in `thread` may stand.
    ///
    /// The write of an RMW immediately follows, in co, the write that its read reads from (one of the things
    /// that this search needs of a model), so there is no place for two that read from the same one. A load-linked
    /// and its store may have own writes between them: nothing is assumed of these.
    #[must_use]
    pub fn places(&self, thread: usize, place: Place, thread_tree: &ThreadTree<'_>) -> Places {
        let writes = self.writes(place);
        let last = writes.len();
        let own = &self.threads[thread];
        let read = self.pending(thread, thread_tree).pair.map(|pair| (pair, own.events[pair.read as usize]));
        let Some((pair, Label::Read(_, source))) = read.map(|(pair, read)| (pair, self.item(read).label))
        else {
            return Places { lowest: 1, highest: last, is_free: true };
        };
        let behind = writes.iter().rposition(|&write| write == source).map_or(last, |at| at + 1);
        let is_adjacent = !pair.is_exclusive && pair.read + 1 == thread_tree.node(own.node).first + own.at;
        if !is_adjacent {
            return Places { lowest: 1, highest: last, is_free: behind == last };
        }
        let is_taken =
            writes.get(behind).is_some_and(|&next| self.is_modified_from(next, source, thread_tree));
        let highest = if is_taken { behind - 1 } else { behind };
        Places { lowest: behind, highest, is_free: behind == last }
    }

    /// Whether `write` is the write of a read-modify-write that reads from `source`.
    fn is_modified_from(&self, write: EventId, source: EventId, thread_tree: &ThreadTree<'_>) -> bool {
        let item = self.item(write);
        let pair = self.step(item, thread_tree).pair.filter(|pair| !pair.is_exclusive);
        pair.is_some_and(|pair| {
            let read = self.threads[item.thread as usize].events[pair.read as usize];
            matches!(self.item(read).label, Label::Read(_, other) if other == source)
        })
    }

    /// Adds the write that is next in `thread`, at position `at` of co.
    pub fn push_write(
        &mut self,
        thread: usize,
        place: Place,
        at: usize,
        thread_tree: &ThreadTree<'_>,
    ) -> Result<EventId, CoreError> {
        let step = self.pending(thread, thread_tree);
        let own = &self.threads[thread];
        let (node, index) = (own.node, own.at);
        let id = self.push(thread, Label::Write(place), node, index, Some(step), thread_tree);
        self.locations[place.index()].writes.insert(at, id);
        self.threads[thread].at += 1;
        self.arrive(thread, thread_tree)?;
        Ok(id)
    }

    /// Adds the fence that is next in `thread`.
    pub fn push_fence(&mut self, thread: usize, thread_tree: &ThreadTree<'_>) -> Result<(), CoreError> {
        let step = self.pending(thread, thread_tree);
        let own = &self.threads[thread];
        self.push(thread, Label::Fence, own.node, own.at, Some(step), thread_tree);
        self.threads[thread].at += 1;
        self.arrive(thread, thread_tree)
    }

    /// Adds the read that is next in `thread`; `node` is where the thread goes with the value of `source`.
    pub fn push_read(
        &mut self,
        thread: usize,
        place: Place,
        source: EventId,
        node: SegmentId,
        thread_tree: &ThreadTree<'_>,
    ) -> Result<(), CoreError> {
        let step = &thread_tree.node(node).steps[0];
        self.push(thread, Label::Read(place, source), node, 0, Some(step), thread_tree);
        self.threads[thread].node = node;
        self.threads[thread].at = 1;
        self.arrive(thread, thread_tree)
    }

    /// Makes the choice that leads `thread` to `node`, by its option number `option`.
    pub fn push_choice(
        &mut self,
        thread: usize,
        node: SegmentId,
        option: usize,
        is_maximal: bool,
        thread_tree: &ThreadTree<'_>,
    ) -> Result<(), CoreError> {
        let id = self.push(thread, Label::Choice(is_maximal), node, 0, None, thread_tree);
        self.items[id.index()].value = option as u64;
        self.threads[thread].node = node;
        self.threads[thread].at = 0;
        self.arrive(thread, thread_tree)
    }

    /// Passes the join that leads `thread` to `node`.
    pub fn push_join(
        &mut self,
        thread: usize,
        other: usize,
        node: SegmentId,
        thread_tree: &ThreadTree<'_>,
    ) -> Result<(), CoreError> {
        let id = self.push(thread, Label::Join, node, 0, None, thread_tree);
        self.take_end(other);
        merge(&mut self.clocks, id, &self.clock);
        self.take_spawn_end(other);
        merge(&mut self.spawn_clocks, id, &self.clock);
        self.threads[thread].node = node;
        self.threads[thread].at = 0;
        self.arrive(thread, thread_tree)
    }

    fn push(
        &mut self,
        thread: usize,
        label: Label,
        node: SegmentId,
        index: u32,
        step: Option<&Step>,
        thread_tree: &ThreadTree<'_>,
    ) -> EventId {
        let id = EventId(narrow(self.items.len()));
        let position = self.threads[thread].next;
        self.items.push(GraphEvent {
            label,
            thread: narrow(thread),
            position,
            event: narrow(self.events.len()),
            tags: step.map(|step| step.event.tags),
            node,
            index,
            value: step.map_or(0, |step| step.value),
            is_unordered: step.is_some_and(|step| step.is_unordered),
            has_pair: step.is_some_and(|step| step.pair.is_some()),
        });
        if self.has_clocks {
            self.take_end(thread);
            self.clock[thread] = position + 1;
            self.clocks.extend_from_slice(&self.clock);
            if let Label::Read(_, source) = label {
                self.merge_source(id, source);
            }
        }
        self.merge_twin(id, thread, position as usize);
        if self.has_spawns {
            self.take_spawn_end(thread);
            self.clock[thread] = position + 1;
            self.spawn_clocks.extend_from_slice(&self.clock);
        }
        let own = &mut self.threads[thread];
        put(&mut own.items, position as usize, id);
        own.next += 1;
        if step.is_some() {
            put(&mut own.events, event_of(thread_tree, node, index), id);
            self.events.push(id);
        }
        id
    }

    /// Starts the threads that `thread` starts where it is now.
    pub fn arrive(&mut self, thread: usize, thread_tree: &ThreadTree<'_>) -> Result<(), CoreError> {
        if !self.has_spawns {
            return Ok(());
        }
        let own = &self.threads[thread];
        let node = thread_tree.node(own.node);
        let (here, items) = (node.first + own.at, narrow(own.items.len()));
        for spawn in node.spawns.iter().filter(|spawn| spawn.position == here) {
            let started = &mut self.threads[spawn.thread.index()];
            if started.start != Start::NotStarted {
                return Err(CoreError::TooLarge("a thread is started more than once"));
            }
            started.start = Start::Spawned { by: narrow(thread), items };
            self.arrive(spawn.thread.index(), thread_tree)?;
        }
        Ok(())
    }

    /// Rough number of bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.items.len() * (size_of::<GraphEvent>() + 16 + 8 * self.width()) + 64 * self.locations.len()
    }
}

/// The position of step `index` of `node` among the events of its thread.
pub(super) fn event_of(thread_tree: &ThreadTree<'_>, node: SegmentId, index: u32) -> usize {
    (thread_tree.node(node).first + index) as usize
}

/// Puts `id` at a position of a thread; what is missing before it are gaps.
pub(super) fn put(list: &mut Vec<EventId>, position: usize, id: EventId) {
    if list.len() <= position {
        list.resize(position + 1, EventId::MISSING);
    }
    list[position] = id;
}

/// Takes the item at a position of a thread away: a gap, unless it is the last.
pub(super) fn take(list: &mut Vec<EventId>, position: usize) {
    if position + 1 == list.len() {
        list.pop();
    } else if let Some(entry) = list.get_mut(position) {
        *entry = EventId::MISSING;
    }
}

fn joins(program: &Program) -> bool {
    use membar_ir::program::Operation::{Join, Spawn};
    let edges = program.threads.iter().flat_map(|thread| &thread.edges);
    edges.flat_map(|edge| &edge.operations).any(|op| matches!(op, Join { .. } | Spawn { .. }))
}
