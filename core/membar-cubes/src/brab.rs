//! Candidate invariants (BRAB): a part of a cube that no state of a small instance satisfies.
//!
//! A guess only makes the set of cubes larger, so a search that terminates proves as much as before; if a guess
//! turns out to be reachable, it is remembered, and the search starts again.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::conjunctions::Facts;
use crate::cube::Cube;
use crate::instance::arrangements;
use crate::instance::{Check, Instance, Source, Total};
use crate::matching::contains;
use crate::system::System;
use crate::term::{Judged, Linear, Literal, NOBODY, Place, Relation};
use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};

/// States of an instance that are explored.
const MOST_STATES: usize = 200_000;
/// Entries of a store buffer there.
const BUFFER: usize = 2;
/// Literals of a guess.
const MOST_LITERALS: usize = 3;
/// Guesses that are tried for one cube.
const MOST_TRIED: usize = 2_000;

/// The states of an instance, and guesses that were wrong.
#[derive(Debug)]
pub struct Brab<'a> {
    system: &'a System,
    instance: Instance<'a>,
    states: Vec<Rc<[u8]>>,
    wrong: Vec<Cube>,
    /// Whether a state is in a cube, for those asked about.
    known: RefCell<FxHashMap<Cube, bool>>,
}

/// What is guessed instead of a cube.
#[derive(Debug)]
pub enum Guess {
    /// A cube around it, and what became of its processes.
    Cube(Box<Cube>, Vec<u8>),
    /// There is none.
    Nothing,
    /// It is time to stop.
    Stopped(Stopped),
}

impl<'a> Brab<'a> {
    /// Explores `count` processes; None if the system is too large for that.
    pub fn new(system: &'a System, count: u8, watch: &mut Watch<'_>) -> Result<Option<Self>, Stopped> {
        let count = system.size.unwrap_or(count);
        let Some(instance) = Instance::new(system, count, BUFFER) else { return Ok(None) };
        let states = explored(&instance, watch)?;
        Ok(Some(Self { system, instance, states, wrong: Vec::new(), known: RefCell::default() }))
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
    /// Those of few processes that say little come first.
    pub fn guess(
        &self,
        cube: &Cube,
        is_initial: impl Fn(&Cube) -> Result<bool, CoreError>,
        watch: &mut Watch<'_>,
    ) -> Result<Guess, CoreError> {
        let kept: Vec<Literal> = cube.facts.literals().filter(|one| self.is_kept(one)).collect();
        let mut literals = weaker(&kept)?;
        let weakened = literals.len();
        literals.extend(kept);
        let mut parts: Vec<(u32, Vec<usize>)> = Vec::new();
        for size in 1..=MOST_LITERALS {
            for chosen in subsets(literals.len(), size) {
                if size < cube.facts.len() || chosen.iter().any(|&at| at < weakened) {
                    parts.push((slots_of(chosen.iter().map(|&at| &literals[at])), chosen));
                }
            }
        }
        let numbers = |at: &&usize| matches!(literals[**at], Literal::Linear(_));
        parts.sort_by_key(|part| (part.0, part.1.len(), part.1.iter().filter(numbers).count()));
        for (_, chosen) in parts.into_iter().take(MOST_TRIED) {
            let kept = chosen.iter().map(|&at| &literals[at]);
            let Some((part, slots)) = self.part(cube, kept)? else { continue };
            if part.slots > self.instance.count {
                continue;
            }
            match self.holds_somewhere(&part, watch) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(stopped) => return Ok(Guess::Stopped(stopped)),
            }
            if !self.is_wrong(&part)? && !is_initial(&part)? {
                return Ok(Guess::Cube(Box::new(part), slots));
            }
        }
        Ok(Guess::Nothing)
    }

    /// Whether the states say anything of a literal.
    fn is_kept(&self, literal: &Literal) -> bool {
        let is_kept = |place: Place| place.slot().is_some() || self.instance.keeps(place.symbol);
        literal.places().all(is_kept)
    }

