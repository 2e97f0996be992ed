//! Searches for any number of processes, as Python sees them.

use membar_cubes::cube::Cube;
use membar_cubes::events::{Nodes, members};
use membar_cubes::facts::Comparison;
use membar_cubes::fault::Fault;
use membar_cubes::search::{self, Answer, Options, Trace};
use membar_cubes::system::System;
use membar_cubes::term::{Linear, NOBODY, Place, Relation};
use membar_ir::limits::{Limits, Watch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::detached::{run_detached, run_keeping};
use crate::{limits_of, to_py, words_of};

/// Symbol (-1 for a process), node (-1 for a cell), reader (-1 for none), indices or the process.
type PlaceTuple = (i32, i32, i32, Vec<u8>);
/// A relation and two places.
type ComparisonTuple = (&'static str, PlaceTuple, PlaceTuple);
/// A relation, factors with places, and a constant: the sum compares so with 0.
type LinearTuple = (&'static str, Vec<(i64, PlaceTuple)>, i64);
/// For each node its pending reads; which node comes before which; and for each process, each process's earlier
/// writes, and each location the nodes that come after.
type EventsTuple = (
    Vec<Vec<PlaceTuple>>,
    Vec<(usize, usize)>,
    Vec<(usize, Vec<usize>)>,
    Vec<(usize, Vec<usize>)>,
    Vec<(PlaceTuple, Vec<usize>)>,
);
/// Processes, places with values of finite types, comparisons, comparisons of numbers, events.
type CubeTuple = (u8, Vec<(PlaceTuple, u64)>, Vec<ComparisonTuple>, Vec<LinearTuple>, EventsTuple);
/// Transitions with their processes, how many processes there are, the goal and its processes.
type TraceTuple = (Vec<(usize, Vec<u8>)>, u8, usize, Vec<u8>);

/// A system of any number of processes.
#[pyclass(frozen, module = "membar._core")]
pub(crate) struct AnySize {
    system: System,
    fault: Fault,
}

#[pymethods]
impl AnySize {
    #[new]
    #[pyo3(signature = (form, *, fault=None))]
    fn new(form: &[u8], fault: Option<usize>) -> PyResult<Self> {
        let system = System::decode(&words_of(form)?).map_err(|error| to_py(&error))?;
        let fault = match fault.map(|number| Fault::ALL.get(number)) {
            None => Fault::None,
            Some(Some(&(fault, _))) => fault,
            Some(None) => return Err(PyValueError::new_err("there is no such fault")),
        };
        Ok(Self { system, fault })
    }

    /// Searches backwards from the bad states; with `trust` the invariants are believed, otherwise they are bad too. With
    /// `guesses`, parts of cubes that so many processes never satisfy are taken for unreachable until refuted.
    #[expect(clippy::too_many_arguments, reason = "keyword-only on the Python side")]
    #[pyo3(signature = (*, trust=false, guesses=None, seconds=None, nodes=None, memory=None, progress=None))]
    fn search(
        &self,
        py: Python<'_>,
        trust: bool,
        guesses: Option<u8>,
        seconds: Option<f64>,
        nodes: Option<u64>,
        memory: Option<u64>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<CubeFindings> {
        let limits = limits_of(seconds, None, memory)?;
        let found = run_keeping(py, progress.map(Bound::unbind).as_ref(), |stop| {
            let mut watch = Watch::new(stop, Limits { states: nodes, ..limits });
            search::search(&self.system, Options { trust, guesses, fault: self.fault }, &mut watch)
        })?;
        Ok(CubeFindings { found })
    }

    /// Searches backwards from a cube of a closed search that lacks one of its literals, while the search's cubes are
    /// known to be unreachable.
    #[pyo3(signature = (found, *, cube, literal, seconds=None))]
    fn search_without(
        &self,
        py: Python<'_>,
        found: &CubeFindings,
        cube: usize,
        literal: usize,
        seconds: Option<f64>,
    ) -> PyResult<CubeFindings> {
        let limits = limits_of(seconds, None, None)?;
        let known = &found.found.cubes;
        let weaker = known.get(cube).and_then(|cube| {
            let facts = cube.facts.without(literal, &self.system.sorts)?;
            Some(Cube { facts, ..cube.clone() })
        });
        let start = weaker.ok_or_else(|| PyValueError::new_err("there is no such literal"))?;
        let found = run_detached(py, None, |stop| {
            let mut watch = Watch::new(stop, limits);
            search::search_from(&self.system, start, known, self.fault, &mut watch)
        })?;
        Ok(CubeFindings { found })
    }

    /// Whether process n of a cube is always the n-th process.
    #[getter]
    fn fixed(&self) -> bool {
        self.system.sorts.is_fixed
    }

    /// The mistakes that the searches can make on purpose, for tests.
    #[staticmethod]
    fn faults() -> Vec<&'static str> {
        Fault::ALL.iter().map(|&(_, what)| what).collect()
    }
}

/// What a search for any number of processes found.
#[pyclass(frozen, module = "membar._core")]
pub(crate) struct CubeFindings {
    found: search::Findings,
}

#[pymethods]
impl CubeFindings {
    /// Why it did not end, if it did not.
    #[getter]
    fn stopped(&self) -> Option<&'static str> {
        match self.found.answer {
            Answer::Stopped(stopped) => Some(stopped.word()),
            _ => None,
        }
    }

    /// A way from an initial state to a bad one, to be replayed.
    #[getter]
    fn trace(&self) -> Option<TraceTuple> {
        match &self.found.answer {
            Answer::Reached(Trace { taken, processes, goal, goal_processes }) => {
                let steps = taken.iter().map(|step| (step.transition, step.processes.clone())).collect();
                Some((steps, *processes, *goal, goal_processes.clone()))
            }
            _ => None,
        }
    }

    /// The cubes that were met; after a search that ended, all states that may lead to a bad one.
    #[getter]
    fn cubes(&self) -> Vec<CubeTuple> {
        self.found.cubes.iter().map(cube_tuple).collect()
    }

    /// Cubes whose pre-images were looked at.
    #[getter]
    fn nodes(&self) -> u64 {
        self.found.nodes
    }

    /// Cubes that were made.
    #[getter]
    fn made(&self) -> u64 {
        self.found.made
    }

    /// Cubes that others cover.
    #[getter]
    fn covered(&self) -> u64 {
        self.found.covered
    }

    /// Cubes deleted because a later one contains them.
    #[getter]
    fn deleted(&self) -> u64 {
        self.found.deleted
    }

    /// Guesses that were wrong.
    #[getter]
    fn restarts(&self) -> usize {
        self.found.restarts
    }

    /// The most processes of a cube.
    #[getter]
    fn processes(&self) -> u8 {
        self.found.most_slots
    }
}

fn cube_tuple(cube: &Cube) -> CubeTuple {
    let facts = &cube.facts;
    let within = facts.within.iter().map(|&(place, values)| (place_tuple(place), values)).collect();
    let comparison = |&(relation, a, b): &Comparison| (sign(relation), place_tuple(a), place_tuple(b));
    let comparisons = facts.pairs.iter().chain(&facts.order).map(comparison).collect();
    let linear = |one: &Linear| {
        let parts = one.sum.parts.iter().map(|&(place, factor)| (factor, place_tuple(place))).collect();
        (sign(one.relation), parts, one.sum.constant)
    };
    (cube.slots, within, comparisons, facts.linear.iter().map(linear).collect(), events_tuple(cube))
}

fn events_tuple(cube: &Cube) -> EventsTuple {
    let events = &cube.events;
    let reads = events.reads.iter().map(|reads| reads.iter().map(|&read| place_tuple(read)).collect());
    let after = events.after.iter().enumerate();
    let order = after.flat_map(|(node, &after)| members(after).map(move |later| (node, later))).collect();
    let marks = |marks: &[Nodes]| {
        let marked = marks.iter().enumerate().filter(|mark| *mark.1 != 0);
        marked.map(|(slot, &nodes)| (slot, members(nodes).collect())).collect()
    };
    let stored = events.stored.iter().map(|&(place, nodes)| (place_tuple(place), members(nodes).collect()));
    (reads.collect(), order, marks(&events.program), marks(&events.flushed), stored.collect())
}

fn place_tuple(place: Place) -> PlaceTuple {
    if let Some(slot) = place.slot() {
        return (-1, -1, -1, vec![slot]);
    }
    let reader = if place.reader == NOBODY { -1 } else { i32::from(place.reader) };
    let index = place.index.into_iter().take_while(|&slot| slot != NOBODY).collect();
    (i32::from(place.symbol), i32::from(place.node) - 1, reader, index)
}

fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "=",
        Relation::Different => "<>",
        Relation::Less => "<",
        Relation::AtMost => "<=",
    }
}
