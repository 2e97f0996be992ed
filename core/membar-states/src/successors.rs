//! Successors of a state: transitions, where they lead, and why other steps are not taken.

use membar_ir::error::CoreError;
use membar_ir::program::{CellId, EdgeId};
use membar_ir::words::narrow;

use super::cache::{Recalled, Sides, UNKNOWN};
use super::safety::RunStep;
use super::stepper::{Halt, Stepper};

/// A possible step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Transition {
    /// The thread that moves.
    pub(super) thread: usize,
    /// The edge taken; None for a flush.
    pub(super) edge: Option<EdgeId>,
    /// The receiver of a rendezvous, and its edge.
    pub(super) partner: Option<(usize, EdgeId)>,
    /// For a flush, the cell.
    pub(super) flushed: Option<CellId>,
    /// Whether an assertion fails in it: then it leads nowhere.
    pub(super) failed: bool,
    /// What it changes, in `Successors`.
    changes: (u32, u32),
    /// The same in short, for steps that were remembered.
    pub(super) sides: Sides,
    /// The values read and chosen, in `Successors`, if the step was not recalled; behind them those of the partner.
    values: (u32, u32, u32),
}

/// All that can happen in a state, and what kept the rest from happening.
#[derive(Debug, Default)]
pub(super) struct Successors {
    pub(super) list: Vec<Transition>,
    /// Words that steps change: which, and what they are afterwards.
    changes: Vec<(u32, u32)>,
    values: Vec<u64>,
    /// Whether the bound held a store back.
    pub(super) held: bool,
    /// Of which threads.
    pub(super) held_by: Vec<usize>,
    /// An edge whose stores do not fit into an empty buffer.
    pub(super) unfit: Option<(usize, EdgeId)>,
    /// Threads of which some edge with an open guard was not taken, for whatever reason; with the edge, if it only waits
    /// for a condition.
    pub(super) halted: Vec<(usize, Option<EdgeId>)>,
    /// Whether an assumption failed.
    pub(super) blocked: bool,
    /// Steps that were not taken although nothing but store buffers or an assumption stands in their way.
    pending: usize,
    /// Steps in which an access hits no location.
    pub(super) faults: Vec<RunStep>,
}

