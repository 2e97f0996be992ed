//! A run that goes round for ever, found by breadth-first search inside a component that has every mark.

use crate::error::CoreError;

use super::automaton::Marks;
use super::product::{Arc, Product};
use super::safety::Taken;

/// A run: a way in, and a cycle that is taken for ever.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lasso {
    /// The way in; None where the program has ended and only the automaton moves.
    pub prefix: Vec<Option<Taken>>,
    /// The cycle; it is empty where a run is wrong as it is, whatever follows.
    pub cycle: Vec<Option<Taken>>,
}

/// A step taken, with the state that it was taken in.
type Steps = Vec<(u32, Arc)>;

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
    Ok(Lasso { prefix: moves(product, &prefix)?, cycle: moves(product, &cycle)? })
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

fn moves(product: &mut Product<'_>, steps: &Steps) -> Result<Vec<Option<Taken>>, CoreError> {
    steps.iter().map(|&(state, arc)| product.taken(state, arc)).collect()
}

/// The steps of a shortest way through states that `may` be visited up to a step that `is_last`; empty if there is none.
fn way(
    product: &mut Product<'_>,
    from: &[u32],
    may: &impl Fn(u32) -> bool,
    is_last: impl Fn(&Arc, Marks) -> bool,
) -> Result<Steps, CoreError> {
    // Per state met: the place of the one before it, and the step between them.
    let mut list: Vec<(u32, usize, Option<Arc>)> = from.iter().map(|&state| (state, 0, None)).collect();
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

fn back(met: &[(u32, usize, Option<Arc>)], mut place: usize, last: (u32, Arc)) -> Steps {
    let mut steps = vec![last];
    while let (_, before, Some(arc)) = met[place] {
        steps.push((met[before].0, arc));
        place = before;
    }
    steps.reverse();
    steps
}
