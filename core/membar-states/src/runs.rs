//! Claims about whole runs: explores the product of the program and an automaton in rounds (`parallel`), and looks for a
//! component with every mark (`emptiness`) whenever the number of states has doubled, or grown fourfold where there are
//! many, and at the end, so that a run that breaks the claim is found after at most four times as many states as it takes.

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::EdgeId;
use membar_ir::words::narrow;

use super::automaton::{AcceptanceSets, Automaton};
use super::emptiness::{self, Component, Flags};
use super::fairness::{Fair, lowest};
use super::findings::Options;
use super::graph::{self, Graph};
use super::lasso::{self, Goals, Lasso, Path, Steps};
use super::parallel::Team;
use super::product::{Claim, LabelTable};
use super::reduction::Reduction;
use super::safety::{Exploration, RunStep};
use super::store::{ExpandedState, StateTable};
use super::symmetry::{Companion, Symmetry};
use super::system::System;

/// From so many states on, the search for components waits for four times as many, and is made by several threads.
const MANY: u32 = 1 << 16;
/// States that are visited with reduction, and then without, before a search with reduction begins in earnest.
const FIRST: u64 = 1 << 12;
const UNREDUCED: u64 = 1 << 13;
/// The first search for components begins at so many states.
const FIRST_LOOK: u32 = 1 << 6;

/// What was found.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
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
    /// Whether a run may stay inside an atomic block forever, where the automaton does not see it.
    pub unseen: bool,
    /// Why it did not end, if it did not.
    pub stopped: Option<Stopped>,
    /// Bytes held at the end.
    pub bytes: u64,
    /// Groups of threads up to whose exchange states were counted.
    pub symmetric: Vec<Vec<usize>>,
}

/// Looks for a run of the program that the automaton accepts, among those that are fair; a shortest one, if that is
/// asked for, which takes all states. Reduction is for automata that accept a run or not however often states are repeated.
///
/// Reduction may put off a violation that is near. So the first states are visited with it, then some without, and only
/// then all. All this is decided by numbers of states, so it does not depend on how many threads there are.
pub fn find(
    system: System,
    automaton: &Automaton,
    fair: Fair,
    options: Options,
    watch: &mut Watch<'_>,
) -> Result<Answer, CoreError> {
    if options.reduced && !options.shortest && !fair.processes {
        for (reduced, most) in [(true, FIRST), (false, UNREDUCED)] {
            if options.states.is_some_and(|states| states <= most) {
                break;
            }
            let first = Options { reduced, states: Some(most), ..options };
            let system = System::new(std::sync::Arc::clone(&system.program));
            let answer = find_within(system, automaton, fair, first, watch)?;
            if answer.lasso.is_some() || answer.stopped != Some(Stopped::States) {
                return Ok(answer);
            }
        }
    }
    find_within(system, automaton, fair, options, watch)
}

