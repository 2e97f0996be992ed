//! Performs the operations of an edge on a copy of a state.

use membar_ir::expr::{Expr, Register};
use membar_ir::program::{Address, CellId, Edge, Operation, Rmw, TagSet, ThreadId};
use membar_step::store_buffers::Waits;
use membar_step::{Access, Memory, Source, perform};

use super::cache::Trace;
use super::components::ComponentTable;
use super::program::{CellLayout, Program};
use super::thread_state::{Entry, ThreadState, put};

/// Why an edge was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Halt {
    /// It can perhaps be taken later.
    Waits,
    /// It will be taken when store buffers are empty.
    Drains,
    /// Its stores do not fit into the buffer.
    BufferFull,
    /// They do not fit into an empty buffer either: it never happens.
    NeverFits,
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
    values: Vec<(u64, u64)>,
    at: usize,
}

impl Picks {
    fn pick(&mut self, options: u64) -> u64 {
        if self.at == self.values.len() {
            self.values.push((0, options));
        }
        self.at += 1;
        self.values[self.at - 1].0
    }

    /// Goes on to the next combination; false after the last.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some(last) = self.values.last_mut() {
            if last.0 + 1 < last.1 {
                last.0 += 1;
                return true;
            }
            self.values.pop();
        }
        false
    }
}

/// A state being changed.
#[derive(Debug)]
pub(super) struct Stepper {
    /// Parts of threads, per thread.
    pub(super) locals: Vec<ComponentTable>,
    /// Contents of channels, per channel.
    pub(super) contents: Vec<ComponentTable>,
    /// The state: words of memory, then parts of threads, then contents of channels.
    pub(super) leaves: Vec<u32>,
    /// Values read and chosen by this step, in order.
    pub(super) values: Vec<u64>,
    /// What this step looks at and stores.
    pub(super) trace: Trace,
    /// The same for the receiver of a rendezvous.
    pub(super) partner_values: Vec<u64>,
    /// The thread that moves, and its state.
    pub(super) thread: usize,
    pub(super) local: ThreadState,
    /// Entries put into the buffer by this very step.
    pub(super) fresh: usize,
    pub(super) is_first_exclusive: bool,
    picks: Picks,
    /// The message of a rendezvous.
    pub(super) message: Option<Vec<u64>>,
    pub(super) stack: Vec<u64>,
    bytes: Vec<u8>,
    pub(super) other: ThreadState,
    /// Whether some thread has exclusive accesses.
    pub(super) has_exclusives: bool,
}

impl Stepper {
    pub(super) fn new(program: &Program) -> Self {
        let has_exclusives = program.operations().any(|operation| {
            matches!(
                operation,
                Operation::Load { exclusive: true, .. }
                    | Operation::Store { exclusive: true, .. }
                    | Operation::StoreConditional { .. }
            )
        });
        Self {
            locals: program.threads.iter().map(|_| ComponentTable::new()).collect(),
            contents: program.channels.iter().map(|_| ComponentTable::new()).collect(),
            leaves: Vec::new(),
            values: Vec::new(),
            trace: Trace::default(),
            partner_values: Vec::new(),
            thread: 0,
            local: ThreadState::default(),
            fresh: 0,
            is_first_exclusive: true,
            picks: Picks::default(),
            message: None,
            stack: Vec::new(),
            bytes: Vec::new(),
            other: ThreadState::default(),
            has_exclusives,
        }
    }

    /// Takes over the parts of states that other threads have named.
    pub(super) fn synchronize(&mut self) {
        for strings in self.locals.iter_mut().chain(&mut self.contents) {
            strings.synchronize();
        }
    }

    /// Reads a part of `thread`.
    pub(super) fn decode_part(&self, program: &Program, thread: usize, part: u32, local: &mut ThreadState) {
        local.read(self.locals[thread].get(part), program.threads[thread].registers.len());
    }

    /// Reads the part of another thread in the middle of a step.
    pub(super) fn open_other(&mut self, program: &Program, thread: usize, local: &mut ThreadState) {
        let part = self.read_number(program.part_of(thread));
        self.decode_part(program, thread, part, local);
    }

    /// The number of a part or of the contents of a channel.
    #[expect(clippy::cast_possible_truncation, reason = "it is one word")]
    pub(super) fn read_number(&mut self, place: CellLayout) -> u32 {
        self.read_word(place) as u32
    }

