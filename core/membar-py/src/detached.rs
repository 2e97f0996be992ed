//! One helper owns the GIL, Ctrl-C and panics.
//!
//! The job runs on the calling thread: a second one costs 0.1 ms on an idle machine and several on a busy one, more
//! than most litmus tests take. The core asks through its `Stop` whether to go on, about every 50 ms; it does not know
//! that the answer is about signals. Other workers of the core never call Python.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use membar_core::error::CoreError;
use membar_core::stop::{Meter, Stop};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use crate::to_py;

/// Runs `job` without the GIL. Ctrl-C stops it, and what was found until then is the answer; what another signal
/// raises is raised. `progress` is told executions, blocked executions and what part is done.
pub(crate) fn run_detached<T, F>(py: Python<'_>, progress: Option<&Py<PyAny>>, job: F) -> PyResult<T>
where
    T: Send,
    F: FnOnce(&Stop<'_>) -> Result<T, CoreError> + Send,
{
    let interrupt: Mutex<Option<PyErr>> = Mutex::new(None);
    let ask = |py: Python<'_>, meter: &Meter| -> PyResult<()> {
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1(py, (meter.executions(), meter.blocked(), meter.done()))?;
        }
        Ok(())
    };
    let goes_on = |meter: &Meter| match Python::attach(|py| ask(py, meter)) {
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
    if let Ok(Some(signal)) = interrupt.into_inner()
        && !signal.is_instance_of::<PyKeyboardInterrupt>(py)
    {
        return Err(signal);
    }
    match result {
        Ok(answer) => answer.map_err(|error| to_py(&error)),
        Err(_) => Err(PyRuntimeError::new_err("the engine panicked; please report this")),
    }
}