fn find_within(
    mut system: System,
    automaton: &Automaton,
    fair: Fair,
    options: Options,
    watch: &mut Watch<'_>,
) -> Result<Answer, CoreError> {
    let mut claim = Claim::new(&system, automaton, fair)?;
    let reduced = options.reduced && !options.shortest && !fair.processes;
    let options = Options { stop_at_failure: !options.shortest, reduced, ..options };
    let program = std::sync::Arc::clone(&system.program);
    let reduction = reduced.then(|| Reduction::new(&program, &automaton.predicates, fair.buffers));
    // The marks of single threads and their queues tell them apart.
    if options.symmetric && !options.shortest && claim.fairness.own() == 0 {
        claim.symmetry = Symmetry::new(&program, &automaton.predicates);
    }
    match accepting(automaton, watch) {
        Ok(is_live) => claim.is_live = is_live,
        Err(stopped) => return Ok(Answer { stopped: Some(stopped), ..Answer::default() }),
    }
    let initial = system.initial()?;
    let mut team = Team::new(system, options, Some(&claim), claim.symmetry.as_ref());
    for &state in &automaton.initial {
        team.begin(&initial, state)?;
    }
    let mut stopped = team.search(reduction.as_ref(), watch)?;
    if reduced && team.found.run_fails {
        // An assertion ends a run, and reduction does not keep which automaton states are possible there.
        drop(team);
        let options = Options { reduced: false, ..options };
        return find_within(System::new(program), automaton, fair, options, watch);
    }
    let Some(mut runs) = team.runs.take() else { return Ok(Answer::default()) };
    let graph = team.take_graph();
    let mut explored = team.finish()?;
    let found = &explored.found;
    let steps = graph.iter().map(|(part, starts)| part.bytes() + starts.bytes()).sum::<usize>();
    let places = explored.parts.iter().map(|part| part.store.len()).max().unwrap_or(0);
    let graph = Graph::new(graph.iter().map(|(part, starts)| (part, starts)), places * graph.len());
    let mut answer = Answer {
        states: found.states + found.inside,
        transitions: found.transitions,
        held: found.held,
        unfit: found.unfit,
        fault: found.fault.is_some(),
        failed: found.run_fails,
        bytes: found.bytes + steps as u64,
        ..Answer::default()
    };
    let wrong: Vec<u32> =
        found.wrong.iter().filter_map(|number| explored.names.get(number).copied()).collect();
    let path = match (&found.fault, wrong.first()) {
        (Some(_), _) => None,
        (None, Some(&wrong)) if !options.shortest => Some(lasso::run_to(&graph, &runs.initial, wrong)),
        _ if matches!(stopped, None | Some(Stopped::Found | Stopped::States)) => {
            let tables: Vec<&StateTable> = explored.parts.iter().map(|part| &part.store.table).collect();
            match runs.path(&graph, &tables, &wrong, options.shortest, watch) {
                Ok(path) => path,
                Err(other) => {
                    stopped = stopped.or(Some(other));
                    None
                }
            }
        }
        _ => None,
    };
    if path.is_none() && stopped.is_none() && claim.seen != 0 {
        match emptiness::has_cycle_without(&graph, claim.seen, watch) {
            Ok(unseen) => answer.unseen = unseen,
            Err(other) => stopped = Some(other),
        }
    }
    answer.stopped = stopped.filter(|&stopped| stopped != Stopped::Found);
    if let Some((prefix, cycle)) = path {
        answer.lasso = Some(follow(&mut explored, &claim, &prefix, &cycle)?);
        // What is left of the search does not matter, unless there may be a shorter run.
        answer.stopped = answer.stopped.filter(|_| options.shortest);
    }
    answer.symmetric = claim.symmetry.map_or(Vec::new(), |symmetry| symmetry.threads());
    Ok(answer)
}

/// Per state of an automaton, whether some cycle through it has every mark of the automaton.
fn accepting(automaton: &Automaton, watch: &mut Watch<'_>) -> Result<Vec<bool>, Stopped> {
    let states = automaton.leaving.len();
    if automaton.marks == 0 {
        return Ok(vec![true; states]);
    }
    let mut marks = LabelTable::default();
    let leaving = automaton.leaving.iter();
    let arcs: Vec<Vec<(u32, u32)>> = leaving
        .map(|edges| edges.iter().map(|edge| (edge.target, marks.number(edge.marks))).collect())
        .collect();
    let (part, starts) = graph::small(arcs.into_iter(), marks);
    let mut goals = Goals::default();
    let graph = Graph::new(std::iter::once((&part, &starts)), states);
    let all: Vec<u32> = (0..narrow(states)).collect();
    emptiness::find_all(&graph, &all, lowest(automaton.marks), &mut goals, watch)?;
    Ok(all.iter().map(|&state| goals.has(state)).collect())
}

/// The search for accepted runs in a product.
#[derive(Debug)]
pub(super) struct Runs {
    /// Where runs begin.
    pub(super) initial: Vec<u32>,
    /// All marks that must be seen.
    full: AcceptanceSets,
    /// How many states there will be when components are looked for again.
    next_look: u32,
    component: Option<Component>,
    /// Per state of the automaton, whether some cycle through it has every mark of the automaton.
    is_live: Vec<bool>,
}

impl Runs {
    pub(super) fn new(claim: &Claim<'_>) -> Self {
        Self {
            initial: Vec::new(),
            full: claim.fairness.all(),
            next_look: FIRST_LOOK,
            component: None,
            is_live: claim.is_live.clone(),
        }
    }