impl Successors {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.changes.clear();
        self.values.clear();
        self.held_by.clear();
        self.halted.clear();
        self.pending = 0;
        (self.held, self.blocked) = (false, false);
        self.faults.clear();
        self.unfit = None;
    }

    /// Adds a step; its changes, if it leads anywhere, were put behind all others.
    fn add(&mut self, who: TransitionId, failed: bool, sides: Sides, values: &[u64], partner_values: &[u64]) {
        let TransitionId { thread, edge, partner, flushed } = who;
        let known = self.list.last().map_or(0, |step| step.changes.1);
        let changes = (known, narrow(self.changes.len()));
        let start = narrow(self.values.len());
        self.values.extend_from_slice(values);
        let middle = narrow(self.values.len());
        self.values.extend_from_slice(partner_values);
        let values = (start, middle, narrow(self.values.len()));
        self.list.push(Transition { thread, edge, partner, flushed, failed, changes, sides, values });
    }

    /// Records why a step was not taken; `thread` is the one that could not go on.
    fn note_halt(
        &mut self,
        halt: Halt,
        who: TransitionId,
        thread: usize,
        values: &[u64],
    ) -> Result<(), CoreError> {
        let waits = halt == Halt::Waits && who.partner.is_none();
        self.halted.push((who.thread, who.edge.filter(|_| waits)));
        self.pending += usize::from(halt != Halt::Waits && halt != Halt::Fault);
        match halt {
            Halt::BufferFull | Halt::NeverFits => {
                self.held = true;
                self.held_by.push(who.thread);
                if halt == Halt::NeverFits {
                    self.unfit = self.unfit.or(who.edge_of(thread));
                }
            }
            Halt::Blocked => self.blocked = true,
            Halt::Fault => {
                let TransitionId { thread, edge, .. } = who;
                self.faults.push(RunStep { thread, edge, partner: None, values: values.to_vec() });
            }
            Halt::Refused(what) => return Err(CoreError::Unsupported(what)),
            Halt::Full => return Err(too_many()),
            Halt::Waits | Halt::Drains | Halt::Failed => {}
        }
        Ok(())
    }

    /// How many steps were taken or would be, but for store buffers; those that wait for a condition do not count.
    pub(super) fn enabled(&self) -> usize {
        self.list.len() + self.faults.len() + self.pending
    }

    /// Whether nothing can happen, and neither an assumption nor the bound is the reason.
    pub(super) fn is_stuck(&self) -> bool {
        self.list.is_empty() && self.faults.is_empty() && !self.blocked && !self.held
    }

    /// The edges of a thread, with open guards, that were not taken; None for those that need more than a condition.
    pub(super) fn halted_by(&self, thread: usize) -> impl Iterator<Item = Option<EdgeId>> {
        self.halted.iter().filter(move |halted| halted.0 == thread).map(|halted| halted.1)
    }

    /// The words that a move changes, and what they are afterwards.
    pub(super) fn changes(&self, step: &Transition) -> &[(u32, u32)] {
        &self.changes[step.changes.0 as usize..step.changes.1 as usize]
    }

    /// The state that a move leads to from the state `before`.
    pub(super) fn after(&self, step: &Transition, before: &[u32]) -> Vec<u32> {
        let mut after = before.to_vec();
        for &(leaf, word) in self.changes(step) {
            after[leaf as usize] = word;
        }
        after
    }

    /// Whether a move leads from the state `before` to the state `after`.
    pub(super) fn leads_to(&self, step: &Transition, before: &[u32], after: &[u32]) -> bool {
        !step.failed && self.after(step, before) == after
    }

    /// A move as a step of a run, if no step was recalled when the moves were found.
    pub(super) fn run_step(&self, step: &Transition) -> RunStep {
        let (start, middle, end) = step.values;
        let values = |from: u32, to: u32| self.values[from as usize..to as usize].to_vec();
        RunStep {
            thread: step.thread,
            edge: step.edge,
            partner: step.partner.map(|(thread, edge)| (thread, edge, values(middle, end))),
            values: values(start, middle),
        }
    }
}

/// Which step it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct TransitionId {
    pub(super) thread: usize,
    pub(super) edge: Option<EdgeId>,
    pub(super) partner: Option<(usize, EdgeId)>,
    pub(super) flushed: Option<CellId>,
}

impl TransitionId {
    /// The edge of one of the threads whose step it is.
    fn edge_of(self, thread: usize) -> Option<(usize, EdgeId)> {
        let own = self.edge.map(|edge| (self.thread, edge));
        own.into_iter().chain(self.partner).find(|&(who, _)| who == thread)
    }
}

/// Records the result of a step.
pub(super) fn note(
    stepper: &Stepper,
    leaves: &[u32],
    done: Result<(), Halt>,
    who: TransitionId,
    moves: &mut Successors,
) -> Result<(), CoreError> {
    match done {
        Ok(()) => {
            let words = stepper.leaves.iter().zip(leaves).zip(0..);
            let changed = words.filter(|((after, before), _)| after != before);
            moves.changes.extend(changed.map(|((&after, _), leaf)| (leaf, after)));
        }
        Err(Halt::Failed) => {}
        Err(halt) => return moves.note_halt(halt, who, stepper.thread, &stepper.values),
    }
    moves.add(who, done.is_err(), (UNKNOWN, UNKNOWN), &stepper.values, &stepper.partner_values);
    Ok(())
}

/// Records a step from the cache.
pub(super) fn note_recalled(
    leaves: &[u32],
    step: &Recalled<'_>,
    who: TransitionId,
    moves: &mut Successors,
) -> Result<(), CoreError> {
    match step.done {
        Ok(()) => {
            for change in step.changes {
                let before = leaves[change.leaf as usize];
                let after = change.apply(before);
                if after != before {
                    moves.changes.push((change.leaf, after));
                }
            }
        }
        Err(Halt::Failed) => {}
        Err(halt) => return moves.note_halt(halt, who, step.thread, &[]),
    }
    moves.add(who, step.done.is_err(), step.sides, &[], &[]);
    Ok(())
}

pub(super) fn too_many() -> CoreError {
    CoreError::TooLarge("more than 4 billion states")
}
