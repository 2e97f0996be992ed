//! Bounded exploration: every state with at most k entries in a buffer, breadth-first.
//!
//! It gives short witnesses for what the unbounded searches find, and tests check them against it.

use std::collections::BTreeMap;

use membar_ir::error::CoreError;
use membar_ir::program::CellId;

use super::discipline::{Discipline, Entry, Passing};
use super::fault::Fault;
use super::question::{Findings, Goal, Question};
use super::run::{Act, Move};
use super::system::{End, LocalId, Memory, Partner, System, Taken};
use membar_ir::interner::Interner;
use membar_ir::limits::{Stopped, Watch};

/// States between two looks at the clock.
const LOOK_EVERY: usize = 64;
/// Runs that are told, if all is looked for.
const MOST_RUNS: usize = 256;

/// One state: where the threads are, memory, and per thread and lane its queue, oldest entry first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) locals: Vec<LocalId>,
    pub(super) memory: Vec<u64>,
    pub(super) lanes: Vec<Vec<Entry>>,
}

/// What the steps of one exploration share.
#[derive(Debug)]
struct World {
    discipline: Discipline,
    bound: usize,
    /// Cells of the program; those behind them are for births and ends and take no room.
    real_cells: usize,
    /// Whether the bound held a store back since it was last asked.
    held: bool,
    passing: Passing,
    fault: Fault,
}

/// Memory and buffers as one thread sees them in the middle of a step.
#[derive(Debug, Clone)]
struct View {
    thread: usize,
    memory: Vec<u64>,
    lanes: Vec<Vec<Entry>>,
    /// What this very step stored.
    fresh: Vec<Entry>,
}

impl View {
    fn own(&self, world: &World) -> std::ops::Range<usize> {
        let width = world.discipline.lanes(self.memory.len());
        self.thread * width..(self.thread + 1) * width
    }
}

impl View {
    /// What this step stored joins what waits.
    fn settle(&mut self, world: &World) {
        let own = self.own(world).start;
        for entry in std::mem::take(&mut self.fresh) {
            let queue = &mut self.lanes[own + world.discipline.lane(entry.0)];
            let place = if world.fault == Fault::StoreAtFront { 0 } else { queue.len() };
            queue.insert(place, entry);
        }
    }
}

impl Memory for View {
    type World = World;

    fn load(&self, world: &mut World, cell: CellId) -> Vec<(u64, Self)> {
        let own = self.own(world);
        let buffered = self.lanes[own].iter().flatten().chain(&self.fresh);
        let mut matching = buffered.filter(|entry| entry.0 == cell);
        let entry = match world.fault.chosen() {
            Fault::LoadIgnoresBuffer => None,
            Fault::LoadTakesOldest => matching.next(),
            _ => matching.next_back(),
        };
        let value = entry.map_or(self.memory[cell.index()], |entry| entry.1);
        vec![(value, self.clone())]
    }

    fn store(&mut self, world: &mut World, cell: CellId, value: u64) -> bool {
        if world.discipline == Discipline::Sc {
            self.memory[cell.index()] = value;
            return true;
        }
        let counts = |entry: &&Entry| {
            entry.0.index() < world.real_cells && (world.discipline == Discipline::Tso || entry.0 == cell)
        };
        let used = self.lanes[self.own(world)].iter().flatten().chain(&self.fresh).filter(counts).count();
        if cell.index() < world.real_cells && used >= world.bound {
            world.held = true;
            return false;
        }
        self.fresh.push((cell, value));
        true
    }

    fn drained(&self, world: &mut World) -> Option<Self> {
        if self.lanes[self.own(world)].iter().any(|lane| !lane.is_empty()) {
            return None;
        }
        let mut next = self.clone();
        for (cell, value) in next.fresh.drain(..) {
            next.memory[cell.index()] = value;
        }
        Some(next)
    }

    fn all_drained(&self, world: &mut World) -> Option<Self> {
        if self.lanes.iter().any(|lane| !lane.is_empty()) {
            return None;
        }
        self.drained(world)
    }

    fn write(&mut self, _: &mut World, cell: CellId, value: u64) {
        self.memory[cell.index()] = value;
    }

    fn order(&mut self, world: &mut World, mark: CellId) {
        let last = self.lanes[self.own(world)].iter().flatten().chain(&self.fresh).next_back();
        if last.is_some_and(|entry| entry.0 != mark) {
            self.fresh.push((mark, 0));
        }
    }

    fn seen_by(&self, world: &mut World, thread: usize) -> Self {
        let mut next = self.clone();
        next.settle(world);
        next.thread = thread;
        next
    }
}

/// How a state was first reached.
type Predecessor = Option<(u32, Move)>;

/// The exploration.
struct Exploration<'s, 'p, 'w> {
    system: &'s mut System<'p>,
    question: &'s Question,
    until: Until<'s>,
    world: World,
    watch: &'s mut Watch<'w>,
    states: Interner<State>,
    came: Vec<Predecessor>,
    found: Findings,
    /// Where each thing was found: in which state, and by which last move.
    targets: BTreeMap<Goal, (u32, Option<Move>)>,
    /// Whether a store was ever held back.
    held: bool,
    run: Option<Vec<Move>>,
}

