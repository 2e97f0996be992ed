//! A program as the core sees it: registers, cells, threads and control points by number, constants resolved.
//!
//! Form (all words): `VERSION`; number of cells, then per cell its address, size in bytes and initial value; number of
//! tag sets, then per set the number of its tags (those the model speaks of) and the tags; number of threads, then per
//! thread: a flag for started, number of registers, then per register a flag for "has an initial value" and that
//! value, entry point, number of control points, number of branches whose paths meet again, then per such branch its
//! control point and the one where they meet, number of watched points, then per such point the control point, flags for
//! "exclusive loads matter", "single reads only" and "writing back is looking", number of registers that matter and
//! these, number of edges, then per edge its source, target, a flag for back edge, a flag for unordered, its guard, the number of its operations, and the operations; number of terms of a final
//! state, then per term 0, thread, register, or 1, cell. Expressions are as in `expr`; an operation is its number (the
//! order of `Operation` below; 11 is a store-conditional that carries, 12 an assumption that waits) followed by its fields.

use std::collections::BTreeMap;

use crate::error::CoreError;
use crate::expr::{Expr, Register};
use crate::plan::Tag;
use crate::words::Words;

/// First word of the form; to be changed with it.
pub const VERSION: u64 = 6;

/// The number of a store-conditional whose status carries a dependency on its write.
const CARRYING: u64 = 11;

/// The number of an assumption that waits until it holds.
const WAITING: u64 = 12;

/// The number of a choice in which all but the lowest value says that something failed which may be tried again.
const RETRYING: u64 = 13;

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

/// What an edge does; see `program/operations.py`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of program/operations.py")]
pub enum Operation {
    Load { register: Register, address: Expr, size: u32, signed: bool, tags: TagSet, exclusive: bool },
    Store { address: Expr, value: Expr, size: u32, tags: TagSet, exclusive: bool },
    StoreConditional { status: Register, address: Expr, value: Expr, size: u32, tags: TagSet, carries: bool },
    Rmw(Box<Rmw>),
    Fence { tags: TagSet, address: Option<Expr> },
    Set { register: Register, value: Expr },
    Assume { condition: Expr, waits: Option<Patience> },
    Assert { condition: Expr },
    Choose { register: Register, low: Expr, high: Expr, retries: bool },
    Spawn { thread: ThreadId },
    Join { thread: ThreadId },
}

/// Whether a step that blocks may be looked at last of all: not if it can race, since the race may show earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Patience {
    Patient,
    Impatient,
}

impl Patience {
    fn decode(words: &mut Words<'_>) -> Result<Self, CoreError> {
        Ok(if words.flag()? { Self::Patient } else { Self::Impatient })
    }
}

/// An atomic read-modify-write.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of program/operations.py")]
pub struct Rmw {
    pub register: Register,
    pub address: Expr,
    pub value: Expr,
    pub condition: Expr,
    pub size: u32,
    pub signed: bool,
    pub read_tags: TagSet,
    pub write_tags: TagSet,
    pub failed_tags: TagSet,
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
    /// When it can be taken.
    pub guard: Expr,
    /// What it does.
    pub operations: Vec<Operation>,
}

/// A control point at which a thread that comes back unchanged has only waited; see `program/awaits.py`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedPoint {
    /// Which of the thread's watched points it is.
    pub number: u32,
    /// The registers that matter there.
    pub registers: Vec<Register>,
    /// Whether open exclusive loads matter there.
    pub exclusive: bool,
    /// Whether only turns with a single read count.
    pub single: bool,
    /// Whether a turn still only looks if an atomic operation writes back what it read.
    pub write_backs: bool,
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
    /// The steps that leave each control point, in order.
    pub leaving: Vec<Vec<EdgeId>>,
    /// Per control point, where what its guards decide ends, if it does.
    pub joins: Vec<Option<u32>>,
    /// Per control point, whether it is watched.
    pub watched: Vec<Option<WatchedPoint>>,
    /// Per control point, whether the process ends with the thread there.
    pub exits: Vec<bool>,
    /// Number of back edges.
    pub loops: usize,
}

/// Something that final states show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// The last value of a register.
    Register(ThreadId, Register),
    /// The last value of a cell.
    Cell(CellId),
}

