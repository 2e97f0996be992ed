//! Shortest lassos: breadth-first search inside a component that has every acceptance set.

use rustc_hash::FxHashSet;

use super::automaton::AcceptanceSets;
use super::graph::{Arc, Graph};
use super::safety::RunStep;

/// A run: a way in, and a cycle that is taken forever.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lasso {
    /// The way in; None where the program has ended and only the automaton moves.
    pub prefix: Vec<Option<RunStep>>,
    /// The cycle; it is empty where a run is wrong as it is, whatever follows.
    pub cycle: Vec<Option<RunStep>>,
}

/// A step taken, with the state that it was taken in.
pub(super) type Steps = Vec<(u32, Arc)>;

/// A run in a graph: a way in, and a cycle.
pub(super) type Path = (Steps, Steps);

/// Most pairs of states and marks that are looked at for a shortest cycle; beyond, it is only short.
const MOST_PAIRS: usize = 2_000_000;

/// What a run may lead to: components that hold an accepted run, and states that are wrong to reach.
#[derive(Debug, Default)]
pub(super) struct Goals {
    /// Per state the number of its component, `WRONG`, or 0.
    of_state: Vec<u32>,
    components: u32,
    is_any: bool,
}

impl Goals {
    /// In place of a component: the state is wrong to reach.
    const WRONG: u32 = u32::MAX;

    /// Adds a state that is wrong to reach.
    pub(super) fn add_wrong(&mut self, state: u32) {
        self.note(state, Self::WRONG);
    }

    /// Adds a component that holds an accepted run.
    pub(super) fn add_component(&mut self, states: &[u32]) {
        self.components += 1;
        for &state in states {
            self.note(state, self.components);
        }
    }

    /// Records what a state is part of; wrong states stay so.
    fn note(&mut self, state: u32, what: u32) {
        let place = state as usize;
        if self.of_state.len() <= place {
            self.of_state.resize(place + 1, 0);
        }
        if self.of_state[place] != Self::WRONG {
            self.of_state[place] = what;
        }
        self.is_any = true;
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_any
    }

    /// Whether a state is one of them, or part of one.
    pub(super) fn has(&self, state: u32) -> bool {
        self.of(state) != 0
    }

    fn of(&self, state: u32) -> u32 {
        self.of_state.get(state as usize).copied().unwrap_or(0)
    }
}

/// A shortest way to one of the goals and, among those that near, a shortest cycle from there that sees every mark.
pub(super) fn shortest(graph: &Graph<'_>, full: AcceptanceSets, initial: &[u32], goals: &Goals) -> Path {
    let mut best: Option<Path> = None;
    for (prefix, entry) in nearest(graph, initial, goals) {
        let component = goals.of(entry);
        let is_inside = |state: u32| goals.of(state) == component;
        let cycle = if component == Goals::WRONG {
            Vec::new()
        } else {
            let most = best.as_ref().map_or(usize::MAX, |(_, cycle)| cycle.len());
            match round(graph, full, entry, most, is_inside) {
                Round::Found(cycle) => cycle,
                Round::Longer => continue,
                Round::TooLarge if best.is_some() => continue,
                Round::TooLarge => short(graph, full, entry, is_inside),
            }
        };
        if best.as_ref().is_none_or(|(_, known)| cycle.len() < known.len()) {
            best = Some((prefix, cycle));
        }
    }
    best.unwrap_or_default()
}

/// The shortest ways to goals, one to each of those that are nearest.
fn nearest(graph: &Graph<'_>, initial: &[u32], goals: &Goals) -> Vec<(Steps, u32)> {
    let mut list: Vec<(u32, usize, Option<Arc>)> = initial.iter().map(|&state| (state, 0, None)).collect();
    let mut is_met: FxHashSet<u32> = initial.iter().copied().collect();
    let mut level = 0..list.len();
    while !level.is_empty() {
        let mut found = Vec::new();
        for place in level.clone() {
            let state = list[place].0;
            if goals.of(state) != 0 {
                found.push((trail(&list, place), state));
            }
        }
        if !found.is_empty() {
            return found;
        }
        for place in level.clone() {
            for arc in graph.arcs(list[place].0) {
                if is_met.insert(arc.target) {
                    list.push((arc.target, place, Some(arc)));
                }
            }
        }
        level = level.end..list.len();
    }
    Vec::new()
}

/// What came of looking for a shortest cycle.
enum Round {
    Found(Steps),
    /// It is not shorter than the one known.
    Longer,
    TooLarge,
}

