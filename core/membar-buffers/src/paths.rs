//! Runs with one concrete content per buffer, reconstructed from the states that the search kept.
//!
//! Every kept state knows the transition that led to it and how it was accelerated. A run is reconstructed
//! backwards. The contents after a transition determine those before it: a commit removed its letter from the
//! front, a store appended its letters, a load or a fence left them unchanged. Contents that acceleration added are
//! a word of the language before, followed by words of the cycles, in some order; these iterations are undone one
//! by one. No choice can be wrong: each set is the exact image of the previous one.

use super::acceleration::AcceleratedCycle;
use super::automaton::{Language, Letter};
use super::buffer_kinds::Discipline;
use super::forward::{Place, Search, Step};
use super::run::{Act, Move};
use super::symbolic::Transition;

/// A state that was kept, by number.
pub(super) type NodeId = u32;

/// A state that was kept, and how it was reached.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) queues: Box<[Language]>,
    /// None for the initial state.
    pub(super) came: Option<Predecessor>,
}

/// A transition, and how the contents after it were accelerated, in this order.
#[derive(Debug)]
pub(super) struct Predecessor {
    pub(super) step: Step,
    pub(super) growths: Vec<Growth>,
}

/// What cycles made of one buffer.
#[derive(Debug)]
pub(super) struct Growth {
    pub(super) queue: usize,
    /// The state on the stack from which the cycles were taken; None if from the state itself.
    pub(super) from: Option<NodeId>,
    /// The contents before it.
    pub(super) before: Language,
    pub(super) cycles: Vec<AcceleratedCycle>,
}

/// Where something was found: in some contents of a state, by a last transition or without.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) node: NodeId,
    pub(super) last: Option<u32>,
    pub(super) queues: Vec<Language>,
}

/// The contents of all buffers, and the moves from here to the end, last one first.
struct Reading {
    words: Vec<Vec<Letter>>,
    moves: Vec<Move>,
}

/// Where a run continues, backwards.
enum Before {
    /// With the transition that led here.
    Step,
    /// In an older state, from which a cycle led here.
    Older(NodeId),
}

impl Search<'_, '_, '_> {
    /// A run to what was found; None only if the search made a mistake.
    pub(super) fn run_to(&self, target: &Target) -> Option<Vec<Move>> {
        let automata = &self.semantics.world.automata;
        let words = target.queues.iter().map(|&queue| automata.shortest(queue)).collect::<Option<_>>()?;
        let mut reading = Reading { words, moves: Vec::new() };
        if let Some(last) = target.last {
            reading.moves.push(self.move_of(last));
        }
        let mut at = target.node;
        while let Some(came) = &self.nodes[at as usize].came {
            at = match self.before_growths(came, &mut reading)? {
                Before::Older(older) => older,
                Before::Step => {
                    let parent = came.step.parent;
                    self.undo(came.step.number, &came.step.stored, Some(parent), &mut reading)?;
                    parent
                }
            };
        }
        if reading.words.iter().any(|word| !word.is_empty()) {
            return None;
        }
        reading.moves.reverse();
        Some(reading.moves)
    }

    /// Undoes what acceleration did.
    fn before_growths(&self, came: &Predecessor, reading: &mut Reading) -> Option<Before> {
        let automata = &self.semantics.world.automata;
        for growth in came.growths.iter().rev() {
            if automata.contains(growth.before, &reading.words[growth.queue]) {
                continue;
            }
            let base = match growth.from {
                None => growth.before,
                Some(older) => self.nodes[older as usize].queues[growth.queue],
            };
            for cycle in self.matching_cycles(base, &reading.words[growth.queue], growth)?.iter().rev() {
                for (&number, stored) in cycle.turn.iter().zip(&cycle.stored).rev() {
                    self.undo(number, stored, None, reading)?;
                }
            }
            if let Some(older) = growth.from {
                return Some(Before::Older(older));
            }
        }
        Some(Before::Step)
    }

    /// The cycles whose words, in this order, follow a word of `base` in `word`; as few as possible.
    fn matching_cycles<'g>(
        &self,
        base: Language,
        word: &[Letter],
        growth: &'g Growth,
    ) -> Option<Vec<&'g AcceleratedCycle>> {
        let automata = &self.semantics.world.automata;
        let words: Vec<Vec<Letter>> = growth.cycles.iter().map(|cycle| cycle.word(growth.queue)).collect();
        // Per length of a prefix: how few turns lead there, and the last of them.
        let mut best: Vec<Option<(usize, Option<usize>)>> = vec![None; word.len() + 1];
        for length in automata.prefixes(base, word) {
            best[length] = Some((0, None));
        }
        for length in 0..word.len() {
            let Some((count, _)) = best[length] else { continue };
            for (number, turn) in words.iter().enumerate() {
                let end = length + turn.len();
                if !turn.is_empty()
                    && word[length..].starts_with(turn)
                    && best[end].is_none_or(|(known, _)| known > count + 1)
                {
                    best[end] = Some((count + 1, Some(number)));
                }
            }
        }
        let mut turns = Vec::new();
        let mut length = word.len();
        while let Some(number) = best[length]?.1 {
            turns.push(&growth.cycles[number]);
            length -= words[number].len();
        }
        turns.reverse();
        Some(turns)
    }

    /// The contents before a transition, which are among those of `parent` if that is known; None if they do not fit.
    fn undo(
        &self,
        number: u32,
        stored: &[(usize, Letter)],
        parent: Option<NodeId>,
        reading: &mut Reading,
    ) -> Option<()> {
        match *self.transitions.at(number) {
            Transition::Commit { queue, letter } => {
                let place = self.place_before(queue, letter, parent, &reading.words[queue])?;
                reading.words[queue].insert(place, letter);
            }
            Transition::Step { .. } => {
                for &(queue, letter) in stored.iter().rev() {
                    if reading.words[queue].pop() != Some(letter) {
                        return None;
                    }
                }
            }
        }
        reading.moves.push(self.move_of(number));
        Some(())
    }

    /// Where a letter stood that has left a buffer: in front, or, where letters pass, where the contents before have it.
    fn place_before(
        &self,
        queue: usize,
        letter: Letter,
        parent: Option<NodeId>,
        rest: &[Letter],
    ) -> Option<usize> {
        let world = &self.semantics.world;
        if world.discipline != Discipline::Marked {
            return Some(0);
        }
        let before = self.nodes[parent? as usize].queues[queue];
        let stood = |&place: &usize| {
            let mut longer = rest.to_vec();
            longer.insert(place, letter);
            world.passes(letter, &rest[..place]) && world.automata.contains(before, &longer)
        };
        (0..=rest.len()).find(stood)
    }

    /// A transition as a move of a run.
    pub(super) fn move_of(&self, number: u32) -> Move {
        match self.transitions.at(number) {
            Transition::Step { thread, edge, values, partner } => {
                let act = Act::Edge { edge: *edge, values: values.clone(), partner: partner.clone() };
                Move { thread: *thread, act }
            }
            Transition::Commit { queue, letter } => {
                let (cell, value) = self.semantics.world.automata.store_of(*letter);
                Move { thread: queue / self.semantics.width().max(1), act: Act::Flush { cell, value } }
            }
        }
    }
}
