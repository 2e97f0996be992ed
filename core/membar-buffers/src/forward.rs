//! Depth-first search of sets of states, with sleep sets (`sleep.rs`), inclusion and acceleration of cycles
//! (`acceleration.rs`).
//!
//! Commits are tried before steps: whatever a cycle fills a buffer with is then flushed from the whole set of
//! contents, and later states are subsumed by earlier ones. In the other order every number of iterations is a
//! separate state.

mod sleep;

use std::collections::BTreeMap;

use membar_ir::error::CoreError;

use super::acceleration::AcceleratedCycle;
use super::automaton::{Language, Letter};
use super::buffer_kinds::Discipline;
use super::paths::{Growth, Node, NodeId, Predecessor, Target};
use super::question::{Findings, Question, Unbounded, show_letter};
use super::run::run_steps;
use super::symbolic::{Outcome, Semantics, State, Successor, Transition, Transitions};
use super::system::{LocalId, System};
use membar_ir::limits::{Stopped, Watch};
use membar_states::goals::Goal;
use rustc_hash::FxHashMap;
use sleep::Sleeping;

/// How to search.
#[derive(Debug, Clone, Copy)]
pub struct Reductions {
    /// Sleep sets.
    pub sleep: bool,
    /// Acceleration of cycles.
    pub acceleration: bool,
    /// Whether the first finding that answers the question ends it.
    pub only_first: bool,
}

/// States of unbounded buffers that are told.
const MOST_UNBOUNDED: usize = 256;

/// Control points and memory, by number.
pub(super) type Place = u32;

/// A state that was kept, with what sleeps in it.
#[derive(Debug)]
struct Kept {
    node: NodeId,
    sleep: Vec<Sleeping>,
}

/// The transition that led somewhere.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) parent: NodeId,
    pub(super) number: u32,
    /// The letters put into a lane.
    pub(super) stored: Vec<(usize, Letter)>,
}

/// A state on the stack.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) state: State,
    pub(super) node: NodeId,
    place: Place,
    pub(super) came: Option<Step>,
    todo: Vec<(u32, Successor)>,
    sleep: Vec<Sleeping>,
}

pub(super) struct Search<'s, 'p, 'b> {
    pub(super) semantics: Semantics<'s, 'p>,
    question: &'s Question,
    reductions: Reductions,
    watch: &'s mut Watch<'b>,
    places: FxHashMap<(Vec<LocalId>, Vec<u64>), Place>,
    kept: Vec<Vec<Kept>>,
    /// Control points and memory of each place, with empty buffers.
    pub(super) bare: Vec<State>,
    pub(super) nodes: Vec<Node>,
    pub(super) transitions: Transitions,
    pub(super) cycles: FxHashMap<(usize, LocalId), Vec<AcceleratedCycle>>,
    pub(super) stack: Vec<Frame>,
    pub(super) on_stack: FxHashMap<Place, Vec<usize>>,
    targets: BTreeMap<Goal, Target>,
    bytes: usize,
    pub(super) found: Findings,
}

/// Everything with buffers of any length, with a run to each thing found.
pub fn search(
    system: &mut System<'_>,
    question: &Question,
    discipline: Discipline,
    reductions: Reductions,
    watch: &mut Watch<'_>,
) -> Result<Findings, CoreError> {
    let mut search = Search {
        semantics: Semantics::new(system, discipline),
        question,
        reductions,
        watch,
        places: FxHashMap::default(),
        kept: Vec::new(),
        bare: Vec::new(),
        nodes: Vec::new(),
        transitions: Transitions::default(),
        cycles: FxHashMap::default(),
        stack: Vec::new(),
        on_stack: FxHashMap::default(),
        targets: BTreeMap::new(),
        bytes: 0,
        found: Findings::default(),
    };
    let initial = search.semantics.initial();
    let stopped = match search.explore(initial, None)? {
        None => search.close()?,
        stopped => stopped,
    };
    search.found.stopped = stopped;
    for (goal, target) in std::mem::take(&mut search.targets) {
        if let Some(run) = search.run_to(&target) {
            search.found.runs.insert(goal, run_steps(&run, search.semantics.system.program.cells.len()));
        }
    }
    if stopped.is_none() {
        search.found.unbounded = search.unbounded();
    }
    Ok(search.found)
}

