//! Sets of states: some distinct processes, literals about them, and their pending reads.

use crate::conjunctions::{Comparison, Facts, Truth};
use crate::events::Events;
use crate::grounding::{Bindings, conditions_hold};
use crate::system::{Formula, System};
use crate::term::{Linear, Literal, NOBODY, Place, Relation, compare};
use membar_ir::error::CoreError;

/// All states with processes of which this holds, and from which the events can follow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Cube {
    /// How many distinct processes it mentions.
    pub slots: u8,
    /// What holds.
    pub facts: Facts,
    /// What is still to be read.
    pub events: Events,
}

impl Cube {
    /// The states of a formula; None if there are none. `assigned`: the process of each parameter.
    pub fn of(system: &System, formula: &Formula, assigned: &[u8]) -> Result<Option<Self>, CoreError> {
        let mut facts = Facts::default();
        let bindings = Bindings { slots: assigned, node: 0 };
        if !conditions_hold(&formula.conditions, &bindings, &mut facts, system)? {
            return Ok(None);
        }
        let slots = match (system.sorts.is_fixed, system.size) {
            (true, Some(size)) => size,
            _ => formula.parameters,
        };
        let mut reads: Vec<Place> = facts.places().filter(|place| place.is_read()).collect();
        reads.sort_unstable();
        reads.dedup();
        let mut events = Events::default();
        events.grow(slots as usize);
        events.begin(reads);
        let mut cube = Self { slots, facts, events };
        Ok(cube.simplify(system)?.then_some(cube))
    }

    /// Drops what says nothing; false if nothing satisfies it.
    pub fn simplify(&mut self, system: &System) -> Result<bool, CoreError> {
        if !self.facts.is_consistent(&system.sorts)? {
            return Ok(false);
        }
        self.simplify_order(system);
        self.drop_following(system)?;
        self.forget_reads();
        Ok(true)
    }

    /// Replaces places that are known to be a process by that process, and drops comparisons that follow from others.
    fn simplify_order(&mut self, system: &System) {
        let known: Vec<(Place, Place)> = self
            .facts
            .order
            .iter()
            .filter(|one| one.0 == Relation::Equal)
            .filter_map(|&(_, a, b)| match (a.slot(), b.slot()) {
                (None, Some(_)) => Some((a, b)),
                (Some(_), None) => Some((b, a)),
                _ => None,
            })
            .collect();
        if known.is_empty() {
            return;
        }
        let mut order = std::mem::take(&mut self.facts.order);
        order.retain(|one| {
            let is_definition = |&(a, b): &(Place, Place)| {
                one.0 == Relation::Equal && ((one.1, one.2) == (a, b) || (one.1, one.2) == (b, a))
            };
            if known.iter().any(is_definition) {
                return true;
            }
            let value = |place: Place| known.iter().find(|one| one.0 == place).map_or(place, |one| one.1);
            let (a, b) = (value(one.1), value(one.2));
            if (a, b) != (one.1, one.2) {
                // Consistency was shown before: a comparison cannot be false now.
                let _ = self.facts.add(&compare(one.0, a, b), &system.sorts);
                return false;
            }
            true
        });
        for (relation, a, b) in order {
            let _ = self.facts.add(&compare(relation, a, b), &system.sorts);
        }
    }

    /// Drops comparisons that follow from the others.
    fn drop_following(&mut self, system: &System) -> Result<(), CoreError> {
        let mut at = 0;
        while at < self.facts.order.len() && self.facts.order.len() > 1 {
            let (relation, a, b) = self.facts.order.remove(at);
            if self.facts.judge(&Literal::Compare(relation, a, b), &system.sorts)? != Truth::True {
                self.facts.order.insert(at, (relation, a, b));
                at += 1;
            }
        }
        at = 0;
        while at < self.facts.linear.len() && self.facts.linear.len() > 1 {
            let linear = Literal::Linear(self.facts.linear.remove(at));
            let follows = self.facts.judge(&linear, &system.sorts)? == Truth::True;
            if let Literal::Linear(linear) = linear
                && !follows
            {
                self.facts.linear.insert(at, linear);
                at += 1;
            }
        }
        Ok(())
    }

    /// A read of which nothing is known can always return what is there: it is dropped.
    fn forget_reads(&mut self) {
        if self.events.reads.is_empty() {
            return;
        }
        let mut known: Vec<Place> = self.facts.places().filter(|place| place.is_read()).collect();
        known.sort_unstable();
        known.dedup();
        let nodes = self.events.retain(|read| known.binary_search(&read).is_ok());
        if nodes.iter().enumerate().any(|(old, &new)| old != new as usize) {
            let slots: Vec<u8> = (0..self.slots).collect();
            self.facts = rename(&self.facts, &slots, &nodes);
        }
    }

