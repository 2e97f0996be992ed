//! One step: the operations of an edge, done to a copy of a state. The words are those of
//! `engines/reference/step.py`, operation by operation.

use crate::expr::{Expr, Register};
use crate::program::{CellId, ThreadId};

use super::fault::Fault;
use super::local::{Entry, Local, put};
use super::memo::Trace;
use super::program::{Address, Edge, Operation, Program, Rmw, Waits};
use super::store::Strings;

/// The widest choice that is enumerated.
const WIDEST_CHOICE: u64 = 1 << 16;

/// Why an edge was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// It can perhaps be taken later.
    Waits,
    /// Its stores do not fit into the buffer.
    Held,
    /// They do not fit into an empty buffer either: it never happens.
    Unfit,
    /// An assumption fails: the run stops here.
    Blocked,
    /// An assertion fails.
    Failed,
    /// An access hits no location.
    Fault,
    /// It has no meaning here.
    Refused(&'static str),
    /// There are more parts of states than numbers for them.
    Full,
}

pub(super) type Done<T = ()> = Result<T, Halt>;

/// Choices made inside a step: which of how many, in order. The next run takes the next combination.
#[derive(Debug, Default)]
struct Picks {
    made: Vec<(u64, u64)>,
    at: usize,
}

impl Picks {
    fn pick(&mut self, options: u64) -> u64 {
        if self.at == self.made.len() {
            self.made.push((0, options));
        }
        self.at += 1;
        self.made[self.at - 1].0
    }

    /// Goes on to the next combination; false after the last.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some(last) = self.made.last_mut() {
            if last.0 + 1 < last.1 {
                last.0 += 1;
                return true;
            }
            self.made.pop();
        }
        false
    }
}

/// A state being changed.
#[derive(Debug)]
pub(super) struct Bench {
    /// Parts of threads, per thread.
    pub(super) locals: Vec<Strings>,
    /// Contents of channels, per channel.
    pub(super) contents: Vec<Strings>,
    /// The state: words of memory, then parts of threads, then contents of channels.
    pub(super) leaves: Vec<u32>,
    /// Values read and chosen by this step, in order.
    pub(super) made: Vec<u64>,
    /// What this step looks at and stores.
    pub(super) trace: Trace,
    /// The same for who receives at once what this step sends.
    pub(super) theirs: Vec<u64>,
    pub(super) fault: Fault,
    /// Who moves, and its part.
    pub(super) thread: usize,
    pub(super) local: Local,
    /// Entries put into the buffer by this very step.
    pub(super) fresh: usize,
    pub(super) is_first_exclusive: bool,
    picks: Picks,
    /// A message on its way to who receives at once.
    pub(super) message: Option<Vec<u64>>,
    pub(super) stack: Vec<u64>,
    bytes: Vec<u8>,
    pub(super) other: Local,
    /// Whether some thread has exclusive accesses.
    pub(super) has_exclusives: bool,
}

impl Bench {
    pub(super) fn new(program: &Program, fault: Fault) -> Self {
        let operations =
            program.threads.iter().flat_map(|thread| &thread.edges).flat_map(|edge| &edge.operations);
        let has_exclusives = operations.into_iter().any(|operation| {
            matches!(
                operation,
                Operation::Load { exclusive: true, .. }
                    | Operation::Store { exclusive: true, .. }
                    | Operation::StoreConditional { .. }
            )
        });
        Self {
            locals: program.threads.iter().map(|_| Strings::new()).collect(),
            contents: program.channels.iter().map(|_| Strings::new()).collect(),
            leaves: Vec::new(),
            made: Vec::new(),
            trace: Trace::default(),
            theirs: Vec::new(),
            fault,
            thread: 0,
            local: Local::default(),
            fresh: 0,
            is_first_exclusive: true,
            picks: Picks::default(),
            message: None,
            stack: Vec::new(),
            bytes: Vec::new(),
            other: Local::default(),
            has_exclusives,
        }
    }

    /// Takes over the parts of states that other threads have named.
    pub(super) fn catch_up(&mut self) {
        for strings in self.locals.iter_mut().chain(&mut self.contents) {
            strings.catch_up();
        }
    }

    /// Reads the part of `thread` in a state.
    pub(super) fn read_local(&self, program: &Program, leaves: &[u32], thread: usize, local: &mut Local) {
        let number = leaves[program.words + thread];
        local.read(self.locals[thread].get(number), program.threads[thread].registers.len());
    }

    /// The number of a part of `thread`.
    pub(super) fn number_of(&mut self, thread: usize, local: &Local) -> Option<u32> {
        local.write(&mut self.bytes);
        self.locals[thread].number(&self.bytes)
    }

