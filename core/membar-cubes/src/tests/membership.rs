//! Whether a state of an instance is in a cube, by brute force: for tests.

use crate::cube::Cube;
use crate::instance::arrangements;
use crate::term::{Literal, NOBODY, Place, Relation};
use crate::tests::reference_instance::{ReferenceInstance, State};

/// Whether a state is in a cube whose events, if any, are at one instant.
pub(crate) fn is_in(instance: &ReferenceInstance<'_>, state: &State, cube: &Cube) -> bool {
    if cube.slots > instance.count {
        return false;
    }
    let choices = if instance.system.sorts.is_fixed {
        vec![(0..cube.slots).collect()]
    } else {
        arrangements(cube.slots, instance.count, false)
    };
    let all = |processes: &Vec<u8>| cube.facts.literals().all(|one| holds(instance, state, &one, processes));
    choices.iter().any(all)
}

fn value(instance: &ReferenceInstance<'_>, state: &State, place: Place, processes: &[u8]) -> i64 {
    if let Some(slot) = place.slot() {
        return i64::from(processes[slot as usize]);
    }
    let index = place.index.into_iter().take_while(|&slot| slot != NOBODY);
    let cell = instance.cell(place.symbol, index.map(|slot| processes[slot as usize]));
    ReferenceInstance::view(state, cell, place.is_read().then(|| processes[place.reader as usize]))
}

fn holds(instance: &ReferenceInstance<'_>, state: &State, literal: &Literal, processes: &[u8]) -> bool {
    let value = |place: Place| value(instance, state, place, processes);
    match literal {
        Literal::In(place, values) => values >> value(*place) & 1 == 1,
        Literal::Compare(relation, a, b) => related(*relation, value(*a), value(*b)),
        Literal::Linear(one) => {
            let sum = one.sum.parts.iter().map(|&(place, factor)| factor * value(place)).sum::<i64>();
            related(one.relation, sum + one.sum.constant, 0)
        }
    }
}

fn related(relation: Relation, a: i64, b: i64) -> bool {
    match relation {
        Relation::Equal => a == b,
        Relation::Different => a != b,
        Relation::Less => a < b,
        Relation::AtMost => a <= b,
    }
}