/// When an exploration ends.
#[derive(Debug, Clone, Copy)]
pub enum Until<'a> {
    /// When all is explored.
    All,
    /// With the first finding that answers the question.
    FirstWrong,
    /// When this is reached.
    Goal(&'a Goal),
}

/// Everything with buffers of at most `bound` entries, or what there is until something is reached and the run to it.
///
/// # Errors
/// Something is too large, or has no meaning for store buffers.
pub fn explore(
    system: &mut System<'_>,
    question: &Question,
    discipline: Discipline,
    bound: usize,
    until: Until<'_>,
    watch: &mut Watch<'_>,
) -> Result<(Findings, Option<Vec<Move>>), CoreError> {
    let real_cells = system.program.cells.len();
    let passing = Passing::of(system);
    let world = World { discipline, bound, real_cells, held: false, passing, fault: system.fault };
    let mut exploration = Exploration {
        system,
        question,
        until,
        world,
        watch,
        states: Interner::default(),
        came: Vec::new(),
        found: Findings::default(),
        targets: BTreeMap::new(),
        held: false,
        run: None,
    };
    let stopped = exploration.search()?;
    exploration.tell_runs();
    let mut found = exploration.found;
    found.stopped = match until {
        Until::All => stopped,
        _ if exploration.run.is_some() => Some(Stopped::Found),
        _ => stopped,
    };
    found.held = exploration.held;
    found.stored = exploration.states.len() as u64;
    Ok((found, exploration.run))
}