/// A shortest cycle with every mark, of fewer than `most` steps, through `entry` and states that are inside.
fn round(
    graph: &Graph<'_>,
    full: AcceptanceSets,
    entry: u32,
    most: usize,
    is_inside: impl Fn(u32) -> bool,
) -> Round {
    // Per pair of a state and the marks seen on the way to it: the one before, and the step between them.
    let mut list: Vec<(u32, AcceptanceSets, usize, Option<Arc>)> = vec![(entry, 0, 0, None)];
    let mut is_met: FxHashSet<(u32, AcceptanceSets)> = FxHashSet::default();
    let mut level = 0..1;
    let mut length = 1;
    while !level.is_empty() && length < most {
        for place in level.clone() {
            let (state, seen, ..) = list[place];
            for arc in graph.arcs(state).filter(|arc| is_inside(arc.target)) {
                let marks = (seen | arc.marks) & full;
                if arc.target == entry && marks == full {
                    let states: Vec<_> =
                        list.iter().map(|&(state, _, before, arc)| (state, before, arc)).collect();
                    return Round::Found(back(&states, place, (state, arc)));
                }
                if is_met.insert((arc.target, marks)) {
                    list.push((arc.target, marks, place, Some(arc)));
                }
            }
            if list.len() > MOST_PAIRS {
                return Round::TooLarge;
            }
        }
        level = level.end..list.len();
        length += 1;
    }
    Round::Longer
}

/// A shortest way into the component, and a short way round in it that sees every mark.
pub(super) fn find(
    graph: &Graph<'_>,
    full: AcceptanceSets,
    initial: &[u32],
    is_inside: impl Fn(u32) -> bool,
) -> Path {
    let (prefix, entry) = if let Some(&state) = initial.iter().find(|&&state| is_inside(state)) {
        (Vec::new(), state)
    } else {
        let way = way(graph, initial, |_| true, |arc| is_inside(arc.target));
        let entry = way.last().map_or(0, |step| step.1.target);
        (way, entry)
    };
    let cycle = short(graph, full, entry, is_inside);
    (prefix, cycle)
}

/// A short way round from `entry`, through states that are inside, that sees every mark.
fn short(graph: &Graph<'_>, full: AcceptanceSets, entry: u32, is_inside: impl Fn(u32) -> bool) -> Steps {
    let mut cycle: Steps = Vec::new();
    let mut missing = full;
    let mut at = entry;
    while missing != 0 {
        let is_last = |arc: Arc| arc.marks & missing != 0 && is_inside(arc.target);
        let more = way(graph, &[at], &is_inside, is_last);
        for step in &more {
            missing &= !step.1.marks;
        }
        at = more.last().map_or(at, |step| step.1.target);
        if more.is_empty() {
            break;
        }
        cycle.extend(more);
    }
    if cycle.is_empty() || at != entry {
        cycle.extend(way(graph, &[at], &is_inside, |arc| arc.target == entry));
    }
    cycle
}

/// A shortest way to a state.
pub(super) fn run_to(graph: &Graph<'_>, initial: &[u32], state: u32) -> Path {
    if initial.contains(&state) {
        return Path::default();
    }
    (way(graph, initial, |_| true, |arc| arc.target == state), Vec::new())
}

/// The steps of a shortest way through states that `may` be visited up to a step that `is_last`; empty if there is none.
fn way(graph: &Graph<'_>, from: &[u32], may: impl Fn(u32) -> bool, is_last: impl Fn(Arc) -> bool) -> Steps {
    // Per state met: the place of the one before it, and the step between them.
    let mut list: Vec<(u32, usize, Option<Arc>)> = from.iter().map(|&state| (state, 0, None)).collect();
    let mut is_met: FxHashSet<u32> = from.iter().copied().collect();
    let mut next = 0;
    while next < list.len() {
        let state = list[next].0;
        for arc in graph.arcs(state) {
            if is_last(arc) {
                return back(&list, next, (state, arc));
            }
            if may(arc.target) && is_met.insert(arc.target) {
                list.push((arc.target, next, Some(arc)));
            }
        }
        next += 1;
    }
    Vec::new()
}

fn back(met: &[(u32, usize, Option<Arc>)], place: usize, last: (u32, Arc)) -> Steps {
    let mut steps = trail(met, place);
    steps.push(last);
    steps
}

/// The steps to what was met at `place`.
fn trail(met: &[(u32, usize, Option<Arc>)], mut place: usize) -> Steps {
    let mut steps = Vec::new();
    while let (_, before, Some(arc)) = met[place] {
        steps.push((met[before].0, arc));
        place = before;
    }
    steps.reverse();
    steps
}
