//! The semantics of operations: the only place that defines it, for every search.
//!
//! A search plugs in its memory. An operation that needs an answer from the search (the value of a read, a choice)
//! stops *before it changes anything*; the search performs it again once the answer is known. Edges, loop bounds,
//! the detection of spinning threads and rendezvous belong to the searches.

pub mod store_buffers;

use membar_ir::expr::{Expr, Register};
use membar_ir::program::{Address, CellId, Operation, Rmw, TagSet, ThreadId, WaitOrder};

/// The widest choice that is enumerated.
pub const WIDEST_CHOICE: u64 = 1 << 16;

/// Why an operation does not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// An assumption does not hold; a step that waits may be taken later.
    Assumption(Option<WaitOrder>),
    /// There is no value to choose.
    NoChoice,
    /// There are too many values to choose from.
    TooWide,
    /// An assertion fails.
    Failed,
    /// An access hits no location.
    Fault,
    /// The search gives the operation no meaning.
    Unsupported(&'static str),
}

/// What a register's new value depends on.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// The read performed last.
    Read,
    /// The write performed last.
    Write,
    /// An expression.
    Expr(&'a Expr),
    /// Two expressions.
    Exprs(&'a Expr, &'a Expr),
    /// Nothing.
    Nothing,
}

/// An access to memory.
#[derive(Debug, Clone, Copy)]
pub struct Access<'a> {
    /// The location.
    pub cell: CellId,
    /// How the program names it.
    pub address: &'a Address,
    /// Its tags.
    pub tags: TagSet,
    /// Whether it is a load-linked or its store.
    pub exclusive: bool,
}

/// A thread and the memory that it acts on: sequential, with store buffers, or an execution graph.
pub trait Memory {
    /// Why an operation does not complete: a reason, a question, or alternatives.
    type Stop;

    /// The value of an expression over the thread's registers.
    fn evaluate(&mut self, expr: &Expr) -> u64;

