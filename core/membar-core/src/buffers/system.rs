//! A program as threads that step on some memory: control points and registers here, stores and loads there.
//!
//! One interpreter serves every search: it is generic in the memory that a step acts on (one buffer content, a set of
//! them, or "any value"). All operations of an edge are one step. Local states are numbered as they are met; registers
//! that nobody looks at any more are 0 in them, so that equal futures are equal numbers.
//!
//! `Spawn` and `Join` become memory: starting thread t stores 1 to a cell of its own, on which t waits; a thread that
//! somebody joins ends by writing 1 to a second cell once its buffer is empty, and the joining thread waits for that.

use std::collections::HashMap;

use crate::error::CoreError;
use crate::expr::{Expr, Register};
use crate::plan::Tag;
use crate::program::{Cell, CellId, EdgeId, Operation, Program, Rmw, TagSet, Thread};

use super::fault::Fault;

/// The fence that waits until the own buffer is empty.
pub const OWN_FENCE: Tag = Tag(0);
/// The fence that waits until all buffers are empty.
pub const FULL_FENCE: Tag = Tag(1);
/// A read-modify-write with it waits for its empty buffer even if it writes nothing.
pub const LOCKED: Tag = Tag(2);
/// Number of tags that have a meaning here.
pub const TAGS: usize = 3;

/// The step by which a spawned thread begins.
pub const BIRTH: EdgeId = EdgeId(u32::MAX);
/// The step by which a joined thread says that it has ended.
pub const DEATH: EdgeId = EdgeId(u32::MAX - 1);

/// Control point of a thread that has not begun.
const UNBORN: u32 = u32::MAX;
/// Control point of a joined thread that has said that it ended.
const GONE: u32 = u32::MAX - 1;

/// Local states of one thread beyond which its data does not count as finite.
const MOST_LOCALS: usize = 1 << 20;
const WIDEST_CHOICE: u64 = 1 << 16;

/// A local state of one thread, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

impl LocalId {
    /// As an index into the thread's table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a thread is, and what its registers hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Local {
    /// The control point.
    pub point: u32,
    /// Values; 0 where nobody looks any more.
    pub registers: Box<[u64]>,
}

/// What a thread's step acts on, as that thread sees it.
pub trait Memory: Clone {
    /// What all of them share.
    type World;

    /// Whether its answers are those of one run, or only what some run might see.
    const EXACT: bool = true;

    /// Every value that a load of `cell` can return, with the memory in which it does.
    fn load(&self, world: &mut Self::World, cell: CellId) -> Vec<(u64, Self)>;

    /// A store that may wait in the buffer; false if there is no room.
    fn store(&mut self, world: &mut Self::World, cell: CellId, value: u64) -> bool;

    /// Goes on with the own buffer empty (what this very step stored goes to memory); None if it cannot be.
    fn drained(&self, world: &mut Self::World) -> Option<Self>;

    /// Goes on with all buffers empty; None if they cannot be.
    fn all_drained(&self, world: &mut Self::World) -> Option<Self>;

    /// A store that reaches memory at once; the own buffer is empty.
    fn write(&mut self, world: &mut Self::World, cell: CellId, value: u64);
}

/// How a step ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// In a local state.
    Moved(LocalId),
    /// At an assertion that fails.
    Failed,
    /// At an access to what is no location.
    Faulty,
}

/// A step that a thread can take.
#[derive(Debug, Clone)]
pub struct Taken<M> {
    /// Along which edge.
    pub edge: EdgeId,
    /// The values read and chosen, in order.
    pub made: Vec<u64>,
    /// Where it leads.
    pub end: End,
    /// What it makes of memory.
    pub memory: M,
}

/// Why an edge was not taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refusals {
    /// An assumption failed that stops the run for good.
    pub blocked: bool,
}

/// The threads of a program and their local states met so far.
#[derive(Debug)]
pub struct System<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its cells, then those for births and ends of threads.
    pub cells: Vec<Cell>,
    /// A mistake to make on purpose.
    pub fault: Fault,
    locals: Vec<Vec<Local>>,
    known: Vec<HashMap<Local, LocalId>>,
    live: Vec<Vec<Vec<bool>>>,
    births: Vec<Option<CellId>>,
    deaths: Vec<Option<CellId>>,
    stack: Vec<u64>,
}

