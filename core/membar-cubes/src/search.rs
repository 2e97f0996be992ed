//! Backward reachability: cubes that lead to a bad state, until no new one is found or one intersects the initial
//! states.
//!
//! A new cube is dropped if earlier ones cover it; otherwise it is added, those that it covers are deleted, and it
//! is queued. Cubes with few processes and few literals come first: they cover most.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::brab::{Brab, Guess};
use crate::cube::Cube;
use crate::fixpoint::{Cover, Fixpoint};
use crate::initial::may_be_initial;
use crate::instance::arrangements;
use crate::preimage::{Before, preimages};
use crate::system::{Formula, System};
use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};

/// What to do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether the user's invariants are believed; otherwise they must be unreachable too.
    pub trust: bool,
    /// Guess invariants that hold with so many processes.
    pub guesses: Option<u8>,
}

/// A transition taken by some processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenTransition {
    /// The number that the caller gave the transition.
    pub transition: usize,
    /// The process of each parameter, counted from 0 along the trace.
    pub processes: Vec<u8>,
}

/// A way from an initial state to a bad one, not yet replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The transitions, in order.
    pub taken: Vec<TakenTransition>,
    /// How many processes occur.
    pub processes: u8,
    /// Which bad states, counted over unsafe states and then invariants.
    pub goal: usize,
    /// The processes of that formula.
    pub goal_processes: Vec<u8>,
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing new comes, and no initial state is in any cube.
    Closed,
    /// An initial state may lead to a bad one.
    Reached(Trace),
    /// Before its end.
    Stopped(Stopped),
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Findings {
    /// How it ended.
    pub answer: Answer,
    /// All cubes that were found and not deleted.
    pub cubes: Vec<Cube>,
    /// Cubes whose pre-images were computed.
    pub nodes: u64,
    /// Cubes that were made.
    pub made: u64,
    /// Cubes that others cover.
    pub covered: u64,
    /// Cubes deleted because a later one contains them.
    pub deleted: u64,
    /// The most processes of a cube.
    pub most_slots: u8,
    /// Guesses that were wrong.
    pub restarts: usize,
}

/// A cube in the search, and where it leads.
#[derive(Debug)]
struct Node {
    cube: Cube,
    parent: Option<usize>,
    taken: Option<TakenTransition>,
    /// The name along the trace of each process.
    names: Vec<u8>,
    next_name: u8,
    goal: usize,
    /// Of a root: the process of each parameter.
    goal_processes: Vec<u8>,
    depth: u32,
    deleted: bool,
    /// Whether it is a guess around what was found.
    is_guess: bool,
}

/// Searches backwards from all bad states.
pub fn search(system: &System, options: Options, watch: &mut Watch<'_>) -> Result<Findings, CoreError> {
    let mut guide = match options.guesses.map(|count| Brab::new(system, count, watch)) {
        None => None,
        Some(Ok(guide)) => guide,
        Some(Err(stopped)) => {
            return Ok(Search::new(system, options, None)?.findings(Answer::Stopped(stopped)));
        }
    };
    loop {
        let mut search = Search::new(system, options, guide.as_ref())?;
        let answer = search.run(watch)?;
        match search.refuted.take() {
            Some(guess) => {
                if let Some(guide) = &mut guide {
                    guide.refute(guess);
                }
            }
            None => return Ok(search.findings(answer)),
        }
    }
}

/// Searches backwards from one cube alone, while the states of others are known to be unreachable.
pub fn search_from(
    system: &System,
    start: Cube,
    known: &[Cube],
    watch: &mut Watch<'_>,
) -> Result<Findings, CoreError> {
    let mut search = Search::new(system, Options::default(), None)?;
    for cube in known {
        search.visited.add(BELIEVED, cube.clone());
    }
    let names = (0..start.slots).collect();
    let root = Root { cube: start, chosen: Vec::new(), names };
    let answer = match search.accept(root.node(0), watch)? {
        Some(answer) => answer,
        None => search.exhaust(watch)?,
    };
    Ok(search.findings(answer))
}

type Priority = Reverse<(usize, usize, u32, usize)>;

struct Search<'a> {
    system: &'a System,
    options: Options,
    nodes: Vec<Node>,
    visited: Fixpoint,
    assumed: Fixpoint,
    queue: BinaryHeap<Priority>,
    counts: Counts,
    guide: Option<&'a Brab<'a>>,
    /// A guess that turned out to be reachable.
    refuted: Option<Cube>,
}