    /// The number of the contents of a channel.
    pub(super) fn number_of_contents(&mut self, channel: usize, words: &[u64]) -> Option<u32> {
        self.bytes.clear();
        for &word in words {
            put(&mut self.bytes, word);
        }
        self.contents[channel].number(&self.bytes)
    }

    /// Begins a step of `thread`, whose part is `local`, in the state `leaves`.
    pub(super) fn begin(&mut self, leaves: &[u32], thread: usize, local: &Local) {
        self.leaves.clear();
        self.leaves.extend_from_slice(leaves);
        self.thread = thread;
        self.local.copy_from(local);
        self.fresh = 0;
        self.is_first_exclusive = true;
        self.made.clear();
        self.trace.clear();
        self.theirs.clear();
        self.message = None;
    }

    /// Takes an edge, with the choices that are next; afterwards `leaves` is the state that it leads to.
    pub(super) fn take_edge(
        &mut self,
        program: &Program,
        leaves: &[u32],
        thread: usize,
        local: &Local,
        edge: &Edge,
    ) -> Done {
        self.begin(leaves, thread, local);
        self.run(program, edge)?;
        self.finish(program)
    }

    /// Whether there is another combination of choices for the edge that was taken last.
    pub(super) fn has_more_choices(&mut self) -> bool {
        self.picks.advance()
    }

    /// Moves the buffer entry at `position` to memory.
    pub(super) fn take_flush(
        &mut self,
        program: &Program,
        leaves: &[u32],
        thread: usize,
        local: &Local,
        position: usize,
    ) -> Done {
        self.begin(leaves, thread, local);
        self.flush(program, position)?;
        self.finish(program)
    }

    pub(super) fn run(&mut self, program: &Program, edge: &Edge) -> Done {
        self.run_part(program, edge, &edge.operations)?;
        self.arrive(program, edge);
        Ok(())
    }

    pub(super) fn run_part(&mut self, program: &Program, edge: &Edge, operations: &[Operation]) -> Done {
        for operation in operations {
            self.perform(program, edge, operation)?;
        }
        Ok(())
    }

    pub(super) fn arrive(&mut self, program: &Program, edge: &Edge) {
        self.local.point = edge.target;
        for register in &program.threads[self.thread].cleared[edge.target as usize] {
            self.local.registers[register.index()] = 0;
        }
    }

    /// Puts the part of who moves into the state.
    pub(super) fn finish(&mut self, program: &Program) -> Done {
        self.settle(program)?;
        self.local.write(&mut self.bytes);
        let number = self.locals[self.thread].number(&self.bytes).ok_or(Halt::Full)?;
        self.leaves[program.words + self.thread] = number;
        Ok(())
    }

    fn perform(&mut self, program: &Program, edge: &Edge, operation: &Operation) -> Done {
        match operation {
            Operation::Load { register, address, extension, exclusive } => {
                let cell = self.cell(program, address)?;
                if *exclusive && edge.is_instruction {
                    self.drain(program)?;
                }
                let word = self.seen(program, cell);
                self.made.push(word);
                self.set(*register, extended(word, *extension));
                if *exclusive {
                    self.reserve(cell);
                }
                Ok(())
            }
            Operation::Store { address, value, exclusive, atomic } => {
                let cell = self.cell(program, address)?;
                if *exclusive {
                    self.promise(cell)?;
                }
                let value = self.value(value);
                if *atomic == Waits::All {
                    self.await_others(program)?;
                }
                let at_once = (*exclusive && edge.is_instruction)
                    || (*atomic >= Waits::Own && self.fault != Fault::AtomicIsBuffered);
                self.store(program, cell, value, at_once)
            }
            Operation::Unlock { address } => {
                let cell = self.cell(program, address)?;
                self.store(program, cell, 0, false)
            }
            Operation::StoreConditional { status, address, value } => {
                let cell = self.cell(program, address)?;
                self.store_conditional(program, *status, cell, value)
            }
            Operation::Rmw(rmw) => self.rmw(program, rmw),
            Operation::Lock { address } => {
                let cell = self.cell(program, address)?;
                self.drain(program)?;
                if self.read_memory(program, cell) != 0 && self.fault != Fault::LockIgnoresOwner {
                    return Err(Halt::Waits);
                }
                self.made.push(0);
                self.store(program, cell, 1, true)
            }
            Operation::Fence { waits } => self.fence(program, *waits),
            Operation::Set { register, value } => {
                let value = self.value(value);
                self.set(*register, value);
                Ok(())
            }
            Operation::Assume { condition, waits } => {
                let waits = *waits && self.fault != Fault::WaitingIsBlocked;
                let halt = if waits { Halt::Waits } else { Halt::Blocked };
                if self.value(condition) == 0 { Err(halt) } else { Ok(()) }
            }
            Operation::Assert { condition } => {
                if self.value(condition) == 0 {
                    Err(Halt::Failed)
                } else {
                    Ok(())
                }
            }
            Operation::Choose { register, low, high, .. } => self.choose(*register, low, high),
            Operation::Spawn { thread } => {
                self.local.buffer.push(Entry::Birth(thread.0));
                self.settle(program)
            }
            Operation::Join { thread } => self.join(program, *thread),
            Operation::Send { channel, values } => self.send(program, *channel, values),
            Operation::Receive { channel, registers } => self.receive(program, *channel, registers),
        }
    }

