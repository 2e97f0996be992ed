//! The product of the program and an automaton.

use std::collections::BTreeMap;

use membar_ir::error::CoreError;
use membar_ir::program::EdgeId;

use super::automaton::{AcceptanceSets, Automaton};
use super::fairness::{Fair, Fairness};
use super::safety::{RunStep, run_step};
use super::store::{ExpandedState, Store};
use super::successors::{Successors, too_many};
use super::system::System;

/// A step of the product.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProductEdge {
    /// The state that it leads to.
    pub(super) target: u32,
    /// The number of its marks.
    pub(super) marks: u32,
    /// Which move of the program it is; None if the program has ended and nothing happens.
    pub(super) step: Option<u32>,
}

/// The product, as far as it was visited.
#[derive(Debug)]
pub(super) struct Product<'s> {
    pub(super) system: &'s mut System,
    automaton: &'s Automaton,
    fairness: Fairness,
    store: Store,
    known_marks: Vec<AcceptanceSets>,
    numbers: BTreeMap<AcceptanceSets, u32>,
    near: ExpandedState,
    moves: Successors,
    scratch: Vec<u32>,
    leaves: Vec<u32>,
    /// Whether the bound held a store back.
    pub(super) held: bool,
    /// A thread and its edge whose stores do not fit into an empty buffer.
    pub(super) unfit: Option<(usize, EdgeId)>,
    /// Whether an access hit no location.
    pub(super) fault: bool,
    /// Whether an assertion failed in a run that the automaton might still have accepted.
    pub(super) failed: bool,
}

impl<'s> Product<'s> {
    pub(super) fn new(
        system: &'s mut System,
        automaton: &'s Automaton,
        fair: Fair,
    ) -> Result<Self, CoreError> {
        let fairness = Fairness::new(&system.program, fair, automaton.marks)?;
        let store = Store::new(system.leaves(), true);
        Ok(Self {
            system,
            automaton,
            fairness,
            store,
            known_marks: Vec::new(),
            numbers: BTreeMap::new(),
            near: ExpandedState::default(),
            moves: Successors::default(),
            scratch: Vec::new(),
            leaves: Vec::new(),
            held: false,
            unfit: None,
            fault: false,
            failed: false,
        })
    }

    /// How many states were met.
    pub(super) fn len(&self) -> usize {
        self.store.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.store.bytes() + self.system.bytes()
    }

    /// All marks that must be seen.
    pub(super) fn all_marks(&self) -> AcceptanceSets {
        self.fairness.all()
    }

    /// The marks with a number.
    pub(super) fn marks(&self, number: u32) -> AcceptanceSets {
        self.known_marks[number as usize]
    }

    /// The states in which runs begin.
    pub(super) fn initial(&mut self) -> Result<Vec<u32>, CoreError> {
        let program = self.system.initial()?;
        let mut found = Vec::new();
        for &state in &self.automaton.initial {
            found.push(self.number(&program, state)?);
        }
        Ok(found)
    }

    /// Whether the automaton is, in this state, where it must not be.
    pub(super) fn is_wrong(&mut self, number: u32) -> bool {
        self.store.fetch(number, &mut self.near);
        let count = self.system.leaves();
        self.automaton.wrong[self.near.leaves(count + 1)[count] as usize]
    }

    /// All steps out of a state.
    pub(super) fn steps(&mut self, number: u32, found: &mut Vec<ProductEdge>) -> Result<(), CoreError> {
        found.clear();
        let count = self.system.leaves();
        self.store.fetch(number, &mut self.near);
        let near = std::mem::take(&mut self.near);
        let mut moves = std::mem::take(&mut self.moves);
        let (program, state) = (near.leaves(count), near.leaves(count + 1)[count]);
        self.system.moves(program, &mut moves)?;
        self.held |= moves.held;
        self.unfit = self.unfit.or(moves.unfit);
        self.fault |= !moves.faults.is_empty();
        if self.system.is_inside() {
            // The automaton does not see what happens inside an atomic block.
            self.failed |= moves.list.iter().any(|step| step.failed);
            for (place, step) in moves.list.iter().enumerate().filter(|(_, step)| !step.failed) {
                let (target, _) = self.place(moves.after(step, count), state, &near)?;
                let marks = self.number_of_marks(self.fairness.of_move(step))?;
                let step = Some(u32::try_from(place).map_err(|_| too_many())?);
                found.push(ProductEdge { target, marks, step });
            }
            self.near = near;
            self.moves = moves;
            return Ok(());
        }
        let mut truths = 0;
        for (place, &predicate) in self.automaton.predicates.iter().enumerate() {
            truths |= u64::from(self.system.holds(predicate, program)) << place;
        }
        let resting = self.fairness.of_state(self.system.locals(), &moves);
        // A run that an assumption ends, or the bound, is no run.
        let has_ended = moves.list.is_empty() && !moves.blocked && !moves.held;
        let automaton = self.automaton;
        let may_stay = !automaton.is_endless;
        let fails = moves.list.iter().any(|step| step.failed);
        for edge in automaton.leaving[state as usize].iter().filter(|edge| edge.is_open(truths)) {
            self.failed |= fails;
            if has_ended && may_stay {
                let (target, _) = self.place(program, edge.target, &near)?;
                let marks = self.number_of_marks(edge.marks | self.fairness.own())?;
                found.push(ProductEdge { target, marks, step: None });
            }
            for (place, step) in moves.list.iter().enumerate().filter(|(_, step)| !step.failed) {
                let (target, _) = self.place(moves.after(step, count), edge.target, &near)?;
                let marks = self.number_of_marks(edge.marks | resting | self.fairness.of_move(step))?;
                let step = Some(u32::try_from(place).map_err(|_| too_many())?);
                found.push(ProductEdge { target, marks, step });
            }
        }
        self.near = near;
        self.moves = moves;
        Ok(())
    }

    fn number(&mut self, program: &[u32], state: u32) -> Result<u32, CoreError> {
        Ok(self.place(program, state, &ExpandedState::default())?.0)
    }

    fn place(&mut self, program: &[u32], state: u32, near: &ExpandedState) -> Result<(u32, bool), CoreError> {
        self.leaves.clear();
        self.leaves.extend_from_slice(program);
        self.leaves.push(state);
        self.store.number(&self.leaves, near, &mut self.scratch).ok_or_else(too_many)
    }

    fn number_of_marks(&mut self, marks: AcceptanceSets) -> Result<u32, CoreError> {
        if let Some(&number) = self.numbers.get(&marks) {
            return Ok(number);
        }
        let number = u32::try_from(self.known_marks.len()).map_err(|_| too_many())?;
        self.known_marks.push(marks);
        self.numbers.insert(marks, number);
        Ok(number)
    }

    /// The program's part of a step out of `state`; None if nothing happens.
    pub(super) fn step_of(&mut self, state: u32, arc: ProductEdge) -> Result<Option<RunStep>, CoreError> {
        let Some(place) = arc.step else { return Ok(None) };
        let count = self.system.leaves();
        self.store.fetch(state, &mut self.near);
        self.system.moves(self.near.leaves(count), &mut self.moves)?;
        Ok(self.moves.list.get(place as usize).map(|step| run_step(step, &self.moves)))
    }
}
