//! Executions that stay as they are for ever, although memory is fair and everybody runs on.

use crate::stateless::fault::Fault;
use crate::stateless::graph::Graph;
use crate::stateless::histories::{Histories, Next};
use crate::stateless::item::{ItemId, What};
use crate::thread::Status;

impl Graph {
    /// Whether somebody waits, whoever waits sees the last write of all that it looks at, and everybody else has ended
    /// or waits for a thread that does not end. Only for graphs to which nothing can be added.
    #[must_use]
    pub fn is_stuck(&self, histories: &Histories<'_>) -> bool {
        let mut waits = false;
        for thread in 0..self.lanes.len() {
            match self.status(thread, histories) {
                Some(Status::Complete | Status::Unborn) => {}
                Some(Status::Waiting) => {
                    waits = true;
                    if !self.sees_last(thread, histories) {
                        return false;
                    }
                    if self.fault == Fault::OneWaitsForAll {
                        return true;
                    }
                }
                None if matches!(histories.node(self.lanes[thread].node).next, Next::Join(_)) => {}
                _ if self.fault == Fault::AssumptionsWait => {}
                _ => return false,
            }
        }
        waits
    }

    /// Whether `thread`, which waits, sees the last write of all that it looked at in its last turn.
    fn sees_last(&self, thread: usize, histories: &Histories<'_>) -> bool {
        let lane = &self.lanes[thread];
        let from = match self.fault {
            Fault::OneLookCounts => lane.events.len() - 1,
            _ => histories.node(lane.node).looks_from.unwrap_or_default() as usize,
        };
        self.fault == Fault::OldValuesForEver || lane.events[from..].iter().all(|&event| self.is_last(event))
    }

    fn is_last(&self, event: ItemId) -> bool {
        match self.item(event).what {
            What::Read(place, source) => self.writes(place).last() == Some(&source),
            _ => true,
        }
    }
}
