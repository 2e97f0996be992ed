//! A program as every search sees it: registers, cells, threads and control points by number, constants resolved.
//!
//! `decoder.rs` decodes it; `membar-step` defines what its operations do. A new operation is added here, there, and in
//! the printer and the encoder on the Python side (`program/encoding.py`).

use crate::expr::{Expr, Register};

/// A tag of the model, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(pub u32);

/// A location of the memory model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

/// A distinct set of tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TagSet(pub u32);

/// A thread, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub u32);

/// An edge of one thread, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub u32);

macro_rules! as_index {
    ($($name:ident),*) => {$(
        impl $name {
            /// As an index into a table.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
as_index!(CellId, TagSet, ThreadId, EdgeId);

/// One element of a memory object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Where it is.
    pub address: u64,
    /// Bytes: 1, 2, 4 or 8.
    pub size: u32,
    /// Whether its value is a signed number.
    pub signed: bool,
    /// What it holds at first, of its size.
    pub initial: u64,
}

impl Cell {
    /// The bits of a word that the cell holds.
    #[must_use]
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.size)
    }
}

/// A memory object: cells of one size in a row, to find cells by their addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) address: u64,
    pub(crate) size: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// A queue of messages; with capacity 0, sender and receiver meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    /// Messages that fit in.
    pub capacity: usize,
    /// Values in a message.
    pub width: usize,
}

/// The target of an access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A cell known from the text.
    Cell(CellId),
    /// An expression, for an access of some bytes. If it has no registers, it names no cell of that size.
    Computed(Expr, u32),
}

impl Address {
    /// The expression, if the cell is not known from the text.
    #[must_use]
    pub fn expression(&self) -> Option<&Expr> {
        match self {
            Self::Cell(_) => None,
            Self::Computed(expr, _) => Some(expr),
        }
    }
}

/// What an edge does; see `program/operations.py`. `extension` is the number of bits from which a loaded value is
/// sign-extended, 0 if it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of program/operations.py")]
pub enum Operation {
    Load { register: Register, address: Address, extension: u32, tags: TagSet, exclusive: bool },
    Store { address: Address, value: Expr, tags: TagSet, exclusive: bool },
    StoreConditional { status: Register, address: Address, value: Expr, tags: TagSet, carries: bool },
    Rmw(Box<Rmw>),
    Fence { tags: TagSet, address: Option<Expr> },
    Set { register: Register, value: Expr },
    Assume { condition: Expr, waits: Option<WaitOrder> },
    Assert { condition: Expr },
    Choose { register: Register, low: Expr, high: Expr, retries: bool },
    Spawn { thread: ThreadId },
    Join { thread: ThreadId },
    Lock { address: Address },
    Unlock { address: Address },
    Send { channel: usize, values: Vec<Expr> },
    Receive { channel: usize, registers: Vec<Register> },
}

/// An atomic read-modify-write.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of program/operations.py")]
pub struct Rmw {
    pub register: Register,
    pub address: Address,
    pub value: Expr,
    pub condition: Expr,
    pub extension: u32,
    pub read_tags: TagSet,
    pub write_tags: TagSet,
    pub failed_tags: TagSet,
}

/// How an operation accesses memory.
#[derive(Debug, Clone, Copy)]
pub struct Footprint<'a> {
    /// Where.
    pub address: &'a Address,
    /// Whether it may read.
    pub reads: bool,
    /// Whether it may write.
    pub writes: bool,
}

impl Operation {
    /// Its access to memory, if it has one.
    #[must_use]
    pub fn footprint(&self) -> Option<Footprint<'_>> {
        let (address, reads, writes) = match self {
            Self::Load { address, .. } => (address, true, false),
            Self::Store { address, .. } | Self::Unlock { address } => (address, false, true),
            Self::StoreConditional { address, .. } | Self::Lock { address } => (address, true, true),
            Self::Rmw(rmw) => (&rmw.address, true, true),
            _ => return None,
        };
        Some(Footprint { address, reads, writes })
    }

    /// Calls `with` for every register that it gives a value to.
    pub fn each_assigned(&self, mut with: impl FnMut(Register)) {
        match self {
            Self::Load { register, .. }
            | Self::Set { register, .. }
            | Self::Choose { register, .. }
            | Self::StoreConditional { status: register, .. } => with(*register),
            Self::Rmw(rmw) => with(rmw.register),
            Self::Receive { registers, .. } => registers.iter().copied().for_each(with),
            _ => {}
        }
    }

    /// Calls `with` for every expression that it evaluates before it gives a register a value.
    pub fn each_expression<'a>(&'a self, mut with: impl FnMut(&'a Expr)) {
        if let Some(expr) = self.footprint().and_then(|footprint| footprint.address.expression()) {
            with(expr);
        }
        match self {
            Self::Store { value, .. } | Self::StoreConditional { value, .. } | Self::Set { value, .. } => {
                with(value);
            }
            Self::Assume { condition, .. } | Self::Assert { condition } => with(condition),
            Self::Choose { low, high, .. } => {
                with(low);
                with(high);
            }
            Self::Send { values, .. } => values.iter().for_each(with),
            Self::Fence { address, .. } => address.iter().for_each(with),
            // The value and the condition of a read-modify-write see what it has just read.
            Self::Rmw(_)
            | Self::Load { .. }
            | Self::Spawn { .. }
            | Self::Join { .. }
            | Self::Lock { .. }
            | Self::Unlock { .. }
            | Self::Receive { .. } => {}
        }
    }
}

