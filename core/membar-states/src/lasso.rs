//! Shortest lassos: breadth-first search inside a component that has every acceptance set.

use rustc_hash::FxHashSet;

use membar_ir::error::CoreError;

use super::automaton::AcceptanceSets;
use super::product::{Product, ProductEdge};
use super::safety::RunStep;

/// A run: a way in, and a cycle that is taken for ever.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lasso {
    /// The way in; None where the program has ended and only the automaton moves.
    pub prefix: Vec<Option<RunStep>>,
    /// The cycle; it is empty where a run is wrong as it is, whatever follows.
    pub cycle: Vec<Option<RunStep>>,
}

/// Most pairs of states and marks that are looked at for a shortest cycle; beyond, it is only short.
const MOST_PAIRS: usize = 2_000_000;

/// What a run may lead to: components that hold an accepted run, and states that are wrong to reach.
#[derive(Debug, Default)]
pub(super) struct Goals {
    /// Per state the number of its component, `WRONG`, or 0.
    of_state: Vec<u32>,
    /// How many components there are.
    pub(super) components: u32,
    is_any: bool,
}

impl Goals {
    /// In place of a component: the state is wrong to reach.
    pub(super) const WRONG: u32 = u32::MAX;

    /// Records what a state is part of; wrong states stay so.
    pub(super) fn note(&mut self, state: u32, what: u32) {
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

    fn of(&self, state: u32) -> u32 {
        self.of_state.get(state as usize).copied().unwrap_or(0)
    }
}

/// A shortest way to one of the goals and, among those that near, a shortest cycle from there that sees every mark.
pub(super) fn shortest(
    product: &mut Product<'_>,
    initial: &[u32],
    goals: &Goals,
) -> Result<Lasso, CoreError> {
    let ways = nearest(product, initial, goals)?;
    let mut best: Option<(Steps, Steps)> = None;
    for (prefix, entry) in ways {
        let component = goals.of(entry);
        let cycle = if component == Goals::WRONG {
            Vec::new()
        } else {
            let most = best.as_ref().map_or(usize::MAX, |(_, cycle)| cycle.len());
            match round(product, entry, most, |state| goals.of(state) == component)? {
                Round::Found(cycle) => cycle,
                Round::Longer => continue,
                Round::TooLarge if best.is_some() => continue,
                Round::TooLarge => short(product, entry, |state| goals.of(state) == component)?,
            }
        };
        if best.as_ref().is_none_or(|(_, known)| cycle.len() < known.len()) {
            best = Some((prefix, cycle));
        }
    }
    let (prefix, cycle) = best.unwrap_or_default();
    Ok(Lasso { prefix: moves(product, &prefix)?, cycle: moves(product, &cycle)? })
}

/// The shortest ways to goals, one to each of those that are nearest.
fn nearest(
    product: &mut Product<'_>,
    initial: &[u32],
    goals: &Goals,
) -> Result<Vec<(Steps, u32)>, CoreError> {
    let mut list: Vec<(u32, usize, Option<ProductEdge>)> =
        initial.iter().map(|&state| (state, 0, None)).collect();
    let mut is_met: FxHashSet<u32> = initial.iter().copied().collect();
    let mut level = 0..list.len();
    let mut arcs = Vec::new();
    while !level.is_empty() {
        let mut found = Vec::new();
        for place in level.clone() {
            let state = list[place].0;
            if goals.of(state) != 0 {
                found.push((trail(&list, place), state));
            }
        }
        if !found.is_empty() {
            return Ok(found);
        }
        for place in level.clone() {
            product.steps(list[place].0, &mut arcs)?;
            for &arc in &arcs {
                if is_met.insert(arc.target) {
                    list.push((arc.target, place, Some(arc)));
                }
            }
        }
        level = level.end..list.len();
    }
    Ok(Vec::new())
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
    product: &mut Product<'_>,
    entry: u32,
    most: usize,
    is_inside: impl Fn(u32) -> bool,
) -> Result<Round, CoreError> {
    let full = product.all_marks();
    // Per pair of a state and the marks seen on the way to it: the one before, and the step between them.
    let mut list: Vec<(u32, AcceptanceSets, usize, Option<ProductEdge>)> = vec![(entry, 0, 0, None)];
    let mut is_met: FxHashSet<(u32, AcceptanceSets)> = FxHashSet::default();
    let mut level = 0..1;
    let mut arcs = Vec::new();
    let mut length = 1;
    while !level.is_empty() && length < most {
        for place in level.clone() {
            let (state, seen, ..) = list[place];
            product.steps(state, &mut arcs)?;
            for &arc in arcs.iter().filter(|arc| is_inside(arc.target)) {
                let marks = (seen | product.marks(arc.marks)) & full;
                if arc.target == entry && marks == full {
                    let states: Vec<_> =
                        list.iter().map(|&(state, _, before, arc)| (state, before, arc)).collect();
                    return Ok(Round::Found(back(&states, place, (state, arc))));
                }
                if is_met.insert((arc.target, marks)) {
                    list.push((arc.target, marks, place, Some(arc)));
                }
            }
            if list.len() > MOST_PAIRS {
                return Ok(Round::TooLarge);
            }
        }
        level = level.end..list.len();
        length += 1;
    }
    Ok(Round::Longer)
}

/// A step taken, with the state that it was taken in.
type Steps = Vec<(u32, ProductEdge)>;

/// A shortest way into the component, and a short way round in it that sees every mark.
pub(super) fn find(
    product: &mut Product<'_>,
    initial: &[u32],
    is_known: impl Fn(u32) -> bool,
    is_inside: impl Fn(u32) -> bool,
) -> Result<Lasso, CoreError> {
    let (prefix, entry) = if let Some(&state) = initial.iter().find(|&&state| is_inside(state)) {
        (Vec::new(), state)
    } else {
        let way = way(product, initial, &is_known, |arc, _| is_inside(arc.target))?;
        let entry = way.last().map_or(0, |step| step.1.target);
        (way, entry)
    };
    let cycle = short(product, entry, is_inside)?;
    Ok(Lasso { prefix: moves(product, &prefix)?, cycle: moves(product, &cycle)? })
}

/// A short way round from `entry`, through states that are inside, that sees every mark.
fn short(product: &mut Product<'_>, entry: u32, is_inside: impl Fn(u32) -> bool) -> Result<Steps, CoreError> {
    let mut cycle: Steps = Vec::new();
    let mut missing = product.all_marks();
    let mut at = entry;
    while missing != 0 {
        let more =
            way(product, &[at], &is_inside, |arc, marks| marks & missing != 0 && is_inside(arc.target))?;
        for step in &more {
            missing &= !product.marks(step.1.marks);
        }
        at = more.last().map_or(at, |step| step.1.target);
        if more.is_empty() {
            break;
        }
        cycle.extend(more);
    }
    if cycle.is_empty() || at != entry {
        cycle.extend(way(product, &[at], &is_inside, |arc, _| arc.target == entry)?);
    }
    Ok(cycle)
}

/// A shortest way to a state.
pub(super) fn run_to(
    product: &mut Product<'_>,
    initial: &[u32],
    is_known: impl Fn(u32) -> bool,
    state: u32,
) -> Result<Lasso, CoreError> {
    if initial.contains(&state) {
        return Ok(Lasso::default());
    }
    let prefix = way(product, initial, &is_known, |arc, _| arc.target == state)?;
    Ok(Lasso { prefix: moves(product, &prefix)?, cycle: Vec::new() })
}

fn moves(product: &mut Product<'_>, steps: &Steps) -> Result<Vec<Option<RunStep>>, CoreError> {
    steps.iter().map(|&(state, arc)| product.step_of(state, arc)).collect()
}

/// The steps of a shortest way through states that `may` be visited up to a step that `is_last`; empty if there is none.
fn way(
    product: &mut Product<'_>,
    from: &[u32],
    may: &impl Fn(u32) -> bool,
    is_last: impl Fn(&ProductEdge, AcceptanceSets) -> bool,
) -> Result<Steps, CoreError> {
    // Per state met: the place of the one before it, and the step between them.
    let mut list: Vec<(u32, usize, Option<ProductEdge>)> =
        from.iter().map(|&state| (state, 0, None)).collect();
    let mut is_met = vec![false; product.len()];
    for &state in from {
        is_met[state as usize] = true;
    }
    let mut arcs = Vec::new();
    let mut next = 0;
    while next < list.len() {
        let state = list[next].0;
        product.steps(state, &mut arcs)?;
        for &arc in &arcs {
            if is_last(&arc, product.marks(arc.marks)) {
                return Ok(back(&list, next, (state, arc)));
            }
            if arc.target as usize >= is_met.len() {
                is_met.resize(product.len(), false);
            }
            if may(arc.target) && !is_met[arc.target as usize] {
                is_met[arc.target as usize] = true;
                list.push((arc.target, next, Some(arc)));
            }
        }
        next += 1;
    }
    Ok(Vec::new())
}

fn back(met: &[(u32, usize, Option<ProductEdge>)], place: usize, last: (u32, ProductEdge)) -> Steps {
    let mut steps = trail(met, place);
    steps.push(last);
    steps
}

/// The steps to what was met at `place`.
fn trail(met: &[(u32, usize, Option<ProductEdge>)], mut place: usize) -> Steps {
    let mut steps = Vec::new();
    while let (_, before, Some(arc)) = met[place] {
        steps.push((met[before].0, arc));
        place = before;
    }
    steps.reverse();
    steps
}
