//! Threads as finite automata over single accesses: every local state that any values of memory could lead to.
//!
//! Loads may return whatever anybody may store, so this has more steps than the program; searches that go backwards
//! from bad states need all steps into a local state, and find out on their way which of them have a past.

use std::collections::BTreeSet;

use crate::error::CoreError;
use crate::program::{CellId, EdgeId};

use super::system::{End, LocalId, Memory, System};

/// Different values of one cell beyond which its data does not count as finite.
const MOST_VALUES: usize = 256;
/// Local states of all threads beyond which they do not count as finite here.
const MOST_LOCALS: usize = 1 << 16;

/// What a step does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Nothing.
    None,
    /// A load that returns a value.
    Read(CellId, u64),
    /// A store that may wait.
    Write(CellId, u64),
    /// The own buffer is empty.
    Fence,
    /// All buffers are empty.
    FullFence,
    /// The own buffer is empty, memory holds what is read, then what is written.
    Locked { reads: Option<(CellId, u64)>, writes: Option<(CellId, u64)> },
}

/// A step of a thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) from: LocalId,
    pub(super) access: Access,
    pub(super) edge: EdgeId,
    pub(super) end: End,
}

/// A thread.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) steps: Vec<Step>,
    /// The steps into each local state.
    pub(super) into: Vec<Vec<usize>>,
    /// Made-up local states that a thread is in after a step that goes wrong, with that step.
    pub(super) ends: Vec<(LocalId, EdgeId, End)>,
    /// What it may store.
    pub(super) stores: BTreeSet<(CellId, u64)>,
}

/// One thing that a step does, as it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bit {
    Read(CellId, u64),
    Store(CellId, u64),
    Drain,
    DrainAll,
    Write(CellId, u64),
}

/// A memory in which every cell may hold every value that is known for it.
#[derive(Debug, Clone, Default)]
struct Anything {
    bits: Vec<Bit>,
}

impl Anything {
    fn and(&self, bit: Bit) -> Self {
        let mut next = self.clone();
        next.bits.push(bit);
        next
    }
}

impl Memory for Anything {
    type World = Vec<BTreeSet<u64>>;

    const EXACT: bool = false;

    fn load(&self, world: &mut Self::World, cell: CellId) -> Vec<(u64, Self)> {
        // What this very step did to the cell is known; anything else may be there.
        for bit in self.bits.iter().rev() {
            match *bit {
                Bit::Store(other, value) | Bit::Write(other, value) if other == cell => {
                    return vec![(value, self.clone())];
                }
                _ => {}
            }
        }
        world[cell.index()].iter().map(|&value| (value, self.and(Bit::Read(cell, value)))).collect()
    }

    fn store(&mut self, _: &mut Self::World, cell: CellId, value: u64) -> bool {
        self.bits.push(Bit::Store(cell, value));
        true
    }

    fn drained(&self, _: &mut Self::World) -> Option<Self> {
        Some(self.and(Bit::Drain))
    }

    fn all_drained(&self, _: &mut Self::World) -> Option<Self> {
        Some(self.and(Bit::DrainAll))
    }

    fn write(&mut self, _: &mut Self::World, cell: CellId, value: u64) {
        self.bits.push(Bit::Write(cell, value));
    }
}

fn access(bits: &[Bit]) -> Result<Access, CoreError> {
    Ok(match *bits {
        [] => Access::None,
        [Bit::Read(cell, value)] => Access::Read(cell, value),
        [Bit::Store(cell, value)] => Access::Write(cell, value),
        [Bit::Drain] => Access::Fence,
        [Bit::DrainAll] => Access::FullFence,
        [Bit::Drain, Bit::Write(cell, value)] => Access::Locked { reads: None, writes: Some((cell, value)) },
        [Bit::Read(cell, value), Bit::Drain] => Access::Locked { reads: Some((cell, value)), writes: None },
        [Bit::Read(cell, old), Bit::Drain, Bit::Write(other, new)]
        | [Bit::Drain, Bit::Read(cell, old), Bit::Write(other, new)]
            if cell == other =>
        {
            Access::Locked { reads: Some((cell, old)), writes: Some((cell, new)) }
        }
        _ => return Err(CoreError::Unsupported("backwards, a step has at most one access")),
    })
}

/// All threads, for all values that can be anywhere.
///
/// # Errors
/// A step has several accesses, or values and local states do not come to an end.
pub(super) fn flatten(system: &mut System<'_>) -> Result<Vec<Flat>, CoreError> {
    let mut values: Vec<BTreeSet<u64>> =
        system.cells.iter().map(|cell| BTreeSet::from([cell.initial])).collect();
    loop {
        let before = (values.iter().map(BTreeSet::len).sum::<usize>(), system.met());
        let mut threads = Vec::new();
        for thread in 0..system.threads() {
            threads.push(flat(system, thread, &mut values)?);
        }
        for &(cell, value) in threads.iter().flat_map(|thread| &thread.stores) {
            values[cell.index()].insert(value);
        }
        let locked = threads.iter().flat_map(|thread| &thread.steps).filter_map(|step| match step.access {
            Access::Locked { writes, .. } => writes,
            _ => None,
        });
        for (cell, value) in locked {
            values[cell.index()].insert(value);
        }
        if values.iter().any(|known| known.len() > MOST_VALUES) || system.met() > MOST_LOCALS {
            return Err(CoreError::TooLarge("backwards, the values of memory do not look finite"));
        }
        if before == (values.iter().map(BTreeSet::len).sum(), system.met()) {
            return Ok(threads);
        }
    }
}

fn flat(system: &mut System<'_>, thread: usize, values: &mut Vec<BTreeSet<u64>>) -> Result<Flat, CoreError> {
    let mut result = Flat::default();
    let mut number = 0;
    while number < system.locals(thread).len() {
        if number > MOST_LOCALS {
            return Err(CoreError::TooLarge("backwards, the states of a thread do not look finite"));
        }
        let from = LocalId(u32::try_from(number).unwrap_or(u32::MAX));
        let mut taken = Vec::new();
        system.steps(values, thread, from, &Anything::default(), &mut taken)?;
        for step in taken {
            let access = access(&step.memory.bits)?;
            if let Access::Write(cell, value) = access {
                result.stores.insert((cell, value));
            }
            result.steps.push(Step { from, access, edge: step.edge, end: step.end });
        }
        number += 1;
    }
    result.into = vec![Vec::new(); system.locals(thread).len()];
    for index in 0..result.steps.len() {
        let Step { edge, end, .. } = result.steps[index];
        let to = match end {
            End::Moved(to) => to,
            _ => result.end_of(edge, end),
        };
        result.into[to.index()].push(index);
    }
    Ok(result)
}

impl Flat {
    /// The made-up local state behind a step that goes wrong.
    fn end_of(&mut self, edge: EdgeId, end: End) -> LocalId {
        if let Some(known) = self.ends.iter().find(|known| known.1 == edge && known.2 == end) {
            return known.0;
        }
        let name = LocalId(u32::try_from(self.into.len()).unwrap_or(u32::MAX));
        self.into.push(Vec::new());
        self.ends.push((name, edge, end));
        name
    }
}
