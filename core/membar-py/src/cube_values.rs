//! Cubes and traces of searches for any number of processes, as plain data with names.

use membar_cubes::cube;
use membar_cubes::events::{Events, Nodes, members};
use membar_cubes::search::Trace;
use membar_cubes::term::{self, NOBODY, Relation};
use pyo3::prelude::*;

/// A process, a cell, or what a pending read will see.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CubePlace {
    /// The symbol; None for a process.
    symbol: Option<u16>,
    /// The node of a pending read; None for a cell.
    node: Option<u8>,
    /// The process that reads; None for a cell.
    reader: Option<u8>,
    /// Indices, or the process.
    index: Vec<u8>,
}

impl From<term::Place> for CubePlace {
    fn from(place: term::Place) -> Self {
        if let Some(slot) = place.slot() {
            return Self { symbol: None, node: None, reader: None, index: vec![slot] };
        }
        Self {
            symbol: Some(place.symbol),
            node: place.node.checked_sub(1),
            reader: Some(place.reader).filter(|&reader| reader != NOBODY),
            index: place.index.into_iter().take_while(|&slot| slot != NOBODY).collect(),
        }
    }
}

/// Two places compared.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CubeComparison {
    /// `=`, `<>`, `<` or `<=`.
    relation: &'static str,
    left: CubePlace,
    right: CubePlace,
}

/// A sum compared with 0.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CubeSum {
    /// `=`, `<>`, `<` or `<=`.
    relation: &'static str,
    /// Factors with their places.
    parts: Vec<(i64, CubePlace)>,
    constant: i64,
}

/// The pending reads of a cube, as nodes, and what precedes them.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CubeEvents {
    /// For each node its reads.
    reads: Vec<Vec<CubePlace>>,
    /// Which node comes before which.
    order: Vec<(usize, usize)>,
    /// For processes, the nodes that some event of their own comes before or is in.
    program: Vec<(usize, Vec<usize>)>,
    /// For processes, the nodes that each earlier write of their own comes before.
    flushed: Vec<(usize, Vec<usize>)>,
    /// For locations, the nodes that some write to them comes before or is in.
    stored: Vec<(CubePlace, Vec<usize>)>,
}

impl From<&Events> for CubeEvents {
    fn from(events: &Events) -> Self {
        let places = |reads: &Vec<term::Place>| reads.iter().map(|&read| read.into()).collect();
        let after = events.after.iter().enumerate();
        let marks = |marks: &[Nodes]| {
            let marked = marks.iter().enumerate().filter(|mark| *mark.1 != 0);
            marked.map(|(slot, &nodes)| (slot, members(nodes).collect())).collect()
        };
        let stored = events.stored.iter();
        Self {
            reads: events.reads.iter().map(places).collect(),
            order: after.flat_map(|(node, &after)| members(after).map(move |later| (node, later))).collect(),
            program: marks(&events.program),
            flushed: marks(&events.flushed),
            stored: stored.map(|&(place, nodes)| (place.into(), members(nodes).collect())).collect(),
        }
    }
}

/// A set of states: some processes, facts about their cells, and events that are still to come.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Cube {
    /// How many processes it speaks of.
    processes: u8,
    /// Places with their possible constructors, bit n for constructor n.
    within: Vec<(CubePlace, u64)>,
    comparisons: Vec<CubeComparison>,
    sums: Vec<CubeSum>,
    events: CubeEvents,
}

impl From<&cube::Cube> for Cube {
    fn from(cube: &cube::Cube) -> Self {
        let facts = &cube.facts;
        let comparisons = facts.pairs.iter().chain(&facts.order).map(|&(relation, a, b)| CubeComparison {
            relation: sign(relation),
            left: a.into(),
            right: b.into(),
        });
        let sums = facts.linear.iter().map(|one| CubeSum {
            relation: sign(one.relation),
            parts: one.sum.parts.iter().map(|&(place, factor)| (factor, place.into())).collect(),
            constant: one.sum.constant,
        });
        Self {
            processes: cube.slots,
            within: facts.within.iter().map(|&(place, values)| (place.into(), values)).collect(),
            comparisons: comparisons.collect(),
            sums: sums.collect(),
            events: (&cube.events).into(),
        }
    }
}

fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "=",
        Relation::Different => "<>",
        Relation::Less => "<",
        Relation::AtMost => "<=",
    }
}

/// A way from an initial state to a bad one.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CubeTrace {
    /// Transitions with their processes.
    steps: Vec<(usize, Vec<u8>)>,
    /// How many processes there are.
    processes: u8,
    /// Which bad states are reached.
    goal: usize,
}

impl From<&Trace> for CubeTrace {
    fn from(trace: &Trace) -> Self {
        let steps = trace.taken.iter().map(|step| (step.transition, step.processes.clone()));
        Self { steps: steps.collect(), processes: trace.processes, goal: trace.goal }
    }
}
