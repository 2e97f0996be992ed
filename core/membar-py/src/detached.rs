//! One helper owns the GIL, Ctrl-C and panics.
//!
//! The job runs on the calling thread: a second one costs 0.1 ms on an idle machine and several on a busy one, more
//! than most litmus tests take. The core asks through its `Stop` whether to go on, about every 50 ms; it does not know
//! that the answer is about signals. Other workers of the core never call Python.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use membar_ir::error::CoreError;
use membar_ir::limits::{Meter, Stop};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use crate::to_py;

/// Runs `job` without the GIL. What a signal raises, Ctrl-C or a limit, stops it and is raised. `progress` is told
/// executions, blocked executions and what part is done.
pub(crate) fn run_detached<T, F>(py: Python<'_>, progress: Option<&Py<PyAny>>, job: F) -> PyResult<T>
where
    T: Send,
    F: FnOnce(&Stop<'_>) -> Result<T, CoreError> + Send,
{
    match run(py, progress, job)? {
        (_, Some(signal)) => Err(signal),
        (answer, None) => Ok(answer),
    }
}

/// As `run_detached`, for jobs whose answer says that they were stopped: after Ctrl-C what was found until then is the
/// answer. What another signal raises is raised.
pub(crate) fn run_keeping<T, F>(py: Python<'_>, progress: Option<&Py<PyAny>>, job: F) -> PyResult<T>
where
    T: Send,
    F: FnOnce(&Stop<'_>) -> Result<T, CoreError> + Send,
{
    match run(py, progress, job)? {
        (_, Some(signal)) if !signal.is_instance_of::<PyKeyboardInterrupt>(py) => Err(signal),
        (answer, _) => Ok(answer),
    }
}

/// The answer of `job`, and what a signal raised meanwhile.
fn run<T, F>(py: Python<'_>, progress: Option<&Py<PyAny>>, job: F) -> PyResult<(T, Option<PyErr>)>
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
    let signal = interrupt.into_inner().ok().flatten();
    match result {
        Ok(Ok(answer)) => Ok((answer, signal)),
        Ok(Err(error)) => Err(signal.unwrap_or_else(|| to_py(&error))),
        Err(_) => Err(PyRuntimeError::new_err("the engine panicked; please report this")),
    }
}