    /// A word of the state, or a part of it.
    pub(super) fn read_word(&mut self, place: CellLayout) -> u64 {
        let value = place.get(&self.leaves);
        self.trace.read(place, value);
        value
    }

    pub(super) fn write_word(&mut self, place: CellLayout, value: u64) {
        place.set(&mut self.leaves, value);
        self.trace.write(place, value);
    }

    /// The number of a part of `thread`.
    pub(super) fn number_of(&mut self, thread: usize, local: &ThreadState) -> Option<u32> {
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
    pub(super) fn begin(&mut self, leaves: &[u32], thread: usize, local: &ThreadState) {
        self.leaves.clear();
        self.leaves.extend_from_slice(leaves);
        self.thread = thread;
        self.local.copy_from(local);
        self.fresh = 0;
        self.is_first_exclusive = true;
        self.values.clear();
        self.trace.clear();
        self.partner_values.clear();
        self.message = None;
    }

    /// Takes an edge, with the choices that are next; afterwards `leaves` is the state that it leads to.
    pub(super) fn take_edge(
        &mut self,
        program: &Program,
        leaves: &[u32],
        thread: usize,
        local: &ThreadState,
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
        local: &ThreadState,
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
        let mut acting = Acting { stepper: self, program, edge };
        operations.iter().try_for_each(|operation| {
            // Whether a load of a cell that the text names takes place does not depend on the load before it.
            let is_plain = matches!(operation, Operation::Load { address: Address::Cell(_), .. });
            if !is_plain {
                acting.stepper.trace.seal();
            }
            perform(&mut acting, operation)?;
            if !is_plain {
                acting.stepper.trace.seal();
            }
            Ok(())
        })
    }

    pub(super) fn arrive(&mut self, program: &Program, edge: &Edge) {
        self.local.point = edge.target;
        for register in &program.cleared[self.thread][edge.target as usize] {
            self.local.registers[register.index()] = 0;
        }
    }

    /// Puts the state of the thread that moves into the whole state.
    pub(super) fn finish(&mut self, program: &Program) -> Done {
        self.settle(program)?;
        self.local.write(&mut self.bytes);
        let number = self.locals[self.thread].number(&self.bytes).ok_or(Halt::Full)?;
        self.write_word(program.part_of(self.thread), u64::from(number));
        Ok(())
    }

    pub(super) fn set(&mut self, register: Register, value: u64) {
        self.local.registers[register.index()] = value;
    }

    pub(super) fn value(&mut self, expr: &Expr) -> u64 {
        expr.evaluate(&self.local.registers, &mut self.stack)
    }
}

/// A thread on an edge, as the stepper sees it.
struct Acting<'a> {
    stepper: &'a mut Stepper,
    program: &'a Program,
    edge: &'a Edge,
}

