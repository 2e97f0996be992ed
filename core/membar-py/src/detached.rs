//! One helper owns the GIL, Ctrl-C and panics.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use membar_core::error::CoreError;
use membar_core::stop::Stop;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::to_py;

/// How often Ctrl-C is looked for.
const SIGNAL_POLL: Duration = Duration::from_millis(50);

/// Room for the recursion of a search: one frame per read and per pair of writes.
const STACK: usize = 256 << 20;

/// Runs `job` without the GIL. Ctrl-C stops it and surfaces as `KeyboardInterrupt`.
pub(crate) fn run_detached<T, F>(py: Python<'_>, job: F) -> PyResult<T>
where
    T: Send,
    F: FnOnce(&Stop) -> Result<T, CoreError> + Send,
{
    let stop = Stop::default();
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let stop = &stop;
            let work = move || drop(sender.send(job(stop)));
            let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
            loop {
                match receiver.recv_timeout(SIGNAL_POLL) {
                    Ok(result) => return result.map_err(|error| to_py(&error)),
                    Err(RecvTimeoutError::Timeout) => {
                        #[expect(
                            clippy::redundant_closure_for_method_calls,
                            reason = "the method itself does not fit every lifetime"
                        )]
                        let signals = Python::attach(|py| py.check_signals());
                        if let Err(interrupt) = signals {
                            stop.set(); // the scope joins the worker before we return
                            return Err(interrupt);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        let _ = worker.join(); // a joined panic does not unwind into Python
                        return Err(PyRuntimeError::new_err("the engine panicked; please report this"));
                    }
                }
            }
        })
    })
}
