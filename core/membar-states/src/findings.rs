//! Findings of a search of states, and its options.

use std::collections::BTreeMap;

use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::EdgeId;

use super::disk::{BLOCK, DiskStates};
use super::successors::Successors;
use super::system::System;

/// What the search may leave out, and when it stops.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "switches that have nothing to do with one another")]
pub struct Options {
    /// Most states.
    pub states: Option<u64>,
    /// Ends with the first assertion that fails or error state.
    pub stop_at_failure: bool,
    /// Ends with the first deadlock.
    pub stop_at_deadlock: bool,
    /// Keeps the number of every final state.
    pub keep_finals: bool,
    /// Whether to use partial-order reduction.
    pub reduced: bool,
    /// Whether states that differ in the names of identical threads are one.
    pub symmetric: bool,
    /// For claims about runs: visits everything, so that a run that breaks them is a shortest one.
    pub shortest: bool,
    /// Bytes for a search that keeps a few bits of each state, and therefore leaves some out.
    pub bitstate: Option<usize>,
    /// Most bytes of states on disk, once memory is full; None: memory is all there is.
    pub disk: Option<u64>,
    /// For tests: most states in memory, where there is a disk.
    pub recent: Option<usize>,
    /// How many threads search; 0 and 1 are the same.
    pub jobs: usize,
    /// For tests: states in a round of several threads, which are then started however few there are.
    pub round: Option<u32>,
}

impl Options {
    /// Whether a round of so many states is worth starting threads for.
    pub(super) fn is_worth_it(&self, states: u32) -> bool {
        states >= WORTH_IT || (self.round.is_some() && states > 1)
    }
}

impl Options {
    /// No states yet, and at most so many bytes on disk.
    pub(super) fn disk_states(&self, most: u64) -> DiskStates {
        DiskStates::new(most, self.recent.map_or(BLOCK, |recent| recent.clamp(1, BLOCK)))
    }

    /// With a disk, whether it is time to use it.
    pub(super) fn is_memory_full(&self, states: usize, bytes: usize, watch: &Watch<'_>) -> bool {
        self.recent.map_or_else(|| watch.bytes(bytes).is_err(), |most| states >= most)
    }
}

/// Fewer states than these are not worth starting threads for.
const WORTH_IT: u32 = 256;

/// Final states that show the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// How many there are.
    pub count: u64,
    /// The one met first.
    pub first: u32,
}

/// What was found. States are named by the order in which one thread meets them, breadth-first.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// States met, but for those inside atomic blocks.
    pub states: u64,
    /// States inside atomic blocks, which only the thread there sees.
    pub inside: u64,
    /// Moves followed.
    pub transitions: u64,
    /// States in which nothing moves because an assumption fails.
    pub blocked: u64,
    /// Whether the bound held a store back.
    pub held: bool,
    /// A thread and its edge whose stores do not fit into an empty buffer, so that it is never taken.
    pub unfit: Option<(usize, EdgeId)>,
    /// The state before an assertion that fails, and which of its moves it is.
    pub failure: Option<(u32, usize)>,
    /// Per kind of error state the first one, if any.
    pub errors: Vec<Option<u32>>,
    /// The first state in which nothing moves although some thread has not ended.
    pub deadlock: Option<u32>,
    /// Whether a run ends: with all threads, or where each may stay.
    pub run_ends: bool,
    /// The first state with an access that hits no location, and by which thread and edge.
    pub fault: Option<(u32, usize, EdgeId)>,
    /// What final states show.
    pub endings: BTreeMap<Vec<u64>, Ending>,
    /// All final states, if they were asked for.
    pub finals: Vec<u32>,
    /// States of a product in which the automaton is where it must not be.
    pub wrong: Vec<u32>,
    /// Whether an assertion failed, which ends a run, where an automaton might still have accepted it.
    pub run_fails: bool,
    /// Why it did not end, if it did not.
    pub stopped: Option<Stopped>,
    /// Bytes held at the end or, with states on disk, whenever memory was full.
    pub bytes: u64,
    /// With states on disk, at most how many bytes were there.
    pub disk: Option<u64>,
    /// About how many states a bit-state search left out because others have the same bits; those that only they lead to
    /// do not count.
    pub omitted: Option<f64>,
}