/// A decoded and validated program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The locations.
    pub cells: Vec<Cell>,
    /// Where each cell is.
    pub at: BTreeMap<u64, CellId>,
    /// Per tag set the tags that the model speaks of.
    pub tag_sets: Vec<Vec<Tag>>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// What final states show.
    pub terms: Vec<Term>,
    /// What the general search takes for readable from the start, beside initial values: not part of the form.
    pub guesses: Vec<(CellId, u64)>,
}

impl Program {
    /// Reads a program for a model with `tags` tags.
    ///
    /// # Errors
    /// The form is malformed.
    pub fn decode(form: &[u64], tags: usize) -> Result<Self, CoreError> {
        let mut words = Words::new(form);
        if words.word()? != VERSION {
            return Err(words.malformed("unknown version of the program form"));
        }
        let mut cells = Vec::new();
        let mut at = BTreeMap::new();
        for number in 0..words.count()? {
            let cell = decode_cell(&mut words)?;
            if at.insert(cell.address, CellId(small(number)?)).is_some() {
                return Err(words.malformed("two cells at one address"));
            }
            cells.push(cell);
        }
        let mut tag_sets = Vec::new();
        for _ in 0..words.count()? {
            let mut set = Vec::new();
            for _ in 0..words.count()? {
                set.push(Tag(small(words.index(tags, "unknown tag")?)?));
            }
            tag_sets.push(set);
        }
        let count = words.count()?;
        let mut threads = Vec::new();
        for _ in 0..count {
            threads
                .push(Sizes { threads: count, tag_sets: tag_sets.len(), registers: 0 }.thread(&mut words)?);
        }
        let mut terms = Vec::new();
        for _ in 0..words.count()? {
            terms.push(decode_term(&mut words, &threads, cells.len())?);
        }
        words.end()?;
        Ok(Self { cells, at, tag_sets, threads, terms, guesses: Vec::new() })
    }
}

fn small(number: usize) -> Result<u32, CoreError> {
    u32::try_from(number).map_err(|_| CoreError::TooLarge("an index of 32 bits"))
}

fn decode_size(words: &mut Words<'_>) -> Result<u32, CoreError> {
    match words.word()? {
        1 => Ok(1),
        2 => Ok(2),
        4 => Ok(4),
        8 => Ok(8),
        _ => Err(words.malformed("a size is 1, 2, 4 or 8 bytes")),
    }
}

fn decode_cell(words: &mut Words<'_>) -> Result<Cell, CoreError> {
    let cell = Cell { address: words.word()?, size: decode_size(words)?, initial: words.word()? };
    if cell.initial & !cell.mask() != 0 {
        return Err(words.malformed("an initial value that does not fit"));
    }
    Ok(cell)
}

fn decode_term(words: &mut Words<'_>, threads: &[Thread], cells: usize) -> Result<Term, CoreError> {
    Ok(if words.flag()? {
        Term::Cell(CellId(small(words.index(cells, "unknown cell")?)?))
    } else {
        let thread = words.index(threads.len(), "unknown thread")?;
        let register = words.index(threads[thread].registers.len(), "unknown register")?;
        Term::Register(ThreadId(small(thread)?), Register(small(register)?))
    })
}

/// The bounds of the indices that occur in a thread.
struct Sizes {
    threads: usize,
    tag_sets: usize,
    registers: usize,
}

impl Sizes {
    fn thread(mut self, words: &mut Words<'_>) -> Result<Thread, CoreError> {
        let started = words.flag()?;
        let mut registers = Vec::new();
        for _ in 0..words.count()? {
            let has_value = words.flag()?;
            let value = words.word()?;
            registers.push(has_value.then_some(value));
        }
        self.registers = registers.len();
        let entry = words.word()?;
        let points = words.count()?.max(1);
        let entry = small(usize::try_from(entry).ok().filter(|&p| p < points).unwrap_or(usize::MAX))
            .map_err(|_| words.malformed("unknown control point"))?;
        let mut joins = vec![None; points];
        for _ in 0..words.count()? {
            let branch = words.index(points, "unknown control point")?;
            joins[branch] = Some(small(words.index(points, "unknown control point")?)?);
        }
        let watched = self.watched(words, points)?;
        let mut exits = vec![false; points];
        for _ in 0..words.count()? {
            exits[words.index(points, "unknown control point")?] = true;
        }
        let mut leaving = vec![Vec::new(); points];
        let mut edges = Vec::new();
        let mut loops = 0;
        for number in 0..words.count()? {
            let source = words.index(points, "unknown control point")?;
            let target = small(words.index(points, "unknown control point")?)?;
            leaving[source].push(EdgeId(small(number)?));
            let closes = if words.flag()? {
                loops += 1;
                Some(loops - 1)
            } else {
                None
            };
            let unordered = words.flag()?;
            let guard = Expr::decode(words, self.registers)?;
            let mut operations = Vec::new();
            for _ in 0..words.count()? {
                operations.push(self.operation(words)?);
            }
            edges.push(Edge { target, closes, unordered, guard, operations });
        }
        let loops = loops as usize;
        Ok(Thread { started, registers, entry, edges, leaving, joins, watched, exits, loops })
    }

