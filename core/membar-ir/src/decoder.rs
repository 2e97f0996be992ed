//! Reading a program from its compact form, a list of words that `program/encoding.py` writes.
//!
//! A list is its length followed by its items. Every index is checked, so that a decoded program needs no checks.
//!
//! ```text
//! program    = VERSION objects channels tag-sets threads terms predicates errors
//! object     = address size is-signed list of initial values
//! channel    = capacity width
//! tag-set    = list of tags, as far as the model speaks of them
//! thread     = is-started registers entry number-of-points joins watches committed ends exits atomic edges
//! register   = has-initial-value value
//! join       = branch point-where-its-paths-meet
//! watch      = point exclusive-matters single-read-only write-backs list of registers that matter
//! edge       = source target is-back-edge is-unordered rank is-idle guard operations
//! operation  = number of its kind, in the order of `Operation`, then its fields
//! term       = 0 thread register, or 1 cell
//! predicate  = list of what it reads (0 cell, 1 thread register, or 2 thread points), expression over these
//! error      = number of a predicate
//! ```
//!
//! `committed`, `ends`, `exits` and `atomic` are lists of control points; expressions are as in `expr.rs`.

use std::collections::BTreeSet;

use crate::error::CoreError;
use crate::expr::{Expr, Register};
use crate::program::Tag;
use crate::program::{
    Address, Cell, CellId, Channel, Edge, EdgeId, Meeting, Object, Observable, Operation, Predicate, Program,
    Rmw, TagSet, Term, Thread, ThreadId, WaitOrder, WatchedPoint,
};
use crate::words::Words;

/// First word of the form; to be changed with it.
pub const VERSION: u64 = 9;

impl Program {
    /// Reads a program for a model with `tags` tags.
    pub fn decode(form: &[u64], tags: usize) -> Result<Self, CoreError> {
        let mut words = Words::new(form);
        if words.word()? != VERSION {
            return Err(words.malformed("unknown version of the program form"));
        }
        let mut program = Self {
            cells: Vec::new(),
            objects: Vec::new(),
            channels: Vec::new(),
            tag_sets: Vec::new(),
            threads: Vec::new(),
            terms: Vec::new(),
            predicates: Vec::new(),
            errors: Vec::new(),
            guesses: Vec::new(),
        };
        program.decode_objects(&mut words)?;
        for _ in 0..words.count()? {
            let capacity = words.index(usize::MAX, "a capacity")?;
            program.channels.push(Channel { capacity, width: words.index(usize::MAX, "a width")? });
        }
        for _ in 0..words.count()? {
            let mut set = Vec::new();
            for _ in 0..words.count()? {
                set.push(Tag(small(words.index(tags, "unknown tag")?)?));
            }
            program.tag_sets.push(set);
        }
        let threads = words.count()?;
        for _ in 0..threads {
            let decoder = ThreadDecoder { program: &program, threads, registers: 0, points: 0 };
            let thread = decoder.thread(&mut words)?;
            program.threads.push(thread);
        }
        for _ in 0..words.count()? {
            let term = program.term(&mut words)?;
            program.terms.push(term);
        }
        for _ in 0..words.count()? {
            let predicate = program.predicate(&mut words)?;
            program.predicates.push(predicate);
        }
        for _ in 0..words.count()? {
            program.errors.push(words.index(program.predicates.len(), "unknown predicate")?);
        }
        words.end()?;
        Ok(program)
    }

    fn decode_objects(&mut self, words: &mut Words<'_>) -> Result<(), CoreError> {
        let mut addresses = BTreeSet::new();
        for _ in 0..words.count()? {
            let (address, size, signed) = (words.word()?, decode_size(words)?, words.flag()?);
            let first = small(self.cells.len())?;
            let count = words.count()?;
            for offset in (0..count as u64).map(|index| index.wrapping_mul(u64::from(size))) {
                let address = address.wrapping_add(offset);
                let cell = Cell { address, size, signed, initial: words.word()? };
                if cell.initial & !cell.mask() != 0 {
                    return Err(words.malformed("an initial value that does not fit"));
                }
                if !addresses.insert(address) {
                    return Err(words.malformed("two cells at one address"));
                }
                self.cells.push(cell);
            }
            if count > 0 {
                self.objects.push(Object { address, size, first, count: small(count)? });
            }
        }
        self.objects.sort_by_key(|object| object.address);
        Ok(())
    }

    fn term(&self, words: &mut Words<'_>) -> Result<Term, CoreError> {
        Ok(if words.flag()? {
            Term::Cell(self.cell(words)?)
        } else {
            let (thread, register) = self.register(words)?;
            Term::Register(thread, register)
        })
    }

    fn cell(&self, words: &mut Words<'_>) -> Result<CellId, CoreError> {
        Ok(CellId(small(words.index(self.cells.len(), "unknown cell")?)?))
    }

    fn register(&self, words: &mut Words<'_>) -> Result<(ThreadId, Register), CoreError> {
        let thread = words.index(self.threads.len(), "unknown thread")?;
        let register = words.index(self.threads[thread].registers.len(), "unknown register")?;
        Ok((ThreadId(small(thread)?), Register(small(register)?)))
    }

