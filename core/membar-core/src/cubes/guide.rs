//! Guesses of invariants: a part of a cube that no state of a small instance satisfies (BRAB).
//!
//! A guess only makes the set of cubes larger, so a search that ends proves as much as before; if a guess turns out to
//! be reachable, it is remembered, and the search begins anew.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::buffers::budget::{Budget, Halted};
use crate::cubes::cube::Cube;
use crate::cubes::facts::Facts;
use crate::cubes::fault::Fault;
use crate::cubes::forward::explore;
use crate::cubes::instance::{Instance, State, arrangements};
use crate::cubes::matching::contains;
use crate::cubes::system::System;
use crate::cubes::term::{Literal, NOBODY, Place, Relation};
use crate::error::CoreError;

/// States of an instance that are looked at.
const MOST_STATES: usize = 100_000;
/// Entries of a store buffer there.
const BUFFER: usize = 2;
/// Literals of a guess.
const MOST_LITERALS: usize = 3;
/// Guesses that are tried for one cube.
const MOST_TRIED: usize = 400;

/// The states of an instance, and guesses that were wrong.
#[derive(Debug)]
pub struct Guide<'a> {
    instance: Instance<'a>,
    states: Vec<State>,
    wrong: Vec<Cube>,
    /// Whether a state is in a cube, for those asked about.
    known: RefCell<HashMap<Cube, bool>>,
}

impl<'a> Guide<'a> {
    /// Explores `count` processes.
    ///
    /// # Errors
    /// It is time to stop.
    pub fn new(system: &'a System, count: u8, budget: &mut Budget<'_>) -> Result<Self, Halted> {
        let count = system.size.unwrap_or(count);
        let instance = Instance::new(system, count, BUFFER);
        let states = explore(&instance, MOST_STATES, false, budget)?.states;
        Ok(Self { instance, states, wrong: Vec::new(), known: RefCell::default() })
    }

    /// How many guesses were wrong.
    #[must_use]
    pub fn restarts(&self) -> usize {
        self.wrong.len()
    }

    /// Remembers that a guess is reachable.
    pub fn refute(&mut self, guess: Cube) {
        self.wrong.push(guess);
    }

    /// A cube around `cube` that says less and holds in no state of the instance, and what became of its processes.
    ///
    /// # Errors
    /// A number is too large.
    pub fn guess(
        &self,
        cube: &Cube,
        is_initial: impl Fn(&Cube) -> Result<bool, CoreError>,
    ) -> Result<Option<(Cube, Vec<u8>)>, CoreError> {
        let literals: Vec<Literal> = cube.facts.literals().collect();
        let mut tried = 0;
        for size in 1..=MOST_LITERALS.min(literals.len().saturating_sub(1)) {
            for chosen in subsets(literals.len(), size) {
                tried += 1;
                if tried > MOST_TRIED {
                    return Ok(None);
                }
                let kept = chosen.iter().map(|&at| &literals[at]);
                let Some((part, slots)) = self.part(cube, kept)? else { continue };
                if part.slots > self.instance.count || self.holds_somewhere(&part) {
                    continue;
                }
                if !self.is_wrong(&part)? && !is_initial(&part)? {
                    return Ok(Some((part, slots)));
                }
            }
        }
        Ok(None)
    }

