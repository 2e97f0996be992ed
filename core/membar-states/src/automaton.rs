//! A generalised Büchi automaton over predicates of states, with marks on its edges.
//!
//! It reads a run state by state: an edge can be taken where its literals are true of the program's state, and moves on
//! with the program's next step. A run is accepted if some way to follow it forever sees every mark infinitely often.
//!
//! Form: number of states; list of initial states; number of marks; list of edges, each its source, its target, the
//! list of its literals (twice the predicate, plus 1 where it must be true) and the list of its marks; list of states
//! that are wrong to reach at all; a flag for accepting only runs in which something happens forever.

use membar_ir::error::CoreError;
use membar_ir::words::Words;

/// Most predicates of one automaton.
const MOST_PREDICATES: usize = 64;

/// Marks seen on the way, as bits.
pub(super) type AcceptanceSets = u128;

/// Most marks, those of fairness included.
pub(super) const MOST_MARKS: usize = 127;

/// The mark of steps that the automaton sees, in a program with atomic blocks.
pub(super) const SEEN: AcceptanceSets = 1 << MOST_MARKS;

/// A step of the automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) target: u32,
    /// Predicates that must be true, as bits.
    yes: u64,
    /// Predicates that must be false, as bits.
    no: u64,
    pub(super) marks: AcceptanceSets,
}

/// The automaton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automaton {
    pub(super) initial: Vec<u32>,
    pub(super) marks: usize,
    /// Per state, the edges that leave it.
    pub(super) leaving: Vec<Vec<Edge>>,
    /// Per state, whether it is wrong to reach it.
    pub(super) wrong: Vec<bool>,
    /// Whether it accepts only runs in which something happens forever.
    pub(super) is_endless: bool,
    /// The predicates of the program that it asks for; its bits are places in this list.
    pub predicates: Vec<usize>,
}

impl Automaton {
    /// Reads an automaton over `predicates` predicates.
    pub fn decode(form: &[u64], predicates: usize) -> Result<Self, CoreError> {
        let mut words = Words::new(form);
        let states = words.index(1 << 31, "too many states")?;
        let mut initial = Vec::new();
        for _ in 0..words.count()? {
            initial.push(state(&mut words, states)?);
        }
        let marks = words.index(usize::MAX, "marks")?;
        if marks > MOST_MARKS {
            return Err(CoreError::TooLarge("an automaton with so many acceptance sets"));
        }
        let mut automaton = Self {
            initial,
            marks,
            leaving: vec![Vec::new(); states],
            wrong: vec![false; states],
            is_endless: false,
            predicates: Vec::new(),
        };
        for _ in 0..words.count()? {
            let source = state(&mut words, states)?;
            let edge = automaton.edge(&mut words, predicates)?;
            automaton.leaving[source as usize].push(edge);
        }
        for _ in 0..words.count()? {
            automaton.wrong[words.index(states, "unknown state")?] = true;
        }
        automaton.is_endless = words.flag()?;
        words.end()?;
        Ok(automaton)
    }

    fn edge(&mut self, words: &mut Words<'_>, predicates: usize) -> Result<Edge, CoreError> {
        let mut edge = Edge { target: state(words, self.leaving.len())?, yes: 0, no: 0, marks: 0 };
        for _ in 0..words.count()? {
            let literal = words.index(2 * predicates, "unknown predicate")?;
            let bit = 1 << self.place(literal / 2)?;
            *(if literal % 2 == 1 { &mut edge.yes } else { &mut edge.no }) |= bit;
        }
        for _ in 0..words.count()? {
            edge.marks |= 1 << words.index(self.marks, "unknown mark")?;
        }
        Ok(edge)
    }

    fn place(&mut self, predicate: usize) -> Result<usize, CoreError> {
        if let Some(place) = self.predicates.iter().position(|&known| known == predicate) {
            return Ok(place);
        }
        if self.predicates.len() == MOST_PREDICATES {
            return Err(CoreError::TooLarge("a claim with more than 64 predicates"));
        }
        self.predicates.push(predicate);
        Ok(self.predicates.len() - 1)
    }
}

impl Edge {
    /// Whether it can be taken where these predicates are true.
    pub(super) fn is_open(self, truths: u64) -> bool {
        truths & self.yes == self.yes && truths & self.no == 0
    }
}

fn state(words: &mut Words<'_>, states: usize) -> Result<u32, CoreError> {
    let number = words.index(states, "unknown state")?;
    u32::try_from(number).map_err(|_| CoreError::TooLarge("an automaton"))
}
