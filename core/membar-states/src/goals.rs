//! Everything of interest that a program can reach: failures, stray accesses, deadlocks, error and final states.
//!
//! `safety` reports the first of each kind; here they are told apart by where threads are and by what they show.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use membar_ir::error::CoreError;
use membar_ir::limits::Watch;
use membar_ir::program::EdgeId;

use super::findings::{Findings, Options};
use super::safety::{Exploration, RunStep};
use super::successors::{Successors, Transition};
use super::system::System;
use super::walk;

/// Control points of all threads; `NOWHERE` before a thread begins.
pub type Points = Box<[u32]>;

/// Where a thread is that has not begun.
pub const NOWHERE: u32 = u32::MAX;

/// Something that can be reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// An assertion fails on this edge.
    Failure {
        /// Whose.
        thread: usize,
        /// Which edge.
        edge: EdgeId,
    },
    /// An access hits no location.
    Fault {
        /// Whose.
        thread: usize,
        /// Which edge.
        edge: EdgeId,
    },
    /// All threads have ended with these values of the terms.
    Ending(Box<[u64]>),
    /// Nothing can move, but not all threads have ended.
    Deadlock(Points),
    /// An error state.
    Error(Points),
}

impl Goal {
    /// Whether finding `other` is finding this; error places may leave threads open.
    #[must_use]
    pub fn is_shown_by(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Error(wanted), Self::Error(there)) => {
                wanted.iter().zip(there).all(|(&wanted, &there)| wanted == NOWHERE || wanted == there)
            }
            _ => self == other,
        }
    }
}

/// The goals that were reached, and what else the search found.
#[derive(Debug)]
pub struct Reached {
    exploration: Exploration,
    /// Each with the state in which it was first reached, and the step there that goes wrong.
    goals: BTreeMap<Goal, (u32, Option<RunStep>)>,
    /// Error states, however many places they are at.
    pub error_states: u64,
}

/// Visits states, breadth-first, until a goal `is_enough` or there is nothing more.
pub fn explore(
    system: System,
    states: Option<u64>,
    watch: &mut Watch<'_>,
    is_enough: impl Fn(&Goal) -> bool,
) -> Result<Reached, CoreError> {
    let (mut goals, mut error_states) = (BTreeMap::new(), 0);
    let options = Options { states, ..Options::default() };
    let observe =
        |system: &mut System, leaves: &[u32], moves: &Successors, number: u32, found: &mut Findings| {
            found.held |= moves.held;
            let mut is_over = false;
            for goal in goals_at(system, leaves, moves) {
                error_states += u64::from(matches!(goal, Goal::Error(_)));
                is_over |= is_enough(&goal);
                if let Entry::Vacant(entry) = goals.entry(goal) {
                    let last = last_step(system, leaves, moves, entry.key());
                    entry.insert((number, last));
                }
            }
            is_over
        };
    let exploration = walk::visit(system, options, watch, observe)?;
    Ok(Reached { exploration, goals, error_states })
}

/// The goals reached in the state whose moves were asked for last.
fn goals_at(system: &mut System, leaves: &[u32], moves: &Successors) -> Vec<Goal> {
    let mut goals = Vec::new();
    for step in moves.list.iter().filter(|step| step.failed) {
        goals.extend(step.edge.map(|edge| Goal::Failure { thread: step.thread, edge }));
    }
    for step in &moves.faults {
        goals.extend(step.edge.map(|edge| Goal::Fault { thread: step.thread, edge }));
    }
    if system.is_inside() {
        return goals;
    }
    let errors = 0..system.program.errors.len();
    if errors.into_iter().any(|error| system.holds(system.program.errors[error], leaves)) {
        goals.push(Goal::Error(system.points()));
    }
    if system.is_final() {
        goals.push(Goal::Ending(system.terms(leaves).into()));
    } else if moves.is_stuck() && !system.may_stay() {
        goals.push(Goal::Deadlock(system.points()));
    }
    goals
}

/// The step that goes wrong where a goal is reached, if there is one.
fn last_step(system: &mut System, leaves: &[u32], moves: &Successors, goal: &Goal) -> Option<RunStep> {
    match *goal {
        Goal::Failure { thread, edge } => {
            let mut full = Successors::default();
            system.moves_in_full(leaves, &mut full).ok()?;
            let is_it = |step: &&Transition| step.failed && (step.thread, step.edge) == (thread, Some(edge));
            full.list.iter().find(is_it).map(|step| full.run_step(step))
        }
        Goal::Fault { thread, edge } => {
            moves.faults.iter().find(|step| (step.thread, step.edge) == (thread, Some(edge))).cloned()
        }
        Goal::Error(_) | Goal::Ending(_) | Goal::Deadlock(_) => None,
    }
}

impl Reached {
    /// The goals, in order.
    pub fn goals(&self) -> impl Iterator<Item = &Goal> {
        self.goals.keys()
    }

    /// States and transitions, whether the bound held a store back, and why the search did not end.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.exploration.found
    }

    /// A shortest run to a goal; None if it was not reached.
    pub fn run_to(&mut self, goal: &Goal) -> Result<Option<Vec<RunStep>>, CoreError> {
        let Some((state, last)) = self.goals.get(goal) else { return Ok(None) };
        let mut run = self.exploration.run_to(*state, None)?;
        run.extend(last.clone());
        Ok(Some(run))
    }
}
