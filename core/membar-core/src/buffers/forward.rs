//! Depth-first search of sets of states, with sleep sets, inclusion and acceleration of cycles.
//!
//! *Acceleration.* When a state on the stack and the one just reached differ in one buffer only, whose language L has
//! grown, the moves between them are a cycle that appends a word w. It may be taken any number of times if it can be taken again from
//! every content of L·(w | w' | …)*, where w', … are other cycles known at this control point. That is not concluded
//! from conditions on loads but tried: each cycle is followed from the larger language, and must neither lose a word
//! nor change anything else. As a cycle commits nothing of its own buffer, following it once from the whole language is
//! following it from every word, and induction over the number of turns does the rest.
//!
//! *Sleep sets* leave out transitions whose effect is met on another way. Whether they were right to do so is checked
//! at the end: every transition left out must lead into a state that was kept, or is explored after all. So the states
//! kept are closed under all transitions, whatever the sleep sets did.

use std::collections::HashMap;

use crate::error::CoreError;
use crate::program::EdgeId;

use super::automaton::{Language, Letter};
use super::budget::{Budget, Halted};
use super::concrete::Discipline;
use super::fault::Fault;
use super::question::{Cycle, Findings, Goal, Question};
use super::run::{Act, Move};
use super::symbolic::{Footprint, Outcome, Semantics, State, Successor, Transition, Transitions};
use super::system::{LocalId, System};

/// Which reductions are used.
#[derive(Debug, Clone, Copy)]
pub struct Reductions {
    /// Sleep sets.
    pub sleep: bool,
    /// Acceleration of cycles.
    pub acceleration: bool,
}

/// States on the stack among which a cycle of one thread is looked for.
const LOOK_BACK: usize = 200;

/// Control points and memory, by number.
type Place = u32;

/// A transition that need not be taken.
#[derive(Debug, Clone)]
struct Sleeping {
    number: u32,
    footprint: Footprint,
}

/// A state that was kept.
#[derive(Debug)]
struct Kept {
    lanes: Vec<Language>,
    sleep: Vec<Sleeping>,
}

/// A cycle that was accelerated: the lane's thread takes these transitions, which append the word.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    turn: Vec<u32>,
    /// What each of them stores there.
    stored: Vec<Vec<Letter>>,
}

impl Known {
    fn word(&self) -> Vec<Letter> {
        self.stored.concat()
    }

    /// The same cycle, beginning `by` moves later.
    fn rotated(&self, by: usize) -> Self {
        let mut other = self.clone();
        other.turn.rotate_left(by);
        other.stored.rotate_left(by);
        other
    }
}

/// A state on the stack.
#[derive(Debug)]
struct Frame {
    state: State,
    place: Place,
    /// The transition that led here, with what it stored.
    came: Option<(u32, Vec<(usize, Letter)>)>,
    todo: Vec<Successor>,
    sleep: Vec<Sleeping>,
}

struct Search<'s, 'p, 'b> {
    semantics: Semantics<'s, 'p>,
    question: &'s Question,
    reductions: Reductions,
    budget: &'s mut Budget<'b>,
    fault: Fault,
    places: HashMap<(Vec<LocalId>, Vec<u64>), Place>,
    kept: Vec<Vec<Kept>>,
    bare: Vec<State>,
    transitions: Transitions,
    cycles: HashMap<(usize, LocalId), Vec<Known>>,
    stack: Vec<Frame>,
    on_stack: HashMap<Place, Vec<usize>>,
    bytes: usize,
    found: Findings,
}

/// Everything with buffers of any length.
///
/// # Errors
/// Something is too large, or has no meaning for store buffers.
pub fn search(
    system: &mut System<'_>,
    question: &Question,
    discipline: Discipline,
    reductions: Reductions,
    budget: &mut Budget<'_>,
) -> Result<Findings, CoreError> {
    let fault = system.fault;
    let mut search = Search {
        semantics: Semantics::new(system, discipline),
        question,
        reductions,
        budget,
        fault,
        places: HashMap::new(),
        kept: Vec::new(),
        bare: Vec::new(),
        transitions: Transitions::default(),
        cycles: HashMap::new(),
        stack: Vec::new(),
        on_stack: HashMap::new(),
        bytes: 0,
        found: Findings::default(),
    };
    let initial = search.semantics.initial();
    let stopped = match search.explore(initial)? {
        None => search.close()?,
        stopped => stopped,
    };
    search.found.stopped = stopped;
    Ok(search.found)
}

