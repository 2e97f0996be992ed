//! Spinning threads: explored last, and only with the latest values.
//!
//! A waiting thread does nothing more, so nothing depends on the read after which it waits. If that read does not
//! return the latest value, no revisit gets past it: it was not added maximally, and it is in no prefix. The thread
//! waits in all later graphs, but not forever, since it does not see the latest write: such graphs are not
//! explored. And a read that would make its thread wait is added only when no other thread can continue: then all
//! writes are there, and it does not produce a blocked copy of each execution in which it sees a later write. The
//! next item is still a function of the graph. This does not apply to reads that can race: the race may be in the
//! copy.

use crate::stateless::explore::Explorer;
use crate::stateless::graph_events::Place;
use membar_ir::error::CoreError;
use membar_ir::program::CellId;

impl Explorer<'_> {
    /// Whether `thread`, which reads `cell` next, would wait with the last value.
    pub(super) fn would_wait(&mut self, thread: usize, cell: CellId) -> Result<bool, CoreError> {
        if !self.options.in_place {
            return Ok(false);
        }
        let graph = &self.graphs[self.depth];
        let value = match graph.place_of(cell).and_then(|place| graph.writes(place).last()) {
            Some(&last) => graph.item(last).value,
            None => self.program.cells[cell.index()].initial,
        };
        let node = self.thread_tree.child(graph.threads[thread].node, value)?;
        Ok(self.thread_tree.node(node).may_wait_last)
    }

    /// Whether `thread` would wait with the value of write `at` of co, which is not the last.
    pub(super) fn would_wait_for(
        &mut self,
        thread: usize,
        place: Place,
        at: usize,
    ) -> Result<bool, CoreError> {
        if !self.options.in_place {
            return Ok(false);
        }
        let graph = &self.graphs[self.depth];
        let value = graph.item(graph.writes(place)[at]).value;
        let node = self.thread_tree.child(graph.threads[thread].node, value)?;
        Ok(self.thread_tree.node(node).may_wait_last)
    }
}