/// When a thread that waits in a step is explored: last, or in turn if the step can race, since the race may show
/// earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum WaitOrder {
    Last,
    InTurn,
}

/// The operation of an edge that sends to, or receives from, a channel without capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// Which channel.
    pub channel: usize,
    /// Which operation of the edge.
    pub position: usize,
    /// Whether it sends.
    pub sends: bool,
}

/// One step of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The control point that it leads to.
    pub target: u32,
    /// If it closes a loop: which of the thread's loops.
    pub closes: Option<u32>,
    /// Whether its accesses are not in program order among themselves.
    pub unordered: bool,
    /// It can be taken only where no edge of the same point with a smaller rank can; if it receives without room, only
    /// where none of these can receive the same message.
    pub rank: u32,
    /// Whether it can be taken only where nothing else can happen.
    pub idle: bool,
    /// When it can be taken; None is always.
    pub guard: Option<Expr>,
    /// What it does.
    pub operations: Vec<Operation>,
    /// Whether it has an exclusive load and an exclusive store: one instruction.
    pub is_instruction: bool,
    /// Where it meets another thread, if it does.
    pub meeting: Option<Meeting>,
}

impl Edge {
    /// Whether its guard is true of some registers.
    #[must_use]
    pub fn is_open(&self, registers: &[u64], stack: &mut Vec<u64>) -> bool {
        self.guard.as_ref().is_none_or(|guard| guard.evaluate(registers, stack) != 0)
    }
}

/// A control point at which a thread that comes back unchanged has only waited; see `program/awaits.py`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of one another")]
pub struct WatchedPoint {
    /// Which of the thread's watched points it is.
    pub number: u32,
    /// The registers that matter there.
    pub registers: Vec<Register>,
    /// Whether open exclusive loads matter there.
    pub exclusive: bool,
    /// Whether only iterations with a single read count.
    pub single: bool,
    /// Whether an iteration still only looks if an atomic operation writes back what it read.
    pub write_backs: bool,
    /// Whether it matters which reads the values and the path depend on.
    pub dependent: bool,
}

/// A control-flow automaton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Whether it runs from the beginning.
    pub started: bool,
    /// Initial values; None if the register has none of its own (it is 0).
    pub registers: Vec<Option<u64>>,
    /// Where it begins.
    pub entry: u32,
    /// All steps.
    pub edges: Vec<Edge>,
    /// The steps that leave each control point, by rank, else in order.
    pub leaving: Vec<Vec<EdgeId>>,
    /// Per control point, where what its guards decide ends, if it does.
    pub joins: Vec<Option<u32>>,
    /// Per control point, whether it is watched.
    pub watched: Vec<Option<WatchedPoint>>,
    /// Per control point, whether only threads at such points move while one is there.
    pub committed: Vec<bool>,
    /// Per control point, whether a thread that waits there is in no deadlock.
    pub ends: Vec<bool>,
    /// Per control point, whether the process ends with the thread there.
    pub exits: Vec<bool>,
    /// Per control point, whether nothing else happens while the thread is there.
    pub atomic: Vec<bool>,
    /// Number of back edges.
    pub loops: usize,
}

impl Thread {
    /// What the registers hold at first.
    #[must_use]
    pub fn initial_registers(&self) -> Vec<u64> {
        self.registers.iter().map(|value| value.unwrap_or_default()).collect()
    }
}

/// Something that final states show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// The last value of a register.
    Register(ThreadId, Register),
    /// The last value of a cell.
    Cell(CellId),
}

/// Something that a predicate reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observable {
    /// What memory holds.
    Cell(CellId),
    /// What a register holds.
    Register(ThreadId, Register),
    /// Whether a thread has begun and is at one of these points.
    At(ThreadId, Vec<bool>),
}

/// An expression over what can be observed of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    /// The registers of the expression.
    pub reads: Vec<Observable>,
    /// True where it is not 0.
    pub expression: Expr,
}

/// A decoded and validated program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The locations.
    pub cells: Vec<Cell>,
    /// By address.
    pub(crate) objects: Vec<Object>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// Per tag set the tags that the model mentions.
    pub tag_sets: Vec<Vec<Tag>>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// What final states show.
    pub terms: Vec<Term>,
    /// Predicates on states.
    pub predicates: Vec<Predicate>,
    /// Those that must never hold.
    pub errors: Vec<usize>,
    /// What the general search takes for readable from the start, beside initial values: not part of the form.
    pub guesses: Vec<(CellId, u64)>,
}

impl Program {
    /// The cell of `size` bytes at an address, if there is one.
    #[must_use]
    pub fn cell_at(&self, address: u64, size: u32) -> Option<CellId> {
        self.cell_from(address).filter(|cell| self.cells[cell.index()].size == size)
    }

    /// The cell of any size that begins at an address, if there is one.
    #[must_use]
    pub fn cell_from(&self, address: u64) -> Option<CellId> {
        let after = self.objects.partition_point(|object| object.address <= address);
        let object = self.objects.get(after.checked_sub(1)?)?;
        let offset = address - object.address;
        let width = u64::from(object.size);
        let index = u32::try_from(offset / width).ok()?;
        (offset.is_multiple_of(width) && index < object.count).then_some(CellId(object.first + index))
    }

    /// All operations of all threads.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.threads.iter().flat_map(|thread| &thread.edges).flat_map(|edge| &edge.operations)
    }
}