    /// Drops processes of which nothing is said; the kept ones, in order. Fixed processes are all kept, and so many
    /// that the system's least number of them stays.
    pub fn drop_unused(&mut self, system: &System) -> Vec<u8> {
        if system.sorts.is_fixed {
            return (0..self.slots).collect();
        }
        let mut used = vec![false; self.slots as usize];
        let places = self.facts.places().chain(self.events.pending());
        for slot in places.chain(self.events.stored.iter().map(|one| one.0)).flat_map(Place::slots) {
            used[slot as usize] = true;
        }
        for (slot, is_used) in used.iter_mut().enumerate() {
            *is_used |= self.events.program.get(slot).is_some_and(|&nodes| nodes != 0);
        }
        let mut missing = usize::from(system.least).saturating_sub(used.iter().filter(|&&used| used).count());
        for is_used in &mut used {
            if !*is_used && missing > 0 {
                *is_used = true;
                missing -= 1;
            }
        }
        let kept: Vec<u8> = (0..self.slots).filter(|&slot| used[slot as usize]).collect();
        if kept.len() < self.slots as usize {
            let mut slots = vec![NOBODY; self.slots as usize];
            for (new, &old) in kept.iter().enumerate() {
                slots[old as usize] = u8::try_from(new).unwrap_or(NOBODY);
            }
            self.rename(&slots, &kept);
        }
        kept
    }

    fn rename(&mut self, slots: &[u8], kept: &[u8]) {
        let nodes: Vec<u8> =
            (0..self.events.reads.len()).map(|node| u8::try_from(node).unwrap_or(0)).collect();
        self.facts = rename(&self.facts, slots, &nodes);
        let events = &mut self.events;
        for read in events.reads.iter_mut().flatten() {
            *read = read.rename(slots, &nodes);
        }
        events.reads.iter_mut().for_each(|reads| reads.sort_unstable());
        for one in &mut events.stored {
            one.0 = one.0.rename(slots, &nodes);
        }
        events.stored.sort_unstable();
        events.program = kept.iter().map(|&slot| events.program[slot as usize]).collect();
        events.flushed = kept.iter().map(|&slot| events.flushed[slot as usize]).collect();
        self.slots = u8::try_from(kept.len()).unwrap_or(NOBODY);
    }

    /// For each process variable the first one that may be swapped with it without changing the cube: both stand
    /// only as the one index of cells of finite types, and of the same ones with the same values.
    #[must_use]
    pub fn interchangeable(&self) -> Vec<u8> {
        let count = self.slots as usize;
        let mut said: Vec<Vec<(u16, u64)>> = vec![Vec::new(); count];
        let mut alone = vec![true; count];
        for &(place, values) in &self.facts.within {
            match place.index {
                [slot, NOBODY, ..] if !place.is_read() && slot != NOBODY => {
                    said[slot as usize].push((place.symbol, values));
                }
                _ => {
                    for slot in place.slots() {
                        alone[slot as usize] = false;
                    }
                }
            }
        }
        let compared = self.facts.pairs.iter().chain(&self.facts.order).flat_map(|&(_, a, b)| [a, b]);
        let numbers = self.facts.linear.iter().flat_map(|one| one.sum.parts.iter().map(|part| part.0));
        let others = compared.chain(numbers).chain(self.events.pending());
        for slot in others.chain(self.events.stored.iter().map(|one| one.0)).flat_map(Place::slots) {
            alone[slot as usize] = false;
        }
        for (slot, is_alone) in alone.iter_mut().enumerate() {
            *is_alone &= self.events.program.get(slot).is_none_or(|&nodes| nodes == 0);
        }
        let is_twin = |a: usize, b: usize| alone[a] && alone[b] && said[a] == said[b];
        let first = |slot: usize| (0..slot).find(|&other| is_twin(other, slot)).unwrap_or(slot);
        (0..count).map(|slot| u8::try_from(first(slot)).unwrap_or(NOBODY)).collect()
    }

    /// Roughly how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let places = self.facts.within.len() + 2 * (self.facts.pairs.len() + self.facts.order.len());
        let parts: usize = self.facts.linear.iter().map(|one| 4 + one.sum.parts.len()).sum();
        16 * (places + parts) + 64 * (self.events.reads.len() + self.events.stored.len())
    }

    /// How much it says: fewer is larger.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.facts.len() + self.events.reads.len()
    }
}

/// Facts with other process variables and nodes.
#[must_use]
pub fn rename(facts: &Facts, slots: &[u8], nodes: &[u8]) -> Facts {
    let comparison = |&(relation, a, b): &Comparison| {
        let (a, b) = (a.rename(slots, nodes), b.rename(slots, nodes));
        let swaps = matches!(relation, Relation::Equal | Relation::Different) && b < a;
        if swaps { (relation, b, a) } else { (relation, a, b) }
    };
    let linear = |one: &Linear| match Literal::Linear(one.clone()).rename(slots, nodes) {
        Literal::Linear(renamed) => renamed,
        _ => one.clone(),
    };
    let mut new = Facts {
        within: facts.within.iter().map(|&(place, values)| (place.rename(slots, nodes), values)).collect(),
        pairs: facts.pairs.iter().map(comparison).collect(),
        order: facts.order.iter().map(comparison).collect(),
        linear: facts.linear.iter().map(linear).collect(),
    };
    new.within.sort_unstable();
    new.pairs.sort_unstable();
    new.order.sort_unstable();
    new.linear.sort_unstable();
    new
}
