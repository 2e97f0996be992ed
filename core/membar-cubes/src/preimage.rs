//! The states from which a transition leads into a cube.
//!
//! Universal guards are evaluated on the processes of the cube only: an over-approximation, so a candidate run must
//! be replayed.

use crate::conjunctions::Facts;
use crate::cube::Cube;
use crate::events::Accesses;
use crate::grounding::{Bindings, Branch, Value, branches, conditions_hold, substitute};
use crate::system::{System, Transition, Update};
use crate::term::{Judged, Literal, NOBODY, Place};
use membar_ir::error::CoreError;

/// A cube before a transition.
#[derive(Debug, Clone)]
pub struct Before {
    /// The cube.
    pub cube: Cube,
    /// The process of each parameter: a process of the cube after, or beyond those a fresh one.
    pub assigned: Vec<u8>,
    /// For each process of `cube` the one that it was: of the cube after, or fresh.
    pub kept: Vec<u8>,
}

/// One way through guards, cases and reads, under construction.
#[derive(Debug, Clone)]
struct Draft {
    facts: Facts,
    values: Vec<(Place, Value)>,
    writes: Vec<Place>,
}

/// All cubes from which `transition` leads into `cube`, except those inside `cube` itself.
pub fn preimages(system: &System, cube: &Cube, transition: &Transition) -> Result<Vec<Before>, CoreError> {
    let mut found = Vec::new();
    let mut assigned = Vec::new();
    assign(system, cube, transition, &mut assigned, &mut found)?;
    Ok(found)
}

/// Assigns processes of the cube, and fresh ones in order, to parameters.
fn assign(
    system: &System,
    cube: &Cube,
    transition: &Transition,
    assigned: &mut Vec<u8>,
    found: &mut Vec<Before>,
) -> Result<(), CoreError> {
    if assigned.len() == transition.parameters as usize {
        let step = Step { system, cube, transition, assigned, slots: slots_of(cube, assigned) };
        return step.run(found);
    }
    let fresh = slots_of(cube, assigned);
    let may_grow = !system.sorts.is_fixed && system.size.is_none_or(|size| fresh < size);
    if fresh >= 30 {
        return Err(CoreError::TooLarge("processes in a cube"));
    }
    for slot in 0..fresh + u8::from(may_grow) {
        if !assigned.contains(&slot) {
            assigned.push(slot);
            assign(system, cube, transition, assigned, found)?;
            assigned.pop();
        }
    }
    Ok(())
}

fn slots_of(cube: &Cube, assigned: &[u8]) -> u8 {
    assigned.iter().map(|&slot| slot + 1).fold(cube.slots, u8::max)
}

struct Step<'a> {
    system: &'a System,
    cube: &'a Cube,
    transition: &'a Transition,
    assigned: &'a [u8],
    slots: u8,
}

