//! One step of a thread: the operations of an edge, one after the other, on whatever memory a search has.

use crate::error::CoreError;
use crate::expr::{Expr, Register};
use crate::program::{CellId, EdgeId, Operation, Rmw, TagSet};

use super::fault::Fault;
use super::system::{
    ATOMIC, ATOMIC_ALL, BIRTH, DEATH, End, FULL_FENCE, GONE, LOCKED, Local, LocalId, Memory, ORDER,
    OWN_FENCE, Partner, Refusals, SENDS, System, Taken, UNBORN,
};

const WIDEST_CHOICE: u64 = 1 << 16;

/// What becomes of all attempts at a step.
struct Attempt<'s, M> {
    refusals: Refusals,
    out: &'s mut Vec<Taken<M>>,
}

/// Who moves along which edge, with registers, memory and answers at some operation of it.
#[derive(Clone)]
struct Progress<M> {
    thread: usize,
    edge: EdgeId,
    registers: Vec<u64>,
    made: Vec<u64>,
    memory: M,
    meeting: Stage,
}

/// How far a rendezvous is.
#[derive(Clone)]
enum Stage {
    /// There is none.
    Alone,
    /// The sender has not come to its send; who will receive, along which edge, with which registers.
    Sending { receiver: usize, edge: EdgeId, registers: Vec<u64> },
    /// The receiver takes its edge; the sender goes on from operation `at`.
    Receiving { sender: usize, edge: EdgeId, at: usize, registers: Vec<u64>, made: Vec<u64> },
    /// The receiver is done.
    Met(Partner),
}

/// A thread and where it is.
pub(super) type At = (usize, LocalId);

