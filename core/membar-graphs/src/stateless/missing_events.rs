//! Threads with missing events, which later events of the thread do not depend on.
//!
//! A thread that has gaps still has a path through its tree: at each gap an arbitrary answer replaces the one that
//! the missing item will get. The items after a gap do not depend on that answer; when the gap is filled, or a read
//! gets another answer, the items after it are moved to the new path.

use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, Label};
use crate::stateless::thread_tree::{SegmentId, Step, ThreadTree};
use crate::thread::Kind;
use membar_ir::error::CoreError;

/// Where an item of a thread comes from, and its position.
#[derive(Debug, Clone, Copy)]
pub struct EventPosition {
    node: SegmentId,
    at: u32,
    position: u32,
}

impl Graph {
    /// Where the next item of `thread` comes from.
    #[must_use]
    pub fn next_position(&self, thread: usize) -> EventPosition {
        let own = &self.threads[thread];
        EventPosition { node: own.node, at: own.at, position: own.next }
    }

    /// Makes the next item of `thread` the one at `spot`; what is missing before it are gaps.
    pub fn move_next_to(&mut self, thread: usize, spot: EventPosition, thread_tree: &ThreadTree<'_>) {
        let events = (thread_tree.node(spot.node).first + spot.at) as usize;
        let own = &mut self.threads[thread];
        let extend = |list: &mut Vec<EventId>, count: usize| {
            if list.len() < count {
                list.resize(count, EventId::MISSING);
            }
        };
        extend(&mut own.items, spot.position as usize);
        extend(&mut own.events, events);
        (own.next, own.node, own.at) = (spot.position, spot.node, spot.at);
    }

    /// What was just added to `thread` may have filled a gap, or left some: what comes next is the first. False if
    /// the thread would not do what is present after the gap.
    pub fn replay_after_gap(
        &mut self,
        thread: usize,
        thread_tree: &mut ThreadTree<'_>,
    ) -> Result<bool, CoreError> {
        let own = &self.threads[thread];
        let filled = own.next as usize - 1;
        let is_last = filled + 1 == own.items.len();
        if is_last && !own.has_gaps() {
            return Ok(true);
        }
        let behind = own.items[filled + 1..].iter().rev().find(|&&id| id != EventId::MISSING);
        if let Some(&last) = behind
            && self.reroute(thread, filled, self.item(last).node, thread_tree)?.is_none()
        {
            return Ok(false);
        }
        self.seek(thread, thread_tree);
        Ok(true)
    }

    /// The read at `position` of `thread` has got an answer of its own: the items after it go to the path with this
    /// answer. `end` is the last node of their path; its place on the new one, or None if the thread does something
    /// else then.
    pub fn reroute(
        &mut self,
        thread: usize,
        position: usize,
        end: SegmentId,
        thread_tree: &mut ThreadTree<'_>,
    ) -> Result<Option<SegmentId>, CoreError> {
        let item = *self.item(self.threads[thread].items[position]);
        if !matches!(item.label, Label::Read(..)) {
            return Ok(Some(end));
        }
        let mut chain = vec![end];
        while let Some(before) = chain.last().and_then(|&node| thread_tree.before(node)) {
            if Some(before) == thread_tree.before(item.node) {
                break;
            }
            chain.push(before);
        }
        let Some(head) =
            chain.pop().filter(|&head| thread_tree.before(head) == thread_tree.before(item.node))
        else {
            return Ok(Some(end));
        };
        let mut moved = vec![(head, item.node)];
        let mut new = item.node;
        for &old in chain.iter().rev() {
            let (Some(before), Some(answer)) = (thread_tree.before(old), thread_tree.answer(old)) else {
                return Ok(None);
            };
            if thread_tree.node(before).next != thread_tree.node(new).next {
                return Ok(None);
            }
            new = thread_tree.child(new, answer)?;
            moved.push((old, new));
        }
        for at in position + 1..self.threads[thread].items.len() {
            let id = self.threads[thread].items[at];
            if id == EventId::MISSING {
                continue;
            }
            let item = &mut self.items[id.index()];
            let Some(&(old, new)) = moved.iter().find(|(old, _)| *old == item.node) else {
                return Ok(None);
            };
            let step = |node: SegmentId| thread_tree.node(node).steps.get(item.index as usize);
            if item.is_event() && !is_same(step(old), step(new)) {
                return Ok(None);
            }
            item.node = new;
        }
        Ok(Some(new))
    }

    /// As `reroute` for a read that was revisited by the write at `spot` of `writer`, which is not there yet.
    pub fn reroute_revisited(
        &mut self,
        read: EventId,
        writer: usize,
        spot: EventPosition,
        thread_tree: &mut ThreadTree<'_>,
    ) -> Result<bool, CoreError> {
        let (thread, position) = (self.item(read).thread as usize, self.item(read).position);
        let own = &self.threads[thread];
        let is_own = thread == writer && spot.position > position;
        let last = own.items[position as usize + 1..].iter().rev().find(|&&id| id != EventId::MISSING);
        let last = last.map(|&id| (self.item(id).position, self.item(id).node));
        let mut spot = spot;
        let end = last.filter(|&(at, _)| !is_own || at > spot.position).map_or(spot.node, |(_, node)| node);
        if is_own || last.is_some() {
            let Some(new) = self.reroute(thread, position as usize, end, thread_tree)? else {
                return Ok(false);
            };
            if is_own {
                let Some(node) = counterpart(thread_tree, end, new, spot.node) else { return Ok(false) };
                let step = |node: SegmentId| thread_tree.node(node).steps.get(spot.at as usize);
                if !is_same(step(spot.node), step(node)) {
                    return Ok(false);
                }
                spot.node = node;
            }
        }
        self.seek(thread, thread_tree);
        self.move_next_to(writer, spot, thread_tree);
        Ok(true)
    }
}

/// The node that stands to `new` as `node`, which is before `old` or is it, stands to `old`.
fn counterpart(
    thread_tree: &ThreadTree<'_>,
    old: SegmentId,
    new: SegmentId,
    node: SegmentId,
) -> Option<SegmentId> {
    let (mut old, mut new) = (old, new);
    while old != node {
        (old, new) = (thread_tree.before(old)?, thread_tree.before(new)?);
    }
    Some(new)
}

/// Whether two steps are the same event; a read may have another value.
fn is_same(a: Option<&Step>, b: Option<&Step>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    (a.event.kind, a.event.cell, a.event.tags, a.pair) == (b.event.kind, b.event.cell, b.event.tags, b.pair)
        && (a.event.kind == Kind::Read || a.value == b.value)
}
