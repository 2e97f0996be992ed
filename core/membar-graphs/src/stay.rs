//! Executions that never change again: threads that spin or wait for ever (liveness violations, deadlocks).

/// What a thread does in an execution to which nothing can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    /// It has ended, and the process goes on.
    Ended,
    /// It has ended, and the process with it.
    Exited,
    /// Nobody started it.
    NotStarted,
    /// It looks at memory in a loop, and sees what is last.
    Looks,
    /// It is in a step that blocks, and sees what is last.
    Blocks,
    /// It waits for the end of a thread.
    Joins(usize),
}

/// How an execution stays as it is for ever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stuck {
    /// Somebody looks at memory in a loop: `termination`.
    pub(crate) looks: bool,
    /// Somebody can never leave a call that blocks: `deadlock`.
    pub(crate) blocks: bool,
}

/// The keys of `Findings::stuck`.
pub(crate) const LOOKS: usize = 0;
pub(crate) const BLOCKS: usize = 1;

impl Stuck {
    /// Of threads that all stay as they are.
    ///
    /// Joining a thread that spins is no deadlock: the loop does not end.
    pub(crate) fn of(threads: &[Stay]) -> Self {
        if threads.contains(&Stay::Exited) {
            return Self::default();
        }
        let blocks = |thread: &Stay| match thread {
            Stay::Blocks => true,
            Stay::Joins(other) => !ends_in_a_loop(threads, *other),
            _ => false,
        };
        Self { looks: threads.contains(&Stay::Looks), blocks: threads.iter().any(blocks) }
    }

    /// The keys of what it is.
    pub(crate) fn keys(self) -> impl Iterator<Item = usize> {
        let looks = self.looks.then_some(LOOKS);
        looks.into_iter().chain(self.blocks.then_some(BLOCKS))
    }
}

/// Whether a thread looks in a loop, or waits for the end of one that does, directly or by way of others.
fn ends_in_a_loop(threads: &[Stay], first: usize) -> bool {
    let mut thread = first;
    for _ in 0..threads.len() {
        match threads.get(thread) {
            Some(Stay::Joins(other)) => thread = *other,
            stay => return stay == Some(&Stay::Looks),
        }
    }
    false
}
