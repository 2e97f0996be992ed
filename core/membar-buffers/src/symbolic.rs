//! Sets of states: control points and memory are concrete, each buffer is a language of contents.
//!
//! Linden and Wolper, "An automata-based symbolic approach for verifying programs on relaxed memory models", SPIN
//! 2010. Where the printed rules are wrong (docs/decisions/0017-unbounded-buffers.md), the operational semantics
//! decides. A step acts only on memory and on one thread's buffers, so the image of a product of languages is a
//! product.

use membar_ir::error::CoreError;
use membar_ir::program::{CellId, EdgeId};

use super::automaton::{Automata, Language, Letter};
use super::buffer_kinds::{Discipline, Entry, Passing};
use super::system::{End, LocalId, Memory, Partner, System, ThreadStep};
use membar_ir::interner::Interner;

/// A set of states.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) locals: Vec<LocalId>,
    pub(super) memory: Vec<u64>,
    pub(super) queues: Vec<Language>,
}

/// A transition, by what it does and not by where.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Transition {
    /// A thread takes an edge with these values read and chosen, perhaps together with one that receives.
    Step { thread: usize, edge: EdgeId, values: Vec<u64>, partner: Option<Partner> },
    /// The oldest entry of a lane, which is this letter, reaches memory.
    Commit { queue: usize, letter: Letter },
}

/// What a transition has to do with memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Footprint {
    pub(super) thread: usize,
    reads: Vec<CellId>,
    writes: Vec<CellId>,
    /// It looks at the buffers of all threads.
    everything: bool,
}

impl Footprint {
    /// Whether the two lead to the same states in either order, and neither stops the other.
    pub(super) fn is_independent(&self, other: &Self) -> bool {
        let clash = |writes: &[CellId], other: &Self| {
            writes.iter().any(|cell| other.reads.contains(cell) || other.writes.contains(cell))
        };
        self.thread != other.thread
            && !self.everything
            && !other.everything
            && !clash(&self.writes, other)
            && !clash(&other.writes, self)
    }
}

/// What a transition leads to.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    Reached(State),
    /// An assertion fails, with these contents of the buffers.
    Failed(EdgeId, Vec<Language>),
    /// An access hits no location, with these contents of the buffers.
    Faulty(EdgeId, Vec<Language>),
}

/// A transition that is possible for some contents of the buffers.
#[derive(Debug, Clone)]
pub(super) struct Successor {
    pub(super) transition: Transition,
    pub(super) footprint: Footprint,
    pub(super) result: Outcome,
    /// The letters put into a lane.
    pub(super) stored: Vec<(usize, Letter)>,
}

/// What all steps share.
#[derive(Debug)]
pub(super) struct World {
    pub(super) automata: Automata,
    pub(super) discipline: Discipline,
    passing: Passing,
}

impl World {
    /// The letters that may leave a buffer next.
    fn first(&mut self, language: Language) -> Vec<Letter> {
        if self.discipline == Discipline::Marked {
            let passing = self.passing;
            self.automata.first_past(language, |later, earlier| passing.may_pass(later, earlier))
        } else {
            self.automata.first(language)
        }
    }

    /// Whether `letter` may leave a buffer before all of these.
    pub(super) fn passes(&self, letter: Letter, older: &[Letter]) -> bool {
        let (cell, _) = self.automata.store_of(letter);
        older.iter().all(|&other| self.passing.may_pass(cell, self.automata.store_of(other).0))
    }

    /// What is left of the contents that `letter` may leave.
    fn take(&mut self, language: Language, letter: Letter) -> Language {
        if self.discipline == Discipline::Marked {
            let passing = self.passing;
            self.automata.take_past(language, letter, |later, earlier| passing.may_pass(later, earlier))
        } else {
            self.automata.take(language, letter)
        }
    }
}

/// Memory and buffers as one thread sees them in the middle of a step.
#[derive(Debug, Clone)]
struct View {
    memory: Vec<u64>,
    queues: Vec<Language>,
    /// What this very step stored.
    fresh: Vec<Entry>,
    /// What it put into a lane.
    stored: Vec<(usize, Letter)>,
    /// The thread that acts; in a rendezvous not always the thread of the footprint.
    thread: usize,
    footprint: Footprint,
}

impl View {
    fn own(&self, world: &World) -> std::ops::Range<usize> {
        let width = world.discipline.queues(self.memory.len());
        self.thread * width..(self.thread + 1) * width
    }

    fn queue(&self, world: &World, cell: CellId) -> Option<usize> {
        (world.discipline != Discipline::Sc).then(|| self.own(world).start + world.discipline.queue(cell))
    }