impl Search<'_, '_, '_> {
    /// Explores from `root`, with nothing asleep.
    fn explore(&mut self, root: State) -> Result<Option<Halted>, CoreError> {
        self.enter(root, Vec::new(), None)?;
        while let Some(frame) = self.stack.last_mut() {
            if let Err(halted) = self.budget.step(self.found.stored, self.bytes) {
                return Ok(Some(halted));
            }
            let Some(successor) = frame.todo.pop() else {
                self.leave();
                continue;
            };
            let number = self.transitions.number(&successor.transition);
            let sleep = self.asleep_after(&successor.footprint);
            if let Some(frame) = self.stack.last_mut()
                && self.reductions.sleep
            {
                frame.sleep.push(Sleeping { number, footprint: successor.footprint.clone() });
            }
            self.found.transitions += 1;
            match successor.result {
                Outcome::Reached(state) => self.enter(state, sleep, Some((number, successor.stored)))?,
                Outcome::Failed(edge) => self.note_failure(&successor.footprint, edge),
                Outcome::Faulty(edge) => {
                    self.found.note(&Goal::Fault { thread: successor.footprint.thread, edge });
                }
            }
        }
        Ok(None)
    }

    /// What sleeps in the top state and still does after a transition with this footprint.
    fn asleep_after(&self, footprint: &Footprint) -> Vec<Sleeping> {
        let Some(frame) = self.stack.last() else { return Vec::new() };
        let stays = |sleeping: &&Sleeping| {
            self.fault == Fault::SleepForever && sleeping.footprint.thread != footprint.thread
                || sleeping.footprint.is_independent(footprint)
        };
        frame.sleep.iter().filter(stays).cloned().collect()
    }

    fn note_failure(&mut self, footprint: &Footprint, edge: EdgeId) {
        self.found.error_states += 1;
        self.found.note(&Goal::Failure { thread: footprint.thread, edge });
    }

    fn leave(&mut self) {
        if let Some(frame) = self.stack.pop()
            && let Some(list) = self.on_stack.get_mut(&frame.place)
        {
            list.pop();
        }
    }

    fn place(&mut self, state: &State) -> Result<Place, CoreError> {
        let key = (state.locals.clone(), state.memory.clone());
        if let Some(&known) = self.places.get(&key) {
            return Ok(known);
        }
        let place = Place::try_from(self.kept.len()).map_err(|_| CoreError::TooLarge("states"))?;
        self.bytes += 4 * state.locals.len() + 16 * state.memory.len() + 200;
        self.bare.push(State {
            locals: state.locals.clone(),
            memory: state.memory.clone(),
            lanes: vec![Language::EMPTY_WORD; state.lanes.len()],
        });
        self.places.insert(key, place);
        self.kept.push(Vec::new());
        self.look(place);
        Ok(place)
    }

    /// What control points and memory alone decide: errors, and deadlocks with empty buffers.
    fn look(&mut self, place: Place) {
        let state = self.bare[place as usize].clone();
        if self.question.is_error(self.semantics.system, &state.locals, &state.memory) {
            let points = self.question.points(self.semantics.system, &state.locals);
            self.found.note(&Goal::Error(points));
        }
    }

    /// What the empty buffers of a state say: it may be the end, or a deadlock.
    fn look_empty(&mut self, state: &State, successors: &[Successor]) -> Result<(), CoreError> {
        let automata = &self.semantics.world.automata;
        let empty = state.lanes.iter().all(|&lane| automata.has_empty_word(lane));
        let system = &*self.semantics.system;
        let is_over = (0..state.locals.len()).all(|thread| system.is_over(thread, state.locals[thread]));
        if is_over {
            if empty || self.fault == Fault::EndingWithFullBuffers {
                let ending = self.question.terms(system, &state.locals, &state.memory);
                self.found.note(&Goal::Ending(ending));
            }
            return Ok(());
        }
        if !self.question.deadlocks || !(empty || self.fault == Fault::DeadlockWithFullBuffers) {
            return Ok(());
        }
        let is_stuck = if self.fault == Fault::DeadlockIgnored {
            successors.is_empty()
        } else {
            let bare = State { lanes: vec![Language::EMPTY_WORD; state.lanes.len()], ..state.clone() };
            self.semantics.successors(&bare)?.is_empty()
        };
        if is_stuck && !self.semantics.blocked {
            let points = self.question.points(self.semantics.system, &state.locals);
            self.found.note(&Goal::Stuck(points));
        }
        Ok(())
    }

    /// Reaches a state: accelerates it, and pushes it unless all that it could do is done.
    fn enter(
        &mut self,
        mut state: State,
        mut sleep: Vec<Sleeping>,
        came: Option<(u32, Vec<(usize, Letter)>)>,
    ) -> Result<(), CoreError> {
        self.found.visited += 1;
        let place = self.place(&state)?;
        if self.reductions.acceleration
            && (self.accelerate(&mut state, place, came.as_ref())?
                | self.discover(&state, came.as_ref())?
                | self.saturate(&mut state)?)
        {
            // What slept did so before the contents became more.
            sleep.clear();
        }
        let Some((asleep, is_new)) = self.cover(&state, place, &sleep) else { return Ok(()) };
        let mut successors = self.semantics.successors(&state)?;
        self.look_empty(&state, &successors)?;
        let mut todo = Vec::new();
        for successor in successors.drain(..) {
            let number = self.transitions.number(&successor.transition);
            let sleeps = |list: &[Sleeping]| list.iter().any(|sleeping| sleeping.number == number);
            // Covered states have done everything but what sleeps in all of them.
            if !sleeps(&sleep) && asleep.as_ref().is_none_or(|asleep| sleeps(asleep)) {
                todo.push(successor);
            }
        }
        if let Some(asleep) = asleep {
            sleep.retain(|sleeping| asleep.iter().any(|other| other.number == sleeping.number));
        }
        if todo.is_empty() && !is_new {
            return Ok(());
        }
        self.keep(&state, place, sleep.clone());
        todo.reverse();
        self.on_stack.entry(place).or_default().push(self.stack.len());
        self.stack.push(Frame { state, place, came, todo, sleep });
        self.found.depth = self.found.depth.max(self.stack.len() as u64);
        Ok(())
    }

    /// None if a kept state covers this one entirely; else what sleeps in all states that cover it (None: there is
    /// none), and whether it is new.
    fn cover(
        &mut self,
        state: &State,
        place: Place,
        sleep: &[Sleeping],
    ) -> Option<(Option<Vec<Sleeping>>, bool)> {
        let mut common: Option<Vec<Sleeping>> = None;
        for kept in &self.kept[place as usize] {
            let mut pairs = state.lanes.iter().zip(&kept.lanes);
            let automata = &mut self.semantics.world.automata;
            let covers = match self.fault {
                Fault::InclusionOfOneBuffer => pairs.next().is_none_or(|(&a, &b)| automata.is_included(a, b)),
                Fault::InclusionReversed => pairs.all(|(&a, &b)| automata.is_included(b, a)),
                _ => pairs.all(|(&a, &b)| automata.is_included(a, b)),
            };
            if covers {
                match &mut common {
                    None => common = Some(kept.sleep.clone()),
                    Some(common) => common
                        .retain(|sleeping| kept.sleep.iter().any(|other| other.number == sleeping.number)),
                }
            }
        }
        let Some(common) = common else { return Some((None, true)) };
        let is_done = common.iter().all(|sleeping| sleep.iter().any(|other| other.number == sleeping.number));
        if is_done || self.fault == Fault::SleepNotReopened { None } else { Some((Some(common), false)) }
    }

    fn keep(&mut self, state: &State, place: Place, sleep: Vec<Sleeping>) {
        let list = &mut self.kept[place as usize];
        if let Some(kept) = list.iter_mut().find(|kept| kept.lanes == state.lanes) {
            kept.sleep = sleep;
            return;
        }
        self.found.stored += 1;
        self.bytes += 8 * state.lanes.len() + 48 + 40 * sleep.len();
        let bare = &self.bare[place as usize];
        if self.question.is_error(self.semantics.system, &bare.locals, &bare.memory) {
            self.found.error_states += 1;
        }
        list.push(Kept { lanes: state.lanes.clone(), sleep });
    }

    /// Follows every transition that still sleeps somewhere: it must lead into what was kept.
    fn close(&mut self) -> Result<Option<Halted>, CoreError> {
        let mut clean = false;
        while !clean {
            clean = true;
            for place in 0..self.kept.len() {
                let mut at = 0;
                while at < self.kept[place].len() {
                    let kept = &self.kept[place][at];
                    let sleeping: Vec<u32> = kept.sleep.iter().map(|sleeping| sleeping.number).collect();
                    let state = State { lanes: kept.lanes.clone(), ..self.bare[place].clone() };
                    at += 1;
                    for number in sleeping {
                        let transition = self.transitions.at(number).clone();
                        let Some(successor) = self.semantics.follow(&state, &transition)? else { continue };
                        match successor.result {
                            Outcome::Failed(edge) => {
                                let thread = successor.footprint.thread;
                                self.found.note(&Goal::Failure { thread, edge });
                            }
                            Outcome::Faulty(edge) => {
                                let thread = successor.footprint.thread;
                                self.found.note(&Goal::Fault { thread, edge });
                            }
                            Outcome::Reached(next) if !self.is_kept(&next) && !self.has_sleep_fault() => {
                                clean = false;
                                if let Some(halted) = self.explore(next)? {
                                    return Ok(Some(halted));
                                }
                            }
                            Outcome::Reached(_) => {}
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// Mistakes with sleep sets are to be seen, not mended.
    fn has_sleep_fault(&self) -> bool {
        matches!(self.fault, Fault::SleepForever | Fault::SleepPrintedIndependence | Fault::SleepNotReopened)
    }

    fn is_kept(&mut self, state: &State) -> bool {
        let key = (state.locals.clone(), state.memory.clone());
        let Some(&place) = self.places.get(&key) else { return false };
        let automata = &mut self.semantics.world.automata;
        self.kept[place as usize]
            .iter()
            .any(|kept| state.lanes.iter().zip(&kept.lanes).all(|(&a, &b)| automata.is_included(a, b)))
    }

    /// Replaces one buffer of `state` by all that a cycle can make of it; whether there is such a cycle.
    fn accelerate(
        &mut self,
        state: &mut State,
        place: Place,
        came: Option<&(u32, Vec<(usize, Letter)>)>,
    ) -> Result<bool, CoreError> {
        let Some(came) = came else { return Ok(false) };
        let older = match self.fault {
            Fault::RepeatIgnoresMemory => {
                (0..self.stack.len()).filter(|&at| self.stack[at].state.locals == state.locals).collect()
            }
            Fault::RepeatIgnoresControl => {
                (0..self.stack.len()).filter(|&at| self.stack[at].state.memory == state.memory).collect()
            }
            _ => self.on_stack.get(&place).cloned().unwrap_or_default(),
        };
        for at in older.into_iter().rev() {
            let before = &self.stack[at].state;
            let mut changed = (0..state.lanes.len()).filter(|&lane| before.lanes[lane] != state.lanes[lane]);
            let (Some(lane), None) = (changed.next(), changed.next()) else { continue };
            let Some(cycle) = self.cycle(at, lane, came) else { continue };
            let automata = &mut self.semantics.world.automata;
            if cycle.word().is_empty() || automata.is_included(state.lanes[lane], before.lanes[lane]) {
                continue;
            }
            let before = before.clone();
            if let Some(language) = self.repeated(&before, lane, &cycle)? {
                self.take_down(at, lane, &cycle, language);
                // An inner cycle may already have made more of it than one turn does.
                state.lanes[lane] = self.semantics.world.automata.union(state.lanes[lane], language);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds a cycle that the thread which moved last takes alone, whatever others did meanwhile; it is taken by
    /// `saturate`. Never says that something grew.
    fn discover(
        &mut self,
        state: &State,
        came: Option<&(u32, Vec<(usize, Letter)>)>,
    ) -> Result<bool, CoreError> {
        let Some(came) = came else { return Ok(false) };
        let Transition::Step { thread, .. } = *self.transitions.at(came.0) else { return Ok(false) };
        let local = state.locals[thread];
        let is_back = |frame: &Frame| frame.state.locals[thread] == local;
        let recent = self.stack.len().saturating_sub(LOOK_BACK);
        let Some(at) = self.stack[recent..].iter().rposition(is_back).map(|at| recent + at) else {
            return Ok(false);
        };
        let mut cycle = Known { turn: Vec::new(), stored: Vec::new() };
        let mut points = Vec::new();
        let mut lanes: Vec<usize> = Vec::new();
        let between = self.stack[at + 1..].iter().filter_map(|frame| frame.came.as_ref());
        for (frame, (number, stored)) in self.stack[at..].iter().zip(between.chain([came])) {
            if matches!(self.transitions.at(*number), Transition::Step { thread: other, .. } if *other == thread)
            {
                points.push(frame.state.locals[thread]);
                cycle.turn.push(*number);
                cycle.stored.push(stored.iter().map(|&(_, letter)| letter).collect());
                lanes.extend(stored.iter().map(|&(lane, _)| lane));
            }
        }
        let Some(&lane) = lanes.first() else { return Ok(false) };
        let known = self.cycles.get(&(lane, local));
        if lanes.iter().any(|&other| other != lane) || known.is_some_and(|known| known.contains(&cycle)) {
            return Ok(false);
        }
        let mut tried = vec![cycle.clone()];
        let language = self.closed_under(state, lane, &mut tried)?;
        if !tried.is_empty() {
            self.remember(lane, &points, &cycle, language);
        }
        Ok(false)
    }

    /// Takes the cycles known at the control points of `state`, without finding them again; whether there is one.
    fn saturate(&mut self, state: &mut State) -> Result<bool, CoreError> {
        let width = self.semantics.width().max(1);
        let mut grew = false;
        for lane in 0..state.lanes.len() {
            let Some(known) = self.cycles.get(&(lane, state.locals[lane / width])) else { continue };
            let mut cycles = known.clone();
            let language = self.closed_under(state, lane, &mut cycles)?;
            grew |= language != state.lanes[lane];
            state.lanes[lane] = language;
        }
        Ok(grew)
    }

    /// The moves since the state at `at`, if none of them commits from `lane`, and what they stored there.
    fn cycle(&self, at: usize, lane: usize, came: &(u32, Vec<(usize, Letter)>)) -> Option<Known> {
        let between = self.stack[at + 1..].iter().filter_map(|frame| frame.came.as_ref());
        let mut cycle = Known { turn: Vec::new(), stored: Vec::new() };
        for (number, stored) in between.chain([came]) {
            if let Transition::Commit { lane: other, .. } = self.transitions.at(*number)
                && *other == lane
            {
                return None;
            }
            cycle.turn.push(*number);
            let here = stored.iter().filter(|(other, _)| *other == lane);
            cycle.stored.push(here.map(|&(_, letter)| letter).collect());
        }
        Some(cycle)
    }

    /// The language that this cycle, with those known at the same control point, makes of the one before.
    fn repeated(
        &mut self,
        before: &State,
        lane: usize,
        cycle: &Known,
    ) -> Result<Option<Language>, CoreError> {
        let width = self.semantics.width().max(1);
        let key = (lane, before.locals[lane / width]);
        let mut cycles = self.cycles.get(&key).cloned().unwrap_or_default();
        if self.fault == Fault::RepeatForeignCycles {
            cycles = self.all_cycles(lane);
        }
        if !cycles.contains(cycle) {
            cycles.push(cycle.clone());
        }
        let language = self.closed_under(before, lane, &mut cycles)?;
        Ok(cycles.contains(cycle).then_some(language))
    }

    /// What those of the cycles that can go on for ever make of a buffer; the others are dropped.
    fn closed_under(
        &mut self,
        before: &State,
        lane: usize,
        cycles: &mut Vec<Known>,
    ) -> Result<Language, CoreError> {
        loop {
            let words: Vec<Vec<Letter>> = cycles.iter().map(Known::word).collect();
            let language = self.semantics.world.automata.repeat(before.lanes[lane], &words);
            let mut wrong = None;
            for (position, known) in cycles.iter().enumerate() {
                if !self.goes_on(before, lane, language, known)? {
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

    fn all_cycles(&self, lane: usize) -> Vec<Known> {
        let mut keys: Vec<_> = self.cycles.keys().filter(|key| key.0 == lane).copied().collect();
        keys.sort_unstable();
        keys.iter().flat_map(|key| self.cycles[key].iter().cloned()).collect()
    }

    /// Whether a cycle can be taken from every content of `language`, and does nothing but append its word.
    fn goes_on(
        &mut self,
        before: &State,
        lane: usize,
        language: Language,
        cycle: &Known,
    ) -> Result<bool, CoreError> {
        if matches!(
            self.fault,
            Fault::RepeatWithoutCheck
                | Fault::RepeatForeignCycles
                | Fault::RepeatIgnoresMemory
                | Fault::RepeatIgnoresControl
        ) {
            return Ok(true);
        }
        let mut start = before.clone();
        start.lanes[lane] = language;
        let mut state = start.clone();
        for &number in &cycle.turn {
            let transition = self.transitions.at(number).clone();
            match self.semantics.follow(&state, &transition)? {
                Some(Successor { result: Outcome::Reached(next), .. }) => state = next,
                _ => return Ok(false),
            }
        }
        start.lanes[lane] = cycle
            .word()
            .iter()
            .fold(language, |language, &letter| self.semantics.world.automata.append(language, letter));
        Ok(state == start)
    }

    /// Remembers a cycle from the state at `at`; if one thread alone takes it, also from each of its later points.
    fn take_down(&mut self, at: usize, lane: usize, cycle: &Known, language: Language) {
        let thread = lane / self.semantics.width().max(1);
        let is_own = |transition: &Transition| matches!(transition, Transition::Step { thread: other, .. } if *other == thread);
        let is_alone = cycle.turn.iter().all(|&number| is_own(self.transitions.at(number)));
        let count = if is_alone { cycle.turn.len() } else { 1 };
        let points: Vec<LocalId> =
            self.stack[at..at + count].iter().map(|frame| frame.state.locals[thread]).collect();
        self.remember(lane, &points, cycle, language);
    }

    /// Remembers a cycle, beginning at each of these points of its thread in turn.
    fn remember(&mut self, lane: usize, points: &[LocalId], cycle: &Known, language: Language) {
        let width = self.semantics.width().max(1);
        let mut is_new = false;
        for (by, &point) in points.iter().enumerate() {
            let known = self.cycles.entry((lane, point)).or_default();
            let rotated = cycle.rotated(by);
            if !known.contains(&rotated) {
                is_new |= by == 0;
                known.push(rotated);
            }
        }
        if !is_new {
            return;
        }
        let automata = &self.semantics.world.automata;
        let moves = cycle
            .turn
            .iter()
            .map(|&number| match self.transitions.at(number) {
                Transition::Step { thread, edge, made } => {
                    Move { thread: *thread, act: Act::Edge { edge: *edge, made: made.clone() } }
                }
                Transition::Commit { lane, letter } => {
                    let (cell, value) = automata.store_of(*letter);
                    Move { thread: lane / width, act: Act::Flush { cell, value } }
                }
            })
            .collect();
        let shown = automata.expression(language, &|cell, value| format!("({},{value})", cell.0));
        self.found.cycles.push(Cycle { thread: lane / width, moves, language, shown });
    }
}