/// Something to be said of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Note {
    /// The bound held a store back.
    BufferFull,
    /// The stores of an edge do not fit into an empty buffer.
    NeverFits(usize, EdgeId),
    /// An access hits no location.
    Fault(usize, EdgeId),
    /// An assertion fails in this of its moves.
    Failed(usize),
    /// It is an error state of this kind.
    Error(usize),
    /// It is a final state that shows this.
    Final(Vec<u64>),
    /// Nothing moves because an assumption fails.
    Blocked,
    /// Nothing moves although some thread has not ended.
    Deadlock,
    /// Nothing moves, and each thread may stay where it is.
    Stays,
    /// A thread is inside an atomic block.
    Inside,
    /// The automaton is where it must not be.
    Wrong,
    /// An assertion fails in a run that the automaton might still have accepted.
    RunFails,
}

impl Note {
    /// Whether a run is shown for it.
    pub(super) fn has_run(&self) -> bool {
        matches!(self, Self::Fault(..) | Self::Failed(_) | Self::Error(_) | Self::Deadlock | Self::Final(_))
    }

    /// Whether the search ends with it.
    pub(super) fn ends(&self, options: Options) -> bool {
        match self {
            Self::Fault(..) => true,
            Self::Failed(_) | Self::Error(_) | Self::Wrong => options.stop_at_failure,
            Self::Deadlock => options.stop_at_deadlock,
            // What reduction leaves out might be a run that goes on.
            Self::RunFails => options.reduced,
            _ => false,
        }
    }
}

impl Findings {
    /// Records a note about state `number`; whether the findings now name the state.
    pub(super) fn take(&mut self, number: u32, note: Note, keep_finals: bool) -> bool {
        match note {
            Note::BufferFull => self.held = true,
            Note::NeverFits(thread, edge) => self.unfit = self.unfit.or(Some((thread, edge))),
            Note::Blocked => self.blocked += 1,
            Note::Inside => self.inside += 1,
            Note::Stays => self.run_ends = true,
            Note::Wrong => {
                self.wrong.push(number);
                return true;
            }
            Note::RunFails => self.run_fails = true,
            Note::Fault(thread, edge) if self.fault.is_none() => {
                self.fault = Some((number, thread, edge));
                return true;
            }
            Note::Failed(place) if self.failure.is_none() => {
                self.failure = Some((number, place));
                return true;
            }
            Note::Error(place) if self.errors[place].is_none() => {
                self.errors[place] = Some(number);
                return true;
            }
            Note::Deadlock if self.deadlock.is_none() => {
                self.deadlock = Some(number);
                return true;
            }
            Note::Final(terms) => {
                self.run_ends = true;
                if keep_finals {
                    self.finals.push(number);
                }
                let ending = self.endings.entry(terms).or_insert(Ending { count: 0, first: number });
                ending.count += 1;
                return keep_finals || ending.first == number;
            }
            _ => {}
        }
        false
    }
}

/// After so many states limits are looked at only now and then; before, a small limit may be meant for them.
pub(super) const FEW: u32 = 256;

/// What is to be said of the state whose moves were asked for last, as far as `found` does not say it already.
pub(super) fn look(
    system: &mut System,
    leaves: &[u32],
    moves: &Successors,
    found: &Findings,
    notes: &mut Vec<Note>,
) {
    look_at_moves(moves, found, notes);
    if found.failure.is_none()
        && let Some(place) = moves.list.iter().position(|step| step.failed)
    {
        notes.push(Note::Failed(place));
    }
    if system.is_inside() {
        notes.push(Note::Inside);
        if moves.list.is_empty() && moves.blocked {
            notes.push(Note::Blocked);
        }
        return;
    }
    for place in 0..found.errors.len() {
        let error = system.program.errors[place];
        if found.errors[place].is_none() && system.holds(error, leaves) {
            notes.push(Note::Error(place));
        }
    }
    if system.is_final() {
        notes.push(Note::Final(system.terms(leaves)));
    } else if moves.list.is_empty() {
        if moves.blocked {
            notes.push(Note::Blocked);
        } else if !moves.held && system.may_stay() {
            notes.push(Note::Stays);
        } else if !moves.held && found.deadlock.is_none() {
            notes.push(Note::Deadlock);
        }
    }
}

/// What is to be said of the moves of a state, whatever is asked of it.
pub(super) fn look_at_moves(moves: &Successors, found: &Findings, notes: &mut Vec<Note>) {
    if moves.held && !found.held {
        notes.push(Note::BufferFull);
    }
    if let Some((thread, edge)) = moves.unfit
        && found.unfit.is_none()
    {
        notes.push(Note::NeverFits(thread, edge));
    }
    if let Some((thread, edge)) = moves.faults.first().and_then(|step| Some((step.thread, step.edge?))) {
        notes.push(Note::Fault(thread, edge));
    }
}
