//! Fairness assumptions as acceptance sets.
//!
//! A queue of stores is treated fairly if it is, infinitely often, empty or flushed: one mark per thread, under pso one
//! per thread and cell. A thread is treated fairly (weakly) if it is, infinitely often, unable to move or moves.

use membar_ir::error::CoreError;
use membar_ir::program::{Address, CellId, Operation};

use super::automaton::{AcceptanceSets, MOST_MARKS};
use super::program::{BufferKind, Program};
use super::successors::{Successors, Transition};
use super::thread_state::{Entry, ThreadState};

/// What is to be treated fairly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fair {
    /// Queues of stores.
    pub buffers: bool,
    /// Threads.
    pub processes: bool,
}

/// The marks of fairness; they come behind those of an automaton.
#[derive(Debug)]
pub(super) struct Fairness {
    /// Queues: the thread, and under pso the cell.
    queues: Vec<(usize, Option<CellId>)>,
    threads: Vec<usize>,
    first: usize,
}

impl Fairness {
    /// Those of a program; the first is number `first`.
    pub(super) fn new(program: &Program, fair: Fair, first: usize) -> Result<Self, CoreError> {
        let mut queues = Vec::new();
        if fair.buffers && program.discipline != BufferKind::Sc {
            for thread in 0..program.threads.len() {
                let stored = stored_cells(program, thread);
                if program.discipline == BufferKind::Pso {
                    queues.extend(stored.into_iter().map(|cell| (thread, Some(cell))));
                } else if !stored.is_empty() {
                    queues.push((thread, None));
                }
            }
        }
        let has_edges = |&thread: &usize| fair.processes && !program.threads[thread].edges.is_empty();
        let threads: Vec<usize> = (0..program.threads.len()).filter(has_edges).collect();
        if first + queues.len() + threads.len() > MOST_MARKS {
            return Err(CoreError::TooLarge("more than 127 acceptance and fairness sets"));
        }
        Ok(Self { queues, threads, first })
    }

    /// All marks, those below `first` included.
    pub(super) fn all(&self) -> AcceptanceSets {
        lowest(self.first + self.queues.len() + self.threads.len())
    }

    /// All marks of fairness.
    pub(super) fn own(&self) -> AcceptanceSets {
        self.all() & !lowest(self.first)
    }

    /// The marks of every move out of a state, whoever moves: queues that are empty, threads that cannot move.
    /// A thread that only lacks room in its buffer could move with more of it.
    pub(super) fn of_state(&self, locals: &[ThreadState], moves: &Successors) -> AcceptanceSets {
        let mut marks = 0;
        for (place, &(thread, cell)) in self.queues.iter().enumerate() {
            let waits = |entry: &Entry| match cell {
                None => true,
                Some(cell) => entry.cell() == Some(cell),
            };
            if !locals[thread].buffer.iter().any(waits) {
                marks |= 1 << (self.first + place);
            }
        }
        let mut able: u128 = 0;
        let steps = moves.list.iter().filter(|step| step.edge.is_some());
        for mover in steps.flat_map(movers).chain(moves.held_by.iter().copied()) {
            able |= self.threads.iter().position(|&thread| thread == mover).map_or(0, |place| 1 << place);
        }
        for place in (0..self.threads.len()).filter(|&place| able & (1 << place) == 0) {
            marks |= 1 << (self.first + self.queues.len() + place);
        }
        marks
    }

    /// The marks of a move itself: the queue that it flushes, the threads that move.
    pub(super) fn of_move(&self, step: &Transition) -> AcceptanceSets {
        let mut marks = 0;
        if let Some(flushed) = step.flushed {
            let is_it = |&&(thread, cell): &&(usize, Option<CellId>)| {
                thread == step.thread && cell.is_none_or(|cell| cell == flushed)
            };
            let place = self.queues.iter().position(|queue| is_it(&queue));
            marks |= place.map_or(0, |place| 1 << (self.first + place));
        } else if step.edge.is_some() {
            for mover in movers(step) {
                let place = self.threads.iter().position(|&thread| thread == mover);
                marks |= place.map_or(0, |place| 1 << (self.first + self.queues.len() + place));
            }
        }
        marks
    }
}

/// The first so many marks.
pub(super) fn lowest(count: usize) -> AcceptanceSets {
    (1 << count) - 1
}

fn movers(step: &Transition) -> impl Iterator<Item = usize> {
    [Some(step.thread), step.partner.map(|partner| partner.0)].into_iter().flatten()
}

/// The cells that a thread may store to through its buffer.
fn stored_cells(program: &Program, thread: usize) -> Vec<CellId> {
    let mut cells = Vec::new();
    for operation in program.threads[thread].edges.iter().flat_map(|edge| &edge.operations) {
        let (Operation::Store { address, .. }
        | Operation::StoreConditional { address, .. }
        | Operation::Unlock { address }) = operation
        else {
            continue;
        };
        match address {
            Address::Cell(cell) => cells.push(*cell),
            Address::Computed(..) => {
                cells
                    .extend((0..program.cells.len()).filter_map(|cell| u32::try_from(cell).ok().map(CellId)));
            }
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}
