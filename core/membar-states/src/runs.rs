//! Claims about whole runs: explores the product of the program and an automaton in rounds (`parallel`), and looks for a
//! component with every mark (`emptiness`) whenever the number of states has doubled and at the end, so that a run that
//! breaks the claim is found after at most twice as many states as it takes.

use std::ops::Range;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::EdgeId;

use super::automaton::{AcceptanceSets, Automaton};
use super::emptiness::{self, Component};
use super::fairness::Fair;
use super::findings::Options;
use super::graph::{Arc, Graph};
use super::lasso::{self, Goals, Lasso, Path, Steps};
use super::parallel::Team;
use super::product::{Claim, LabelTable};
use super::reduction::Reduction;
use super::safety::{Exploration, RunStep};
use super::store::ExpandedState;
use super::symmetry::Symmetry;
use super::system::System;
use super::tables::append;
use super::worker::Worker;

/// The first search for components begins at so many states.
const FIRST_LOOK: usize = 1 << 6;

/// What was found.
#[derive(Debug, Default)]
pub struct Answer {
    /// An accepted run, if there is one.
    pub lasso: Option<Lasso>,
    /// States of the product that were met.
    pub states: u64,
    /// Steps of the product that were followed.
    pub transitions: u64,
    /// Whether the bound held a store back.
    pub held: bool,
    /// A thread and its edge whose stores do not fit into an empty buffer, so that it is never taken.
    pub unfit: Option<(usize, EdgeId)>,
    /// Whether an access hit no location: then nothing else was looked for.
    pub fault: bool,
    /// Whether an assertion failed, which ends a run, where the automaton might still have accepted it.
    pub failed: bool,
    /// Why it did not end, if it did not.
    pub stopped: Option<Stopped>,
    /// Bytes held at the end.
    pub bytes: u64,
    /// Groups of threads up to whose exchange states were counted.
    pub symmetric: Vec<Vec<usize>>,
}

/// Looks for a run of the program that the automaton accepts, among those that are fair; a shortest one, if that is
/// asked for, which takes all states. Reduction is for automata that accept a run or not however often states are repeated.
pub fn find(
    mut system: System,
    automaton: &Automaton,
    fair: Fair,
    options: Options,
    watch: &mut Watch<'_>,
) -> Result<Answer, CoreError> {
    let mut claim = Claim::new(&system, automaton, fair)?;
    // With one word there is one thread, which nothing can be independent of.
    let reduced = options.reduced && !options.shortest && !fair.processes && system.leaves() > 1;
    let options = Options { stop_at_failure: !options.shortest, reduced, ..options };
    let program = std::sync::Arc::clone(&system.program);
    let reduction = reduced.then(|| Reduction::new(&program, &automaton.predicates, fair.buffers));
    // The marks of single threads and their queues tell them apart.
    if options.symmetric && !options.shortest && claim.fairness.own() == 0 {
        claim.symmetry = Symmetry::new(&program, &automaton.predicates);
    }
    let mut initial = system.initial()?;
    let mut team = Team::new(system, options, Some(&claim));
    initial.push(0);
    for &state in &automaton.initial {
        if let Some(last) = initial.last_mut() {
            *last = state;
        }
        team.begin(&initial)?;
    }
    let mut stopped = team.search(reduction.as_ref(), watch)?;
    if reduced && team.found.run_fails {
        // An assertion ends a run, and reduction does not keep which automaton states are possible there.
        drop(team);
        let options = Options { reduced: false, ..options };
        return find(System::new(program), automaton, fair, options, watch);
    }
    let Some(mut runs) = team.runs.take() else { return Ok(Answer::default()) };
    let mut explored = team.finish()?;
    let found = &explored.found;
    let mut answer = Answer {
        states: runs.graph.len() as u64,
        transitions: found.transitions,
        held: found.held,
        unfit: found.unfit,
        fault: found.fault.is_some(),
        failed: found.run_fails,
        bytes: found.bytes + runs.bytes() as u64,
        ..Answer::default()
    };
    let path = match (&found.fault, found.wrong.first()) {
        (Some(_), _) => None,
        (None, Some(&wrong)) if !options.shortest => Some(lasso::run_to(&runs.graph, &runs.initial, wrong)),
        _ if matches!(stopped, None | Some(Stopped::Found | Stopped::States)) => {
            let wrong = found.wrong.clone();
            match runs.path(&wrong, options.shortest, watch) {
                Ok(path) => path,
                Err(other) => {
                    stopped = stopped.or(Some(other));
                    None
                }
            }
        }
        _ => None,
    };
    answer.stopped = stopped.filter(|&stopped| stopped != Stopped::Found);
    if let Some((prefix, cycle)) = path {
        answer.lasso = Some(runs.lasso(&mut explored, &claim, &prefix, &cycle)?);
        // What is left of the search does not matter, unless there may be a shorter run.
        answer.stopped = answer.stopped.filter(|_| options.shortest);
    }
    answer.symmetric = claim.symmetry.map_or(Vec::new(), |symmetry| symmetry.groups);
    Ok(answer)
}

/// The graph of a product, as far as it was explored.
#[derive(Debug)]
pub(super) struct Runs {
    graph: Graph,
    /// Where runs begin.
    pub(super) initial: Vec<u32>,
    /// All marks that must be seen.
    full: AcceptanceSets,
    /// Per number, with several workers, what the state is called.
    names: Vec<u32>,
    workers: usize,
    labels: LabelTable,
    /// Per worker, the labels that its own labels are.
    known: Vec<Vec<u32>>,
    arcs: Vec<Arc>,
    starts: Vec<u32>,
    /// How many states there will be when components are looked for again.
    next_look: usize,
    component: Option<Component>,
}