    /// The cube of some literals, without any order of events.
    fn part<'b>(
        &self,
        cube: &Cube,
        literals: impl Iterator<Item = &'b Literal>,
    ) -> Result<Option<(Cube, Vec<u8>)>, CoreError> {
        let system = self.instance.system;
        let mut part = Cube { slots: cube.slots, events: cube.events.clone(), facts: Facts::default() };
        for literal in literals {
            part.facts.add(literal, &system.sorts)?;
        }
        let events = &mut part.events;
        events.stored.clear();
        events.flushed.iter_mut().for_each(|nodes| *nodes = 0);
        events.after.iter_mut().for_each(|nodes| *nodes = 0);
        events.program.iter_mut().for_each(|nodes| *nodes = 0);
        for read in events.reads.iter().flatten() {
            events.program[read.reader as usize] |= 1 << (read.node - 1);
        }
        // One instant is all that a state can be asked about.
        if !part.settle(system)? || part.events.reads.len() > 1 {
            return Ok(None);
        }
        let slots = part.drop_unused(system);
        Ok(Some((part, slots)))
    }

    fn is_wrong(&self, part: &Cube) -> Result<bool, CoreError> {
        for wrong in &self.wrong {
            if contains(part, wrong, &self.instance.system.sorts, Fault::None)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a state of the instance is in the cube.
    fn holds_somewhere(&self, cube: &Cube) -> bool {
        if let Some(&known) = self.known.borrow().get(cube) {
            return known;
        }
        let choices = if self.instance.system.sorts.is_fixed {
            vec![(0..cube.slots).collect()]
        } else {
            arrangements(cube.slots, self.instance.count, false)
        };
        let mut found = false;
        for processes in &choices {
            let asked = self.asked(&cube.facts, processes);
            found = self.states.iter().any(|state| asked.iter().all(|one| self.holds(state, one)));
            if found {
                break;
            }
        }
        self.known.borrow_mut().insert(cube.clone(), found);
        found
    }

    /// Facts about cells of the instance.
    fn asked(&self, facts: &Facts, processes: &[u8]) -> Vec<Asked> {
        let source = |place: Place| self.source(place, processes);
        let within = facts.within.iter().map(|&(place, values)| Asked::In(source(place), values));
        let pairs = facts.pairs.iter().chain(&facts.order);
        let compared = pairs.map(|&(relation, a, b)| Asked::Compare(relation, source(a), source(b)));
        let sums = facts.linear.iter().map(|one| {
            let parts = one.sum.parts.iter().map(|&(place, factor)| (source(place), factor)).collect();
            Asked::Sum(one.relation, parts, one.sum.constant)
        });
        within.chain(compared).chain(sums).collect()
    }

    fn source(&self, place: Place, processes: &[u8]) -> Source {
        if let Some(slot) = place.slot() {
            return Source::Process(i64::from(processes[slot as usize]));
        }
        let index = place.index.into_iter().take_while(|&slot| slot != NOBODY);
        let cell = self.instance.cell(place.symbol, index.map(|slot| processes[slot as usize]));
        Source::Cell(cell, place.is_read().then(|| processes[place.reader as usize]))
    }

    fn value(&self, state: &State, source: Source) -> i64 {
        match source {
            Source::Process(process) => process,
            Source::Cell(cell, None) => state.memory[cell],
            Source::Cell(cell, reader) => self.instance.view(state, cell, reader),
        }
    }

    fn holds(&self, state: &State, asked: &Asked) -> bool {
        match asked {
            Asked::In(source, values) => {
                let value = self.value(state, *source);
                u32::try_from(value).is_ok_and(|value| value < 64 && values >> value & 1 == 1)
            }
            Asked::Compare(relation, a, b) => {
                related(*relation, self.value(state, *a), self.value(state, *b))
            }
            Asked::Sum(relation, parts, constant) => {
                let sum = parts.iter().try_fold(*constant, |sum, &(source, factor)| {
                    sum.checked_add(factor.checked_mul(self.value(state, source))?)
                });
                sum.is_none_or(|sum| related(*relation, sum, 0))
            }
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Source {
    Process(i64),
    Cell(usize, Option<u8>),
}

/// A literal about an instance.
enum Asked {
    In(Source, u64),
    Compare(Relation, Source, Source),
    Sum(Relation, Vec<(Source, i64)>, i64),
}

fn related(relation: Relation, a: i64, b: i64) -> bool {
    match relation {
        Relation::Equal => a == b,
        Relation::Different => a != b,
        Relation::Less => a < b,
        Relation::AtMost => a <= b,
    }
}

/// Whether a state is in a cube whose events, if any, are at one instant.
#[cfg(test)]
pub(crate) fn is_in(instance: &Instance<'_>, state: &State, cube: &Cube) -> bool {
    let instance = Instance::new(instance.system, instance.count, instance.bound);
    let states = vec![state.clone()];
    let guide = Guide { instance, states, wrong: Vec::new(), known: RefCell::default() };
    cube.slots <= guide.instance.count && guide.holds_somewhere(cube)
}

/// All sets of `size` numbers below `count`, each in order.
fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| {
            let first = set.last().map_or(0, |last| last + 1);
            (first..count).map(|number| [set.as_slice(), &[number]].concat()).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}