    fn reading(&self, cell: CellId) -> Self {
        let mut next = self.clone();
        next.footprint.reads.push(cell);
        next
    }

    /// What this step stored joins what waits.
    fn append_stored(&mut self, world: &mut World) {
        let own = self.own(world).start;
        for (cell, value) in std::mem::take(&mut self.fresh) {
            let queue = own + world.discipline.queue(cell);
            let letter = world.automata.letter(cell, value);
            self.queues[queue] = world.automata.append(self.queues[queue], letter);
            self.stored.push((queue, letter));
        }
    }

    fn write_fresh(mut self) -> Self {
        for (cell, value) in std::mem::take(&mut self.fresh) {
            self.memory[cell.index()] = value;
            self.footprint.writes.push(cell);
        }
        self
    }
}

impl Memory for View {
    type World = World;

    fn load(&self, world: &mut World, cell: CellId) -> Vec<(u64, Self)> {
        if let Some(&(_, value)) = self.fresh.iter().rev().find(|entry| entry.0 == cell) {
            return vec![(value, self.clone())];
        }
        let inside = self.memory[cell.index()];
        let Some(queue) = self.queue(world, cell) else {
            return vec![(inside, self.reading(cell))];
        };
        let parts = parts(world, self.queues[queue], cell);
        let sees_memory = parts.iter().any(|part| part.0.is_none());
        let mut by_value: Vec<(u64, Language)> = Vec::new();
        for (newest, language) in parts {
            let value = newest.unwrap_or(inside);
            match by_value.iter_mut().find(|known| known.0 == value) {
                Some(known) => known.1 = world.automata.union(known.1, language),
                None => by_value.push((value, language)),
            }
        }
        by_value.sort_unstable();
        let seen = if sees_memory { self.reading(cell) } else { self.clone() };
        by_value
            .into_iter()
            .map(|(value, language)| {
                let mut next = seen.clone();
                next.queues[queue] = language;
                (value, next)
            })
            .collect()
    }

    fn store(&mut self, world: &mut World, cell: CellId, value: u64) -> bool {
        if world.discipline == Discipline::Sc {
            self.write(world, cell, value);
        } else {
            self.fresh.push((cell, value));
        }
        true
    }

    fn drain(&self, world: &mut World) -> Option<Self> {
        let mut next = self.clone();
        for queue in self.own(world) {
            if !world.automata.has_empty_word(self.queues[queue]) {
                return None;
            }
            next.queues[queue] = Language::EMPTY_WORD;
        }
        Some(next.write_fresh())
    }

    fn drain_all(&self, world: &mut World) -> Option<Self> {
        if self.queues.iter().any(|&queue| !world.automata.has_empty_word(queue)) {
            return None;
        }
        let mut next = self.clone();
        next.queues.fill(Language::EMPTY_WORD);
        next.footprint.everything = true;
        Some(next.write_fresh())
    }

    fn write(&mut self, _: &mut World, cell: CellId, value: u64) {
        self.memory[cell.index()] = value;
        self.footprint.writes.push(cell);
    }

    fn order(&mut self, world: &mut World, mark: CellId) {
        let own = self.own(world);
        let is_behind_mark = match self.fresh.last() {
            Some(entry) => entry.0 == mark,
            // Two marks in a row are as good as one: none is put where all contents end with one.
            None => self.queues[own].iter().all(|&queue| {
                queue == Language::EMPTY_WORD || world.automata.ending_with(queue, mark) == queue
            }),
        };
        if !is_behind_mark {
            self.fresh.push((mark, 0));
        }
    }

    fn seen_by(&self, world: &mut World, thread: usize) -> Self {
        let mut next = self.clone();
        next.append_stored(world);
        next.thread = thread;
        next.footprint.everything = true;
        next
    }
}

/// The words of a language by what a load of `cell` finds in them.
fn parts(world: &mut World, language: Language, cell: CellId) -> Vec<(Option<u64>, Language)> {
    world.automata.by_newest(language, cell).into_vec()
}

/// The whole system: threads and languages.
#[derive(Debug)]
pub(super) struct Semantics<'s, 'p> {
    pub(super) system: &'s mut System<'p>,
    pub(super) world: World,
    /// Whether an assumption failed in the last expansion.
    pub(super) blocked: bool,
}

impl<'s, 'p> Semantics<'s, 'p> {
    pub(super) fn new(system: &'s mut System<'p>, discipline: Discipline) -> Self {
        let passing = Passing::of(system);
        let world = World { automata: Automata::default(), discipline, passing };
        Self { system, world, blocked: false }
    }

    pub(super) fn width(&self) -> usize {
        self.world.discipline.queues(self.system.cells.len())
    }

