//! Whether a cube intersects the initial states: pending reads return initial values.

use crate::conjunctions::Facts;
use crate::cube::Cube;
use crate::fixpoint::{Cover, Fixpoint};
use crate::grounding::{Bindings, conditions_hold};
use crate::system::System;
use crate::term::{Linear, Literal, Place, Sum};
use membar_ir::error::CoreError;

/// Whether some initial state with at least one process may be in the cube. Only its own processes are slots, so yes
/// may be wrong. No initial state is in a cube of `assumed`.
pub fn may_be_initial(system: &System, cube: &Cube, assumed: &Fixpoint) -> Result<bool, CoreError> {
    let Some(mut facts) = with_initial_reads(&cube.facts, system)? else { return Ok(false) };
    if !facts.is_consistent(&system.sorts)? {
        return Ok(false);
    }
    let slots = cube.slots.max(1);
    let mut tuples = vec![Vec::new()];
    for _ in 0..system.init_parameters {
        let longer = |tuple: &Vec<u8>| {
            let tuple = tuple.clone();
            (0..slots).map(move |slot| [tuple.as_slice(), &[slot]].concat())
        };
        tuples = tuples.iter().flat_map(longer).collect();
    }
    some_alternative(system, slots, facts, assumed, &tuples)
}

/// Chooses an alternative of init for each tuple of processes.
fn some_alternative(
    system: &System,
    slots: u8,
    facts: Facts,
    assumed: &Fixpoint,
    tuples: &[Vec<u8>],
) -> Result<bool, CoreError> {
    let Some((tuple, rest)) = tuples.split_first() else {
        let cube = Cube { slots, facts, ..Cube::default() };
        return Ok(assumed.covers(&cube, system)? == Cover::Not);
    };
    let bindings = Bindings { slots: tuple, node: 0 };
    for conjunction in &system.init {
        let mut facts = facts.clone();
        if conditions_hold(conjunction, &bindings, &mut facts, system)?
            && facts.is_consistent(&system.sorts)?
            && some_alternative(system, slots, facts, assumed, rest)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Facts in which reads are replaced by the cells they read; None if they cannot hold.
fn with_initial_reads(facts: &Facts, system: &System) -> Result<Option<Facts>, CoreError> {
    if !facts.places().any(Place::is_read) {
        return Ok(Some(facts.clone()));
    }
    let cell = |place: Place| if place.is_read() { place.location() } else { place };
    let mut new = Facts::default();
    for literal in facts.literals() {
        let holds = match literal {
            Literal::In(place, values) => new.add(&Literal::In(cell(place), values), &system.sorts)?,
            Literal::Compare(relation, a, b) => {
                new.add(&Literal::Compare(relation, cell(a), cell(b)), &system.sorts)?
            }
            Literal::Linear(linear) => {
                let mut sum = Sum { parts: Vec::new(), constant: linear.sum.constant };
                for &(place, factor) in &linear.sum.parts {
                    sum.add(&Sum::of(cell(place)), factor)?;
                }
                new.add_judged(Linear::new(linear.relation, sum, linear.is_real)?, &system.sorts)?
            }
        };
        if !holds {
            return Ok(None);
        }
    }
    Ok(Some(new))
}
