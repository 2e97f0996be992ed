//! Work sharing for parallel exploration. An idle worker takes the oldest unexplored frame of a busy one. Subtrees are
//! independent: a task carries the execution graph, the frame and, for each thread, the values that its reads returned.
//!
//! Tasks are ordered as a sequential search would visit them: what a worker gives away comes after everything that it
//! keeps, and before what it gave away earlier. So the first witness does not depend on the number of workers.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::stateless::graph::Graph;
use crate::stateless::remaining_work::Frame;
use membar_ir::limits::{ASK_EVERY, Stopped, Watch};

/// Where a task stands among all: compared like words in a dictionary.
pub(super) type Order = Vec<u32>;

/// Answers that lead a thread to a node.
#[derive(Debug)]
pub(super) struct Path {
    pub(super) thread: usize,
    pub(super) answers: Vec<u64>,
}

/// The rest of a frame, for another worker.
#[derive(Debug)]
pub(super) struct SharedWork {
    pub(super) frame: Frame,
    /// Its nodes are numbers of `paths`.
    pub(super) graph: Graph,
    pub(super) paths: Vec<Path>,
}

/// Work for one worker.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) order: Order,
    /// What part of the whole it is thought to be.
    pub(super) weight: f64,
    /// None: everything.
    pub(super) rest: Option<SharedWork>,
}

/// What workers share.
#[derive(Debug)]
pub(super) struct WorkQueue {
    state: Mutex<State>,
    changed: Condvar,
    /// How many tasks are wanted.
    wanted: AtomicUsize,
    /// Counts what every worker must hear of.
    news: AtomicU64,
    /// For tests: always want one task more.
    is_eager: bool,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Task>,
    /// Workers without a task.
    idle: usize,
    busy: usize,
    over: Option<Stopped>,
    is_done: bool,
    /// The first task, so far, with a failure; what comes later need not be done.
    failed: Option<Order>,
}

/// What a worker that looked up is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    GoOn,
    /// Nobody needs the present task.
    Drop,
    Stop(Stopped),
}

impl WorkQueue {
    /// With everything to be done.
    pub(super) fn new(is_eager: bool) -> Self {
        let whole = Task { order: Order::new(), weight: 1.0, rest: None };
        Self {
            state: Mutex::new(State { waiting: vec![whole], ..State::default() }),
            changed: Condvar::new(),
            wanted: AtomicUsize::new(0),
            news: AtomicU64::new(0),
            is_eager,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What a worker that panicked leaves behind is whole: no invariant is broken between two statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_wanted(&self, state: &State) {
        let least = usize::from(self.is_eager);
        self.wanted.store(state.idle.max(least).saturating_sub(state.waiting.len()), Ordering::Relaxed);
    }

    /// The next task, when there is one; None when all are done, or it is time to stop.
    pub(super) fn take(&self, watch: &mut Watch<'_>) -> Option<Task> {
        let mut state = self.state();
        state.idle += 1;
        loop {
            if state.is_done || state.over.is_some() {
                return None;
            }
            if let Some(task) = state.waiting.pop() {
                if state.failed.as_ref().is_some_and(|failed| *failed < task.order) {
                    continue;
                }
                state.idle -= 1;
                state.busy += 1;
                self.count_wanted(&state);
                return Some(task);
            }
            if state.busy == 0 {
                state.is_done = true;
                self.changed.notify_all();
                return None;
            }
            self.count_wanted(&state);
            (state, _) = self.changed.wait_timeout(state, ASK_EVERY).unwrap_or_else(PoisonError::into_inner);
            // The worker that Python called checks for signals even when it is idle.
            drop(state);
            if let Err(stopped) = watch.look() {
                self.stop(stopped);
            }
            state = self.state();
        }
    }

    /// An task is done.
    pub(super) fn done(&self) {
        let mut state = self.state();
        state.busy -= 1;
        self.changed.notify_all();
    }

    /// Whether a worker is idle.
    pub(super) fn wants(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) > 0
    }

    /// Gives a task to an idle worker.
    pub(super) fn give(&self, task: Task) {
        let mut state = self.state();
        state.waiting.push(task);
        self.count_wanted(&state);
        self.changed.notify_one();
    }

    /// A number that changes with what every worker must hear of.
    pub(super) fn news(&self) -> u64 {
        self.news.load(Ordering::Relaxed)
    }

    /// What the worker at task `order` is to do.
    pub(super) fn call(&self, order: &[u32]) -> Call {
        let state = self.state();
        match (state.over, &state.failed) {
            (Some(stopped), _) => Call::Stop(stopped),
            (None, Some(failed)) if failed.as_slice() < order => Call::Drop,
            _ => Call::GoOn,
        }
    }

    /// It is time to stop, for all.
    pub(super) fn stop(&self, stopped: Stopped) {
        self.state().over.get_or_insert(stopped);
        self.news.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Task `order` has a failure: later tasks need not be explored.
    pub(super) fn failed(&self, order: &[u32]) {
        let mut state = self.state();
        if state.failed.as_ref().is_none_or(|failed| order < failed.as_slice()) {
            state.failed = Some(order.to_vec());
        }
        self.news.fetch_add(1, Ordering::Relaxed);
    }

    /// Why it ended before its end, and where the first failure was that ended it.
    pub(super) fn end(self) -> (Option<Stopped>, Option<Order>) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.over, state.failed)
    }
}

/// Wakes the others if its worker panics: they must not wait for it.
#[derive(Debug)]
pub(super) struct Presence<'c>(pub(super) &'c WorkQueue);

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(Stopped::Request);
        }
    }
}