    fn predicate(&self, words: &mut Words<'_>) -> Result<Predicate, CoreError> {
        let mut reads = Vec::new();
        for _ in 0..words.count()? {
            reads.push(match words.word()? {
                0 => Observable::Cell(self.cell(words)?),
                1 => {
                    let (thread, register) = self.register(words)?;
                    Observable::Register(thread, register)
                }
                2 => {
                    let thread = words.index(self.threads.len(), "unknown thread")?;
                    let points = some_points(words, self.threads[thread].leaving.len())?;
                    Observable::At(ThreadId(small(thread)?), points)
                }
                _ => return Err(words.malformed("unknown observable")),
            });
        }
        let expression = Expr::decode(words, reads.len())?;
        Ok(Predicate { reads, expression })
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

/// A list of control points, as a table.
fn some_points(words: &mut Words<'_>, points: usize) -> Result<Vec<bool>, CoreError> {
    let mut chosen = vec![false; points];
    for _ in 0..words.count()? {
        chosen[words.index(points, "unknown control point")?] = true;
    }
    Ok(chosen)
}

/// The bits from which a loaded value of `size` bytes is sign-extended; 0 if it is not.
fn decode_extension(words: &mut Words<'_>, size: u32) -> Result<u32, CoreError> {
    Ok(if words.flag()? { 8 * size } else { 0 })
}

/// One thread, and the bounds of the indices that occur in it.
struct ThreadDecoder<'p> {
    program: &'p Program,
    threads: usize,
    registers: usize,
    points: usize,
}

impl ThreadDecoder<'_> {
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
        self.points = words.count()?.max(1);
        if entry >= self.points as u64 {
            return Err(words.malformed("unknown control point"));
        }
        let entry = u32::try_from(entry).map_err(|_| CoreError::TooLarge("an index of 32 bits"))?;
        let mut joins = vec![None; self.points];
        for _ in 0..words.count()? {
            let branch = self.point(words)?;
            joins[branch as usize] = Some(self.point(words)?);
        }
        let watched = self.watched_points(words)?;
        let committed = some_points(words, self.points)?;
        let ends = some_points(words, self.points)?;
        let exits = some_points(words, self.points)?;
        let atomic = some_points(words, self.points)?;
        let mut leaving = vec![Vec::new(); self.points];
        let mut edges: Vec<Edge> = Vec::new();
        let mut loops = 0;
        for number in 0..words.count()? {
            leaving[self.point(words)? as usize].push(EdgeId(small(number)?));
            edges.push(self.edge(words, &mut loops)?);
        }
        for edges_there in &mut leaving {
            edges_there.sort_by_key(|edge: &EdgeId| edges[edge.index()].rank);
        }
        let loops = loops as usize;
        Ok(Thread {
            started,
            registers,
            entry,
            edges,
            leaving,
            joins,
            watched,
            committed,
            ends,
            exits,
            atomic,
            loops,
        })
    }

    fn watched_points(&self, words: &mut Words<'_>) -> Result<Vec<Option<WatchedPoint>>, CoreError> {
        let mut watched = vec![None; self.points];
        for number in 0..words.count()? {
            let point = self.point(words)?;
            let (exclusive, single) = (words.flag()?, words.flag()?);
            let (write_backs, dependent) = (words.flag()?, words.flag()?);
            let mut registers = Vec::new();
            for _ in 0..words.count()? {
                registers.push(self.register(words)?);
            }
            let number = small(number)?;
            let watch = WatchedPoint { number, registers, exclusive, single, write_backs, dependent };
            if watched[point as usize].replace(watch).is_some() {
                return Err(words.malformed("a control point is watched twice"));
            }
        }
        Ok(watched)
    }

    /// An edge after its source; `loops` counts back edges.
    fn edge(&self, words: &mut Words<'_>, loops: &mut u32) -> Result<Edge, CoreError> {
        let target = self.point(words)?;
        let closes = words.flag()?.then_some(*loops);
        *loops += u32::from(closes.is_some());
        let unordered = words.flag()?;
        let rank = small(words.index(usize::MAX, "a rank")?)?;
        let idle = words.flag()?;
        let guard = self.expr(words)?;
        let guard = (guard.as_constant() != Some(1)).then_some(guard);
        let mut operations = Vec::new();
        for _ in 0..words.count()? {
            operations.push(self.operation(words)?);
        }
        let has = |is: fn(&Operation) -> bool| operations.iter().any(is);
        let is_instruction = has(|op| matches!(op, Operation::Load { exclusive: true, .. }))
            && has(|op| matches!(op, Operation::Store { exclusive: true, .. }));
        let meeting = operations.iter().enumerate().find_map(|(position, operation)| {
            let (channel, sends) = match *operation {
                Operation::Send { channel, .. } => (channel, true),
                Operation::Receive { channel, .. } => (channel, false),
                _ => return None,
            };
            let meets = self.program.channels[channel].capacity == 0;
            meets.then_some(Meeting { channel, position, sends })
        });
        Ok(Edge { target, closes, unordered, rank, idle, guard, operations, is_instruction, meeting })
    }

    fn point(&self, words: &mut Words<'_>) -> Result<u32, CoreError> {
        small(words.index(self.points, "unknown control point")?)
    }

    fn register(&self, words: &mut Words<'_>) -> Result<Register, CoreError> {
        Ok(Register(small(words.index(self.registers, "unknown register")?)?))
    }

    fn tags(&self, words: &mut Words<'_>) -> Result<TagSet, CoreError> {
        Ok(TagSet(small(words.index(self.program.tag_sets.len(), "unknown tag set")?)?))
    }

    fn other(&self, words: &mut Words<'_>) -> Result<ThreadId, CoreError> {
        Ok(ThreadId(small(words.index(self.threads, "unknown thread")?)?))
    }

    fn expr(&self, words: &mut Words<'_>) -> Result<Expr, CoreError> {
        Expr::decode(words, self.registers)
    }

    /// The target of an access of `size` bytes: a cell if the address is constant and right.
    fn address(&self, expr: Expr, size: u32) -> Address {
        let word = expr.registers().is_empty().then(|| expr.evaluate(&[], &mut Vec::new()));
        let cell = word.and_then(|word| self.program.cell_at(word, size));
        cell.map_or(Address::Computed(expr, size), Address::Cell)
    }

    fn operation(&self, words: &mut Words<'_>) -> Result<Operation, CoreError> {
        Ok(match words.word()? {
            0 => {
                let (register, address) = (self.register(words)?, self.expr(words)?);
                let size = decode_size(words)?;
                Operation::Load {
                    register,
                    address: self.address(address, size),
                    extension: decode_extension(words, size)?,
                    tags: self.tags(words)?,
                    exclusive: words.flag()?,
                }
            }
            1 => {
                let (address, value) = (self.expr(words)?, self.expr(words)?);
                let address = self.address(address, decode_size(words)?);
                Operation::Store { address, value, tags: self.tags(words)?, exclusive: words.flag()? }
            }
            2 => {
                let status = self.register(words)?;
                let (address, value) = (self.expr(words)?, self.expr(words)?);
                let address = self.address(address, decode_size(words)?);
                let tags = self.tags(words)?;
                Operation::StoreConditional { status, address, value, tags, carries: words.flag()? }
            }
            3 => Operation::Rmw(Box::new(self.rmw(words)?)),
            4 => {
                let tags = self.tags(words)?;
                let address = if words.flag()? { Some(self.expr(words)?) } else { None };
                Operation::Fence { tags, address }
            }
            5 => Operation::Set { register: self.register(words)?, value: self.expr(words)? },
            6 => {
                let condition = self.expr(words)?;
                let waits = [None, Some(WaitOrder::InTurn), Some(WaitOrder::Last)];
                Operation::Assume { condition, waits: waits[words.index(3, "unknown kind of waiting")?] }
            }
            7 => Operation::Assert { condition: self.expr(words)? },
            8 => Operation::Choose {
                register: self.register(words)?,
                low: self.expr(words)?,
                high: self.expr(words)?,
                retries: words.flag()?,
            },
            9 => Operation::Spawn { thread: self.other(words)? },
            10 => Operation::Join { thread: self.other(words)? },
            11 => Operation::Lock { address: self.lock_address(words)? },
            12 => Operation::Unlock { address: self.lock_address(words)? },
            13 => {
                let (channel, width) = self.channel(words)?;
                let values = (0..width).map(|_| self.expr(words)).collect::<Result<_, _>>()?;
                Operation::Send { channel, values }
            }
            14 => {
                let (channel, width) = self.channel(words)?;
                let registers = (0..width).map(|_| self.register(words)).collect::<Result<_, _>>()?;
                Operation::Receive { channel, registers }
            }
            _ => return Err(words.malformed("unknown operation")),
        })
    }

    fn lock_address(&self, words: &mut Words<'_>) -> Result<Address, CoreError> {
        let address = self.expr(words)?;
        Ok(self.address(address, decode_size(words)?))
    }

    fn rmw(&self, words: &mut Words<'_>) -> Result<Rmw, CoreError> {
        let (register, address) = (self.register(words)?, self.expr(words)?);
        let (value, condition) = (self.expr(words)?, self.expr(words)?);
        let size = decode_size(words)?;
        Ok(Rmw {
            register,
            address: self.address(address, size),
            value,
            condition,
            extension: decode_extension(words, size)?,
            read_tags: self.tags(words)?,
            write_tags: self.tags(words)?,
            failed_tags: self.tags(words)?,
        })
    }

    /// A channel and the width of the message that follows.
    fn channel(&self, words: &mut Words<'_>) -> Result<(usize, usize), CoreError> {
        let channel = words.index(self.program.channels.len(), "unknown channel")?;
        let width = words.count()?;
        if width != self.program.channels[channel].width {
            return Err(words.malformed("a message of the wrong width"));
        }
        Ok((channel, width))
    }
}
