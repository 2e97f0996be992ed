//! Questions about the states of a program, and their answers.

use std::collections::{BTreeMap, BTreeSet};

use membar_ir::expr::Expr;
use membar_ir::program::{CellId, Term};
use membar_ir::words::narrow;
use membar_states::goals::{Goal, NOWHERE, Points};
use membar_states::safety::RunStep;

use super::automaton::Language;
use super::run::Move;
use super::system::{LocalId, System};
use membar_ir::limits::Stopped;

/// Which states count.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// A state is an error if, for one of these, every thread named is at its control point.
    pub places: Vec<Vec<(u32, u32)>>,
    /// A state is an error if one of these is not 0: over the terms of the program in their order, then `looks`.
    pub predicates: Vec<Expr>,
    /// 1 if a thread is at one of some control points, else 0.
    pub looks: Vec<(u32, Vec<u32>)>,
    /// Whether deadlocks are looked for.
    pub deadlocks: bool,
    /// Per thread, the control points at which it may wait forever: that is not a deadlock.
    pub ends: Vec<Vec<u32>>,
    /// The edges, with their threads, whose failing assertions count; None is all.
    pub asserts: Option<BTreeSet<(u32, u32)>>,
}

/// A loop of one thread that can be taken any number of times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// Whose buffer grows.
    pub thread: usize,
    /// One iteration.
    pub moves: Vec<Move>,
    /// The buffer contents that it leads to.
    pub language: Language,
    /// The same as a regular expression, with numbers of cells.
    pub shown: String,
}

/// A state whose buffers may hold infinitely many contents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unbounded {
    /// How many of its buffers may.
    pub buffers: usize,
    /// Where the threads are.
    pub points: Points,
    /// What memory holds.
    pub memory: Vec<u64>,
    /// The contents of each buffer, as regular expressions with numbers of cells.
    pub shown: Vec<String>,
}

/// What a search found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// All of it.
    pub goals: BTreeSet<Goal>,
    /// Runs to them, where the search knows one.
    pub runs: BTreeMap<Goal, Vec<RunStep>>,
    /// States that were kept.
    pub stored: u64,
    /// States that were visited.
    pub visited: u64,
    /// Transitions that were followed.
    pub transitions: u64,
    /// The longest path of a depth-first search.
    pub depth: u64,
    /// States kept that are errors or in which an assertion fails.
    pub error_states: u64,
    /// Cycles that were accelerated.
    pub cycles: Vec<Cycle>,
    /// The states kept with the most buffers of infinitely many contents, as far as they are few.
    pub unbounded: Vec<Unbounded>,
    /// Whether a bound held a store back.
    pub held: bool,
    /// Whether a search that goes backwards has the runs of the program and no others.
    pub is_exact: bool,
    /// Why it did not end, if it did not.
    pub stopped: Option<Stopped>,
}

/// A store as shown in regular expressions.
pub(super) fn show_letter(cell: CellId, value: u64) -> String {
    format!("({},{value})", cell.0)
}

impl Findings {
    /// Adds what was found.
    pub fn note(&mut self, goal: &Goal) {
        if !self.goals.contains(goal) {
            self.goals.insert(goal.clone());
        }
    }
}

impl Question {
    /// The values of the terms in a state.
    #[must_use]
    pub fn terms(&self, system: &System<'_>, locals: &[LocalId], memory: &[u64]) -> Box<[u64]> {
        let terms = system.program.terms.iter();
        terms
            .map(|term| match *term {
                Term::Cell(cell) => memory[cell.index()],
                Term::Register(thread, register) => {
                    let local = system.local(thread.index(), locals[thread.index()]);
                    local.registers.get(register.index()).copied().unwrap_or_default()
                }
            })
            .collect()
    }

    /// The control points of a state.
    #[must_use]
    pub fn points(&self, system: &System<'_>, locals: &[LocalId]) -> Points {
        let points = locals.iter().enumerate();
        points.map(|(thread, &local)| system.point(thread, local).unwrap_or(NOWHERE)).collect()
    }

    /// Whether one such finding answers the question.
    #[must_use]
    pub fn is_answered_by(&self, goal: &Goal) -> bool {
        match goal {
            Goal::Ending(_) => false,
            Goal::Failure { thread, edge } => {
                let edge = (narrow(*thread), edge.0);
                self.asserts.as_ref().is_none_or(|asserts| asserts.contains(&edge))
            }
            Goal::Fault { .. } | Goal::Deadlock(_) | Goal::Error(_) => true,
        }
    }

    /// Whether the process has ended, or every thread has ended or may wait forever where it is.
    #[must_use]
    pub fn may_stay(&self, system: &System<'_>, locals: &[LocalId]) -> bool {
        let exits = |(thread, &local): (usize, &LocalId)| {
            let point = system.point(thread, local).and_then(|point| usize::try_from(point).ok());
            point.is_some_and(|point| system.program.threads[thread].exits[point])
        };
        if locals.iter().enumerate().any(exits) {
            return true;
        }
        let may = |(thread, &local): (usize, &LocalId)| {
            let waits = self.ends.get(thread).zip(system.point(thread, local));
            system.is_over(thread, local) || waits.is_some_and(|(ends, point)| ends.contains(&point))
        };
        locals.iter().enumerate().all(may)
    }

    /// Whether a state is one that must not be reached.
    #[must_use]
    pub fn is_error(&self, system: &System<'_>, locals: &[LocalId], memory: &[u64]) -> bool {
        let point = |thread: u32| system.point_in(thread as usize, locals[thread as usize], memory);
        let at = |&(thread, wanted): &(u32, u32)| point(thread) == Some(wanted);
        if self.places.iter().any(|place| place.iter().all(at)) {
            return true;
        }
        if self.predicates.is_empty() {
            return false;
        }
        let mut words = self.terms(system, locals, memory).into_vec();
        let is_there = |points: &[u32], thread| point(thread).is_some_and(|point| points.contains(&point));
        words.extend(self.looks.iter().map(|(thread, points)| u64::from(is_there(points, *thread))));
        self.predicates.iter().any(|predicate| predicate.evaluate(&words, &mut Vec::new()) != 0)
    }
}
