//! How much a search of states may spend.

use crate::stop::{Stopped, Watch};

/// Why a search ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halted {
    /// Time, memory, or a request from outside.
    Stopped(Stopped),
    /// The number of states.
    States,
    /// What was looked for was found.
    Found,
}

/// Time, memory and states that may still be spent.
#[derive(Debug)]
pub struct Budget<'a> {
    /// Time, memory and requests.
    pub watch: Watch<'a>,
    /// The most states to keep.
    pub states: Option<u64>,
}

impl Budget<'_> {
    /// To be called once per *large* unit of work, with the number of states kept and the bytes they take, roughly.
    ///
    /// # Errors
    /// It is time to stop.
    pub fn step(&mut self, states: u64, bytes: usize) -> Result<(), Halted> {
        self.watch.look().and_then(|()| self.watch.bytes(bytes)).map_err(Halted::Stopped)?;
        if self.is_spent(states) { Err(Halted::States) } else { Ok(()) }
    }

    /// Whether there are more states than may be kept.
    #[must_use]
    pub fn is_spent(&self, states: u64) -> bool {
        self.states.is_some_and(|most| states > most)
    }
}
