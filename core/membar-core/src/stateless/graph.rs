//! A partial execution that grows at its end and shrinks again.
//!
//! Items stand in the order in which they were added (their *stamps*): initial writes of the locations that occur,
//! events of the threads, and choices, which models do not see. Invariants: an item's thread predecessors, the write
//! it reads from (unless it was revisited: then that write stands later) and the initial write of its location stand
//! before it; `clocks` hold the *prefix* of each item: how many items of each thread reach it by program order,
//! reads-from, and the starting and joining of threads, itself included.

use crate::error::CoreError;
use crate::program::{CellId, Program, TagSet};
use crate::stateless::fault::Fault;
use crate::stateless::histories::{Histories, Next, NodeId, Step};
use crate::thread::{Kind, Status};

/// An item of a graph: its stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub u32);

impl ItemId {
    /// As an index into the table of items.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A location that occurs in a graph, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(pub u32);

impl Place {
    /// As an index into the table of locations.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The initial write of a location.
    Initial(Place),
    /// A read, and the write it reads from.
    Read(Place, ItemId),
    /// A write.
    Write(Place),
    /// A fence.
    Fence,
    /// A choice; whether it is the one that adding maximally makes.
    Choice(bool),
    /// A passed join.
    Join,
}

/// One item.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// What it is.
    pub what: What,
    /// Its thread; meaningless for initial writes.
    pub thread: u32,
    /// Its position among the items of its thread.
    pub position: u32,
    /// Its number among the events that models see; meaningless for choices and joins.
    pub event: u32,
    /// Its tags; None for what has none.
    pub tags: Option<TagSet>,
    /// The node of its thread that it belongs to.
    pub node: NodeId,
    /// Its position among the steps of the node.
    pub index: u32,
    /// What is read or written.
    pub value: u64,
    /// Whether it is not in program order with the other events of its step.
    pub is_unordered: bool,
    /// Whether it is the write of a read-modify-write.
    pub has_pair: bool,
}

impl Item {
    /// Whether models see it.
    #[must_use]
    pub fn is_event(&self) -> bool {
        !matches!(self.what, What::Choice(_) | What::Join)
    }
}

/// How a thread came to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Birth {
    /// It runs from the beginning.
    Started,
    /// Nobody has started it.
    Unborn,
    /// By another thread, which had so many items then.
    Spawned {
        /// The other thread.
        by: u32,
        /// Its number of items.
        items: u32,
    },
}

/// How far a thread is.
#[derive(Debug, Clone)]
pub struct Lane {
    /// Its items.
    pub items: Vec<ItemId>,
    /// Those that are events.
    pub events: Vec<ItemId>,
    /// The node it is in.
    pub node: NodeId,
    /// How many steps of the node are done.
    pub at: u32,
    /// How it came to run.
    pub birth: Birth,
}

/// A location with its writes in the order of co, the initial one first.
#[derive(Debug, Clone)]
pub struct Location {
    /// The location.
    pub cell: CellId,
    /// Its writes.
    pub writes: Vec<ItemId>,
}

/// Where in co a write may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// The first place.
    pub lowest: usize,
    /// The last place; below the first if there is none.
    pub highest: usize,
    /// Whether standing at the last place is adding it maximally, which needs no check.
    pub is_free: bool,
}

/// What a thread can do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Add the write of a read-modify-write whose read is there.
    Finish,
    /// Add a write.
    Write,
    /// Add a fence.
    Fence,
    /// Choose.
    Choose,
    /// Pass a join.
    Join(u32),
    /// Add a read.
    Read(CellId),
    /// Nothing: it has ended, waits for another thread, or is not born.
    Nothing,
}

