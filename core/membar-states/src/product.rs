//! The product of the program and an automaton: which steps of the automaton are open in a state, and with which marks.

use rustc_hash::FxHashMap;

use membar_ir::error::CoreError;
use membar_ir::words::narrow;

use super::automaton::{AcceptanceSets, Automaton, SEEN};
use super::fairness::{Fair, Fairness};
use super::findings::{Findings, Note};
use super::safety::RunStep;
use super::successors::{Successors, Transition};
use super::symmetry::{Companion, Symmetry};
use super::system::System;

/// An automaton beside a program, with the marks of fairness.
#[derive(Debug)]
pub(super) struct Claim<'a> {
    pub(super) automaton: &'a Automaton,
    pub(super) fairness: Fairness,
    /// Threads that may be exchanged, if that is made use of.
    pub(super) symmetry: Option<Symmetry>,
    /// Per state of the automaton, whether some cycle through it has every mark of the automaton.
    pub(super) is_live: Vec<bool>,
    /// The mark of every step that the automaton sees; 0 if it sees all steps.
    pub(super) seen: AcceptanceSets,
}

/// What the automaton can do in a state.
#[derive(Debug, Default)]
pub(super) struct OpenEdges {
    /// Where its steps lead, and their marks, those of the state included.
    pub(super) list: Vec<(u32, AcceptanceSets)>,
    /// Whether the program has ended, so that only the automaton moves on.
    pub(super) stays: bool,
}

impl<'a> Claim<'a> {
    pub(super) fn new(system: &System, automaton: &'a Automaton, fair: Fair) -> Result<Self, CoreError> {
        let fairness = Fairness::new(&system.program, fair, automaton.marks)?;
        let has_atomic_blocks = system.program.threads.iter().any(|thread| thread.atomic.contains(&true));
        Ok(Self {
            automaton,
            fairness,
            symmetry: None,
            is_live: Vec::new(),
            seen: if has_atomic_blocks { SEEN } else { 0 },
        })
    }

    /// Finds the open edges of the state whose moves were asked for last, beside this `state` of the automaton; and what
    /// is to be said of it, as far as `found` does not say it already.
    pub(super) fn look(
        &self,
        system: &mut System,
        (leaves, state): (&[u32], u32),
        moves: &Successors,
        found: &Findings,
        open: &mut OpenEdges,
        notes: &mut Vec<Note>,
    ) {
        super::findings::look_at_moves(moves, found, notes);
        let state = state as usize;
        if self.automaton.wrong[state] {
            notes.push(Note::Wrong);
        }
        self.open_edges(system, leaves, state, moves, open);
        let fails = !found.run_fails && moves.list.iter().any(|step| step.failed);
        if fails && !open.list.is_empty() {
            notes.push(Note::RunFails);
        }
    }

    fn open_edges(
        &self,
        system: &mut System,
        program: &[u32],
        state: usize,
        moves: &Successors,
        open: &mut OpenEdges,
    ) {
        open.list.clear();
        open.stays = false;
        if system.is_inside() {
            // The automaton does not see what happens inside an atomic block.
            open.list.push((narrow(state), 0));
            return;
        }
        let mut truths = 0;
        for (place, &predicate) in self.automaton.predicates.iter().enumerate() {
            truths |= u64::from(system.holds(predicate, program)) << place;
        }
        // A run that an assumption ends, or the bound, is no run.
        let has_ended = moves.list.is_empty() && !moves.blocked && !moves.held;
        open.stays = has_ended && !self.automaton.is_endless;
        let resting = self.fairness.of_state(system.locals().1, moves);
        let edges = self.automaton.leaving[state].iter().filter(|edge| edge.is_open(truths));
        open.list.extend(edges.map(|edge| (edge.target, edge.marks | resting | self.seen)));
    }

    /// The marks of the automaton's step and a move of the program; None where the program has ended.
    pub(super) fn marks(&self, edge: AcceptanceSets, step: Option<&Transition>) -> AcceptanceSets {
        edge | step.map_or(self.fairness.own(), |step| self.fairness.of_move(step))
    }

    /// Lets the program itself take the step with these marks between two states of the product that are kept: the move, or
    /// None if nothing happens.
    pub(super) fn step_to(
        &self,
        system: &mut System,
        companion: &mut Companion<'_>,
        (before, after): (&[u32], &[u32]),
        marks: AcceptanceSets,
    ) -> Result<Option<RunStep>, CoreError> {
        let (count, mut moves) = (system.leaves(), Successors::default());
        system.moves(&before[..count], &mut moves)?;
        let mut open = OpenEdges::default();
        self.open_edges(system, &before[..count], before[count] as usize, &moves, &mut open);
        for step in moves.list.iter().filter(|step| !step.failed) {
            let has_marks = |&(target, edge): &(u32, AcceptanceSets)| {
                target == after[count] && self.marks(edge, Some(step)) == marks
            };
            if open.list.iter().any(has_marks) {
                let states = (&before[..count], &after[..count]);
                if let Some(taken) = companion.take(system, states, (step, &moves))? {
                    return Ok(Some(taken));
                }
            }
        }
        Ok(None)
    }
}

/// Numbers for sets of marks.
#[derive(Debug, Default)]
pub(super) struct LabelTable {
    pub(super) known: Vec<AcceptanceSets>,
    numbers: FxHashMap<AcceptanceSets, u32>,
    /// The number that was asked for last.
    last: u32,
}

impl LabelTable {
    /// The number of a set.
    pub(super) fn number(&mut self, marks: AcceptanceSets) -> u32 {
        if self.known.get(self.last as usize) != Some(&marks) {
            self.last = *self.numbers.entry(marks).or_insert_with(|| {
                self.known.push(marks);
                narrow(self.known.len() - 1)
            });
        }
        self.last
    }
}