/// A step in the making.
struct Attempt<'s, M> {
    thread: usize,
    edge: EdgeId,
    /// Whether an exclusive load and store are one instruction.
    is_instruction: bool,
    refusals: Refusals,
    out: &'s mut Vec<Taken<M>>,
}

/// Registers, memory and answers at some operation of a step.
#[derive(Clone)]
struct Progress<M> {
    registers: Vec<u64>,
    made: Vec<u64>,
    memory: M,
}

impl<'a> System<'a> {
    /// The threads in their initial states.
    ///
    /// # Errors
    /// An operation has no meaning for store buffers.
    pub fn new(program: &'a Program, fault: Fault) -> Result<Self, CoreError> {
        let threads = program.threads.len();
        let mut system = Self {
            program,
            cells: program.cells.clone(),
            fault,
            locals: vec![Vec::new(); threads],
            known: vec![HashMap::new(); threads],
            live: Vec::new(),
            births: vec![None; threads],
            deaths: vec![None; threads],
            stack: Vec::new(),
        };
        for (number, thread) in program.threads.iter().enumerate() {
            system.live.push(live_registers(program, number));
            if !thread.started {
                system.births[number] = Some(system.extra_cell()?);
            }
        }
        for edge in program.threads.iter().flat_map(|thread| &thread.edges) {
            for operation in &edge.operations {
                match operation {
                    Operation::Join { thread } if system.deaths[thread.index()].is_none() => {
                        system.deaths[thread.index()] = Some(system.extra_cell()?);
                    }
                    Operation::Spawn { thread } if system.births[thread.index()].is_none() => {
                        return Err(CoreError::Unsupported("a thread is started more than once"));
                    }
                    Operation::StoreConditional { .. } => {
                        return Err(CoreError::Unsupported("a store-conditional has no meaning here"));
                    }
                    _ => {}
                }
            }
        }
        for (number, thread) in program.threads.iter().enumerate() {
            let registers = thread.registers.iter().map(|value| value.unwrap_or_default()).collect();
            let point = if thread.started { thread.entry } else { UNBORN };
            system.intern(number, point, registers)?;
        }
        Ok(system)
    }

    fn extra_cell(&mut self) -> Result<CellId, CoreError> {
        let number = u32::try_from(self.cells.len()).map_err(|_| CoreError::TooLarge("cells"))?;
        self.cells.push(Cell { address: u64::MAX, size: 1, initial: 0 });
        Ok(CellId(number))
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.program.threads.len()
    }

    /// Number of local states met of all threads.
    #[must_use]
    pub fn met(&self) -> usize {
        self.locals.iter().map(Vec::len).sum()
    }

    /// The local states of a thread met so far.
    #[must_use]
    pub fn locals(&self, thread: usize) -> &[Local] {
        &self.locals[thread]
    }

    /// A local state.
    #[must_use]
    pub fn local(&self, thread: usize, local: LocalId) -> &Local {
        &self.locals[thread][local.index()]
    }

    /// The control point as the program numbers it; None before a thread begins. Ended threads stay where they ended.
    #[must_use]
    pub fn point(&self, thread: usize, local: LocalId) -> Option<u32> {
        Some(self.local(thread, local).point).filter(|&point| point != UNBORN)
    }

    /// Whether a thread has ended or not begun, apart from what its buffer holds.
    #[must_use]
    pub fn is_over(&self, thread: usize, local: LocalId) -> bool {
        match self.local(thread, local).point {
            UNBORN | GONE => true,
            point => self.deaths[thread].is_none() && self.code(thread).leaving[point as usize].is_empty(),
        }
    }

    /// Whether a thread has not begun.
    #[must_use]
    pub fn is_unborn(&self, thread: usize, local: LocalId) -> bool {
        self.local(thread, local).point == UNBORN
    }

    /// Whether a cell is one of those for births and ends.
    #[must_use]
    pub fn is_extra(&self, cell: CellId) -> bool {
        cell.index() >= self.program.cells.len()
    }