impl Memory for Acting<'_> {
    type Stop = Halt;

    fn evaluate(&mut self, expr: &Expr) -> u64 {
        self.stepper.value(expr)
    }

    fn assign(&mut self, register: Register, value: u64, _: Source<'_>) {
        self.stepper.set(register, value);
    }

    fn cell_at(&self, address: u64, size: u32) -> Option<CellId> {
        self.program.cell_at(address, size)
    }

    fn halt(&mut self, halt: membar_step::Halt) -> Halt {
        match halt {
            membar_step::Halt::Assumption(Some(_)) => Halt::Waits,
            membar_step::Halt::Assumption(_) | membar_step::Halt::NoChoice => Halt::Blocked,
            membar_step::Halt::TooWide => {
                Halt::Refused("a choice among so many values is too wide to enumerate")
            }
            membar_step::Halt::Failed => Halt::Failed,
            membar_step::Halt::Fault => Halt::Fault,
            membar_step::Halt::Unsupported(what) => Halt::Refused(what),
        }
    }

    fn load(&mut self, access: Access<'_>) -> Done<u64> {
        if access.exclusive && self.edge.is_instruction {
            self.stepper.drain(self.program)?;
        }
        let word = self.stepper.seen(self.program, access.cell);
        self.stepper.values.push(word);
        if access.exclusive {
            self.stepper.reserve(access.cell);
        }
        Ok(word)
    }

    fn store(&mut self, access: Access<'_>, value: &Expr) -> Done {
        if access.exclusive {
            self.stepper.promise(access.cell)?;
        }
        let value = self.stepper.value(value);
        let order = self.program.orders.get(access.tags);
        if order.ghost {
            return self.stepper.store_ghost(self.program, access.cell, value);
        }
        let atomic = order.atomic;
        if atomic == Waits::All {
            self.stepper.await_others(self.program)?;
        }
        let at_once = (access.exclusive && self.edge.is_instruction) || atomic >= Waits::Own;
        self.stepper.store(self.program, access.cell, value, at_once)
    }

    fn store_conditional(&mut self, access: Access<'_>, value: &Expr) -> Done<u64> {
        let stepper = &mut *self.stepper;
        let is_reserved = stepper.local.monitor.iter().any(|item| item.0 == access.cell);
        let fails = if is_reserved { stepper.picks.pick(2) } else { 1 };
        stepper.values.push(fails);
        if fails == 0 {
            stepper.promise(access.cell)?;
            let value = stepper.value(value);
            stepper.store(self.program, access.cell, value, false)?;
        }
        stepper.local.monitor.clear();
        Ok(fails)
    }

    fn update_read(&mut self, cell: CellId, _: &Rmw) -> Done<u64> {
        let word = self.stepper.seen(self.program, cell);
        self.stepper.values.push(word);
        Ok(word)
    }

    fn update_fails(&mut self, rmw: &Rmw) -> Done {
        let is_locked = self.program.orders.get(rmw.failed_tags).locked;
        if is_locked {
            self.stepper.drain(self.program)?;
        }
        Ok(())
    }

    fn update_write(&mut self, cell: CellId, rmw: &Rmw, _: u64) -> Done {
        self.stepper.drain(self.program)?;
        let value = self.stepper.value(&rmw.value);
        self.stepper.store(self.program, cell, value, true)
    }

    fn fence(&mut self, tags: TagSet, _: Option<&Expr>) -> Done {
        match self.program.orders.get(tags).fence {
            Waits::Nothing => Ok(()),
            Waits::OrderStores => {
                let buffer = &mut self.stepper.local.buffer;
                if buffer.last().is_some_and(|&last| last != Entry::Barrier) {
                    buffer.push(Entry::Barrier);
                }
                Ok(())
            }
            Waits::Own => self.stepper.drain(self.program),
            Waits::All => {
                self.stepper.await_others(self.program)?;
                self.stepper.drain(self.program)
            }
        }
    }

    fn choose(&mut self, low: i64, high: i64, _: bool) -> Done<u64> {
        let options = high.wrapping_sub(low).cast_unsigned() + 1;
        let value = low.cast_unsigned().wrapping_add(self.stepper.picks.pick(options));
        self.stepper.values.push(value);
        Ok(value)
    }

    fn spawn(&mut self, thread: ThreadId) -> Done {
        self.stepper.local.buffer.push(Entry::Start(thread.0));
        self.stepper.settle(self.program)
    }

    fn join(&mut self, thread: ThreadId) -> Done {
        let (stepper, number) = (&mut *self.stepper, thread.index());
        let mut other = std::mem::take(&mut stepper.other);
        stepper.open_other(self.program, number, &mut other);
        let is_ended = other.started
            && self.program.threads[number].leaving[other.point as usize].is_empty()
            && other.buffer.is_empty();
        stepper.other = other;
        if !is_ended {
            return Err(Halt::Waits);
        }
        stepper.values.push(1);
        Ok(())
    }

    fn lock(&mut self, cell: CellId) -> Done {
        self.stepper.drain(self.program)?;
        let is_free = self.stepper.read_memory(self.program, cell) == 0;
        if !is_free {
            return Err(Halt::Waits);
        }
        self.stepper.values.push(0);
        self.stepper.store(self.program, cell, 1, true)
    }

    fn unlock(&mut self, cell: CellId) -> Done {
        self.stepper.store(self.program, cell, 0, false)
    }

    fn send(&mut self, channel: usize, values: &[Expr]) -> Done {
        self.stepper.send(self.program, channel, values)
    }

    fn receive(&mut self, channel: usize, registers: &[Register]) -> Done {
        self.stepper.receive(self.program, channel, registers)
    }
}
