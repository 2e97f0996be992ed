//! One helper owns the GIL, Ctrl-C and panics.
//!
//! The job runs on the calling thread: a second one costs 0.1 ms on an idle machine and several on a busy one, more
//! than most litmus tests take. The core asks through its `Stop` whether to go on, about every 50 ms; it does not know
//! that the answer is about signals.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use membar_core::error::CoreError;
use membar_core::stop::Stop;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::to_py;

/// Runs `job` without the GIL. Ctrl-C stops it and surfaces as `KeyboardInterrupt`.
pub(crate) fn run_detached<T, F>(py: Python<'_>, job: F) -> PyResult<T>
where
    T: Send,
    F: FnOnce(&Stop<'_>) -> Result<T, CoreError> + Send,
{
    let interrupt: Mutex<Option<PyErr>> = Mutex::new(None);
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself does not fit every lifetime"
    )]
    let goes_on = || match Python::attach(|py| py.check_signals()) {
        Ok(()) => true,
        Err(signal) => {
            if let Ok(mut place) = interrupt.lock() {
                *place = Some(signal);
            }
            false
        }
    };
    let stop = Stop::asking(&goes_on);
    // Nothing of a job that panicked is used again.
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(|| job(&stop))));
    if let Ok(Some(signal)) = interrupt.into_inner() {
        return Err(signal);
    }
    match result {
        Ok(answer) => answer.map_err(|error| to_py(&error)),
        Err(_) => Err(PyRuntimeError::new_err("the engine panicked; please report this")),
    }
}
