//! Acceleration: cycles that fill a buffer are taken any number of times at once.
//!
//! When a state on the stack and the one just reached differ in one buffer only, whose language L has grown, the
//! moves between them are a cycle that appends a word w. It may be taken any number of times if it can be taken
//! again from every content of L·(w | w' | …)*, where w', … are other cycles known at this control point. That is
//! not concluded from conditions on loads but tested: each cycle is followed from the larger language, and must
//! neither lose a word nor change anything else. As a cycle commits nothing of its own buffer, following it once
//! from the whole language is following it from every word, and induction over the number of iterations does the
//! rest.

use membar_ir::error::CoreError;

use super::automaton::{Language, Letter};
use super::forward::{Frame, Place, Search, Step};
use super::paths::Growth;
use super::question::{Cycle, show_letter};
use super::symbolic::{Outcome, State, Successor, Transition};
use super::system::LocalId;

/// States on the stack among which a cycle of one thread is looked for.
const LOOK_BACK: usize = 200;

/// A cycle that was accelerated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct AcceleratedCycle {
    /// The transitions, by number.
    pub(super) turn: Vec<u32>,
    /// What each of them puts into which lane.
    pub(super) stored: Vec<Vec<(usize, Letter)>>,
}

impl AcceleratedCycle {
    /// What one turn puts into `queue`.
    pub(super) fn word(&self, queue: usize) -> Vec<Letter> {
        let stored = self.stored.iter().flatten();
        stored.filter(|(other, _)| *other == queue).map(|&(_, letter)| letter).collect()
    }

    fn push(&mut self, number: u32, stored: &[(usize, Letter)]) {
        self.turn.push(number);
        self.stored.push(stored.to_vec());
    }

    /// The same cycle, beginning `by` moves later.
    fn rotate(&self, by: usize) -> Self {
        let mut other = self.clone();
        other.turn.rotate_left(by);
        other.stored.rotate_left(by);
        other
    }
}

