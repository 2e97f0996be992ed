//! Searches for any number of processes, as Python sees them.

use membar_cubes::cube;
use membar_cubes::search::{self, Answer, Options};
use membar_cubes::system::System;
use membar_ir::limits::{Limits, Watch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::cube_values::{Cube, CubeTrace};
use crate::detached::{run_detached, run_keeping};
use crate::{limits_of, to_py, words_of};

/// A system of any number of processes.
#[pyclass(frozen, module = "membar._core")]
pub(crate) struct CubeSystem {
    system: System,
}

#[pymethods]
impl CubeSystem {
    #[new]
    #[pyo3(signature = (form))]
    fn new(form: &[u8]) -> PyResult<Self> {
        let system = System::decode(&words_of(form)?).map_err(|error| to_py(&error))?;
        Ok(Self { system })
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
            search::search(&self.system, Options { trust, guesses }, &mut watch)
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
            Some(cube::Cube { facts, ..cube.clone() })
        });
        let start = weaker.ok_or_else(|| PyValueError::new_err("there is no such literal"))?;
        let found = run_detached(py, None, |stop| {
            let mut watch = Watch::new(stop, limits);
            search::search_from(&self.system, start, known, &mut watch)
        })?;
        Ok(CubeFindings { found })
    }

    /// Whether process n of a cube is always the n-th process.
    #[getter]
    fn fixed(&self) -> bool {
        self.system.sorts.is_fixed
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
    fn trace(&self) -> Option<CubeTrace> {
        match &self.found.answer {
            Answer::Reached(trace) => Some(CubeTrace::from(trace)),
            _ => None,
        }
    }

    /// The cubes that were met; after a search that ended, all states that may lead to a bad one.
    #[getter]
    fn cubes(&self) -> Vec<Cube> {
        self.found.cubes.iter().map(Cube::from).collect()
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