#[derive(Default)]
struct Counts {
    nodes: u64,
    made: u64,
    covered: u64,
    deleted: u64,
    most_slots: u8,
    bytes: usize,
}

/// The index that means a cube believed to be unreachable.
const BELIEVED: usize = usize::MAX;

impl<'a> Search<'a> {
    fn new(system: &'a System, options: Options, guide: Option<&'a Brab<'a>>) -> Result<Self, CoreError> {
        let mut search = Self {
            system,
            options,
            nodes: Vec::new(),
            visited: Fixpoint::default(),
            assumed: Fixpoint::default(),
            queue: BinaryHeap::new(),
            counts: Counts::default(),
            guide,
            refuted: None,
        };
        for formula in &system.invariants {
            for root in cubes_of(system, formula)? {
                search.assumed.add(BELIEVED, root.cube.clone());
                if options.trust {
                    search.visited.add(BELIEVED, root.cube);
                }
            }
        }
        Ok(search)
    }

    fn run(&mut self, watch: &mut Watch<'_>) -> Result<Answer, CoreError> {
        let trusted = if self.options.trust { 0 } else { self.system.invariants.len() };
        let goals = self.system.unsafe_states.iter().chain(self.system.invariants.iter().take(trusted));
        for (goal, formula) in goals.enumerate() {
            for root in cubes_of(self.system, formula)? {
                if let Some(answer) = self.accept(root.node(goal), watch)? {
                    return Ok(answer);
                }
            }
        }
        self.exhaust(watch)
    }

    /// Goes on until nothing waits.
    fn exhaust(&mut self, watch: &mut Watch<'_>) -> Result<Answer, CoreError> {
        while let Some(Reverse((_, _, _, at))) = self.queue.pop() {
            if self.nodes[at].deleted {
                continue;
            }
            self.counts.nodes += 1;
            if let Some(reached) = self.expand(at, watch)? {
                return Ok(reached);
            }
        }
        Ok(Answer::Closed)
    }

    fn expand(&mut self, at: usize, watch: &mut Watch<'_>) -> Result<Option<Answer>, CoreError> {
        for transition in &self.system.transitions {
            if let Err(stopped) = watch.spend(self.nodes.len() as u64, self.counts.bytes) {
                return Ok(Some(Answer::Stopped(stopped)));
            }
            let found = preimages(self.system, &self.nodes[at].cube, transition)?;
            for before in found {
                self.counts.made += 1;
                if let Err(stopped) = watch.spend(self.nodes.len() as u64, self.counts.bytes) {
                    return Ok(Some(Answer::Stopped(stopped)));
                }
                if self.nodes[at].deleted {
                    return Ok(None);
                }
                let node = self.child(at, transition.number, before);
                if let Some(answer) = self.accept(node, watch)? {
                    return Ok(Some(answer));
                }
            }
        }
        Ok(None)
    }

    fn child(&self, at: usize, transition: usize, before: Before) -> Node {
        let parent = &self.nodes[at];
        // A process of which nothing more is said may be the one that comes new.
        let fresh: Vec<u8> = (0..u8::MAX).filter(|name| !parent.names.contains(name)).take(32).collect();
        let name = |&slot: &u8| match parent.names.get(slot as usize) {
            Some(&name) => name,
            None => fresh[usize::from(slot - parent.cube.slots)],
        };
        let processes: Vec<u8> = before.assigned.iter().map(name).collect();
        let most = processes.iter().map(|&name| name + 1).fold(parent.next_name, u8::max);
        Node {
            names: before.kept.iter().map(name).collect(),
            cube: before.cube,
            parent: Some(at),
            taken: Some(TakenTransition { transition, processes }),
            next_name: most,
            goal: parent.goal,
            goal_processes: Vec::new(),
            depth: parent.depth + 1,
            deleted: false,
            is_guess: false,
        }
    }

