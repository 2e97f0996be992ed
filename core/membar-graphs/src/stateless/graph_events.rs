//! The events of an execution graph, their labels and their numbers.

use crate::stateless::thread_tree::SegmentId;
use membar_ir::program::{CellId, TagSet};

/// An event of a graph (an "item"), by the order in which it was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u32);

impl EventId {
    /// Stands in a thread where an item is missing that later ones of the thread do not need.
    pub const MISSING: Self = Self(u32::MAX);

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
pub enum Label {
    /// The initial write of a location.
    Initial(Place),
    /// A read, and the write it reads from.
    Read(Place, EventId),
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
pub struct GraphEvent {
    /// What it is.
    pub label: Label,
    /// Its thread; meaningless for initial writes.
    pub thread: u32,
    /// Its position among the items of its thread.
    pub position: u32,
    /// Its number among the events that models see; meaningless for choices and joins.
    pub event: u32,
    /// Its tags; None for what has none.
    pub tags: Option<TagSet>,
    /// The node of its thread that it belongs to.
    pub node: SegmentId,
    /// Its position among the steps of the node.
    pub index: u32,
    /// What is read or written.
    pub value: u64,
    /// Whether it is not in program order with the other events of its step.
    pub is_unordered: bool,
    /// Whether it is the write of a read-modify-write.
    pub has_pair: bool,
}

impl GraphEvent {
    /// Whether models see it.
    #[must_use]
    pub fn is_event(&self) -> bool {
        !matches!(self.label, Label::Choice(_) | Label::Join)
    }
}

/// How a thread came to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It runs from the beginning.
    Started,
    /// Nobody has started it.
    NotStarted,
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
pub struct ThreadEvents {
    /// Its items in program order.
    pub items: Vec<EventId>,
    /// Those that are events.
    pub events: Vec<EventId>,
    /// The position of the next item: the first gap, or after the last item.
    pub next: u32,
    /// The node that the next item comes from.
    pub node: SegmentId,
    /// How many steps of the node lie before it.
    pub at: u32,
    /// How it came to run.
    pub start: Start,
}

impl ThreadEvents {
    /// Its events in program order, without the gaps between them.
    #[must_use]
    pub fn present(&self) -> impl DoubleEndedIterator<Item = EventId> + '_ {
        self.events.iter().copied().filter(|&id| id != EventId::MISSING)
    }

    /// Whether an item is missing between others.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        self.items.contains(&EventId::MISSING)
    }
}

/// A location with its writes in the order of co, the initial one first.
#[derive(Debug, Clone)]
pub struct Location {
    /// The location.
    pub cell: CellId,
    /// Its writes.
    pub writes: Vec<EventId>,
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
    /// Nothing: it has ended, waits for another thread, or was not started.
    Nothing,
}