    /// Gives a register a value.
    fn assign(&mut self, register: Register, value: u64, source: Source<'_>);

    /// Whether the thread continues depends on `condition`.
    fn decide(&mut self, _condition: &Expr) {}

    /// The cell of `size` bytes at an address, if there is one.
    fn cell_at(&self, address: u64, size: u32) -> Option<CellId>;

    /// The thread stops here.
    fn halt(&mut self, halt: Halt) -> Self::Stop;

    /// What a load returns.
    fn load(&mut self, access: Access<'_>) -> Result<u64, Self::Stop>;

    /// Stores the value of an expression.
    fn store(&mut self, access: Access<'_>, value: &Expr) -> Result<(), Self::Stop>;

    /// Stores the value of an expression unless it fails: 0 if it stored.
    fn store_conditional(&mut self, _access: Access<'_>, _value: &Expr) -> Result<u64, Self::Stop> {
        Err(self.halt(Halt::Unsupported("a store-conditional has no meaning here")))
    }

    /// What a read-modify-write reads.
    fn update_read(&mut self, cell: CellId, rmw: &Rmw) -> Result<u64, Self::Stop>;

    /// A read-modify-write does not write.
    fn update_fails(&mut self, rmw: &Rmw) -> Result<(), Self::Stop>;

    /// A read-modify-write writes; `old` is what it read.
    fn update_write(&mut self, cell: CellId, rmw: &Rmw, old: u64) -> Result<(), Self::Stop>;

    /// A fence.
    fn fence(&mut self, tags: TagSet, address: Option<&Expr>) -> Result<(), Self::Stop>;

    /// A value from `low` to `high`, which are signed and not too many.
    fn choose(&mut self, low: i64, high: i64, retries: bool) -> Result<u64, Self::Stop>;

    /// Starts a thread.
    fn spawn(&mut self, thread: ThreadId) -> Result<(), Self::Stop>;

    /// Waits for the end of a thread.
    fn join(&mut self, thread: ThreadId) -> Result<(), Self::Stop>;

    /// Takes a lock.
    fn lock(&mut self, _cell: CellId) -> Result<(), Self::Stop> {
        Err(self.halt(Halt::Unsupported("a lock has no meaning here")))
    }

    /// Releases a lock.
    fn unlock(&mut self, _cell: CellId) -> Result<(), Self::Stop> {
        Err(self.halt(Halt::Unsupported("a lock has no meaning here")))
    }

    /// Sends a message.
    fn send(&mut self, _channel: usize, _values: &[Expr]) -> Result<(), Self::Stop> {
        Err(self.halt(Halt::Unsupported("a channel has no meaning here")))
    }

    /// Receives a message.
    fn receive(&mut self, _channel: usize, _registers: &[Register]) -> Result<(), Self::Stop> {
        Err(self.halt(Halt::Unsupported("a channel has no meaning here")))
    }
}

/// Performs one operation.
#[inline]
pub fn perform<M: Memory>(memory: &mut M, operation: &Operation) -> Result<(), M::Stop> {
    match operation {
        Operation::Load { register, address, extension, tags, exclusive } => {
            let cell = resolve(memory, address)?;
            let value = memory.load(Access { cell, address, tags: *tags, exclusive: *exclusive })?;
            memory.assign(*register, sign_extend(value, *extension), Source::Read);
        }
        Operation::Store { address, value, tags, exclusive } => {
            let cell = resolve(memory, address)?;
            memory.store(Access { cell, address, tags: *tags, exclusive: *exclusive }, value)?;
        }
        Operation::StoreConditional { status, address, value, tags, carries } => {
            let cell = resolve(memory, address)?;
            let access = Access { cell, address, tags: *tags, exclusive: true };
            let failed = memory.store_conditional(access, value)?;
            let source = if *carries && failed == 0 { Source::Write } else { Source::Nothing };
            memory.assign(*status, failed, source);
        }
        Operation::Rmw(rmw) => {
            let cell = resolve(memory, &rmw.address)?;
            let old = memory.update_read(cell, rmw)?;
            // The condition and the new value see what was read.
            memory.assign(rmw.register, sign_extend(old, rmw.extension), Source::Read);
            if memory.evaluate(&rmw.condition) == 0 {
                memory.update_fails(rmw)?;
            } else {
                memory.update_write(cell, rmw, old)?;
            }
        }
        Operation::Fence { tags, address } => memory.fence(*tags, address.as_ref())?,
        Operation::Set { register, value } => {
            let word = memory.evaluate(value);
            memory.assign(*register, word, Source::Expr(value));
        }
        Operation::Assume { condition, waits } => {
            memory.decide(condition);
            if memory.evaluate(condition) == 0 {
                return Err(memory.halt(Halt::Assumption(*waits)));
            }
        }
        Operation::Assert { condition } => {
            if memory.evaluate(condition) == 0 {
                return Err(memory.halt(Halt::Failed));
            }
        }
        Operation::Choose { register, low, high, retries } => {
            let (first, last) = (memory.evaluate(low).cast_signed(), memory.evaluate(high).cast_signed());
            if first > last {
                return Err(memory.halt(Halt::NoChoice));
            }
            if last.wrapping_sub(first).cast_unsigned() >= WIDEST_CHOICE {
                return Err(memory.halt(Halt::TooWide));
            }
            let value = memory.choose(first, last, *retries)?;
            memory.assign(*register, value, Source::Exprs(low, high));
        }
        Operation::Spawn { thread } => memory.spawn(*thread)?,
        Operation::Join { thread } => memory.join(*thread)?,
        Operation::Lock { address } => {
            let cell = resolve(memory, address)?;
            memory.lock(cell)?;
        }
        Operation::Unlock { address } => {
            let cell = resolve(memory, address)?;
            memory.unlock(cell)?;
        }
        Operation::Send { channel, values } => memory.send(*channel, values)?,
        Operation::Receive { channel, registers } => memory.receive(*channel, registers)?,
    }
    Ok(())
}

/// The cell that an access goes to.
fn resolve<M: Memory>(memory: &mut M, address: &Address) -> Result<CellId, M::Stop> {
    match address {
        Address::Cell(cell) => Ok(*cell),
        Address::Computed(expr, size) => {
            let word = memory.evaluate(expr);
            memory.cell_at(word, *size).ok_or_else(|| memory.halt(Halt::Fault))
        }
    }
}

/// A word, sign-extended from its lowest `bits`, if that is not 0.
#[must_use]
pub fn sign_extend(word: u64, bits: u32) -> u64 {
    if bits == 0 {
        return word;
    }
    let shift = 64 - bits;
    ((word << shift).cast_signed() >> shift).cast_unsigned()
}
