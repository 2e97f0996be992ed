//! One step of a thread: the operations of an edge, one after the other, on whatever memory a search has.

use crate::error::CoreError;
use crate::expr::{Expr, Register};
use crate::plan::Tag;
use crate::program::{CellId, EdgeId, Operation, Rmw, TagSet};

use super::fault::Fault;
use super::system::{
    BIRTH, DEATH, End, FULL_FENCE, GONE, LOCKED, Local, LocalId, Memory, OWN_FENCE, Refusals, System, Taken,
    UNBORN,
};

const WIDEST_CHOICE: u64 = 1 << 16;

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
            point if point & GONE != 0 => Ok(Refusals::default()),
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