    fn watched(&self, words: &mut Words<'_>, points: usize) -> Result<Vec<Option<WatchedPoint>>, CoreError> {
        let mut watched = vec![None; points];
        for number in 0..words.count()? {
            let point = words.index(points, "unknown control point")?;
            let (exclusive, single, write_backs) = (words.flag()?, words.flag()?, words.flag()?);
            let mut registers = Vec::new();
            for _ in 0..words.count()? {
                registers.push(self.register(words)?);
            }
            let watch = WatchedPoint { number: small(number)?, registers, exclusive, single, write_backs };
            if watched[point].replace(watch).is_some() {
                return Err(words.malformed("a control point is watched twice"));
            }
        }
        Ok(watched)
    }

    fn register(&self, words: &mut Words<'_>) -> Result<Register, CoreError> {
        Ok(Register(small(words.index(self.registers, "unknown register")?)?))
    }

    fn tags(&self, words: &mut Words<'_>) -> Result<TagSet, CoreError> {
        Ok(TagSet(small(words.index(self.tag_sets, "unknown tag set")?)?))
    }

    fn other(&self, words: &mut Words<'_>) -> Result<ThreadId, CoreError> {
        Ok(ThreadId(small(words.index(self.threads, "unknown thread")?)?))
    }

    fn expr(&self, words: &mut Words<'_>) -> Result<Expr, CoreError> {
        Expr::decode(words, self.registers)
    }

    fn operation(&self, words: &mut Words<'_>) -> Result<Operation, CoreError> {
        Ok(match words.word()? {
            0 => Operation::Load {
                register: self.register(words)?,
                address: self.expr(words)?,
                size: decode_size(words)?,
                signed: words.flag()?,
                tags: self.tags(words)?,
                exclusive: words.flag()?,
            },
            1 => Operation::Store {
                address: self.expr(words)?,
                value: self.expr(words)?,
                size: decode_size(words)?,
                tags: self.tags(words)?,
                exclusive: words.flag()?,
            },
            number @ (2 | CARRYING) => Operation::StoreConditional {
                status: self.register(words)?,
                address: self.expr(words)?,
                value: self.expr(words)?,
                size: decode_size(words)?,
                tags: self.tags(words)?,
                carries: number == CARRYING,
            },
            3 => Operation::Rmw(Box::new(Rmw {
                register: self.register(words)?,
                address: self.expr(words)?,
                value: self.expr(words)?,
                condition: self.expr(words)?,
                size: decode_size(words)?,
                signed: words.flag()?,
                read_tags: self.tags(words)?,
                write_tags: self.tags(words)?,
                failed_tags: self.tags(words)?,
            })),
            4 => {
                let tags = self.tags(words)?;
                let address = if words.flag()? { Some(self.expr(words)?) } else { None };
                Operation::Fence { tags, address }
            }
            5 => Operation::Set { register: self.register(words)?, value: self.expr(words)? },
            number @ (6 | WAITING) => {
                let condition = self.expr(words)?;
                let waits = if number == WAITING { Some(Patience::decode(words)?) } else { None };
                Operation::Assume { condition, waits }
            }
            7 => Operation::Assert { condition: self.expr(words)? },
            number @ (8 | RETRYING) => Operation::Choose {
                register: self.register(words)?,
                low: self.expr(words)?,
                high: self.expr(words)?,
                retries: number == RETRYING,
            },
            9 => Operation::Spawn { thread: self.other(words)? },
            10 => Operation::Join { thread: self.other(words)? },
            _ => return Err(words.malformed("unknown operation")),
        })
    }
}
