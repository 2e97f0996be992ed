//! The cubes found so far, and whether they subsume another one.

use std::cell::Cell;

use crate::conjunctions::{self, Facts, Truth};
use crate::cube::Cube;
use crate::matching::{MOST_CHOICES, Matching, Plan};
use crate::system::System;
use crate::term::{Judged, Literal};
use membar_ir::error::CoreError;

/// Literals of a visited cube that need not follow, when several cubes together cover one.
const MOST_OPEN: usize = 3;
/// Embeddings of visited cubes that are considered together.
const MOST_CLAUSES: usize = 2_000;
/// Choices tried to see one cube inside another, of those that cover it together.
const MOST_CHOICES_TOGETHER: u32 = 500;
/// Literals that one covering check looks at.
const MOST_STEPS: u32 = 20_000;

/// What a cube needs in another one that it subsumes: a set of hashes.
#[must_use]
fn needs(cube: &Cube) -> u128 {
    let mut signature = 0u128;
    for &(place, values) in &cube.facts.within {
        if values.is_power_of_two() {
            signature |= 1 << ((u32::from(place.symbol) * 7 + values.trailing_zeros()) % 96);
        }
    }
    for read in cube.events.pending() {
        signature |= 1 << (96 + read.symbol % 32);
    }
    signature
}

/// A visited cube.
#[derive(Debug)]
struct Entry {
    number: usize,
    needs: u128,
    interchangeable: Vec<u8>,
    plan: Plan,
    cube: Cube,
}

/// Cubes whose states are known to lead to a bad one.
#[derive(Debug, Default)]
pub struct Fixpoint {
    entries: Vec<Entry>,
}

/// How a cube is covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// Not, as far as was seen.
    Not,
    /// By one visited cube: the number it was given.
    One(usize),
    /// By several together.
    Several,
}

impl Fixpoint {
    /// Adds a cube under a number.
    pub fn add(&mut self, number: usize, cube: Cube) {
        let (needs, interchangeable, plan) = (needs(&cube), cube.interchangeable(), Plan::of(&cube));
        self.entries.push(Entry { number, needs, interchangeable, plan, cube });
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The numbers of all.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.entries.iter().map(|entry| entry.number)
    }

    /// Removes cubes that lie inside `cube`, which is about to be added; their numbers.
    pub fn remove_inside(&mut self, cube: &Cube, system: &System) -> Result<Vec<usize>, CoreError> {
        let mut removed = Vec::new();
        let signature = needs(cube);
        let plan = Plan::of(cube);
        let mut failed = None;
        self.entries.retain(|entry| {
            if failed.is_some() || signature & !entry.needs != 0 {
                return true;
            }
            let sorts = &system.sorts;
            let matching = Matching {
                large: cube,
                plan: &plan,
                small: &entry.cube,
                sorts,
                most_open: 0,
                interchangeable: &entry.interchangeable,
                steps: Cell::new(MOST_CHOICES),
            };
            match matching.each(&mut |_| true) {
                Ok(true) => {
                    removed.push(entry.number);
                    false
                }
                Ok(false) => true,
                Err(error) => {
                    failed = Some(error);
                    true
                }
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(removed),
        }
    }

    /// Whether every state of a cube is in some visited one.
    pub fn covers(&self, cube: &Cube, system: &System) -> Result<Cover, CoreError> {
        let sorts = &system.sorts;
        let signature = needs(cube);
        let interchangeable = cube.interchangeable();
        for entry in &self.entries {
            if entry.needs & !signature != 0 {
                continue;
            }
            let matching = Matching {
                large: &entry.cube,
                plan: &entry.plan,
                small: cube,
                sorts,
                most_open: 0,
                interchangeable: &interchangeable,
                steps: Cell::new(MOST_CHOICES),
            };
            if matching.each(&mut |_| true)? {
                return Ok(Cover::One(entry.number));
            }
        }
        self.is_covered_by_several(cube, &interchangeable, system)
    }

    /// Whether no state of `cube` escapes all visited cubes: each way of one of them gives a clause of negated
    /// literals.
    fn is_covered_by_several(
        &self,
        cube: &Cube,
        interchangeable: &[u8],
        system: &System,
    ) -> Result<Cover, CoreError> {
        let sorts = &system.sorts;
        let signature = needs(cube);
        let mut clauses: Vec<Vec<Literal>> = Vec::new();
        for entry in &self.entries {
            // Each need that is not met is a literal that does not follow.
            if (entry.needs & !signature).count_ones() as usize > MOST_OPEN {
                continue;
            }
            let steps = Cell::new(MOST_CHOICES_TOGETHER);
            let matching = Matching {
                large: &entry.cube,
                plan: &entry.plan,
                small: cube,
                sorts,
                most_open: MOST_OPEN,
                interchangeable,
                steps,
            };
            matching.each(&mut |open| {
                clauses.push(open);
                clauses.len() >= MOST_CLAUSES
            })?;
            if clauses.len() >= MOST_CLAUSES {
                break;
            }
        }
        if clauses.len() < 2 {
            return Ok(Cover::Not);
        }
        clauses.sort_by_key(Vec::len);
        let mut negations = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let mut negation = Vec::new();
            for literal in &clause {
                match conjunctions::negate(literal)? {
                    Judged::Open(open) => negation.push(open),
                    // Open literals are neither always true nor always false.
                    _ => return Ok(Cover::Not),
                }
            }
            negations.push(negation);
        }
        let mut steps = 0;
        let escapes = escapes(&cube.facts, &negations, system, &mut steps)?;
        Ok(if escapes { Cover::Not } else { Cover::Several })
    }
}

/// Whether facts can hold together with one literal of each clause; true when in doubt.
fn escapes(
    facts: &Facts,
    clauses: &[Vec<Literal>],
    system: &System,
    steps: &mut u32,
) -> Result<bool, CoreError> {
    let sorts = &system.sorts;
    let mut rest: Vec<Vec<Literal>> = Vec::new();
    let mut shortest: Option<usize> = None;
    for clause in clauses {
        let mut open = Vec::new();
        let mut holds = false;
        for literal in clause {
            *steps += 1;
            if *steps > MOST_STEPS {
                return Ok(true);
            }
            match facts.judge(literal, sorts)? {
                Truth::True => {
                    holds = true;
                    break;
                }
                Truth::False => {}
                Truth::Open => open.push(literal.clone()),
            }
        }
        if holds {
            continue;
        }
        if open.is_empty() {
            return Ok(false);
        }
        if shortest.is_none_or(|at: usize| open.len() < rest[at].len()) {
            shortest = Some(rest.len());
        }
        rest.push(open);
    }
    let Some(at) = shortest else { return Ok(true) };
    let clause = rest.swap_remove(at);
    for literal in clause {
        let mut with = facts.clone();
        if with.add(&literal, sorts)? && with.is_consistent(sorts)? && escapes(&with, &rest, system, steps)? {
            return Ok(true);
        }
    }
    Ok(false)
}
