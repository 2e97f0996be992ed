//! Every state of an instance, breadth first.

use rustc_hash::FxHashSet;

use crate::tests::reference_instance::{ReferenceInstance, State};
use membar_ir::limits::{Stopped, Watch};

/// The states of an instance.
#[derive(Debug)]
pub(crate) struct Forward {
    /// In the order in which they were found.
    pub(crate) states: Vec<State>,
    /// Whether nothing was left out.
    pub(crate) is_complete: bool,
    /// The first bad state and the formula that it is in.
    pub(crate) bad: Option<(usize, usize)>,
}

/// Explores at most `most` states; stops at the first bad one if asked to.
pub(crate) fn explore(
    instance: &ReferenceInstance<'_>,
    most: usize,
    stop_at_bad: bool,
    watch: &mut Watch<'_>,
) -> Result<Forward, Stopped> {
    let (initial, mut is_complete) = instance.initial();
    let mut found = Forward { states: Vec::new(), is_complete: true, bad: None };
    let mut known: FxHashSet<State> = FxHashSet::default();
    for state in initial {
        add(instance, &mut found, &mut known, state);
    }
    let mut at = 0;
    while at < found.states.len() {
        if stop_at_bad && found.bad.is_some() {
            break;
        }
        if found.states.len() >= most {
            is_complete = false;
            break;
        }
        if at % 64 == 0 {
            watch.spend(0, found.states.len() * (64 + 16 * instance.cells()))?;
        }
        let mut held = false;
        let state = found.states[at].clone();
        for (_, next) in instance.successors(&state, &mut held) {
            add(instance, &mut found, &mut known, next);
        }
        is_complete &= !held;
        at += 1;
    }
    found.is_complete = is_complete;
    Ok(found)
}

fn add(instance: &ReferenceInstance<'_>, found: &mut Forward, known: &mut FxHashSet<State>, state: State) {
    if !known.insert(state.clone()) {
        return;
    }
    if found.bad.is_none() {
        let goals = instance.system.unsafe_states.iter().enumerate();
        let goal = goals.into_iter().find(|(_, formula)| instance.reaches(&state, formula).is_some());
        found.bad = goal.map(|(goal, _)| (found.states.len(), goal));
    }
    found.states.push(state);
}