    fn code(&self, thread: usize) -> &'a Thread {
        &self.program.threads[thread]
    }

    fn intern(&mut self, thread: usize, point: u32, mut registers: Box<[u64]>) -> Result<LocalId, CoreError> {
        if let Some(live) = self.live[thread].get(point as usize) {
            for (value, live) in registers.iter_mut().zip(live) {
                if !live {
                    *value = 0;
                }
            }
        }
        let local = Local { point, registers };
        if let Some(&known) = self.known[thread].get(&local) {
            return Ok(known);
        }
        let table = &mut self.locals[thread];
        if table.len() >= MOST_LOCALS {
            return Err(CoreError::TooLarge("a million states of one thread: its data does not look finite"));
        }
        let name = LocalId(u32::try_from(table.len()).unwrap_or(u32::MAX));
        table.push(local.clone());
        self.known[thread].insert(local, name);
        Ok(name)
    }

    /// Every step of `thread` from `local` on `memory`.
    ///
    /// # Errors
    /// Something is too large, or has no meaning for store buffers.
    pub fn steps<M: Memory>(
        &mut self,
        world: &mut M::World,
        thread: usize,
        local: LocalId,
        memory: &M,
        out: &mut Vec<Taken<M>>,
    ) -> Result<Refusals, CoreError> {
        let Local { point, registers } = self.local(thread, local).clone();
        match point {
            UNBORN => {
                if let Some(cell) = self.births[thread] {
                    let entry = self.intern(thread, self.code(thread).entry, registers)?;
                    for (value, memory) in memory.load(world, cell) {
                        if value == 1 {
                            out.push(Taken { edge: BIRTH, made: vec![1], end: End::Moved(entry), memory });
                        }
                    }
                }
                Ok(Refusals::default())
            }
            GONE => Ok(Refusals::default()),
            _ => self.steps_at(world, thread, point, &registers, memory, out),
        }
    }

    fn steps_at<M: Memory>(
        &mut self,
        world: &mut M::World,
        thread: usize,
        point: u32,
        registers: &[u64],
        memory: &M,
        out: &mut Vec<Taken<M>>,
    ) -> Result<Refusals, CoreError> {
        let code = self.code(thread);
        let leaving = &code.leaving[point as usize];
        if let (true, Some(cell)) = (leaving.is_empty(), self.deaths[thread]) {
            if let Some(mut memory) = memory.drained(world) {
                memory.write(world, cell, 1);
                let gone = self.intern(thread, GONE, registers.into())?;
                out.push(Taken { edge: DEATH, made: Vec::new(), end: End::Moved(gone), memory });
            }
            return Ok(Refusals::default());
        }
        let mut refusals = Refusals::default();
        for &edge in leaving {
            let guard = &code.edges[edge.index()].guard;
            if guard.evaluate(registers, &mut self.stack) == 0 {
                continue;
            }
            let operations = &code.edges[edge.index()].operations;
            let mut attempt =
                Attempt { thread, edge, is_instruction: is_instruction(operations), refusals, out };
            let progress =
                Progress { registers: registers.to_vec(), made: Vec::new(), memory: memory.clone() };
            self.go(world, &mut attempt, 0, progress)?;
            refusals = attempt.refusals;
        }
        Ok(refusals)
    }

    /// Does the operations of the edge from number `at` on.
    fn go<M: Memory>(
        &mut self,
        world: &mut M::World,
        attempt: &mut Attempt<'_, M>,
        at: usize,
        mut progress: Progress<M>,
    ) -> Result<(), CoreError> {
        let edge = &self.code(attempt.thread).edges[attempt.edge.index()];
        let Some(operation) = edge.operations.get(at) else {
            let to = self.intern(attempt.thread, edge.target, progress.registers.into())?;
            push(attempt, progress.made, End::Moved(to), progress.memory);
            return Ok(());
        };
        match operation {
            Operation::Load { register, address, size, signed, exclusive, .. } => {
                if *exclusive && !attempt.is_instruction {
                    return Err(CoreError::Unsupported("an exclusive load has no meaning here"));
                }
                if *exclusive && let Some(memory) = progress.memory.drained(world) {
                    progress.memory = memory;
                } else if *exclusive {
                    return Ok(());
                }
                let Some(cell) = self.cell(&progress, address, *size) else {
                    push(attempt, progress.made, End::Faulty, progress.memory);
                    return Ok(());
                };
                for (value, memory) in progress.memory.load(world, cell) {
                    let mut next = Progress {
                        registers: progress.registers.clone(),
                        made: progress.made.clone(),
                        memory,
                    };
                    next.set(*register, extended(value, *size, *signed));
                    next.made.push(value);
                    self.go(world, attempt, at + 1, next)?;
                }
                return Ok(());
            }
            Operation::Store { address, value, size, exclusive, .. } => {
                let Some(cell) = self.cell(&progress, address, *size) else {
                    push(attempt, progress.made, End::Faulty, progress.memory);
                    return Ok(());
                };
                let value = self.value(&progress, value) & self.cells[cell.index()].mask();
                if *exclusive {
                    progress.memory.write(world, cell, value);
                } else if !progress.memory.store(world, cell, value) {
                    return Ok(());
                }
            }
            Operation::Rmw(rmw) => return self.modify(world, attempt, at, rmw, progress),
            Operation::Fence { tags, .. } => match self.fenced(world, *tags, &progress.memory) {
                Some(memory) => progress.memory = memory,
                None => return Ok(()),
            },
            Operation::Set { register, value } => {
                let value = self.value(&progress, value);
                progress.set(*register, value);
            }
            Operation::Assume { condition, waits } => {
                if self.value(&progress, condition) == 0 {
                    attempt.refusals.blocked |= !waits;
                    return Ok(());
                }
            }
            Operation::Assert { condition } => {
                if self.value(&progress, condition) == 0 {
                    push(attempt, progress.made, End::Failed, progress.memory);
                    return Ok(());
                }
            }
            Operation::Choose { register, low, high, .. } => {
                return self.choose(world, attempt, at, (*register, low, high), &progress);
            }
            Operation::Spawn { thread } => {
                if let Some(cell) = self.births[thread.index()] {
                    let mut seen = progress.memory.load(world, cell).into_iter();
                    if M::EXACT && seen.any(|(value, _)| value == 1) {
                        return Err(CoreError::Unsupported("a thread is started more than once"));
                    }
                    if !progress.memory.store(world, cell, 1) {
                        return Ok(());
                    }
                }
            }
            Operation::Join { thread } => {
                if let Some(cell) = self.deaths[thread.index()] {
                    for (value, memory) in progress.memory.load(world, cell) {
                        if value == 1 {
                            let mut next = Progress { memory, ..progress.clone() };
                            next.made.push(1);
                            self.go(world, attempt, at + 1, next)?;
                        }
                    }
                }
                return Ok(());
            }
            Operation::StoreConditional { .. } => {
                return Err(CoreError::Unsupported("a store-conditional has no meaning here"));
            }
        }
        self.go(world, attempt, at + 1, progress)
    }

    fn modify<M: Memory>(
        &mut self,
        world: &mut M::World,
        attempt: &mut Attempt<'_, M>,
        at: usize,
        rmw: &Rmw,
        progress: Progress<M>,
    ) -> Result<(), CoreError> {
        let Some(cell) = self.cell(&progress, &rmw.address, rmw.size) else {
            push(attempt, progress.made, End::Faulty, progress.memory);
            return Ok(());
        };
        for (old, memory) in progress.memory.load(world, cell) {
            let mut next =
                Progress { registers: progress.registers.clone(), made: progress.made.clone(), memory };
            next.set(rmw.register, extended(old, rmw.size, rmw.signed));
            next.made.push(old);
            let writes = self.value(&next, &rmw.condition) != 0;
            if writes || self.has_tag(rmw.failed_tags, LOCKED) {
                match next.memory.drained(world) {
                    Some(memory) => next.memory = memory,
                    None if self.fault == Fault::LockedWithoutDrain => {}
                    None => continue,
                }
            }
            if writes {
                let value = self.value(&next, &rmw.value) & self.cells[cell.index()].mask();
                next.memory.write(world, cell, value);
            }
            self.go(world, attempt, at + 1, next)?;
        }
        Ok(())
    }

    fn choose<M: Memory>(
        &mut self,
        world: &mut M::World,
        attempt: &mut Attempt<'_, M>,
        at: usize,
        (register, low, high): (Register, &Expr, &Expr),
        progress: &Progress<M>,
    ) -> Result<(), CoreError> {
        let first = self.value(progress, low).cast_signed();
        let last = self.value(progress, high).cast_signed();
        if first > last {
            attempt.refusals.blocked = true;
            return Ok(());
        }
        if last.wrapping_sub(first).cast_unsigned() >= WIDEST_CHOICE {
            return Err(CoreError::TooLarge("a choice among more than 65536 values"));
        }
        for value in first..=last {
            let mut next = progress.clone();
            next.set(register, value.cast_unsigned());
            next.made.push(value.cast_unsigned());
            self.go(world, attempt, at + 1, next)?;
        }
        Ok(())
    }

    fn fenced<M: Memory>(&self, world: &mut M::World, tags: TagSet, memory: &M) -> Option<M> {
        if self.fault == Fault::FenceIgnored {
            return Some(memory.clone());
        }
        if self.has_tag(tags, FULL_FENCE) && self.fault != Fault::FullFenceIsOwn {
            memory.all_drained(world)
        } else if self.has_tag(tags, OWN_FENCE) || self.has_tag(tags, FULL_FENCE) {
            memory.drained(world)
        } else {
            Some(memory.clone())
        }
    }

    fn has_tag(&self, tags: TagSet, tag: Tag) -> bool {
        self.program.tag_sets[tags.index()].contains(&tag)
    }

    fn cell<M>(&mut self, progress: &Progress<M>, address: &Expr, size: u32) -> Option<CellId> {
        let word = self.value(progress, address);
        let cell = *self.program.at.get(&word)?;
        (self.cells[cell.index()].size == size).then_some(cell)
    }

    fn value<M>(&mut self, progress: &Progress<M>, expr: &Expr) -> u64 {
        expr.evaluate(&progress.registers, &mut self.stack)
    }
}