impl System<'_> {
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
        self.steps_if(world, thread, local, memory, true, out)
    }

    /// The same; without `may_move` only the beginning and the end of the thread.
    ///
    /// # Errors
    /// Something is too large, or has no meaning for store buffers.
    pub(super) fn steps_if<M: Memory>(
        &mut self,
        world: &mut M::World,
        thread: usize,
        local: LocalId,
        memory: &M,
        may_move: bool,
        out: &mut Vec<Taken<M>>,
    ) -> Result<Refusals, CoreError> {
        let Local { point, registers } = self.local(thread, local).clone();
        match point {
            UNBORN => {
                if let Some(cell) = self.births[thread] {
                    let entry = self.intern(thread, self.code(thread).entry, registers)?;
                    for (value, memory) in memory.load(world, cell) {
                        if value == 1 {
                            let end = End::Moved(entry);
                            out.push(Taken { edge: BIRTH, made: vec![1], end, memory, partner: None });
                        }
                    }
                }
                Ok(Refusals::default())
            }
            point if point & GONE != 0 => Ok(Refusals::default()),
            point if !may_move && !self.code(thread).leaving[point as usize].is_empty() => {
                Ok(Refusals::default())
            }
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
                let gone = self.intern(thread, point | GONE, registers.into())?;
                let end = End::Moved(gone);
                out.push(Taken { edge: DEATH, made: Vec::new(), end, memory, partner: None });
            }
            return Ok(Refusals::default());
        }
        let mut attempt = Attempt { refusals: Refusals::default(), out };
        for edge in self.opened(thread, point, registers) {
            if self.meetings[thread][edge.index()].is_none() {
                let progress = Progress {
                    thread,
                    edge,
                    registers: registers.to_vec(),
                    made: Vec::new(),
                    memory: memory.clone(),
                    meeting: Stage::Alone,
                };
                self.go(world, &mut attempt, 0, progress)?;
            }
        }
        Ok(attempt.refusals)
    }

    /// The edges at `point` whose guards are open.
    fn opened(&mut self, thread: usize, point: u32, registers: &[u64]) -> Vec<EdgeId> {
        let code = self.code(thread);
        let leaving = code.leaving[point as usize].iter().copied();
        leaving
            .filter(|edge| code.edges[edge.index()].guard.evaluate(registers, &mut self.stack) != 0)
            .collect()
    }

    /// Every step in which `sender` sends and `receiver` receives, without room in between.
    ///
    /// # Errors
    /// Something is too large, or has no meaning for store buffers.
    pub(super) fn meet<M: Memory>(
        &mut self,
        world: &mut M::World,
        sender: At,
        receiver: At,
        memory: &M,
        out: &mut Vec<Taken<M>>,
    ) -> Result<Refusals, CoreError> {
        let mut attempt = Attempt { refusals: Refusals::default(), out };
        let theirs = self.meeting_edges(receiver, false);
        for (edge, channel) in self.meeting_edges(sender, true) {
            for &(other, _) in theirs.iter().filter(|their| their.1 == channel) {
                let registers = self.local(receiver.0, receiver.1).registers.to_vec();
                let progress = Progress {
                    thread: sender.0,
                    edge,
                    registers: self.local(sender.0, sender.1).registers.to_vec(),
                    made: Vec::new(),
                    memory: memory.clone(),
                    meeting: Stage::Sending { receiver: receiver.0, edge: other, registers },
                };
                self.go(world, &mut attempt, 0, progress)?;
            }
        }
        Ok(attempt.refusals)
    }

    /// The open edges of a thread that send, or receive, with their channels.
    pub(super) fn meeting_edges(&mut self, (thread, local): At, sends: bool) -> Vec<(EdgeId, u64)> {
        if !self.meets[thread] {
            return Vec::new();
        }
        let Local { point, registers } = self.local(thread, local).clone();
        if point & GONE != 0 {
            return Vec::new();
        }
        let edges = self.opened(thread, point, &registers).into_iter();
        edges
            .filter_map(|edge| {
                let meeting = self.meetings[thread][edge.index()].filter(|meeting| meeting.sends == sends)?;
                Some((edge, meeting.channel))
            })
            .collect()
    }

    /// Does the operations of the edge from number `at` on.
    fn go<M: Memory>(
        &mut self,
        world: &mut M::World,
        attempt: &mut Attempt<'_, M>,
        at: usize,
        mut progress: Progress<M>,
    ) -> Result<(), CoreError> {
        let edge = &self.code(progress.thread).edges[progress.edge.index()];
        let Some(operation) = edge.operations.get(at) else {
            let registers = std::mem::take(&mut progress.registers);
            let to = self.intern(progress.thread, edge.target, registers.into())?;
            return match progress.handed_back(world, to) {
                Ok((at, progress)) => self.go(world, attempt, at, progress),
                Err(progress) => {
                    push(attempt, *progress, End::Moved(to));
                    Ok(())
                }
            };
        };
        match operation {
            Operation::Load { .. } => return self.load(world, attempt, at, operation, progress),
            Operation::Store { .. } => match self.stored(world, attempt, operation, progress) {
                Some(after) => progress = after,
                None => return Ok(()),
            },
            Operation::Rmw(rmw) => return self.modify(world, attempt, at, rmw, progress),
            Operation::Fence { tags, .. } if self.has_tag(*tags, SENDS) => {
                return match progress.handed_over(world, at + 1) {
                    Some(progress) => self.go(world, attempt, 0, progress),
                    None => Ok(()),
                };
            }
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
                    attempt.refusals.blocked |= waits.is_none();
                    return Ok(());
                }
            }
            Operation::Assert { condition } => {
                if self.value(&progress, condition) == 0 {
                    push(attempt, progress, End::Failed);
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
                            let mut next = progress.with(memory);
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

    fn load<M: Memory>(
        &mut self,
        world: &mut M::World,
        attempt: &mut Attempt<'_, M>,
        at: usize,
        operation: &Operation,
        mut progress: Progress<M>,
    ) -> Result<(), CoreError> {
        let Operation::Load { register, address, size, signed, exclusive, .. } = operation else {
            return Ok(());
        };
        if *exclusive {
            let edge = &self.code(progress.thread).edges[progress.edge.index()];
            if !is_instruction(&edge.operations) {
                return Err(CoreError::Unsupported("an exclusive load has no meaning here"));
            }
            match progress.memory.drained(world) {
                Some(memory) => progress.memory = memory,
                None => return Ok(()),
            }
        }
        let Some(cell) = self.cell(&progress, address, *size) else {
            push(attempt, progress, End::Faulty);
            return Ok(());
        };
        for (value, memory) in progress.memory.load(world, cell) {
            let mut next = progress.with(memory);
            next.set(*register, extended(value, *size, *signed));
            next.made.push(value);
            self.go(world, attempt, at + 1, next)?;
        }
        Ok(())
    }

    /// What a store leads to; None if it waits, or goes wrong.
    fn stored<M: Memory>(
        &mut self,
        world: &mut M::World,
        attempt: &mut Attempt<'_, M>,
        operation: &Operation,
        mut progress: Progress<M>,
    ) -> Option<Progress<M>> {
        let Operation::Store { address, value, size, exclusive, tags } = operation else { return None };
        let Some(cell) = self.cell(&progress, address, *size) else {
            push(attempt, progress, End::Faulty);
            return None;
        };
        let value = self.value(&progress, value) & self.cells[cell.index()].mask();
        if self.is_atomic(*tags) {
            progress.memory = self.alone(world, *tags, &progress.memory)?;
            progress.memory.write(world, cell, value);
        } else if *exclusive {
            progress.memory.write(world, cell, value);
        } else if !progress.memory.store(world, cell, value) {
            return None;
        }
        Some(progress)
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
            push(attempt, progress, End::Faulty);
            return Ok(());
        };
        for (old, memory) in progress.memory.load(world, cell) {
            let mut next = progress.with(memory);
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
            let mut memory = memory.clone();
            let orders = self.has_tag(tags, ORDER) && self.fault != Fault::OrderIgnored;
            if let Some(mark) = self.mark.filter(|_| orders) {
                memory.order(world, mark);
            }
            Some(memory)
        }
    }

    fn is_atomic(&self, tags: TagSet) -> bool {
        let is_meant = self.has_tag(tags, ATOMIC) || self.has_tag(tags, ATOMIC_ALL);
        is_meant && self.fault != Fault::AtomicIsBuffered
    }

    /// What an atomic store waits for.
    fn alone<M: Memory>(&self, world: &mut M::World, tags: TagSet, memory: &M) -> Option<M> {
        if self.has_tag(tags, ATOMIC_ALL) && self.fault != Fault::AtomicAllIsOwn {
            memory.all_drained(world)
        } else {
            memory.drained(world)
        }
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

impl<M: Memory> Progress<M> {
    fn with(&self, memory: M) -> Self {
        Self {
            thread: self.thread,
            edge: self.edge,
            registers: self.registers.clone(),
            made: self.made.clone(),
            memory,
            meeting: self.meeting.clone(),
        }
    }

    /// The sender waits; the receiver begins its edge.
    fn handed_over(self, world: &mut M::World, at: usize) -> Option<Self> {
        let Stage::Sending { receiver, edge, registers } = self.meeting else { return None };
        Some(Self {
            thread: receiver,
            edge,
            registers,
            made: Vec::new(),
            memory: self.memory.seen_by(world, receiver),
            meeting: Stage::Receiving {
                sender: self.thread,
                edge: self.edge,
                at,
                registers: self.registers,
                made: self.made,
            },
        })
    }

    /// At the end of its edge the receiver, which is now at `local`, lets the sender go on; anybody else has ended.
    fn handed_back(self, world: &mut M::World, local: LocalId) -> Result<(usize, Self), Box<Self>> {
        let Stage::Receiving { sender, edge, at, registers, made } = self.meeting else {
            return Err(Box::new(self));
        };
        let partner = Partner { thread: self.thread, edge: self.edge, made: self.made, local: Some(local) };
        let memory = self.memory.seen_by(world, sender);
        let next = Self { thread: sender, edge, registers, made, memory, meeting: Stage::Met(partner) };
        Ok((at, next))
    }
}

impl<M> Progress<M> {
    fn set(&mut self, register: Register, value: u64) {
        if let Some(place) = self.registers.get_mut(register.index()) {
            *place = value;
        }
    }
}

fn push<M>(attempt: &mut Attempt<'_, M>, progress: Progress<M>, end: End) {
    let Progress { thread, edge, made, memory, meeting, .. } = progress;
    let step = match meeting {
        Stage::Alone | Stage::Sending { .. } => Taken { edge, made, end, memory, partner: None },
        Stage::Met(partner) => Taken { edge, made, end, memory, partner: Some(partner) },
        Stage::Receiving { edge: sending, made: sent, .. } => {
            let partner = Partner { thread, edge, made, local: None };
            Taken { edge: sending, made: sent, end, memory, partner: Some(partner) }
        }
    };
    attempt.out.push(step);
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