    pub(super) fn set(&mut self, register: Register, value: u64) {
        self.local.registers[register.index()] = value;
    }

    pub(super) fn value(&mut self, expr: &Expr) -> u64 {
        expr.evaluate(&self.local.registers, &mut self.stack)
    }

    fn cell(&mut self, program: &Program, address: &Address) -> Done<CellId> {
        match address {
            Address::Cell(cell) => Ok(*cell),
            Address::Computed(expr, size) => {
                let word = self.value(expr);
                program.cell_at(word, *size).ok_or(Halt::Fault)
            }
        }
    }

    fn store_conditional(&mut self, program: &Program, status: Register, cell: CellId, value: &Expr) -> Done {
        let is_reserved = self.local.monitor.iter().any(|item| item.0 == cell);
        let fails = if is_reserved { self.picks.pick(2) } else { 1 };
        self.made.push(fails);
        if fails == 0 {
            self.promise(cell)?;
            let value = self.value(value);
            self.store(program, cell, value, false)?;
        }
        self.local.monitor.clear();
        self.set(status, fails);
        Ok(())
    }

    fn rmw(&mut self, program: &Program, rmw: &Rmw) -> Done {
        let cell = self.cell(program, &rmw.address)?;
        let word = self.seen(program, cell);
        self.set(rmw.register, extended(word, rmw.extension));
        let writes = self.value(&rmw.condition) != 0;
        if (writes || rmw.locked) && self.fault != Fault::LockedWithoutDrain {
            self.drain(program)?;
        }
        self.made.push(word);
        if !writes {
            return Ok(());
        }
        let value = self.value(&rmw.value);
        let at_once = self.fault != Fault::LockedWithoutDrain;
        self.store(program, cell, value, at_once)
    }

    fn fence(&mut self, program: &Program, waits: Waits) -> Done {
        match waits {
            _ if self.fault == Fault::FenceIgnored => {}
            Waits::Nothing => {}
            Waits::OrderStores => {
                if self.local.buffer.last().is_some_and(|&last| last != Entry::Barrier) {
                    self.local.buffer.push(Entry::Barrier);
                }
            }
            Waits::All => {
                self.await_others(program)?;
                self.drain(program)?;
            }
            Waits::Own => self.drain(program)?,
        }
        Ok(())
    }

    fn choose(&mut self, register: Register, low: &Expr, high: &Expr) -> Done {
        let (first, last) = (self.value(low).cast_signed(), self.value(high).cast_signed());
        if first > last {
            return Err(Halt::Blocked);
        }
        let width = last.wrapping_sub(first).cast_unsigned();
        if width >= WIDEST_CHOICE {
            return Err(Halt::Refused("a choice among so many values is too wide to enumerate"));
        }
        let value = first.cast_unsigned().wrapping_add(self.picks.pick(width + 1));
        self.made.push(value);
        self.set(register, value);
        Ok(())
    }

    fn join(&mut self, program: &Program, thread: ThreadId) -> Done {
        let number = thread.index();
        let mut other = std::mem::take(&mut self.other);
        self.read_local(program, &self.leaves, number, &mut other);
        let is_ended = other.born
            && program.threads[number].leaving[other.point as usize].is_empty()
            && (other.buffer.is_empty() || self.fault == Fault::JoinIgnoresBuffer);
        self.other = other;
        if !is_ended {
            return Err(Halt::Waits);
        }
        self.made.push(1);
        Ok(())
    }
}

/// A loaded word, sign-extended from `bits`, if that is not 0.
fn extended(word: u64, bits: u32) -> u64 {
    if bits == 0 {
        return word;
    }
    let shift = 64 - bits;
    ((word << shift).cast_signed() >> shift).cast_unsigned()
}