    pub(super) fn initial(&self) -> State {
        let threads = self.system.threads();
        State {
            locals: vec![LocalId(0); threads],
            memory: self.system.cells.iter().map(|cell| cell.initial).collect(),
            queues: vec![Language::EMPTY_WORD; self.width() * threads],
        }
    }

    /// Every transition that is possible for some contents.
    pub(super) fn successors(&mut self, state: &State) -> Result<Vec<Successor>, CoreError> {
        let mut found = Vec::new();
        self.blocked = false;
        for thread in 0..state.locals.len() {
            self.steps(state, thread, &mut found)?;
        }
        for queue in 0..state.queues.len() {
            for letter in self.world.first(state.queues[queue]) {
                found.extend(self.commit(state, queue, letter));
            }
        }
        Ok(found)
    }

    /// One transition; None if no contents allow it.
    pub(super) fn follow(
        &mut self,
        state: &State,
        transition: &Transition,
    ) -> Result<Option<Successor>, CoreError> {
        match transition {
            Transition::Commit { queue, letter } => Ok(self.commit(state, *queue, *letter)),
            Transition::Step { thread, .. } => {
                let mut found = Vec::new();
                self.steps(state, *thread, &mut found)?;
                Ok(found.into_iter().find(|successor| successor.transition == *transition))
            }
        }
    }

    fn steps(&mut self, state: &State, thread: usize, found: &mut Vec<Successor>) -> Result<(), CoreError> {
        let view = View {
            memory: state.memory.clone(),
            queues: state.queues.clone(),
            fresh: Vec::new(),
            stored: Vec::new(),
            thread,
            footprint: Footprint { thread, ..Footprint::default() },
        };
        let mut taken = Vec::new();
        let movers = self.system.movers(&state.locals);
        let (local, may_move) = (state.locals[thread], movers[thread]);
        let refusals = self.system.steps_if(&mut self.world, thread, local, &view, may_move, &mut taken)?;
        self.blocked |= refusals.blocked;
        if may_move && !self.system.meeting_edges((thread, local), true).is_empty() {
            for receiver in (0..state.locals.len()).filter(|&other| other != thread && movers[other]) {
                let other = (receiver, state.locals[receiver]);
                let refusals =
                    self.system.meet(&mut self.world, (thread, local), other, &view, &mut taken)?;
                self.blocked |= refusals.blocked;
            }
        }
        for step in taken {
            found.push(self.successor(state, thread, step));
        }
        Ok(())
    }

    fn successor(&mut self, state: &State, thread: usize, step: ThreadStep<View>) -> Successor {
        let ThreadStep { edge, values, end, memory: mut view, partner } = step;
        let result = match end {
            End::Failed => Outcome::Failed(edge, view.queues.clone()),
            End::Faulty => Outcome::Faulty(edge, view.queues.clone()),
            End::Moved(local) => {
                let mut locals = state.locals.clone();
                locals[thread] = local;
                if let Some(Partner { thread: other, local: Some(local), .. }) = partner {
                    locals[other] = local;
                }
                // A thread that enters a committed point holds the others up; one that leaves it lets them go.
                let moved = locals.iter().zip(&state.locals).enumerate().filter(|(_, (to, from))| to != from);
                for (other, (&to, &from)) in moved.filter(|_| self.system.has_committed()) {
                    view.footprint.everything |=
                        self.system.is_committed(other, to) || self.system.is_committed(other, from);
                }
                view.append_stored(&mut self.world);
                Outcome::Reached(State { locals, memory: view.memory, queues: view.queues })
            }
        };
        Successor {
            transition: Transition::Step { thread, edge, values, partner },
            footprint: view.footprint,
            result,
            stored: view.stored,
        }
    }

    fn commit(&mut self, state: &State, queue: usize, letter: Letter) -> Option<Successor> {
        let rest = self.world.take(state.queues[queue], letter);
        if rest == Language::NOTHING {
            return None;
        }
        let (cell, value) = self.world.automata.store_of(letter);
        let mut next = state.clone();
        next.memory[cell.index()] = value;
        next.queues[queue] = rest;
        let footprint =
            Footprint { thread: queue / self.width(), writes: vec![cell], ..Footprint::default() };
        Some(Successor {
            transition: Transition::Commit { queue, letter },
            footprint,
            result: Outcome::Reached(next),
            stored: Vec::new(),
        })
    }
}

/// Transitions by number, so that sleep sets are small.
#[derive(Debug, Default)]
pub(super) struct Transitions {
    all: Interner<Transition>,
}

impl Transitions {
    pub(super) fn number(&mut self, transition: &Transition) -> u32 {
        self.all.intern_ref(transition)
    }

    pub(super) fn at(&self, number: u32) -> &Transition {
        self.all.get(number)
    }
}