impl<M> Progress<M> {
    fn set(&mut self, register: Register, value: u64) {
        if let Some(place) = self.registers.get_mut(register.index()) {
            *place = value;
        }
    }
}

fn push<M>(attempt: &mut Attempt<'_, M>, made: Vec<u64>, end: End, memory: M) {
    attempt.out.push(Taken { edge: attempt.edge, made, end, memory });
}

/// An exclusive load and an exclusive store in one step are one locked instruction.
fn is_instruction(operations: &[Operation]) -> bool {
    let loads = operations.iter().any(|op| matches!(op, Operation::Load { exclusive: true, .. }));
    loads && operations.iter().any(|op| matches!(op, Operation::Store { exclusive: true, .. }))
}

fn extended(word: u64, size: u32, signed: bool) -> u64 {
    if signed {
        let shift = 64 - 8 * size;
        ((word << shift).cast_signed() >> shift).cast_unsigned()
    } else {
        word
    }
}

/// Per control point, the registers whose values somebody may still look at.
fn live_registers(program: &Program, number: usize) -> Vec<Vec<bool>> {
    let thread = &program.threads[number];
    let mut shown = vec![false; thread.registers.len()];
    for term in &program.terms {
        if let crate::program::Term::Register(owner, register) = term
            && owner.index() == number
        {
            shown[register.index()] = true;
        }
    }
    let mut live = vec![shown; thread.leaving.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (point, edges) in thread.leaving.iter().enumerate() {
            for edge in edges {
                let edge = &thread.edges[edge.index()];
                let mut before = live[edge.target as usize].clone();
                for operation in edge.operations.iter().rev() {
                    looked_at(operation, &mut before);
                }
                mark(&edge.guard, &mut before);
                for (known, now) in live[point].iter_mut().zip(before) {
                    changed |= now && !*known;
                    *known |= now;
                }
            }
        }
    }
    live
}

