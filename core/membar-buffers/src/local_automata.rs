//! Threads as finite automata over single accesses: every local state that any values of memory could lead to.
//!
//! Loads may return any value that some thread may store, so there are more steps than in the program; backward
//! searches need all steps into a local state, and find out on the way which of them are reachable.
//!
//! A step with several accesses becomes several, with artificial local states between them. What it does while its
//! buffer is empty stays together (`Access::Block`). The result is equivalent to the program if at most one load
//! precedes buffered stores: no other thread sees a store before it leaves its buffer. Otherwise it is an
//! over-approximation.

use std::collections::BTreeSet;

use membar_ir::error::CoreError;
use membar_ir::program::{CellId, EdgeId};
use membar_ir::words::narrow;

use super::system::{End, LocalId, Memory, System, ThreadStep};
use membar_ir::limits::{Stopped, Watch};

/// Different values of one cell beyond which its data does not count as finite.
const MOST_VALUES: usize = 256;
/// Local states of all threads beyond which they do not count as finite here.
const MOST_LOCALS: usize = 1 << 16;
/// Steps of two threads beyond which they do not count as finite here.
const MOST_MEETINGS: usize = 1 << 18;

/// What a step does to memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Access {
    /// Nothing.
    None,
    /// A load that returns a value.
    Read(CellId, u64),
    /// A store that may wait.
    Write(CellId, u64),
    /// The own buffer is empty (or all are), memory holds what is read, then what is written.
    Block(Block),
}

/// What is done to memory at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Block {
    pub(super) reads: Vec<(CellId, u64)>,
    pub(super) writes: Vec<(CellId, u64)>,
    /// Whether all buffers are empty, not only those of the acting thread.
    pub(super) all: bool,
}

/// A step of a thread.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) from: LocalId,
    pub(super) access: Access,
    pub(super) end: End,
}

/// A step of two threads, whose buffers are both empty.
#[derive(Debug, Clone)]
pub(super) struct Meeting {
    pub(super) threads: [usize; 2],
    pub(super) from: [LocalId; 2],
    pub(super) to: [LocalId; 2],
    pub(super) block: Block,
}

/// A thread.
#[derive(Debug, Default)]
pub(super) struct LocalAutomaton {
    pub(super) steps: Vec<Step>,
    /// The steps into each local state.
    pub(super) into: Vec<Vec<usize>>,
    /// Made-up local states that a thread is in after a step that goes wrong, with that step.
    pub(super) ends: Vec<(LocalId, EdgeId, End)>,
    /// What it may store.
    pub(super) stores: BTreeSet<(CellId, u64)>,
}

/// All threads.
#[derive(Debug, Default)]
pub(super) struct LocalAutomata {
    pub(super) threads: Vec<LocalAutomaton>,
    pub(super) meetings: Vec<Meeting>,
    /// Whether it has the runs of the program and no others.
    pub(super) is_exact: bool,
}

/// One thing that a step does, as it comes; stores that wait, and waiting for them, with the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bit {
    Read(CellId, u64),
    Store(usize, CellId, u64),
    Drain(usize),
    DrainAll(usize),
    Write(CellId, u64),
}

/// A memory in which every cell may hold every value that is known for it.
#[derive(Debug, Clone, Default)]
struct AnyMemory {
    thread: usize,
    bits: Vec<Bit>,
}

impl AnyMemory {
    fn and(&self, bit: Bit) -> Self {
        let mut next = self.clone();
        next.bits.push(bit);
        next
    }
}

impl Memory for AnyMemory {
    type World = Vec<BTreeSet<u64>>;

    const EXACT: bool = false;

    fn load(&self, world: &mut Self::World, cell: CellId) -> Vec<(u64, Self)> {
        // What this very step did to the cell is known; anything else may be there.
        for bit in self.bits.iter().rev() {
            match *bit {
                Bit::Store(thread, other, value) if other == cell && thread == self.thread => {
                    return vec![(value, self.clone())];
                }
                Bit::Write(other, value) if other == cell => return vec![(value, self.clone())],
                _ => {}
            }
        }
        world[cell.index()].iter().map(|&value| (value, self.and(Bit::Read(cell, value)))).collect()
    }

    fn store(&mut self, _: &mut Self::World, cell: CellId, value: u64) -> bool {
        self.bits.push(Bit::Store(self.thread, cell, value));
        true
    }

    fn drain(&self, _: &mut Self::World) -> Option<Self> {
        Some(self.and(Bit::Drain(self.thread)))
    }

    fn drain_all(&self, _: &mut Self::World) -> Option<Self> {
        Some(self.and(Bit::DrainAll(self.thread)))
    }

    fn write(&mut self, _: &mut Self::World, cell: CellId, value: u64) {
        self.bits.push(Bit::Write(cell, value));
    }

    /// Under tso stores keep their order without it.
    fn order(&mut self, _: &mut Self::World, _: CellId) {}

    fn seen_by(&self, _: &mut Self::World, thread: usize) -> Self {
        Self { thread, bits: self.bits.clone() }
    }
}