    /// Takes a cube up unless it is covered; the answer if it may hold initially, or if it is time to stop.
    fn accept(&mut self, mut node: Node, watch: &mut Watch<'_>) -> Result<Option<Answer>, CoreError> {
        if self.visited.covers(&node.cube, self.system)? != Cover::Not {
            self.counts.covered += 1;
            return Ok(None);
        }
        let at = self.nodes.len();
        if let Some(stopped) = self.generalise(&mut node, watch)? {
            return Ok(Some(Answer::Stopped(stopped)));
        }
        let is_initial = may_be_initial(self.system, &node.cube, &self.assumed)?;
        if !is_initial {
            for number in self.visited.remove_inside(&node.cube, self.system)? {
                if number != BELIEVED {
                    self.nodes[number].deleted = true;
                    self.counts.deleted += 1;
                }
            }
            self.visited.add(at, node.cube.clone());
            let (slots, weight) = (usize::from(node.cube.slots), node.cube.weight());
            self.queue.push(Reverse((slots, weight, node.depth, at)));
        }
        self.counts.most_slots = self.counts.most_slots.max(node.cube.slots);
        self.counts.bytes += 200 + 2 * node.cube.bytes();
        self.nodes.push(node);
        Ok(is_initial.then(|| Answer::Reached(self.trace(at))))
    }

    /// Puts a guess in place of a cube, unless it is time to stop.
    fn generalise(&self, node: &mut Node, watch: &mut Watch<'_>) -> Result<Option<Stopped>, CoreError> {
        let Some(guide) = self.guide else { return Ok(None) };
        let is_initial = |cube: &Cube| may_be_initial(self.system, cube, &self.assumed);
        match guide.guess(&node.cube, is_initial, watch)? {
            Guess::Nothing => {}
            Guess::Stopped(stopped) => return Ok(Some(stopped)),
            Guess::Cube(cube, slots) => {
                node.names = slots.iter().map(|&slot| node.names[slot as usize]).collect();
                node.cube = *cube;
                node.is_guess = true;
            }
        }
        Ok(None)
    }

    /// The way from a node to a bad state. If guesses lie on it, the first one is refuted.
    fn trace(&mut self, at: usize) -> Trace {
        let mut taken = Vec::new();
        let processes = self.nodes[at].next_name.max(1);
        let mut guess = Some(at);
        while let Some(here) = guess
            && !self.nodes[here].is_guess
        {
            guess = self.nodes[here].parent;
        }
        self.refuted = guess.map(|guess| self.nodes[guess].cube.clone());
        let mut node = &self.nodes[at];
        while let (Some(parent), Some(step)) = (node.parent, &node.taken) {
            taken.push(step.clone());
            node = &self.nodes[parent];
        }
        Trace { taken, processes, goal: node.goal, goal_processes: node.goal_processes.clone() }
    }

    fn findings(self, answer: Answer) -> Findings {
        let numbers = self.visited.numbers().filter(|&number| number != BELIEVED);
        let cubes = numbers.map(|number| self.nodes[number].cube.clone()).collect();
        let Counts { nodes, made, covered, deleted, most_slots, .. } = self.counts;
        let restarts = self.guide.map_or(0, Brab::restarts);
        Findings { answer, cubes, nodes, made, covered, deleted, most_slots, restarts }
    }
}

/// A cube of a formula.
struct Root {
    cube: Cube,
    /// The process of each parameter.
    chosen: Vec<u8>,
    /// The process of each process variable of the cube.
    names: Vec<u8>,
}

impl Root {
    fn node(self, goal: usize) -> Node {
        let next_name = self.chosen.iter().chain(&self.names).map(|&name| name + 1).max().unwrap_or(0);
        Node {
            cube: self.cube,
            parent: None,
            taken: None,
            names: self.names,
            next_name,
            goal,
            goal_processes: self.chosen,
            depth: 0,
            deleted: false,
            is_guess: false,
        }
    }
}

/// The cubes of a formula: one, or one for each choice among fixed processes.
fn cubes_of(system: &System, formula: &Formula) -> Result<Vec<Root>, CoreError> {
    let mut found = Vec::new();
    let choices = match (system.sorts.is_fixed, system.size) {
        (true, Some(size)) => arrangements(formula.parameters, size, false),
        (_, Some(size)) if formula.parameters > size => Vec::new(),
        _ => vec![(0..formula.parameters).collect()],
    };
    for chosen in choices {
        if let Some(mut cube) = Cube::of(system, formula, &chosen)? {
            let names = cube.drop_unused(system);
            found.push(Root { cube, chosen, names });
        }
    }
    Ok(found)
}