fn mark(expr: &Expr, live: &mut [bool]) {
    for register in expr.registers() {
        live[register.index()] = true;
    }
}

/// The registers looked at from before an operation on, given those from behind it on.
fn looked_at(operation: &Operation, live: &mut [bool]) {
    match operation {
        Operation::Load { register, address, .. } => {
            live[register.index()] = false;
            mark(address, live);
        }
        Operation::Store { address, value, .. } => {
            mark(address, live);
            mark(value, live);
        }
        Operation::StoreConditional { status, address, value, .. } => {
            live[status.index()] = false;
            mark(address, live);
            mark(value, live);
        }
        Operation::Rmw(rmw) => {
            mark(&rmw.value, live);
            mark(&rmw.condition, live);
            live[rmw.register.index()] = false;
            mark(&rmw.address, live);
        }
        Operation::Set { register, value } => {
            live[register.index()] = false;
            mark(value, live);
        }
        Operation::Assume { condition, .. } | Operation::Assert { condition } => mark(condition, live),
        Operation::Choose { register, low, high, .. } => {
            live[register.index()] = false;
            mark(low, live);
            mark(high, live);
        }
        Operation::Fence { address, .. } => {
            if let Some(address) = address {
                mark(address, live);
            }
        }
        Operation::Spawn { .. } | Operation::Join { .. } => {}
    }
}