impl Step<'_> {
    fn run(&self, found: &mut Vec<Before>) -> Result<(), CoreError> {
        let mut changed: Vec<Place> = self.cube.facts.places().filter(|&place| self.changes(place)).collect();
        changed.sort_unstable();
        changed.dedup();
        let (reads, cells): (Vec<Place>, Vec<Place>) = changed.into_iter().partition(|place| place.is_read());
        if reads.is_empty() && cells.is_empty() {
            return Ok(());
        }
        let node = self.cube.events.next()?;
        let bindings = Bindings { slots: self.assigned, node };
        let mut facts = self.unchanged_facts(&reads, &cells);
        if !conditions_hold(&self.transition.guard, &bindings, &mut facts, self.system)? {
            return Ok(());
        }
        let draft = Draft { facts, values: Vec::new(), writes: Vec::new() };
        let mut drafts = self.universal(vec![draft], node)?;
        for cell in &cells {
            drafts = self.with_cell(drafts, *cell, node)?;
        }
        drafts = self.with_writes(drafts, node)?;
        for draft in drafts {
            for choice in self.satisfactions(&draft, !cells.is_empty()) {
                if let Some(before) = self.finish(&draft, &choice, &reads, &cells, node)? {
                    found.push(before);
                }
            }
        }
        Ok(())
    }

    /// The literals about places that the transition leaves alone.
    fn unchanged_facts(&self, reads: &[Place], cells: &[Place]) -> Facts {
        let kept =
            |place: Place| reads.binary_search(&place).is_err() && cells.binary_search(&place).is_err();
        let facts = &self.cube.facts;
        Facts {
            within: facts.within.iter().filter(|one| kept(one.0)).copied().collect(),
            pairs: facts.pairs.iter().filter(|one| kept(one.1) && kept(one.2)).copied().collect(),
            order: facts.order.iter().filter(|one| kept(one.1) && kept(one.2)).copied().collect(),
            linear: facts
                .linear
                .iter()
                .filter(|one| one.sum.parts.iter().all(|p| kept(p.0)))
                .cloned()
                .collect(),
        }
    }

    /// Whether the transition may change what a place says.
    fn changes(&self, place: Place) -> bool {
        let bindings = Bindings { slots: self.assigned, node: 0 };
        let location = place.location();
        self.transition.updates.iter().any(|update| match update {
            Update::Cell(access, _) => access.symbol == place.symbol && bindings.location(access) == location,
            Update::All(symbol, _) => *symbol == place.symbol,
        })
    }

    /// Universal guards, evaluated on each process of the cube that is not a parameter.
    fn universal(&self, mut drafts: Vec<Draft>, node: u8) -> Result<Vec<Draft>, CoreError> {
        for alternatives in &self.transition.universal {
            for slot in 0..self.slots {
                if self.assigned.contains(&slot) {
                    continue;
                }
                let mut slots = self.assigned.to_vec();
                slots.push(slot);
                let bindings = Bindings { slots: &slots, node };
                let mut next = Vec::new();
                for draft in &drafts {
                    for conjunction in alternatives {
                        let mut draft = draft.clone();
                        if conditions_hold(conjunction, &bindings, &mut draft.facts, self.system)? {
                            next.push(draft);
                        }
                    }
                }
                drafts = next;
            }
        }
        Ok(drafts)
    }

    /// The value that a cell gets.
    fn with_cell(&self, drafts: Vec<Draft>, cell: Place, node: u8) -> Result<Vec<Draft>, CoreError> {
        let ways = self.ways(cell, node)?;
        let mut next = Vec::new();
        for draft in drafts {
            for (literals, value) in &ways {
                let mut draft = draft.clone();
                if self.add(&mut draft.facts, literals)? {
                    draft.values.push((cell, value.clone()));
                    next.push(draft);
                }
            }
        }
        Ok(next)
    }

    fn add(&self, facts: &mut Facts, literals: &[Literal]) -> Result<bool, CoreError> {
        for literal in literals {
            if !facts.add(literal, &self.system.sorts)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The ways in which a cell gets its value; none if it is not updated.
    fn ways(&self, cell: Place, node: u8) -> Result<Vec<Branch>, CoreError> {
        let bindings = Bindings { slots: self.assigned, node };
        for update in &self.transition.updates {
            match update {
                Update::Cell(access, term) if bindings.location(access) == cell => {
                    let value = bindings.value(term, cell, self.system)?;
                    return Ok(vec![(Vec::new(), value)]);
                }
                Update::All(symbol, cases) if *symbol == cell.symbol => {
                    let mut slots = self.assigned.to_vec();
                    slots.extend(cell.index.iter().take_while(|&&slot| slot != NOBODY));
                    let bindings = Bindings { slots: &slots, node };
                    return branches(cases, cell, &bindings, self.system);
                }
                _ => {}
            }
        }
        Ok(vec![(Vec::new(), Value::Unchanged)])
    }

    /// Which locations are written, with what. Of arrays written as a whole only cells that matter are considered.
    fn with_writes(&self, mut drafts: Vec<Draft>, node: u8) -> Result<Vec<Draft>, CoreError> {
        if !self.transition.writes {
            return Ok(drafts);
        }
        for location in self.written_places() {
            let ways = self.ways(location, node)?;
            let mut next = Vec::new();
            for draft in drafts {
                for (literals, value) in &ways {
                    let mut draft = draft.clone();
                    if self.add(&mut draft.facts, literals)? {
                        if *value != Value::Unchanged {
                            draft.writes.push(location);
                            draft.values.push((location, value.clone()));
                        }
                        next.push(draft);
                    }
                }
            }
            drafts = next;
        }
        Ok(drafts)
    }

    fn written_places(&self) -> Vec<Place> {
        let bindings = Bindings { slots: self.assigned, node: 0 };
        let mut locations = Vec::new();
        let events = &self.cube.events;
        for update in &self.transition.updates {
            match update {
                Update::Cell(access, _) if self.system.symbols[access.symbol as usize].is_weak => {
                    locations.push(bindings.location(access));
                }
                Update::All(symbol, _) if self.system.symbols[*symbol as usize].is_weak => {
                    let pending = events.pending().map(Place::location);
                    let known = pending.chain(events.stored.iter().map(|one| one.0));
                    locations.extend(known.filter(|location| location.symbol == *symbol));
                    if self.system.symbols[*symbol as usize].dimensions == 1 {
                        let cell = |slot| Place::cell(*symbol, [slot, NOBODY, NOBODY, NOBODY]);
                        locations.extend((0..self.slots).map(cell));
                    }
                }
                _ => {}
            }
        }
        locations.sort_unstable();
        locations.dedup();
        locations
    }

    /// Which pending reads the write satisfies: all of its own process, and any of others. None at all is left out
    /// where nothing else changes: the cube before would lie inside the cube after.
    fn satisfactions(&self, draft: &Draft, otherwise_changed: bool) -> Vec<Vec<Place>> {
        let acting = self.acting();
        let here = |read: &Place| draft.writes.contains(&read.location());
        let reads: Vec<Place> = self.cube.events.pending().filter(here).collect();
        let (own, foreign): (Vec<Place>, Vec<Place>) =
            reads.into_iter().partition(|read| read.reader == acting);
        let mut choices = vec![own];
        for read in foreign {
            let with = choices.iter().map(|choice| [choice.as_slice(), &[read]].concat());
            choices = with.chain(choices.clone()).collect();
        }
        choices.retain(|choice| otherwise_changed || !choice.is_empty());
        choices
    }

    fn acting(&self) -> u8 {
        self.transition.acting.map_or(NOBODY, |acting| self.assigned[acting as usize])
    }

    fn finish(
        &self,
        draft: &Draft,
        satisfied: &[Place],
        reads: &[Place],
        cells: &[Place],
        node: u8,
    ) -> Result<Option<Before>, CoreError> {
        let mut facts = draft.facts.clone();
        let mut values = draft.values.clone();
        for read in satisfied {
            if let Some(at) = draft.values.iter().find(|one| one.0 == read.location()) {
                values.push((*read, at.1.clone()));
            }
        }
        let touched =
            |place: Place| reads.binary_search(&place).is_ok() || cells.binary_search(&place).is_ok();
        for literal in self.cube.facts.literals().filter(|literal| literal.places().any(touched)) {
            let holds = match substitute(&literal, &values)? {
                Judged::True => true,
                Judged::False => false,
                Judged::Open(literal) => facts.add(&literal, &self.system.sorts)?,
            };
            if !holds {
                return Ok(None);
            }
        }
        if !facts.is_consistent(&self.system.sorts)? || !facts.forget_chosen(&self.system.sorts)? {
            return Ok(None);
        }
        let mut events = self.cube.events.clone();
        events.grow(self.slots as usize);
        if self.transition.acting.is_some() && !events.before(&self.accesses(draft, satisfied, &facts, node))
        {
            return Ok(None);
        }
        let mut cube = Cube { slots: self.slots, facts, events };
        if !cube.simplify(self.system)? {
            return Ok(None);
        }
        let kept = cube.drop_unused(self.system);
        Ok(Some(Before { cube, assigned: self.assigned.to_vec(), kept }))
    }

    fn accesses(&self, draft: &Draft, satisfied: &[Place], facts: &Facts, node: u8) -> Accesses {
        let mut reads: Vec<Place> = facts.places().filter(|place| place.node == node + 1).collect();
        reads.sort_unstable();
        reads.dedup();
        Accesses {
            process: self.acting(),
            reads,
            writes: draft.writes.clone(),
            satisfied: satisfied.to_vec(),
            is_write: self.transition.writes,
            is_atomic: self.transition.writes && self.transition.reads,
            fence: self.transition.fence,
        }
    }
}
