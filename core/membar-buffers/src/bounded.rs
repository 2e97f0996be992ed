//! Exploration with bounded buffers, by the explicit-state search.
//!
//! It finds short runs to what the unbounded searches find, and tests compare them with it.

use std::sync::Arc;

use membar_ir::error::CoreError;
use membar_ir::limits::{Limits, Stop, Watch};
use membar_ir::program;
use membar_states::goals::{self, Goal, Reached};
use membar_states::program::{BufferKind, Program, Registers};
use membar_states::safety::RunStep;
use membar_states::system::System;

use super::buffer_kinds::Discipline;
use super::question::{Findings, Question};

/// Runs that are kept, if all goals are looked for.
const MOST_RUNS: usize = 256;

/// A program as the explicit-state search wants it: channels are channels, and error states are predicates.
#[derive(Debug)]
pub struct Bounded {
    program: Arc<program::Program>,
    kind: BufferKind,
}

impl Bounded {
    /// A program with some kind of store buffers.
    #[must_use]
    pub fn new(program: program::Program, discipline: Discipline) -> Self {
        let kind = match discipline {
            Discipline::Sc => BufferKind::Sc,
            Discipline::Tso => BufferKind::Tso,
            Discipline::Pso | Discipline::Marked => BufferKind::Pso,
        };
        Self { program: Arc::new(program), kind }
    }

    fn reach(
        &self,
        bound: usize,
        states: Option<u64>,
        watch: &mut Watch<'_>,
        is_enough: impl Fn(&Goal) -> bool,
    ) -> Result<Reached, CoreError> {
        let program = Program::new(Arc::clone(&self.program), self.kind, bound, Registers::Live);
        goals::explore(System::new(Arc::new(program)), states, watch, is_enough)
    }

    /// Everything with buffers of at most `bound` entries, or only the first thing that answers the question.
    pub fn explore(
        &self,
        question: &Question,
        bound: usize,
        only_first: bool,
        limits: Limits,
        stop: &Stop<'_>,
    ) -> Result<Findings, CoreError> {
        let is_asked = |goal: &Goal| question.deadlocks || !matches!(goal, Goal::Deadlock(_));
        let is_enough = |goal: &Goal| only_first && is_asked(goal) && question.is_answered_by(goal);
        let mut reached = self.reach(bound, limits.states, &mut Watch::new(stop, limits), is_enough)?;
        let mut found = Findings {
            goals: reached.goals().filter(|goal| is_asked(goal)).cloned().collect(),
            stored: reached.findings().states,
            transitions: reached.findings().transitions,
            error_states: reached.error_states,
            held: reached.findings().held,
            stopped: reached.findings().stopped,
            ..Findings::default()
        };
        let wanted = found.goals.iter().filter(|goal| !only_first || is_enough(goal));
        for goal in wanted.take(MOST_RUNS) {
            let run = reached.run_to(goal)?;
            found.runs.extend(run.map(|run| (goal.clone(), run)));
        }
        Ok(found)
    }

    /// A run to `goal` with buffers as small as possible, but at most `largest`; None if there is none, or the limits do
    /// not suffice.
    pub fn run_to(
        &self,
        goal: &Goal,
        largest: usize,
        limits: Limits,
        stop: &Stop<'_>,
    ) -> Result<Option<Vec<RunStep>>, CoreError> {
        let mut watch = Watch::new(stop, limits);
        for bound in 1..=largest {
            let is_it = |other: &Goal| goal.is_shown_by(other);
            let mut reached = self.reach(bound, limits.states, &mut watch, is_it)?;
            let found = reached.goals().find(|other| is_it(other)).cloned();
            if let Some(found) = found {
                return reached.run_to(&found);
            }
            if !reached.findings().held || reached.findings().stopped.is_some() {
                break;
            }
        }
        Ok(None)
    }
}
