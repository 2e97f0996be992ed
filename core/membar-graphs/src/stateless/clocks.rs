//! Prefixes of items as vector clocks: how many items of each thread reach an item, itself included.
//!
//! `clocks` go by program order, reads-from, and the starting and joining of threads; `spawn_clocks` leave reads-from
//! out. The clock of a thread that has no items yet is that of what started it.

use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, GraphEvent, Label, Start};

/// What reaches a write, and so cannot be deleted when the write revisits a read.
#[derive(Debug, Clone, Copy)]
pub enum Prefix<'p> {
    /// So many items of each thread.
    Clock(&'p [u32]),
    /// These items, by stamp.
    Items(&'p [bool]),
}

impl Prefix<'_> {
    /// Whether an item is in it.
    #[must_use]
    pub fn has(self, id: EventId, item: &GraphEvent) -> bool {
        match (self, item.label) {
            (_, Label::Initial(_)) => true,
            (Self::Clock(clock), _) => item.position < clock[item.thread as usize],
            (Self::Items(items), _) => items[id.index()],
        }
    }
}

impl Graph {
    /// The prefix of an item, per thread.
    #[must_use]
    pub fn clock(&self, item: EventId) -> &[u32] {
        &self.clocks[item.index() * self.width()..(item.index() + 1) * self.width()]
    }

    /// As `clock`, by program order and the starting and joining of threads only; empty if there is none of that.
    #[must_use]
    pub fn spawn_clock(&self, item: EventId) -> &[u32] {
        if self.has_spawns {
            &self.spawn_clocks[item.index() * self.width()..(item.index() + 1) * self.width()]
        } else {
            &[]
        }
    }

    /// The prefix of `item` takes in that of `source`.
    pub(super) fn merge_source(&mut self, item: EventId, source: EventId) {
        let width = self.width();
        for thread in 0..width {
            let other = self.clocks[source.index() * width + thread];
            let own = &mut self.clocks[item.index() * width + thread];
            *own = other.max(*own);
        }
    }

    /// The prefix of `item`, at `position` of `thread`, takes in that of what the symmetric thread before did there.
    pub(super) fn merge_twin(&mut self, item: EventId, thread: usize, position: usize) {
        if let Some(counterpart) = self.counterpart_in_prefix(thread, position) {
            self.merge_source(item, counterpart);
        }
    }

    /// Puts the prefix of what comes last in `thread` into `clock`.
    pub(super) fn take_end(&mut self, thread: usize) {
        let (mut thread, mut items) = (thread, self.threads[thread].items.len());
        loop {
            if items > 0 {
                let last = self.threads[thread].items[items - 1];
                let start = last.index() * self.clock.len();
                self.clock.copy_from_slice(&self.clocks[start..start + self.threads.len()]);
                return;
            }
            let Start::Spawned { by, items: before } = self.threads[thread].start else {
                self.clock.fill(0);
                return;
            };
            (thread, items) = (by as usize, before as usize);
        }
    }

    /// The same of `spawn_clocks`.
    pub(super) fn take_spawn_end(&mut self, thread: usize) {
        let (mut thread, mut items) = (thread, self.threads[thread].items.len());
        loop {
            if items > 0 {
                let last = self.threads[thread].items[items - 1];
                let start = last.index() * self.clock.len();
                self.clock.copy_from_slice(&self.spawn_clocks[start..start + self.threads.len()]);
                return;
            }
            let Start::Spawned { by, items: before } = self.threads[thread].start else {
                self.clock.fill(0);
                return;
            };
            (thread, items) = (by as usize, before as usize);
        }
    }

    /// The prefix of the item that is next in `thread`, without that item and what it reads from.
    pub fn prefix_of_next(&mut self, thread: usize, out: &mut Vec<u32>) {
        self.take_end(thread);
        out.clear();
        out.extend_from_slice(&self.clock);
        if let Some(counterpart) = self.counterpart_in_prefix(thread, self.threads[thread].items.len()) {
            out.iter_mut().zip(self.clock(counterpart)).for_each(|(own, other)| *own = (*own).max(*other));
        }
    }

    /// The last item of its thread reads from another write now, of which `clock` is the prefix.
    pub(super) fn renew_clock(&mut self, item: EventId, clock: &[u32]) {
        if !self.has_clocks {
            return;
        }
        let GraphEvent { thread, position, .. } = *self.item(item);
        let own = &mut self.threads[thread as usize];
        let last = own.items.pop();
        self.take_end(thread as usize);
        self.threads[thread as usize].items.extend(last);
        self.clock[thread as usize] = position + 1;
        let start = item.index() * self.clock.len();
        self.clocks[start..start + self.threads.len()].copy_from_slice(&self.clock);
        merge(&mut self.clocks, item, clock);
        self.merge_twin(item, thread as usize, position as usize);
    }
}

/// The clock of `item` takes in `other`.
pub(super) fn merge(clocks: &mut [u32], item: EventId, other: &[u32]) {
    let start = item.index() * other.len();
    for (own, other) in clocks[start..].iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}
