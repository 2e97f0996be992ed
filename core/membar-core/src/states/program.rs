//! A program as this search sees it: locations packed into words, operations with their effects already known.

use crate::expr::{Expr, Register};
use crate::program::{CellId, EdgeId, Term, ThreadId};

/// How stores wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discipline {
    /// Not at all.
    Sc,
    /// In one queue per thread.
    Tso,
    /// In one queue per thread and cell.
    Pso,
    /// In one queue per thread, with few slots per cell.
    Cam,
}

/// Which registers tell states apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registers {
    /// All, whether anybody looks at them again or not.
    All,
    /// Those declared with an initial value, and others while somebody may look at them.
    Declared,
    /// Only while somebody may look at them.
    Live,
}

/// What a fence, or a write that is atomic, waits for; weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waits {
    /// Nothing.
    Nothing,
    /// Nothing, but later stores are not flushed before earlier ones.
    OrderStores,
    /// The own buffer is empty.
    Own,
    /// All buffers are empty.
    All,
}

/// Where an access goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Known from the text.
    Cell(CellId),
    /// Computed, for an access of some bytes.
    Computed(Expr, u32),
}

/// What an edge does; see `program/operations.py`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of program/operations.py")]
pub enum Operation {
    Load { register: Register, address: Address, extension: u32, exclusive: bool },
    Store { address: Address, value: Expr, exclusive: bool, atomic: Waits },
    StoreConditional { status: Register, address: Address, value: Expr },
    Rmw(Box<Rmw>),
    Fence { waits: Waits },
    Set { register: Register, value: Expr },
    Assume { condition: Expr, waits: bool },
    Assert { condition: Expr },
    Choose { register: Register, low: Expr, high: Expr },
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
    /// Whether it waits for its buffer even if it writes nothing.
    pub locked: bool,
}

/// The operation of an edge that sends to, or receives from, a channel without room.
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
    /// When it can be taken; None is always.
    pub guard: Option<Expr>,
    /// What it does.
    pub operations: Vec<Operation>,
    /// Whether it has an exclusive load and an exclusive store: one instruction.
    pub is_instruction: bool,
    /// Whether it looks only at its own thread and at memory, and chooses nothing.
    pub is_own: bool,
    /// Where it meets another thread, if it does.
    pub meeting: Option<Meeting>,
}

/// A control-flow automaton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Whether it runs from the beginning.
    pub started: bool,
    /// Initial values.
    pub registers: Vec<u64>,
    /// Where it begins.
    pub entry: u32,
    /// All steps.
    pub edges: Vec<Edge>,
    /// The steps that leave each control point, in order.
    pub leaving: Vec<Vec<EdgeId>>,
    /// Per control point, whether only threads at such points move while one is there.
    pub committed: Vec<bool>,
    /// Per control point, whether who waits there is in no deadlock.
    pub ends: Vec<bool>,
    /// Per control point, whether the process ends with the thread there.
    pub exits: Vec<bool>,
    /// Per control point, the registers that are set to 0 on arrival.
    pub cleared: Vec<Vec<Register>>,
}

/// Where a cell is among the words of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The word.
    pub word: usize,
    /// How far up in it; cells of eight bytes take this word and the next.
    pub shift: u32,
    /// Bytes: 1, 2, 4 or 8.
    pub size: u32,
    /// Whether its value is a signed number.
    pub signed: bool,
    /// What it holds at first.
    pub initial: u64,
}

impl Place {
    /// The bits of a value that the cell holds.
    #[must_use]
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.size)
    }

    /// Its value in `memory`.
    #[must_use]
    pub fn get(self, memory: &[u32]) -> u64 {
        if self.size == 8 {
            return u64::from(memory[self.word]) | u64::from(memory[self.word + 1]) << 32;
        }
        (u64::from(memory[self.word]) >> self.shift) & self.mask()
    }

    /// Changes its value in `memory`.
    #[expect(clippy::cast_possible_truncation, reason = "the words of memory have 32 bits each")]
    pub fn set(self, memory: &mut [u32], value: u64) {
        if self.size == 8 {
            memory[self.word] = value as u32;
            memory[self.word + 1] = (value >> 32) as u32;
        } else {
            let mask = (self.mask() as u32) << self.shift;
            memory[self.word] = (memory[self.word] & !mask) | (((value as u32) << self.shift) & mask);
        }
    }
}

/// An array in memory, to find cells by their addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) address: u64,
    pub(super) size: u32,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// A queue of messages; without capacity, a meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    /// Messages that fit in.
    pub capacity: usize,
    /// Values in a message.
    pub width: usize,
}

/// Something that a predicate looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// What memory holds.
    Cell(CellId),
    /// What a register holds.
    Register(ThreadId, Register),
    /// Whether a thread has begun and is at one of these points.
    At(ThreadId, Vec<bool>),
}

/// An expression over what can be seen of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    /// The registers of the expression.
    pub seen: Vec<Seen>,
    /// True where it is not 0.
    pub expression: Expr,
}

/// A decoded and validated program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// How stores wait.
    pub discipline: Discipline,
    /// Most entries of a buffer, or of a cell in it.
    pub bound: usize,
    /// Which registers tell states apart.
    pub registers: Registers,
    /// The locations.
    pub cells: Vec<Place>,
    /// Words of memory.
    pub words: usize,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// Per thread, which of its registers were declared.
    pub declared: Vec<Vec<bool>>,
    /// What final states show.
    pub terms: Vec<Term>,
    /// What can be asked of states.
    pub predicates: Vec<Predicate>,
    /// Those that must never hold.
    pub errors: Vec<usize>,
    pub(super) objects: Vec<Object>,
}

impl Program {
    /// The cell of `size` bytes at an address, if there is one.
    #[must_use]
    pub fn cell_at(&self, address: u64, size: u32) -> Option<CellId> {
        let after = self.objects.partition_point(|object| object.address <= address);
        let object = self.objects.get(after.checked_sub(1)?)?;
        let offset = address - object.address;
        let width = u64::from(object.size);
        let index = u32::try_from(offset / width).ok()?;
        (object.size == size && offset.is_multiple_of(width) && index < object.count)
            .then_some(CellId(object.first + index))
    }
}