/// What a step does, apart: while buffers are empty, and what then waits in them.
#[derive(Debug, Default)]
struct Parts {
    block: Block,
    drains: bool,
    /// What still waits, with the thread.
    waiting: Vec<(usize, CellId, u64)>,
    /// Whether a load comes after a buffered store.
    reads_late: bool,
}

/// The parts of a step; None if no memory can be like that.
fn parts(bits: &[Bit]) -> Option<Parts> {
    let mut parts = Parts::default();
    for &bit in bits {
        match bit {
            Bit::Read(cell, value) => {
                parts.reads_late |= !parts.waiting.is_empty();
                parts.block.read(cell, value)?;
            }
            Bit::Store(thread, cell, value) => parts.waiting.push((thread, cell, value)),
            Bit::Drain(thread) => parts.drain(thread),
            Bit::DrainAll(thread) => {
                parts.drain(thread);
                parts.block.all = true;
                if !parts.waiting.is_empty() {
                    return None;
                }
            }
            Bit::Write(cell, value) => parts.block.write(cell, value),
        }
    }
    Some(parts)
}

impl Parts {
    fn drain(&mut self, thread: usize) {
        self.drains = true;
        for (owner, cell, value) in std::mem::take(&mut self.waiting) {
            if owner == thread {
                self.block.write(cell, value);
            } else {
                self.waiting.push((owner, cell, value));
            }
        }
    }

    /// The accesses of a step of one thread, in order, and whether they may come one by one.
    fn accesses(self) -> (Vec<Access>, bool) {
        let stores = self.waiting.iter().map(|&(_, cell, value)| Access::Write(cell, value));
        if self.drains {
            return ([Access::Block(self.block)].into_iter().chain(stores).collect(), true);
        }
        let is_exact = self.block.reads.len() <= 1 && !self.reads_late;
        let reads = self.block.reads.iter().map(|&(cell, value)| Access::Read(cell, value));
        (reads.chain(stores).collect(), is_exact)
    }
}

impl Block {
    /// A load from memory; None if that cannot hold the value.
    fn read(&mut self, cell: CellId, value: u64) -> Option<()> {
        let known = self.writes.iter().chain(&self.reads).find(|known| known.0 == cell);
        match known {
            Some(known) if known.1 != value => None,
            Some(_) => Some(()),
            None => {
                self.reads.push((cell, value));
                Some(())
            }
        }
    }

    fn write(&mut self, cell: CellId, value: u64) {
        self.writes.retain(|known| known.0 != cell);
        self.writes.push((cell, value));
    }
}

/// All threads, for all values that can be anywhere.
pub(super) fn flatten(
    system: &mut System<'_>,
    watch: &mut Watch<'_>,
) -> Result<Result<LocalAutomata, Stopped>, CoreError> {
    let mut values: Vec<BTreeSet<u64>> =
        system.cells.iter().map(|cell| BTreeSet::from([cell.initial])).collect();
    loop {
        let before = (values.iter().map(BTreeSet::len).sum::<usize>(), system.count_locals());
        let mut taken = Vec::new();
        for thread in 0..system.threads() {
            match steps_of_thread(system, thread, &mut values, watch)? {
                Ok(steps) => taken.push(steps),
                Err(stopped) => return Ok(Err(stopped)),
            }
        }
        let met = together(system, &mut values)?;
        let steps = taken.iter().flatten().map(|(_, step)| step);
        for step in steps.chain(met.iter().map(|(_, step)| step)) {
            for bit in &step.memory.bits {
                if let Bit::Store(_, cell, value) | Bit::Write(cell, value) = *bit {
                    values[cell.index()].insert(value);
                }
            }
        }
        if values.iter().any(|known| known.len() > MOST_VALUES) || system.count_locals() > MOST_LOCALS {
            return Err(CoreError::TooLarge("backwards, the values of memory do not look finite"));
        }
        if before == (values.iter().map(BTreeSet::len).sum(), system.count_locals()) {
            return Ok(Ok(flat(system, taken, met)));
        }
    }
}

/// Steps of a thread, with where they begin.
type Steps = Vec<(LocalId, ThreadStep<AnyMemory>)>;

/// Every step of a thread.
fn steps_of_thread(
    system: &mut System<'_>,
    thread: usize,
    values: &mut Vec<BTreeSet<u64>>,
    watch: &mut Watch<'_>,
) -> Result<Result<Steps, Stopped>, CoreError> {
    let mut result = Vec::new();
    let mut number = 0;
    while number < system.locals(thread).len() {
        if number > MOST_LOCALS {
            return Err(CoreError::TooLarge("backwards, the states of a thread do not look finite"));
        }
        if let Err(stopped) = watch.spend(0, 0) {
            return Ok(Err(stopped));
        }
        let from = local(number);
        let mut taken = Vec::new();
        system.steps(values, thread, from, &AnyMemory { thread, bits: Vec::new() }, &mut taken)?;
        result.extend(taken.into_iter().map(|step| (from, step)));
        number += 1;
    }
    Ok(Ok(result))
}