    /// Whether it is time to look for components; then not before there are several times as many states.
    pub(super) fn is_due(&mut self, states: u32) -> bool {
        let is_due = states >= self.next_look;
        if is_due {
            self.next_look = states.saturating_mul(if states < MANY { 2 } else { 4 });
        }
        is_due
    }

    /// Looks for a component with every mark; whether there is one. `held` bytes are held by the search. First it looks,
    /// in an order that depends on the number of threads, only at states beside which the automaton may accept; if
    /// there is one, then from the initial states on, so that what it finds does not depend on that.
    pub(super) fn find_component(
        &mut self,
        graph: &Graph<'_>,
        tables: &[&StateTable],
        held: usize,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        let jobs = if graph.len() < MANY as usize { 1 } else { tables.len() };
        watch.bytes(held + jobs * emptiness::bytes_for(graph.len()))?;
        let mut dead = Flags::new(graph.len(), true);
        for (own, table) in tables.iter().enumerate() {
            let riders = table.riders().map(|rider| !self.is_live[rider as usize]);
            dead.fill(riders, own, tables.len());
        }
        if !emptiness::is_empty(graph, &dead, self.full, jobs, watch)? {
            self.component = emptiness::find(graph, &self.initial, self.full, watch)?;
        }
        Ok(self.component.is_some())
    }

    /// A run to one of the `wrong` states, or into a component with every mark; a shortest one, if that is asked for.
    fn path(
        &mut self,
        graph: &Graph<'_>,
        tables: &[&StateTable],
        wrong: &[u32],
        shortest: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Path>, Stopped> {
        if shortest {
            let mut goals = Goals::default();
            emptiness::find_all(graph, &self.initial, self.full, &mut goals, watch)?;
            for &state in wrong {
                goals.add_wrong(state);
            }
            let path = || lasso::shortest(graph, self.full, &self.initial, &goals);
            return Ok((!goals.is_empty()).then(path));
        }
        if self.component.is_none() {
            self.find_component(graph, tables, 0, watch)?;
        }
        let component = self.component.as_ref();
        Ok(component
            .map(|component| lasso::find(graph, self.full, &self.initial, |state| component.has(state))))
    }
}

/// The run of the program along a path. After a cycle, threads that are identical may be in each other's places: then it
/// goes on until a state comes back.
fn follow(
    explored: &mut Exploration,
    claim: &Claim<'_>,
    prefix: &Steps,
    cycle: &Steps,
) -> Result<Lasso, CoreError> {
    let count = explored.system.leaves();
    let mut expanded = ExpandedState::default();
    let mut stored = |explored: &Exploration, name: u32| {
        explored.fetch(name, &mut expanded);
        let mut state = expanded.leaves(count).to_vec();
        state.push(expanded.rider);
        state
    };
    let Some(&(first, _)) = prefix.first().or(cycle.first()) else { return Ok(Lasso::default()) };
    let initial = stored(explored, first)[..count].to_vec();
    let mut companion = Companion::new(claim.symmetry.as_ref(), initial);
    let mut follow =
        |steps: &Steps, companion: &mut Companion<'_>| -> Result<Vec<Option<RunStep>>, CoreError> {
            let mut found = Vec::new();
            for &(name, arc) in steps {
                let (before, after) = (stored(explored, name), stored(explored, arc.target));
                let states = (before.as_slice(), after.as_slice());
                found.push(claim.step_to(&mut explored.system, companion, states, arc.marks)?);
            }
            Ok(found)
        };
    let mut lasso = Lasso { prefix: follow(prefix, &mut companion)?, cycle: Vec::new() };
    let mut entered = vec![companion.state.clone()];
    while !cycle.is_empty() {
        lasso.cycle.extend(follow(cycle, &mut companion)?);
        if let Some(turn) = entered.iter().position(|known| *known == companion.state) {
            lasso.prefix.extend(lasso.cycle.drain(..turn * cycle.len()));
            break;
        }
        entered.push(companion.state.clone());
    }
    Ok(lasso)
}
