//! Spin detection: has an iteration of a loop only read memory, or done nothing at all, and changed nothing?
//!
//! The semantics is that of `engines/reference/waiting.py`.

use crate::thread::{Event, Kind};
use membar_ir::origins::Origins;
use membar_ir::program::CellId;

/// The reads that decided the path so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Control {
    /// Those whose decision concerns all that follows.
    lasting: Origins,
    /// Those of branches whose paths have not met yet, with the control point where they will.
    passing: Vec<(u32, Origins)>,
}

impl Control {
    /// The thread comes to a control point.
    pub(crate) fn arrive(&mut self, point: u32) {
        self.passing.retain(|(join, _)| *join != point);
    }

    pub(crate) fn decide(&mut self, join: Option<u32>, reads: &Origins) {
        match join {
            None => self.lasting.extend(reads),
            Some(join) => self.passing.push((join, reads.clone())),
        }
    }

    pub(crate) fn reads(&self) -> Origins {
        let mut all = self.lasting.clone();
        for (_, reads) in &self.passing {
            all.extend(reads);
        }
        all
    }

    fn is_within(&self, other: &Self) -> bool {
        self.lasting.is_within(&other.lasting)
            && self.passing.iter().all(|(join, reads)| {
                other.passing.iter().any(|(same, more)| join == same && reads.is_within(more))
            })
    }
}

/// What a thread has done beside its events, as far as it makes an iteration more than looking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Choices, threads started and joined.
    pub(crate) actions: u32,
    /// Store-conditionals and weak operations that failed and could have succeeded.
    pub(crate) retries: u32,
}

/// A thread at a watched point, as far as what follows can depend on it.
#[derive(Debug)]
pub(crate) struct Visit {
    /// Number of events before.
    pub(crate) events: usize,
    /// What else it did before.
    pub(crate) effects: Effects,
    /// The registers that matter, with the reads that their values come from.
    pub(crate) registers: Vec<(u64, Origins)>,
    /// The reads that decided the path.
    pub(crate) control: Control,
    /// Open exclusive loads, if they matter.
    pub(crate) open: Vec<(CellId, u32)>,
}

/// What happened between two visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    /// Something.
    Changes,
    /// A store-conditional failed, and nothing else changed.
    Retry,
    /// Memory was read, and nothing else happened.
    Looks,
}

impl Visit {
    /// What happened since this visit, given the present one and all events of the thread, of which `written_back`
    /// does not count.
    pub(crate) fn between(
        &self,
        now: &Self,
        events: &[Event],
        written_back: Option<usize>,
        single: bool,
    ) -> Between {
        let iteration = &events[self.events..];
        let reads = iteration.iter().filter(|event| event.kind == Kind::Read).count();
        let writes = iteration.iter().filter(|event| event.kind == Kind::Write).count();
        let has_written = writes > usize::from(written_back.is_some());
        let may_race = single && reads > 1;
        let has_chosen = now.effects.actions != self.effects.actions;
        if has_written || may_race || has_chosen || !self.is_same(now) {
            Between::Changes
        } else if now.effects.retries != self.effects.retries {
            if written_back.is_some() { Between::Changes } else { Between::Retry }
        } else {
            Between::Looks
        }
    }

    /// Whether the thread continues from `now` as from here, and depends on no less.
    fn is_same(&self, now: &Self) -> bool {
        let mut registers = self.registers.iter().zip(&now.registers);
        self.open == now.open
            && self.control.is_within(&now.control)
            && registers.all(|(old, new)| old.0 == new.0 && old.1.is_within(&new.1))
    }
}