/// The threads of a rendezvous, sender first, and where they are.
type Pair = ([usize; 2], [LocalId; 2]);

/// Every step of two threads.
fn together(
    system: &mut System<'_>,
    values: &mut Vec<BTreeSet<u64>>,
) -> Result<Vec<(Pair, ThreadStep<AnyMemory>)>, CoreError> {
    let mut result = Vec::new();
    for ([sender, receiver], [from, other]) in pairs(system) {
        let memory = AnyMemory { thread: sender, bits: Vec::new() };
        let mut taken = Vec::new();
        system.meet(values, (sender, from), (receiver, other), &memory, &mut taken)?;
        result.extend(taken.into_iter().map(|step| (([sender, receiver], [from, other]), step)));
        if result.len() > MOST_MEETINGS {
            return Err(CoreError::TooLarge("backwards, there are too many ways to meet"));
        }
    }
    Ok(result)
}

/// All that could meet.
fn pairs(system: &mut System<'_>) -> Vec<Pair> {
    let mut ready = [Vec::new(), Vec::new()];
    for thread in 0..system.threads() {
        for number in 0..system.locals(thread).len() {
            let at = (thread, local(number));
            for (side, sends) in [(0, true), (1, false)] {
                if !system.is_not_started(thread, at.1) && !system.meeting_edges(at, sends).is_empty() {
                    ready[side].push(at);
                }
            }
        }
    }
    let [senders, receivers] = ready;
    let partners = |&(sender, from): &(usize, LocalId)| {
        let others = receivers.iter().filter(move |receiver| receiver.0 != sender);
        others.map(move |&(receiver, other)| ([sender, receiver], [from, other])).collect::<Vec<_>>()
    };
    senders.iter().flat_map(partners).collect()
}

fn local(number: usize) -> LocalId {
    LocalId(narrow(number))
}

/// Steps by single accesses.
fn flat(system: &System<'_>, taken: Vec<Steps>, met: Vec<(Pair, ThreadStep<AnyMemory>)>) -> LocalAutomata {
    let mut program = LocalAutomata { is_exact: !system.has_committed(), ..LocalAutomata::default() };
    for (thread, steps) in taken.into_iter().enumerate() {
        let mut flat = LocalAutomaton {
            into: vec![Vec::new(); system.locals(thread).len()],
            ..LocalAutomaton::default()
        };
        for (from, step) in steps {
            let Some(parts) = parts(&step.memory.bits) else { continue };
            let (accesses, is_exact) = parts.accesses();
            program.is_exact &= is_exact;
            flat.add(from, accesses, step.edge, step.end);
        }
        program.threads.push(flat);
    }
    for ((threads, from), step) in met {
        let Some(parts) = parts(&step.memory.bits) else { continue };
        let mut to = [from[0], from[1]];
        let stores = |side: usize| {
            let own = parts.waiting.iter().filter(|waiting| waiting.0 == threads[side]);
            own.map(|&(_, cell, value)| Access::Write(cell, value)).collect::<Vec<_>>()
        };
        to[0] = program.threads[threads[0]].behind(stores(0), step.edge, step.end);
        if let Some(other) = step.partner.as_ref().and_then(|partner| partner.local.map(End::Moved)) {
            to[1] = program.threads[threads[1]].behind(stores(1), step.edge, other);
        }
        program.meetings.push(Meeting { threads, from, to, block: parts.block });
    }
    program
}

impl LocalAutomaton {
    /// Adds a step as one of each access, with made-up local states between them.
    fn add(&mut self, from: LocalId, mut accesses: Vec<Access>, edge: EdgeId, end: End) {
        if accesses.is_empty() {
            accesses.push(Access::None);
        }
        let first = accesses.remove(0);
        let to = self.behind(accesses, edge, end);
        self.push(from, first, to, end);
    }

    /// The local state from which these stores lead to the end of a step.
    fn behind(&mut self, accesses: Vec<Access>, edge: EdgeId, end: End) -> LocalId {
        let mut to = match end {
            End::Moved(to) => to,
            _ => self.end_of(edge, end),
        };
        for access in accesses.into_iter().rev() {
            let from = self.add_state();
            self.push(from, access, to, end);
            to = from;
        }
        to
    }

    fn push(&mut self, from: LocalId, access: Access, to: LocalId, end: End) {
        if let Access::Write(cell, value) = access {
            self.stores.insert((cell, value));
        }
        let is_wrong = self.ends.iter().any(|known| known.0 == to);
        let end = if is_wrong { end } else { End::Moved(to) };
        self.into[to.index()].push(self.steps.len());
        self.steps.push(Step { from, access, end });
    }

    fn add_state(&mut self) -> LocalId {
        self.into.push(Vec::new());
        local(self.into.len() - 1)
    }

    /// The artificial local state after a failing step.
    fn end_of(&mut self, edge: EdgeId, end: End) -> LocalId {
        if let Some(known) = self.ends.iter().find(|known| known.1 == edge && known.2 == end) {
            return known.0;
        }
        let name = self.add_state();
        self.ends.push((name, edge, end));
        name
    }
}