/// A partial execution.
#[derive(Debug, Clone)]
pub struct Graph {
    /// All items by stamp.
    pub items: Vec<Item>,
    /// The items that models see, by their number.
    pub events: Vec<ItemId>,
    /// Per item and thread the prefix.
    clocks: Vec<u32>,
    /// The same without reads-from; kept only if some thread starts or joins another.
    spawn_clocks: Vec<u32>,
    /// The threads.
    pub lanes: Vec<Lane>,
    /// The locations that occur, by first occurrence.
    pub locations: Vec<Location>,
    /// Per cell its place, if it occurs.
    places: Vec<Option<Place>>,
    has_spawns: bool,
    /// Room for clocks.
    clock: Vec<u32>,
    /// Room for lists of writes.
    spare: Vec<Vec<ItemId>>,
    /// For tests only.
    pub(super) fault: Fault,
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Graph {
    /// No events; threads are where they begin.
    ///
    /// # Errors
    /// A thread is started twice.
    pub fn new(program: &Program, histories: &Histories<'_>, fault: Fault) -> Result<Self, CoreError> {
        let lane = |(number, thread): (usize, &crate::program::Thread)| Lane {
            items: Vec::new(),
            events: Vec::new(),
            node: histories.root(number),
            at: 0,
            birth: if thread.started { Birth::Started } else { Birth::Unborn },
        };
        let mut graph = Self {
            items: Vec::new(),
            events: Vec::new(),
            clocks: Vec::new(),
            spawn_clocks: Vec::new(),
            lanes: program.threads.iter().enumerate().map(lane).collect(),
            locations: Vec::new(),
            places: vec![None; program.cells.len()],
            has_spawns: program.threads.iter().any(|thread| !thread.started) || joins(program),
            clock: vec![0; program.threads.len()],
            spare: Vec::new(),
            fault,
        };
        for thread in 0..graph.lanes.len() {
            if graph.lanes[thread].birth == Birth::Started {
                graph.arrive(thread, histories)?;
            }
        }
        Ok(graph)
    }

    /// Whether some thread starts or joins another.
    #[must_use]
    pub fn has_spawns(&self) -> bool {
        self.has_spawns
    }

    fn width(&self) -> usize {
        self.lanes.len()
    }

    /// The prefix of an item, per thread.
    #[must_use]
    pub fn clock(&self, item: ItemId) -> &[u32] {
        &self.clocks[item.index() * self.width()..(item.index() + 1) * self.width()]
    }

    /// As `clock`, by program order and the starting and joining of threads only; empty if there is none of that.
    #[must_use]
    pub fn spawn_clock(&self, item: ItemId) -> &[u32] {
        if self.has_spawns {
            &self.spawn_clocks[item.index() * self.width()..(item.index() + 1) * self.width()]
        } else {
            &[]
        }
    }

    /// The item at a stamp.
    #[must_use]
    pub fn item(&self, item: ItemId) -> &Item {
        &self.items[item.index()]
    }

    /// The step of an event of a thread.
    #[must_use]
    pub fn step<'h>(&self, item: &Item, histories: &'h Histories<'_>) -> &'h Step {
        &histories.node(item.node).steps[item.index as usize]
    }

    /// What `thread` can do.
    #[must_use]
    pub fn next(&self, thread: usize, histories: &Histories<'_>) -> Move {
        let lane = &self.lanes[thread];
        if lane.birth == Birth::Unborn {
            return Move::Nothing;
        }
        let node = histories.node(lane.node);
        if let Some(step) = node.steps.get(lane.at as usize) {
            return match (step.event.kind, step.pair) {
                (Kind::Write, Some(pair)) if !pair.is_exclusive => Move::Finish,
                (Kind::Write, _) => Move::Write,
                _ => Move::Fence,
            };
        }
        match &node.next {
            Next::Read(cell) => Move::Read(*cell),
            Next::Choice(_) => Move::Choose,
            Next::Join(other)
                if self.status(other.index(), histories) == Some(Status::Complete)
                    || self.fault == Fault::JoinDoesNotWait =>
            {
                Move::Join(other.0)
            }
            Next::Join(_) | Next::Ended(..) => Move::Nothing,
        }
    }

    /// How a thread has ended; None if it has not, or waits for another thread.
    #[must_use]
    pub fn status(&self, thread: usize, histories: &Histories<'_>) -> Option<Status> {
        let lane = &self.lanes[thread];
        if lane.birth == Birth::Unborn {
            return Some(Status::Unborn);
        }
        let node = histories.node(lane.node);
        match &node.next {
            Next::Ended(status, _) if lane.at as usize == node.steps.len() => Some(*status),
            _ => None,
        }
    }

    /// The place of a cell; its initial write is added if it is new.
    pub fn touch(&mut self, cell: CellId, initial: u64) -> Place {
        if let Some(place) = self.places[cell.index()] {
            return place;
        }
        let place = Place(small(self.locations.len()));
        let id = ItemId(small(self.items.len()));
        self.places[cell.index()] = Some(place);
        let mut writes = self.spare.pop().unwrap_or_default();
        writes.clear();
        writes.push(id);
        self.locations.push(Location { cell, writes });
        self.items.push(Item {
            what: What::Initial(place),
            thread: u32::MAX,
            position: 0,
            event: small(self.events.len()),
            tags: None,
            node: NodeId(0),
            index: 0,
            value: initial,
            is_unordered: false,
            has_pair: false,
        });
        self.events.push(id);
        let width = self.width();
        self.clocks.resize(self.clocks.len() + width, 0);
        if self.has_spawns {
            self.spawn_clocks.resize(self.spawn_clocks.len() + width, 0);
        }
        place
    }

    /// The writes of a location in the order of co.
    #[must_use]
    pub fn writes(&self, place: Place) -> &[ItemId] {
        &self.locations[place.index()].writes
    }

    /// The next step of `thread`, which is a write or a fence.
    #[must_use]
    pub fn pending<'h>(&self, thread: usize, histories: &'h Histories<'_>) -> &'h Step {
        let lane = &self.lanes[thread];
        &histories.node(lane.node).steps[lane.at as usize]
    }

    /// Where the write that is next in `thread` may stand.
    ///
    /// The write of a read-modify-write stands directly behind the write that its read reads from (one of the things
    /// that this search needs of a model), so there is no place for two that read from the same one. A load-linked
    /// and its store may have own writes between them: nothing is assumed of these.
    #[must_use]
    pub fn places(&self, thread: usize, place: Place, histories: &Histories<'_>) -> Places {
        let writes = self.writes(place);
        let last = writes.len();
        let lane = &self.lanes[thread];
        if self.fault == Fault::WritesStandLast {
            return Places { lowest: last, highest: last, is_free: true };
        }
        if self.fault == Fault::ReadModifyWriteUnchecked {
            return Places { lowest: 1, highest: last, is_free: true };
        }
        let read = self.pending(thread, histories).pair.map(|pair| (pair, lane.events[pair.read as usize]));
        let Some((pair, What::Read(_, source))) = read.map(|(pair, read)| (pair, self.item(read).what)) else {
            return Places { lowest: 1, highest: last, is_free: true };
        };
        let behind = writes.iter().rposition(|&write| write == source).map_or(last, |at| at + 1);
        let is_adjacent = !pair.is_exclusive && pair.read as usize + 1 == lane.events.len();
        if !is_adjacent {
            return Places { lowest: 1, highest: last, is_free: behind == last };
        }
        let is_taken = writes.get(behind).is_some_and(|&next| self.is_modified_from(next, source, histories));
        let highest = if is_taken { behind - 1 } else { behind };
        Places { lowest: behind, highest, is_free: behind == last }
    }

    /// Whether `write` is the write of a read-modify-write that reads from `source`.
    fn is_modified_from(&self, write: ItemId, source: ItemId, histories: &Histories<'_>) -> bool {
        let item = self.item(write);
        let pair = self.step(item, histories).pair.filter(|pair| !pair.is_exclusive);
        pair.is_some_and(|pair| {
            let read = self.lanes[item.thread as usize].events[pair.read as usize];
            matches!(self.item(read).what, What::Read(_, other) if other == source)
        })
    }

    /// Adds the write that is next in `thread`, at position `at` of co.
    ///
    /// # Errors
    /// A thread is started twice.
    pub fn push_write(
        &mut self,
        thread: usize,
        place: Place,
        at: usize,
        histories: &Histories<'_>,
    ) -> Result<ItemId, CoreError> {
        let step = self.pending(thread, histories);
        let lane = &self.lanes[thread];
        let (node, index) = (lane.node, lane.at);
        let id = self.push(thread, What::Write(place), node, index, Some(step), None);
        self.locations[place.index()].writes.insert(at, id);
        self.lanes[thread].at += 1;
        self.arrive(thread, histories)?;
        Ok(id)
    }

    /// Adds the fence that is next in `thread`.
    ///
    /// # Errors
    /// A thread is started twice.
    pub fn push_fence(&mut self, thread: usize, histories: &Histories<'_>) -> Result<(), CoreError> {
        let step = self.pending(thread, histories);
        let lane = &self.lanes[thread];
        self.push(thread, What::Fence, lane.node, lane.at, Some(step), None);
        self.lanes[thread].at += 1;
        self.arrive(thread, histories)
    }

    /// Adds the read that is next in `thread`; `node` is where the thread goes with the value of `source`.
    ///
    /// # Errors
    /// A thread is started twice.
    pub fn push_read(
        &mut self,
        thread: usize,
        place: Place,
        source: ItemId,
        node: NodeId,
        histories: &Histories<'_>,
    ) -> Result<(), CoreError> {
        let step = &histories.node(node).steps[0];
        self.push(thread, What::Read(place, source), node, 0, Some(step), Some(source));
        self.lanes[thread].node = node;
        self.lanes[thread].at = 1;
        self.arrive(thread, histories)
    }

    /// Makes the choice that leads `thread` to `node`.
    ///
    /// # Errors
    /// A thread is started twice.
    pub fn push_choice(
        &mut self,
        thread: usize,
        node: NodeId,
        is_maximal: bool,
        histories: &Histories<'_>,
    ) -> Result<(), CoreError> {
        self.push(thread, What::Choice(is_maximal), node, 0, None, None);
        self.lanes[thread].node = node;
        self.lanes[thread].at = 0;
        self.arrive(thread, histories)
    }

    /// Passes the join that leads `thread` to `node`.
    ///
    /// # Errors
    /// A thread is started twice.
    pub fn push_join(
        &mut self,
        thread: usize,
        other: usize,
        node: NodeId,
        histories: &Histories<'_>,
    ) -> Result<(), CoreError> {
        let id = self.push(thread, What::Join, node, 0, None, None);
        self.take_end(other);
        merge(&mut self.clocks, id, &self.clock);
        self.take_spawn_end(other);
        merge(&mut self.spawn_clocks, id, &self.clock);
        self.lanes[thread].node = node;
        self.lanes[thread].at = 0;
        self.arrive(thread, histories)
    }

    fn push(
        &mut self,
        thread: usize,
        what: What,
        node: NodeId,
        index: u32,
        step: Option<&Step>,
        source: Option<ItemId>,
    ) -> ItemId {
        let id = ItemId(small(self.items.len()));
        let position = small(self.lanes[thread].items.len());
        self.items.push(Item {
            what,
            thread: small(thread),
            position,
            event: small(self.events.len()),
            tags: step.map(|step| step.event.tags),
            node,
            index,
            value: step.map_or(0, |step| step.value),
            is_unordered: step.is_some_and(|step| step.is_unordered),
            has_pair: step.is_some_and(|step| step.pair.is_some()),
        });
        self.take_end(thread);
        self.clock[thread] = position + 1;
        self.clocks.extend_from_slice(&self.clock);
        if let Some(source) = source.filter(|_| self.fault != Fault::SourceNotInPrefix) {
            self.merge_source(id, source);
        }
        if self.has_spawns {
            self.take_spawn_end(thread);
            self.clock[thread] = position + 1;
            self.spawn_clocks.extend_from_slice(&self.clock);
        }
        let lane = &mut self.lanes[thread];
        lane.items.push(id);
        if step.is_some() {
            lane.events.push(id);
            self.events.push(id);
        }
        id
    }

    /// The prefix of `item` takes in that of `source`.
    fn merge_source(&mut self, item: ItemId, source: ItemId) {
        let width = self.width();
        for thread in 0..width {
            let other = self.clocks[source.index() * width + thread];
            let own = &mut self.clocks[item.index() * width + thread];
            *own = other.max(*own);
        }
    }

    /// Puts the prefix of what comes last in `thread` into `clock`.
    fn take_end(&mut self, thread: usize) {
        let (mut thread, mut items) = (thread, self.lanes[thread].items.len());
        loop {
            if items > 0 {
                let last = self.lanes[thread].items[items - 1];
                let start = last.index() * self.clock.len();
                self.clock.copy_from_slice(&self.clocks[start..start + self.lanes.len()]);
                return;
            }
            let Birth::Spawned { by, items: before } = self.lanes[thread].birth else {
                self.clock.fill(0);
                return;
            };
            if self.fault == Fault::SpawnNotInPrefix {
                self.clock.fill(0);
                return;
            }
            (thread, items) = (by as usize, before as usize);
        }
    }

    /// The same of `spawn_clocks`.
    fn take_spawn_end(&mut self, thread: usize) {
        let (mut thread, mut items) = (thread, self.lanes[thread].items.len());
        loop {
            if items > 0 {
                let last = self.lanes[thread].items[items - 1];
                let start = last.index() * self.clock.len();
                self.clock.copy_from_slice(&self.spawn_clocks[start..start + self.lanes.len()]);
                return;
            }
            let Birth::Spawned { by, items: before } = self.lanes[thread].birth else {
                self.clock.fill(0);
                return;
            };
            (thread, items) = (by as usize, before as usize);
        }
    }

    /// The prefix of the item that is next in `thread`, without that item and what it reads from.
    pub fn prefix_of_next(&mut self, thread: usize, out: &mut Vec<u32>) {
        self.take_end(thread);
        out.clear();
        out.extend_from_slice(&self.clock);
    }

    /// Starts the threads that `thread` starts where it is now.
    ///
    /// # Errors
    /// One of them runs already.
    pub fn arrive(&mut self, thread: usize, histories: &Histories<'_>) -> Result<(), CoreError> {
        if !self.has_spawns {
            return Ok(());
        }
        let lane = &self.lanes[thread];
        let node = histories.node(lane.node);
        let (here, items) = (node.first + lane.at, small(lane.items.len()));
        for spawn in node.spawns.iter().filter(|spawn| spawn.position == here) {
            let started = &mut self.lanes[spawn.thread.index()];
            if started.birth != Birth::Unborn {
                return Err(CoreError::TooLarge("a thread is started more than once"));
            }
            started.birth = Birth::Spawned { by: small(thread), items };
            self.arrive(spawn.thread.index(), histories)?;
        }
        Ok(())
    }

    /// Threads that `thread` started when it had `items` items or more are not born any more.
    fn unspawn(&mut self, thread: usize, items: usize) {
        for lane in 0..self.lanes.len() {
            if let Birth::Spawned { by, items: before } = self.lanes[lane].birth
                && by as usize == thread
                && before as usize >= items
            {
                self.lanes[lane].birth = Birth::Unborn;
                self.unspawn(lane, 0);
            }
        }
    }

    /// Takes back the newest items until `len` are left.
    pub fn truncate(&mut self, len: usize, histories: &Histories<'_>) {
        while self.items.len() > len {
            self.pop(histories);
        }
    }

    fn pop(&mut self, histories: &Histories<'_>) {
        let Some(item) = self.items.pop() else { return };
        let width = self.width();
        self.clocks.truncate(self.items.len() * width);
        if self.has_spawns {
            self.spawn_clocks.truncate(self.items.len() * width);
        }
        if item.is_event() {
            self.events.pop();
        }
        if let What::Initial(place) = item.what {
            self.places[self.locations[place.index()].cell.index()] = None;
            self.spare.extend(self.locations.pop().map(|location| location.writes));
            return;
        }
        if let What::Write(place) = item.what {
            let id = ItemId(small(self.items.len()));
            let writes = &mut self.locations[place.index()].writes;
            if let Some(at) = writes.iter().rposition(|&write| write == id) {
                writes.remove(at);
            }
        }
        let thread = item.thread as usize;
        let lane = &mut self.lanes[thread];
        lane.items.pop();
        match item.what {
            What::Write(_) | What::Fence => {
                lane.events.pop();
                (lane.node, lane.at) = (item.node, item.index);
            }
            _ => {
                if matches!(item.what, What::Read(..)) {
                    lane.events.pop();
                }
                if let Some(before) = histories.before(item.node) {
                    (lane.node, lane.at) = (before, small(histories.node(before).steps.len()));
                }
            }
        }
        if self.has_spawns {
            let left = self.lanes[thread].items.len();
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
        for lane in &mut self.lanes {
            lane.items.clear();
            lane.events.clear();
        }
        self.spare.extend(self.locations.drain(..).map(|location| location.writes));
    }

    /// Adds a location, its writes as they will be.
    pub(super) fn add_location(&mut self, place: Place, cell: CellId, writes: impl Iterator<Item = ItemId>) {
        let mut list = self.spare.pop().unwrap_or_default();
        list.clear();
        list.extend(writes);
        self.places[cell.index()] = Some(place);
        self.locations.push(Location { cell, writes: list });
    }

    /// Appends `item`, with the clocks of item `id` of `from`.
    pub(super) fn copy_item(&mut self, from: &Self, id: ItemId, mut item: Item) {
        let new = ItemId(small(self.items.len()));
        item.event = small(self.events.len());
        if item.is_event() {
            self.events.push(new);
        }
        if !matches!(item.what, What::Initial(_)) {
            let lane = &mut self.lanes[item.thread as usize];
            lane.items.push(new);
            if item.is_event() {
                lane.events.push(new);
            }
        }
        self.items.push(item);
        self.clocks.extend_from_slice(from.clock(id));
        self.spawn_clocks.extend_from_slice(from.spawn_clock(id));
    }

    /// Puts the threads where their items end; what `revisited` starts behind its last item is not started.
    pub(super) fn set_lanes(&mut self, from: &Self, revisited: usize, histories: &Histories<'_>) {
        for thread in 0..self.lanes.len() {
            let last = self.lanes[thread].items.last().map(|&id| self.items[id.index()]);
            let (node, at) = match last {
                None => (histories.root(thread), 0),
                Some(item) => match item.what {
                    What::Write(_) | What::Fence => (item.node, item.index + 1),
                    What::Read(..) => (item.node, 1),
                    _ => (item.node, 0),
                },
            };
            let birth = match from.lanes[thread].birth {
                Birth::Spawned { by, items } => {
                    let left = self.lanes[by as usize].items.len() - usize::from(by as usize == revisited);
                    if items as usize <= left { from.lanes[thread].birth } else { Birth::Unborn }
                }
                other => other,
            };
            let lane = &mut self.lanes[thread];
            (lane.node, lane.at, lane.birth) = (node, at, birth);
        }
    }

    /// The last item of its thread reads from another write now, of which `clock` is the prefix.
    pub(super) fn renew_clock(&mut self, item: ItemId, clock: &[u32]) {
        let Item { thread, position, .. } = *self.item(item);
        let lane = &mut self.lanes[thread as usize];
        let last = lane.items.pop();
        self.take_end(thread as usize);
        self.lanes[thread as usize].items.extend(last);
        self.clock[thread as usize] = position + 1;
        let start = item.index() * self.clock.len();
        if self.fault != Fault::ClockKept {
            self.clocks[start..start + self.lanes.len()].copy_from_slice(&self.clock);
        }
        merge(&mut self.clocks, item, clock);
    }

    /// Whether `item` lies in the prefix `clock`.
    #[must_use]
    pub fn is_in(item: &Item, clock: &[u32]) -> bool {
        match item.what {
            What::Initial(_) => true,
            _ => item.position < clock[item.thread as usize],
        }
    }

    /// Nodes that the graph speaks of.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let of_items = self.items.iter().filter(|item| !matches!(item.what, What::Initial(_)));
        of_items.map(|item| item.node).chain(self.lanes.iter().map(|lane| lane.node))
    }

    /// Nodes have moved.
    pub fn move_nodes(&mut self, moved: &[Option<NodeId>]) {
        for item in self.items.iter_mut().filter(|item| !matches!(item.what, What::Initial(_))) {
            item.node = moved[item.node.index()].unwrap_or(item.node);
        }
        for lane in &mut self.lanes {
            lane.node = moved[lane.node.index()].unwrap_or(lane.node);
        }
    }

    /// Rough number of bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.items.len() * (size_of::<Item>() + 16 + 8 * self.width()) + 64 * self.locations.len()
    }
}

fn joins(program: &Program) -> bool {
    use crate::program::Operation::{Join, Spawn};
    let edges = program.threads.iter().flat_map(|thread| &thread.edges);
    edges.flat_map(|edge| &edge.operations).any(|op| matches!(op, Join { .. } | Spawn { .. }))
}

fn merge(clocks: &mut [u32], item: ItemId, other: &[u32]) {
    let start = item.index() * other.len();
    for (own, other) in clocks[start..].iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}