impl Search<'_, '_, '_> {
    /// Makes of the buffers of `state` all that cycles can, and says what they did.
    pub(super) fn grow(
        &mut self,
        state: &mut State,
        place: Place,
        came: Option<&Step>,
        growths: &mut Vec<Growth>,
    ) -> Result<(), CoreError> {
        if let Some(came) = came {
            growths.extend(self.accelerate(state, place, came)?);
            self.discover(state, came)?;
        }
        self.saturate(state, growths)
    }

    /// Replaces one buffer of `state` by all that a cycle since a state on the stack can make of it.
    fn accelerate(
        &mut self,
        state: &mut State,
        place: Place,
        came: &Step,
    ) -> Result<Option<Growth>, CoreError> {
        for at in self.on_stack.get(&place).cloned().unwrap_or_default().into_iter().rev() {
            let before = &self.stack[at].state;
            let mut changed =
                (0..state.queues.len()).filter(|&queue| before.queues[queue] != state.queues[queue]);
            let (Some(queue), None) = (changed.next(), changed.next()) else { continue };
            let Some(cycle) = self.cycle(at, queue, came) else { continue };
            let automata = &mut self.semantics.world.automata;
            if cycle.word(queue).is_empty() || automata.is_included(state.queues[queue], before.queues[queue])
            {
                continue;
            }
            let before = before.clone();
            if let Some((language, cycles)) = self.star(&before, queue, &cycle)? {
                self.take_down(at, queue, &cycle, language);
                let growth =
                    Growth { queue, from: Some(self.stack[at].node), before: state.queues[queue], cycles };
                // An inner cycle may already have made more of it than one turn does.
                state.queues[queue] = self.semantics.world.automata.union(state.queues[queue], language);
                return Ok(Some(growth));
            }
        }
        Ok(None)
    }

    /// Finds a cycle that the thread which moved last takes alone, whatever others did meanwhile; it is taken by
    /// `saturate`.
    fn discover(&mut self, state: &State, came: &Step) -> Result<(), CoreError> {
        let Transition::Step { thread, .. } = *self.transitions.at(came.number) else { return Ok(()) };
        let local = state.locals[thread];
        let is_back = |frame: &Frame| frame.state.locals[thread] == local;
        let recent = self.stack.len().saturating_sub(LOOK_BACK);
        let Some(at) = self.stack[recent..].iter().rposition(is_back).map(|at| recent + at) else {
            return Ok(());
        };
        let mut cycle = AcceleratedCycle::default();
        let mut points = Vec::new();
        let between = self.stack[at + 1..].iter().filter_map(|frame| frame.came.as_ref());
        for (frame, step) in self.stack[at..].iter().zip(between.chain([came])) {
            if self.is_step_of(thread, step.number) {
                points.push(frame.state.locals[thread]);
                cycle.push(step.number, &step.stored);
            }
        }
        let mut queues = cycle.stored.iter().flatten().map(|&(queue, _)| queue);
        let Some(queue) = queues.next() else { return Ok(()) };
        let known = self.cycles.get(&(queue, local));
        if queues.any(|other| other != queue) || known.is_some_and(|known| known.contains(&cycle)) {
            return Ok(());
        }
        let mut tried = vec![cycle.clone()];
        let language = self.closed_under(state, queue, &mut tried)?;
        if !tried.is_empty() {
            self.remember(queue, &points, &cycle, language);
        }
        Ok(())
    }

    fn is_step_of(&self, thread: usize, number: u32) -> bool {
        matches!(self.transitions.at(number), Transition::Step { thread: other, .. } if *other == thread)
    }

    /// Takes the cycles known at the control points of `state`, without finding them again.
    fn saturate(&mut self, state: &mut State, growths: &mut Vec<Growth>) -> Result<(), CoreError> {
        let width = self.semantics.width().max(1);
        for queue in 0..state.queues.len() {
            let Some(known) = self.cycles.get(&(queue, state.locals[queue / width])) else { continue };
            let words: Vec<Vec<Letter>> = known.iter().map(|cycle| cycle.word(queue)).collect();
            if self.semantics.world.automata.repeat(state.queues[queue], &words) == state.queues[queue] {
                continue;
            }
            let mut cycles = known.clone();
            let language = self.closed_under(state, queue, &mut cycles)?;
            if language != state.queues[queue] {
                growths.push(Growth { queue, from: None, before: state.queues[queue], cycles });
                state.queues[queue] = language;
            }
        }
        Ok(())
    }

    /// The moves since the state at `at`, if none of them commits from `queue`.
    fn cycle(&self, at: usize, queue: usize, came: &Step) -> Option<AcceleratedCycle> {
        let between = self.stack[at + 1..].iter().filter_map(|frame| frame.came.as_ref());
        let mut cycle = AcceleratedCycle::default();
        for step in between.chain([came]) {
            let transition = self.transitions.at(step.number);
            if matches!(transition, Transition::Commit { queue: other, .. } if *other == queue) {
                return None;
            }
            cycle.push(step.number, &step.stored);
        }
        Some(cycle)
    }

    /// The language that this cycle, with those known at the same control point, makes of the one before.
    fn star(
        &mut self,
        before: &State,
        queue: usize,
        cycle: &AcceleratedCycle,
    ) -> Result<Option<(Language, Vec<AcceleratedCycle>)>, CoreError> {
        let width = self.semantics.width().max(1);
        let key = (queue, before.locals[queue / width]);
        let mut cycles = self.cycles.get(&key).cloned().unwrap_or_default();
        if !cycles.contains(cycle) {
            cycles.push(cycle.clone());
        }
        let language = self.closed_under(before, queue, &mut cycles)?;
        Ok(cycles.contains(cycle).then_some((language, cycles)))
    }

    /// The buffer after any number of iterations of those cycles that can be repeated forever; the others are dropped.
    fn closed_under(
        &mut self,
        before: &State,
        queue: usize,
        cycles: &mut Vec<AcceleratedCycle>,
    ) -> Result<Language, CoreError> {
        loop {
            let words: Vec<Vec<Letter>> = cycles.iter().map(|cycle| cycle.word(queue)).collect();
            let language = self.semantics.world.automata.repeat(before.queues[queue], &words);
            let mut wrong = None;
            for (position, known) in cycles.iter().enumerate() {
                if !self.goes_on(before, queue, language, known)? {
                    wrong = Some(position);
                    break;
                }
            }
            match wrong {
                None => return Ok(language),
                Some(position) => cycles.remove(position),
            };
        }
    }

    /// Whether a cycle can be taken from every content of `language`, and does nothing but append its word.
    fn goes_on(
        &mut self,
        before: &State,
        queue: usize,
        language: Language,
        cycle: &AcceleratedCycle,
    ) -> Result<bool, CoreError> {
        let mut start = before.clone();
        start.queues[queue] = language;
        let mut state = start.clone();
        for &number in &cycle.turn {
            let transition = self.transitions.at(number).clone();
            match self.semantics.follow(&state, &transition)? {
                Some(Successor { result: Outcome::Reached(next), .. }) => state = next,
                _ => return Ok(false),
            }
        }
        start.queues[queue] = cycle
            .word(queue)
            .iter()
            .fold(language, |language, &letter| self.semantics.world.automata.append(language, letter));
        Ok(state == start)
    }

    /// Remembers a cycle from the state at `at`; if one thread alone takes it, also from each of its later points.
    fn take_down(&mut self, at: usize, queue: usize, cycle: &AcceleratedCycle, language: Language) {
        let thread = queue / self.semantics.width().max(1);
        let is_alone = cycle.turn.iter().all(|&number| self.is_step_of(thread, number));
        let count = if is_alone { cycle.turn.len() } else { 1 };
        let points: Vec<LocalId> =
            self.stack[at..at + count].iter().map(|frame| frame.state.locals[thread]).collect();
        self.remember(queue, &points, cycle, language);
    }

    /// Remembers a cycle, beginning at each of these points of its thread in turn.
    fn remember(&mut self, queue: usize, points: &[LocalId], cycle: &AcceleratedCycle, language: Language) {
        let mut is_new = false;
        for (by, &point) in points.iter().enumerate() {
            let known = self.cycles.entry((queue, point)).or_default();
            let rotated = cycle.rotate(by);
            if !known.contains(&rotated) {
                is_new |= by == 0;
                known.push(rotated);
            }
        }
        if is_new {
            let moves = cycle.turn.iter().map(|&number| self.move_of(number)).collect();
            let automata = &self.semantics.world.automata;
            let shown = automata.expression(language, &show_letter);
            let thread = queue / self.semantics.width().max(1);
            self.found.cycles.push(Cycle { thread, moves, language, shown });
        }
    }
}