/// A run to `goal` with buffers as small as possible, but at most `largest`; None if there is none, or the watch
/// does not last.
///
/// # Errors
/// Something is too large, or has no meaning for store buffers.
pub fn run_to(
    system: &mut System<'_>,
    question: &Question,
    discipline: Discipline,
    goal: &Goal,
    largest: usize,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<Move>>, CoreError> {
    for bound in 1..=largest {
        let (found, run) = explore(system, question, discipline, bound, Until::Goal(goal), watch)?;
        if run.is_some() || !found.held || found.stopped.is_some() {
            return Ok(run);
        }
    }
    Ok(None)
}

impl Exploration<'_, '_, '_> {
    fn search(&mut self) -> Result<Option<Stopped>, CoreError> {
        let cells = self.system.cells.len();
        let width = self.world.discipline.lanes(cells);
        let threads = self.system.threads();
        self.reach(
            State {
                locals: vec![LocalId(0); threads],
                memory: self.system.cells.iter().map(|cell| cell.initial).collect(),
                lanes: vec![Vec::new(); width * threads],
            },
            None,
        )?;
        let mut next = 0;
        while next < self.states.len() && self.run.is_none() {
            let kept = self.states.len() as u64;
            if let Err(stopped) = self.watch.states(kept) {
                return Ok(Some(stopped));
            }
            if next % LOOK_EVERY == 0 {
                let bytes = self.states.len() * self.bytes_per_state();
                if let Err(stopped) = self.watch.spend(kept, bytes) {
                    return Ok(Some(stopped));
                }
            }
            self.expand(u32::try_from(next).map_err(|_| CoreError::TooLarge("states"))?)?;
            next += 1;
        }
        Ok(None)
    }

    /// Roughly.
    fn bytes_per_state(&self) -> usize {
        let state = self.states.get(0);
        136 + 4 * state.locals.len() + 8 * state.memory.len() + 40 * state.lanes.len()
    }

    fn expand(&mut self, number: u32) -> Result<(), CoreError> {
        let state = self.states.get(number).clone();
        let mut moved = self.flush_all(number, &state)?;
        let mut blocked = false;
        self.world.held = false;
        let movers = self.system.movers(&state.locals);
        for thread in 0..state.locals.len() {
            let taken = self.taken(&state, thread, &movers, &mut blocked)?;
            moved |= !taken.is_empty();
            for step in taken {
                self.take(number, &state, thread, step)?;
            }
        }
        self.held |= self.world.held;
        let holds = self.world.held && self.world.fault != Fault::DeadlockAlthoughHeld;
        let is_over = self.system.is_at_rest(&state.locals, &state.memory);
        let is_empty = state.lanes.iter().all(Vec::is_empty);
        if is_over && is_empty {
            let ending = self.question.terms(self.system, &state.locals, &state.memory);
            self.note(&Goal::Ending(ending), number, None);
        } else if !moved && !blocked && !holds && is_empty && self.is_deadlock(&state) {
            let points = self.question.points(self.system, &state.locals);
            self.note(&Goal::Stuck(points), number, None);
        }
        Ok(())
    }

    fn is_deadlock(&self, state: &State) -> bool {
        let may_stay = self.question.may_stay(self.system, &state.locals);
        self.question.deadlocks && (!may_stay || self.world.fault == Fault::DeadlockAtEnds)
    }

    /// The steps of one thread, alone or together with one that receives.
    fn taken(
        &mut self,
        state: &State,
        thread: usize,
        movers: &[bool],
        blocked: &mut bool,
    ) -> Result<Vec<Taken<View>>, CoreError> {
        let view =
            View { thread, memory: state.memory.clone(), lanes: state.lanes.clone(), fresh: Vec::new() };
        let mut taken = Vec::new();
        let (local, may_move) = (state.locals[thread], movers[thread]);
        let refusals = self.system.steps_if(&mut self.world, thread, local, &view, may_move, &mut taken)?;
        *blocked |= refusals.blocked;
        if !may_move || self.system.meeting_edges((thread, local), true).is_empty() {
            return Ok(taken);
        }
        for receiver in (0..state.locals.len()).filter(|&other| other != thread && movers[other]) {
            let other = (receiver, state.locals[receiver]);
            let refusals = self.system.meet(&mut self.world, (thread, local), other, &view, &mut taken)?;
            *blocked |= refusals.blocked;
        }
        Ok(taken)
    }

    /// The places of a queue whose entries may reach memory next.
    fn leaving(&self, queue: &[Entry]) -> Vec<usize> {
        let passing = self.world.passing;
        let may_leave = |place: usize| {
            let (cell, _) = queue[place];
            queue[..place].iter().all(|&(earlier, _)| passing.may_pass(cell, earlier))
        };
        let most = if self.world.discipline == Discipline::Marked { queue.len() } else { 1 };
        (0..queue.len().min(most)).filter(|&place| may_leave(place)).collect()
    }

    /// Every flush of an entry that is first; whether there was one.
    fn flush_all(&mut self, number: u32, state: &State) -> Result<bool, CoreError> {
        let width = self.world.discipline.lanes(state.memory.len());
        let mut moved = false;
        for (lane, queue) in state.lanes.iter().enumerate() {
            for place in self.leaving(queue) {
                moved = true;
                let mut next = state.clone();
                let (cell, value) = next.lanes[lane].remove(place);
                next.memory[cell.index()] = value;
                let act = Act::Flush { cell, value };
                self.reach(next, Some((number, Move { thread: lane / width, act })))?;
            }
        }
        Ok(moved)
    }

    fn take(&mut self, from: u32, state: &State, thread: usize, step: Taken<View>) -> Result<(), CoreError> {
        self.found.transitions += 1;
        let partner = step.partner;
        let act = Act::Edge { edge: step.edge, made: step.made, partner: partner.clone() };
        let last = Move { thread, act };
        match step.end {
            End::Failed => self.note(&Goal::Failure { thread, edge: step.edge }, from, Some(last)),
            End::Faulty => self.note(&Goal::Fault { thread, edge: step.edge }, from, Some(last)),
            End::Moved(local) => {
                let mut locals = state.locals.clone();
                locals[thread] = local;
                if let Some(Partner { thread: other, local: Some(local), .. }) = partner {
                    locals[other] = local;
                }
                let mut view = step.memory;
                view.settle(&self.world);
                let View { memory, lanes, .. } = view;
                self.reach(State { locals, memory, lanes }, Some((from, last)))?;
            }
        }
        Ok(())
    }

    fn reach(&mut self, state: State, came: Predecessor) -> Result<(), CoreError> {
        let (number, is_new) = self.states.intern(state);
        if !is_new {
            return Ok(());
        }
        if number == u32::MAX {
            return Err(CoreError::TooLarge("states"));
        }
        self.came.push(came);
        let state = self.states.get(number);
        if self.question.is_error(self.system, &state.locals, &state.memory) {
            let points = self.question.points(self.system, &state.locals);
            self.found.error_states += 1;
            self.note(&Goal::Error(points), number, None);
        }
        Ok(())
    }

    /// Takes down what was found, and how; whether it is what was looked for.
    fn note(&mut self, what: &Goal, from: u32, last: Option<Move>) {
        self.found.note(what);
        let is_it = match self.until {
            Until::All => false,
            Until::FirstWrong => self.question.is_answered_by(what),
            Until::Goal(goal) => goal.is_shown_by(what),
        };
        if self.run.is_none() && is_it {
            let moves = self.run_to(from, last);
            self.found.runs.insert(what.clone(), moves.clone());
            self.run = Some(moves);
        } else if !self.targets.contains_key(what) {
            self.targets.insert(what.clone(), (from, last));
        }
    }

    fn run_to(&self, from: u32, last: Option<Move>) -> Vec<Move> {
        let mut moves: Vec<Move> = last.into_iter().collect();
        let mut at = from;
        while let Some((before, step)) = &self.came[at as usize] {
            moves.push(step.clone());
            at = *before;
        }
        moves.reverse();
        moves
    }

    /// If all is looked for: the runs to what was found, as far as they are few.
    fn tell_runs(&mut self) {
        if !matches!(self.until, Until::All) {
            return;
        }
        for (goal, (from, last)) in std::mem::take(&mut self.targets).into_iter().take(MOST_RUNS) {
            let run = self.run_to(from, last);
            self.found.runs.insert(goal, run);
        }
    }
}