impl Search<'_, '_, '_> {
    /// Explores from `root`, with nothing asleep.
    fn explore(&mut self, root: State, came: Option<Step>) -> Result<Option<Stopped>, CoreError> {
        self.enter(root, Vec::new(), came)?;
        while let Some(frame) = self.stack.last_mut() {
            if let Err(stopped) = self.watch.spend(self.found.stored, self.bytes) {
                return Ok(Some(stopped));
            }
            let Some((number, successor)) = frame.todo.pop() else {
                self.leave();
                continue;
            };
            self.take(number, successor)?;
            if self.is_answered() {
                return Ok(Some(Stopped::Found));
            }
        }
        Ok(None)
    }

    fn is_answered(&self) -> bool {
        self.reductions.only_first && self.found.goals.iter().any(|goal| self.question.is_answered_by(goal))
    }

    /// Goes from the top state by one of its transitions.
    fn take(&mut self, number: u32, successor: Successor) -> Result<(), CoreError> {
        let sleep = self.asleep_after(&successor.footprint);
        let Some(frame) = self.stack.last_mut() else { return Ok(()) };
        let parent = frame.node;
        let thread = successor.footprint.thread;
        self.found.transitions += 1;
        if self.reductions.sleep {
            frame.sleep.push(Sleeping { number, footprint: successor.footprint });
        }
        match successor.result {
            Outcome::Reached(state) => {
                self.enter(state, sleep, Some(Step { parent, number, stored: successor.stored }))?;
            }
            Outcome::Failed(edge, queues) => {
                self.found.error_states += 1;
                self.note_wrong(Goal::Failure { thread, edge }, parent, number, queues);
            }
            Outcome::Faulty(edge, queues) => {
                self.note_wrong(Goal::Fault { thread, edge }, parent, number, queues);
            }
        }
        Ok(())
    }

    fn note_wrong(&mut self, goal: Goal, node: NodeId, last: u32, queues: Vec<Language>) {
        self.note(goal, Target { node, last: Some(last), queues });
    }

    fn note(&mut self, goal: Goal, target: Target) {
        self.found.note(&goal);
        self.targets.entry(goal).or_insert(target);
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
            queues: vec![Language::EMPTY_WORD; state.queues.len()],
        });
        self.places.insert(key, place);
        self.kept.push(Vec::new());
        Ok(place)
    }

    /// What the empty buffers of a state say: it may be the end, or a deadlock.
    fn note_empty_buffers(&mut self, state: &State, node: NodeId) -> Result<(), CoreError> {
        let automata = &self.semantics.world.automata;
        let empty = state.queues.iter().all(|&queue| automata.has_empty_word(queue));
        let system = &*self.semantics.system;
        let is_over = system.is_at_rest(&state.locals, &state.memory);
        let target = Target { node, last: None, queues: vec![Language::EMPTY_WORD; state.queues.len()] };
        if is_over {
            if empty {
                let ending = self.question.terms(system, &state.locals, &state.memory);
                self.note(Goal::Ending(ending), target);
            }
            return Ok(());
        }
        let may_stay = self.question.may_stay(system, &state.locals);
        let is_asked = self.question.deadlocks && !may_stay;
        if !is_asked || !empty {
            return Ok(());
        }
        let bare = State { queues: target.queues.clone(), ..state.clone() };
        if self.semantics.successors(&bare)?.is_empty() && !self.semantics.blocked {
            let points = self.question.points(self.semantics.system, &state.locals);
            self.note(Goal::Deadlock(points), target);
        }
        Ok(())
    }

    /// Reaches a state: accelerates it, and pushes it unless all that it could do is done.
    fn enter(
        &mut self,
        mut state: State,
        mut sleep: Vec<Sleeping>,
        came: Option<Step>,
    ) -> Result<(), CoreError> {
        self.found.visited += 1;
        let place = self.place(&state)?;
        let Some(mut cover) = self.cover(&state, place, &sleep) else { return Ok(()) };
        let mut growths: Vec<Growth> = Vec::new();
        if self.reductions.acceleration {
            self.grow(&mut state, place, came.as_ref(), &mut growths)?;
        }
        if !growths.is_empty() {
            // What slept did so before the contents became more.
            sleep.clear();
            match self.cover(&state, place, &sleep) {
                Some(again) => cover = again,
                None => return Ok(()),
            }
        }
        let successors = self.semantics.successors(&state)?;
        let node = self.node(&state, place, came.as_ref(), growths)?;
        self.note_empty_buffers(&state, node)?;
        let mut todo = Vec::new();
        for successor in successors {
            let number = self.transitions.number(&successor.transition);
            let sleeps = |list: &[Sleeping]| list.iter().any(|sleeping| sleeping.number == number);
            // Covered states have done everything but what sleeps in all of them.
            if !sleeps(&sleep) && cover.asleep.as_ref().is_none_or(|asleep| sleeps(asleep)) {
                todo.push((number, successor));
            }
        }
        if let Some(asleep) = &cover.asleep {
            sleep.retain(|sleeping| asleep.iter().any(|other| other.number == sleeping.number));
        }
        if todo.is_empty() && cover.asleep.is_some() {
            return Ok(());
        }
        self.keep(node, sleep.clone());
        // The last one is taken first: commits, then steps, each in their order.
        let (mut commits, steps): (Vec<_>, Vec<_>) =
            todo.into_iter().partition(|(_, next)| matches!(next.transition, Transition::Commit { .. }));
        todo = steps;
        todo.reverse();
        commits.reverse();
        todo.append(&mut commits);
        self.on_stack.entry(place).or_default().push(self.stack.len());
        self.stack.push(Frame { state, node, place, came, todo, sleep });
        self.found.depth = self.found.depth.max(self.stack.len() as u64);
        Ok(())
    }

    fn node(
        &mut self,
        state: &State,
        place: Place,
        came: Option<&Step>,
        growths: Vec<Growth>,
    ) -> Result<NodeId, CoreError> {
        let node = NodeId::try_from(self.nodes.len()).map_err(|_| CoreError::TooLarge("states"))?;
        self.bytes += 16 * state.queues.len() + 96 + 64 * growths.len();
        self.nodes.push(Node {
            place,
            queues: state.queues.as_slice().into(),
            came: came.map(|step| Predecessor { step: step.clone(), growths }),
        });
        Ok(node)
    }

    /// None if kept states have done all that this one could; else how far they have.
    fn cover(&mut self, state: &State, place: Place, sleep: &[Sleeping]) -> Option<Cover> {
        let mut common: Option<Vec<Sleeping>> = None;
        for kept in &self.kept[place as usize] {
            let mut pairs = state.queues.iter().zip(&self.nodes[kept.node as usize].queues);
            let automata = &mut self.semantics.world.automata;
            if pairs.all(|(&a, &b)| automata.is_included(a, b)) {
                match &mut common {
                    None => common = Some(kept.sleep.clone()),
                    Some(common) => common
                        .retain(|sleeping| kept.sleep.iter().any(|other| other.number == sleeping.number)),
                }
                if common.as_ref().is_some_and(Vec::is_empty) {
                    break;
                }
            }
        }
        let Some(common) = common else { return Some(Cover { asleep: None }) };
        let is_done = common.iter().all(|sleeping| sleep.iter().any(|other| other.number == sleeping.number));
        if is_done { None } else { Some(Cover { asleep: Some(common) }) }
    }

    /// Keeps a state, and drops those that it includes: whatever they lead to, it does.
    fn keep(&mut self, node: NodeId, sleep: Vec<Sleeping>) {
        let place = self.nodes[node as usize].place;
        self.bytes += 48 + 40 * sleep.len();
        let (automata, nodes) = (&mut self.semantics.world.automata, &self.nodes);
        let queues = &nodes[node as usize].queues;
        let list = &mut self.kept[place as usize];
        let is_new = list.iter().all(|old| nodes[old.node as usize].queues != *queues);
        self.found.stored += u64::from(is_new);
        list.retain(|old| {
            let mut pairs = nodes[old.node as usize].queues.iter().zip(queues);
            !pairs.all(|(&small, &large)| automata.is_included(small, large))
        });
        list.push(Kept { node, sleep });
        self.look(node, is_new);
    }

    /// What control points and memory alone decide: whether it is an error.
    fn look(&mut self, node: NodeId, is_new: bool) {
        let kept = &self.nodes[node as usize];
        let bare = &self.bare[kept.place as usize];
        if self.question.is_error(self.semantics.system, &bare.locals, &bare.memory) {
            let points = self.question.points(self.semantics.system, &bare.locals);
            let queues = kept.queues.to_vec();
            self.found.error_states += u64::from(is_new);
            self.note(Goal::Error(points), Target { node, last: None, queues });
        }
    }

    /// The states with the most buffers of infinitely many contents.
    fn unbounded(&self) -> Vec<Unbounded> {
        let automata = &self.semantics.world.automata;
        let mut is_infinite: FxHashMap<Language, bool> = FxHashMap::default();
        let mut most = 1;
        let mut found: Vec<NodeId> = Vec::new();
        for kept in self.kept.iter().flatten() {
            let queues = &self.nodes[kept.node as usize].queues;
            let infinite = |queue: &&Language| {
                *is_infinite.entry(**queue).or_insert_with(|| automata.is_infinite(**queue))
            };
            let count = queues.iter().filter(infinite).count();
            if count > most {
                most = count;
                found.clear();
            }
            if count == most && found.len() < MOST_UNBOUNDED {
                found.push(kept.node);
            }
        }
        let show = |&language: &Language| automata.expression(language, &show_letter);
        let describe = |&node: &NodeId| {
            let node = &self.nodes[node as usize];
            let bare = &self.bare[node.place as usize];
            Unbounded {
                buffers: most,
                points: self.question.points(self.semantics.system, &bare.locals),
                memory: bare.memory.clone(),
                shown: node.queues.iter().map(show).collect(),
            }
        };
        found.iter().map(describe).collect()
    }
}

/// What kept states that include a state have not done.
struct Cover {
    /// What sleeps in all of them; None if there is none that includes it.
    asleep: Option<Vec<Sleeping>>,
}