impl Runs {
    pub(super) fn new(workers: usize, claim: &Claim<'_>) -> Self {
        Self {
            graph: Graph::new(),
            initial: Vec::new(),
            full: claim.fairness.all(),
            names: Vec::new(),
            workers,
            labels: LabelTable::default(),
            known: vec![Vec::new(); workers],
            arcs: Vec::new(),
            starts: Vec::new(),
            next_look: FIRST_LOOK,
            component: None,
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.graph.bytes() + 4 * self.names.capacity()
    }

    /// Adds what the next state is called.
    pub(super) fn add_name(&mut self, name: u32) {
        if self.workers > 1 {
            append(&mut self.names, name);
        }
    }

    /// Adds the steps of a round, of which `followed` says how many leave which state.
    pub(super) fn add_round(
        &mut self,
        workers: &mut [Worker],
        range: Range<u32>,
        followed: &[(u32, u32)],
        states: u32,
    ) -> Result<(), CoreError> {
        for (worker, known) in workers.iter().zip(&mut self.known) {
            for &marks in &worker.labels.known[known.len()..] {
                known.push(self.labels.number(marks));
            }
        }
        self.graph.marks.clone_from(&self.labels.known);
        self.graph.grow(states);
        // Where the arcs of each state begin; then where they end.
        self.starts.clear();
        self.starts.resize(range.len() + 1, 0);
        for &(number, count) in followed {
            self.starts[(number - range.start) as usize + 1] += count;
        }
        for place in 1..self.starts.len() {
            self.starts[place] += self.starts[place - 1];
        }
        let total = self.starts.last().copied().unwrap_or(0);
        self.arcs.clear();
        self.arcs.resize(total as usize, Arc { target: 0, label: 0 });
        let end = followed.iter().map(|&(number, _)| number + 1).max().unwrap_or(range.start);
        for worker in workers {
            for step in &worker.states.received {
                let (number, place) = step.key;
                if number < end {
                    let start = self.starts[(number - range.start) as usize];
                    let label = self.known[step.from as usize][step.label as usize];
                    self.arcs[(start + place) as usize] =
                        Arc { target: worker.states.number(step.place), label };
                }
            }
            worker.states.received.clear();
        }
        for number in range.start..end {
            let place = (number - range.start) as usize;
            let arcs = self.starts[place] as usize..self.starts[place + 1] as usize;
            self.graph.add(number, &self.arcs[arcs])?;
        }
        Ok(())
    }

    /// Whether it is time to look for components.
    pub(super) fn is_due(&self) -> bool {
        self.graph.len() >= self.next_look
    }

    /// Looks for a component with every mark; whether there is one. `held` bytes are held by the search.
    pub(super) fn find_component(&mut self, held: usize, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        self.next_look = 2 * self.graph.len();
        watch.bytes(held + emptiness::bytes_for(self.graph.len()))?;
        self.component = emptiness::find(&self.graph, &self.initial, self.full, watch)?;
        Ok(self.component.is_some())
    }

    /// A run to one of the `wrong` states, or into a component with every mark; a shortest one, if that is asked for.
    fn path(
        &mut self,
        wrong: &[u32],
        shortest: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Path>, Stopped> {
        if shortest {
            let mut goals = Goals::default();
            emptiness::find_all(&self.graph, &self.initial, self.full, &mut goals, watch)?;
            for &state in wrong {
                goals.add_wrong(state);
            }
            let path = || lasso::shortest(&self.graph, self.full, &self.initial, &goals);
            return Ok((!goals.is_empty()).then(path));
        }
        if self.component.is_none() {
            self.find_component(0, watch)?;
        }
        let component = self.component.as_ref();
        Ok(component.map(|component| {
            lasso::find(&self.graph, self.full, &self.initial, |state| component.has(state))
        }))
    }

    /// The run of the program along a path. After a cycle, threads that are identical may be in each other's places: then it
    /// goes on until a state comes back.
    fn lasso(
        &self,
        explored: &mut Exploration,
        claim: &Claim<'_>,
        prefix: &Steps,
        cycle: &Steps,
    ) -> Result<Lasso, CoreError> {
        let count = explored.system.leaves() + 1;
        let mut expanded = ExpandedState::default();
        let mut stored = |explored: &Exploration, state: u32| {
            let name = self.names.get(state as usize).copied().unwrap_or(state);
            explored.fetch(name, &mut expanded);
            expanded.leaves(count).to_vec()
        };
        let Some(&(first, _)) = prefix.first().or(cycle.first()) else { return Ok(Lasso::default()) };
        let mut state = stored(explored, first);
        let mut follow = |steps: &Steps, state: &mut Vec<u32>| -> Result<Vec<Option<RunStep>>, CoreError> {
            let mut found = Vec::new();
            for &(_, arc) in steps {
                let after = stored(explored, arc.target);
                let marks = self.graph.marks_of(arc);
                found.push(claim.step_to(&mut explored.system, state, &after, marks)?);
            }
            Ok(found)
        };
        let mut lasso = Lasso { prefix: follow(prefix, &mut state)?, cycle: Vec::new() };
        let mut entered = vec![state.clone()];
        while !cycle.is_empty() {
            lasso.cycle.extend(follow(cycle, &mut state)?);
            if let Some(turn) = entered.iter().position(|known| *known == state) {
                lasso.prefix.extend(lasso.cycle.drain(..turn * cycle.len()));
                break;
            }
            entered.push(state.clone());
        }
        Ok(lasso)
    }
}