    /// The cube of some literals, without any order of events.
    fn part<'b>(
        &self,
        cube: &Cube,
        literals: impl Iterator<Item = &'b Literal>,
    ) -> Result<Option<(Cube, Vec<u8>)>, CoreError> {
        let mut part = Cube { slots: cube.slots, events: cube.events.clone(), facts: Facts::default() };
        for literal in literals {
            part.facts.add(literal, &self.system.sorts)?;
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
        if !part.simplify(self.system)? || part.events.reads.len() > 1 {
            return Ok(None);
        }
        let slots = part.drop_unused(self.system);
        Ok(Some((part, slots)))
    }

    fn is_wrong(&self, part: &Cube) -> Result<bool, CoreError> {
        for wrong in &self.wrong {
            if contains(part, wrong, &self.system.sorts)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a state of the instance is in the cube.
    fn holds_somewhere(&self, cube: &Cube, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        if let Some(&known) = self.known.borrow().get(cube) {
            return Ok(known);
        }
        let choices = if self.system.sorts.is_fixed {
            vec![(0..cube.slots).collect()]
        } else {
            arrangements(cube.slots, self.instance.count, false)
        };
        let mut found = false;
        for processes in &choices {
            watch.spend(0, self.states.len() * 64)?;
            let asked = self.checks_of(&cube.facts, processes);
            found = self.states.iter().any(|state| asked.iter().all(|one| self.instance.holds(state, one)));
            if found {
                break;
            }
        }
        self.known.borrow_mut().insert(cube.clone(), found);
        Ok(found)
    }

    /// Facts about cells of the instance.
    fn checks_of(&self, facts: &Facts, processes: &[u8]) -> Vec<Check> {
        let source = |place: Place| self.source(place, processes);
        let within = facts.within.iter().map(|&(place, values)| Check::Among(source(place), values));
        let pairs = facts.pairs.iter().chain(&facts.order);
        let compared = pairs.map(|&(relation, a, b)| Check::Pair(relation, source(a), source(b)));
        let sums = facts.linear.iter().map(|one| {
            let parts = one.sum.parts.iter().map(|&(place, factor)| (source(place), factor)).collect();
            Check::Sum(one.relation, Total { parts, constant: one.sum.constant })
        });
        within.chain(compared).chain(sums).collect()
    }

    fn source(&self, place: Place, processes: &[u8]) -> Source {
        if let Some(slot) = place.slot() {
            return Source::Value(processes[slot as usize]);
        }
        let index = place.index.into_iter().take_while(|&slot| slot != NOBODY);
        let cell = self.instance.cell(place.symbol, index.map(|slot| processes[slot as usize]));
        Source::Cell(cell, place.is_read().then(|| processes[place.reader as usize]))
    }
}

/// Every state of an instance, breadth first, as far as one looks.
fn explored(instance: &Instance<'_>, watch: &mut Watch<'_>) -> Result<Vec<Rc<[u8]>>, Stopped> {
    let mut states: Vec<Rc<[u8]>> = instance.initial().into_iter().map(Rc::from).collect();
    let mut known: FxHashSet<Rc<[u8]>> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() && states.len() < MOST_STATES {
        if at % 64 == 0 {
            watch.spend(0, states.len() * (64 + states[at].len()))?;
        }
        let state = Rc::clone(&states[at]);
        instance.successors(&state, &mut |next| {
            if !known.contains(next.as_slice()) {
                let next: Rc<[u8]> = next.into();
                known.insert(Rc::clone(&next));
                states.push(next);
            }
        });
        at += 1;
    }
    Ok(states)
}

/// Inequalities that follow from comparisons of numbers: a number that grows step by step needs one.
fn weaker(literals: &[Literal]) -> Result<Vec<Literal>, CoreError> {
    let mut found = Vec::new();
    for literal in literals {
        let Literal::Linear(one) = literal else { continue };
        let factors: &[i64] = match one.relation {
            Relation::Equal => &[1, -1],
            Relation::Less => &[1],
            Relation::Different | Relation::AtMost => &[],
        };
        for &factor in factors {
            let sum = one.sum.times(factor)?;
            if let Judged::Open(weaker) = Linear::new(Relation::AtMost, sum, one.is_real)? {
                found.push(Literal::Linear(weaker));
            }
        }
    }
    Ok(found)
}

/// How many processes literals mention.
fn slots_of<'a>(literals: impl Iterator<Item = &'a Literal>) -> u32 {
    let slots = literals.flat_map(Literal::places).flat_map(Place::slots);
    slots.fold(0u64, |set, slot| set | 1 << (slot % 64)).count_ones()
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
