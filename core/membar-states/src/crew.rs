//! Threads that wait for each other between the parts of a round. They are kept: to start a thread costs more than to wake
//! one, and makes all others wait for the memory of its stack.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{Result, Scope};

use membar_ir::limits::Watch;

/// What a thread is to do.
type Task<'env> = Box<dyn FnOnce() + Send + 'env>;

/// How often a thread looks whether there is something to do, before it sleeps: for longer than it takes to wake it.
const LOOKS: u32 = 1 << 13;

/// Threads beside the one that was called, which are started when they are needed.
pub(super) struct Crew<'scope, 'env: 'scope> {
    scope: &'scope Scope<'scope, 'env>,
    tasks: Vec<Sender<Task<'env>>>,
}

impl<'scope, 'env> Crew<'scope, 'env> {
    pub(super) fn new(scope: &'scope Scope<'scope, 'env>) -> Self {
        Self { scope, tasks: Vec::new() }
    }

    /// Does a part of the work with each of the items, each in a thread of its own.
    pub(super) fn work<'w: 'env, T: Send + 'env>(
        &mut self,
        items: &mut Vec<T>,
        watch: &mut Watch<'w>,
        part: impl Fn(&mut T, &mut Watch<'w>) + Send + Sync + 'env,
    ) {
        while self.tasks.len() + 1 < items.len() {
            let (sender, receiver) = channel::<Task<'env>>();
            self.scope.spawn(move || {
                while let Some(task) = next(&receiver) {
                    task();
                }
            });
            self.tasks.push(sender);
        }
        let part = Arc::new(part);
        let mut results: Vec<Receiver<Result<T>>> = Vec::new();
        for (tasks, mut item) in self.tasks.iter().zip(items.drain(1..)) {
            let (sender, receiver) = channel();
            results.push(receiver);
            let (part, mut watch) = (Arc::clone(&part), watch.of_helper());
            let task = move || {
                let done = catch_unwind(AssertUnwindSafe(move || {
                    part(&mut item, &mut watch);
                    item
                }));
                // If nobody waits for it any more, the other thread has panicked.
                let _ = sender.send(done);
            };
            // The threads end after the crew.
            let _ = tasks.send(Box::new(task));
        }
        // The thread that was called asks whether to go on.
        for item in items.iter_mut() {
            part(item, watch);
        }
        for done in results.iter().filter_map(next) {
            items.push(done.unwrap_or_else(|panic| resume_unwind(panic)));
        }
    }
}

/// What is sent next; None if nobody sends any more.
fn next<T>(receiver: &Receiver<T>) -> Option<T> {
    for _ in 0..LOOKS {
        match receiver.try_recv() {
            Ok(found) => return Some(found),
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
            Err(TryRecvError::Disconnected) => return None,
        }
    }
    receiver.recv().ok()
}

#[cfg(test)]
mod tests {
    use membar_ir::limits::{Limits, Stop};

    use super::*;

    #[test]
    fn each_item_is_worked_with_and_comes_back() {
        let stop = Stop::default();
        let mut watch = Watch::new(&stop, Limits::default());
        let mut items: Vec<(usize, Vec<usize>)> = (0..3).map(|own| (own, Vec::new())).collect();
        std::thread::scope(|scope| {
            let mut crew = Crew::new(scope);
            for round in 0..100 {
                crew.work(&mut items, &mut watch, move |(own, done), _| done.push(*own + round));
            }
        });
        for (own, (number, done)) in items.into_iter().enumerate() {
            assert_eq!((number, done), (own, (own..own + 100).collect()));
        }
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let stop = Stop::default();
        let mut watch = Watch::new(&stop, Limits::default());
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            std::thread::scope(|scope| {
                let mut items = vec![1, 2, 3];
                Crew::new(scope).work(&mut items, &mut watch, |item, _| assert!(*item != 3));
            });
        }));
        assert!(panicked.is_err());
    }
}
