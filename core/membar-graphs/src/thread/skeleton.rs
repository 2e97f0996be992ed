//! The part of a run that a model sees: events, dependencies, and how it ended.

pub use membar_cat::event_kinds::Kind;
use membar_cat::plan::Primitive;
use membar_ir::bits::SmallSet;
use membar_ir::origins::Origins;
use membar_ir::program::{CellId, EdgeId, TagSet, ThreadId};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// At a final control point.
    Complete,
    /// An assumption failed, no guard is true, or it waits for a thread forever.
    Blocked,
    /// After an iteration of a loop that only read memory: it spins.
    Waiting,
    /// In a step that blocks until a condition holds, which did not hold.
    Suspended,
    /// By the loop bound.
    Cut,
    /// An assertion failed.
    Failed,
    /// It accessed what is no location.
    Fault,
    /// No spawn started it.
    NotStarted,
}

/// An event without its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Event {
    /// What it does.
    pub kind: Kind,
    /// Where; None for fences that name no location.
    pub cell: Option<CellId>,
    /// Its tags.
    pub tags: TagSet,
    /// Which edge occurrence of the run it belongs to.
    pub step: u32,
    /// The edge itself.
    pub edge: EdgeId,
    /// Reads of the thread that decide its address.
    pub address: Origins,
    /// Reads of the thread that decide its value.
    pub data: Origins,
    /// Reads of the thread that decide whether it happens.
    pub control: Origins,
}

impl Event {
    /// The reads that a kind of dependency, as a primitive of models, leads from.
    #[must_use]
    pub fn sources(&self, dependency: Primitive) -> &SmallSet {
        match dependency {
            Primitive::Address => &self.address.data,
            Primitive::Data => &self.data.data,
            Primitive::PickAddress => &self.address.pick,
            Primitive::PickData => &self.data.pick,
            Primitive::PickControl => &self.control.pick,
            _ => &self.control.data,
        }
    }
}

/// A spawn or a completed join, before the event at `position`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpawnOrJoin {
    /// Number of events before it.
    pub position: u32,
    /// The other thread.
    pub thread: ThreadId,
    /// Spawn or join.
    pub is_spawn: bool,
}

/// Everything about a run that models can see, and how it ended; without the values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Skeleton {
    /// How it ended.
    pub status: Status,
    /// In program order.
    pub events: Vec<Event>,
    /// Steps whose accesses are not ordered among themselves.
    pub unordered: Vec<u32>,
    /// Read and write of one instruction.
    pub atomic: Vec<(u32, u32)>,
    /// Exclusive load and the store that closes it.
    pub exclusive: Vec<(u32, u32)>,
    /// Where it started and joined threads.
    pub spawns_and_joins: Vec<SpawnOrJoin>,
    /// The thread it waits for in vain.
    pub waits_for: Option<ThreadId>,
    /// If it waits or is suspended: the first event of its last iteration.
    pub looks_from: Option<u32>,
    /// Whether it is complete, and its end ends the process.
    pub ends_process: bool,
    /// Where it ended, unless complete: edge and operation.
    pub end: Option<(EdgeId, u32)>,
}

impl Skeleton {
    /// Whether program order leads from event `a` to event `b`, which comes later in the list.
    #[must_use]
    pub fn orders(&self, a: usize, b: usize) -> bool {
        let step = self.events[b].step;
        self.events[a].step != step || !self.unordered.contains(&step)
    }
}
