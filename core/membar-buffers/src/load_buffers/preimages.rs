//! Pre-images of elements: the minimal states from which one step leads above an element.

use membar_ir::program::CellId;
use membar_ir::words::narrow;

use super::{Element, Message, Search};
use crate::local_automata::{Access, Block, LocalAutomaton, Meeting, Step};
use crate::system::{End, LocalId};

impl Search<'_, '_, '_> {
    /// Every smallest state from which one move of `thread` leads above `element`.
    pub(super) fn before(&self, element: &Element, thread: usize, out: &mut Vec<Element>) {
        let flat = &self.program.threads[thread];
        match &element.threads[thread] {
            None => {
                for step in flat.steps.iter().filter(|step| matches!(step.end, End::Moved(_))) {
                    before_step(element, thread, step, None, out, &self.program.threads);
                }
            }
            Some((local, queue)) => {
                for &index in &flat.into[local.index()] {
                    let step = &flat.steps[index];
                    before_step(element, thread, step, Some(queue), out, &self.program.threads);
                }
                before_delete(element, thread, flat, *local, queue, out);
                before_propagate(element, thread, *local, queue, out);
            }
        }
    }

    /// Two threads met: both queues were empty, and are.
    pub(super) fn before_meeting(&self, element: &Element, meeting: &Meeting, out: &mut Vec<Element>) {
        let parts = meeting.threads.map(|thread| element.threads[thread].as_ref());
        let fits = parts
            .iter()
            .zip(meeting.to)
            .all(|(part, to)| part.is_none_or(|(local, queue)| *local == to && queue.is_empty()));
        let is_asked = parts.iter().any(Option::is_some) || changes_asked(&meeting.block, &element.memory);
        if !fits || !is_asked {
            return;
        }
        let Some(memory) = before_block(&meeting.block, &element.memory) else { return };
        let mut next = Element { threads: element.threads.clone(), memory };
        let [sender, receiver] = meeting.threads;
        next.threads[receiver] = Some((meeting.from[1], Vec::new()));
        next.threads[sender] = Some((meeting.from[0], Vec::new()));
        if meeting.block.all {
            out.extend(with_empty_queues(&next, &self.program.threads));
        } else {
            out.push(next);
        }
    }
}

/// The newest message was propagated from memory.
fn before_propagate(
    element: &Element,
    thread: usize,
    local: LocalId,
    queue: &[Message],
    out: &mut Vec<Element>,
) {
    let Some((&Message { cell, value, own: false }, rest)) = queue.split_last() else { return };
    let mut next = element.clone();
    if element.memory[cell.index()].is_some_and(|known| known != value) {
        return;
    }
    next.memory[cell.index()] = Some(value);
    next.threads[thread] = Some((local, rest.to_vec()));
    out.push(next);
}

/// An own message was deleted; others make no difference, as a larger queue can do all that a smaller one can.
fn before_delete(
    element: &Element,
    thread: usize,
    flat: &LocalAutomaton,
    local: LocalId,
    queue: &[Message],
    out: &mut Vec<Element>,
) {
    for &(cell, value) in &flat.stores {
        if own_value(queue, cell).is_none() {
            let mut longer = vec![Message { cell, value, own: true }];
            longer.extend_from_slice(queue);
            let mut next = element.clone();
            next.threads[thread] = Some((local, longer));
            out.push(next);
        }
    }
}

fn own_value(queue: &[Message], cell: CellId) -> Option<u64> {
    queue.iter().rev().find(|message| message.own && message.cell == cell).map(|message| message.value)
}

/// The smallest states before one step of a program; `queue` is None if its thread was left open.
fn before_step(
    element: &Element,
    thread: usize,
    step: &Step,
    queue: Option<&[Message]>,
    out: &mut Vec<Element>,
    threads: &[LocalAutomaton],
) {
    let mut push = |queue: Vec<Message>, memory: Vec<Option<u64>>| {
        let mut next = Element { threads: element.threads.clone(), memory };
        next.threads[thread] = Some((step.from, queue));
        out.push(next);
    };
    let memory = element.memory.clone();
    let known = queue.unwrap_or_default();
    // Only the accesses of an open thread to memory matter; before them it can delete its whole queue.
    let is_asked = match &step.access {
        Access::Write(cell, _) => memory[cell.index()].is_some(),
        Access::Block(block) => changes_asked(block, &memory),
        _ => false,
    };
    if queue.is_none() && !is_asked {
        return;
    }
    match step.access {
        Access::None => push(known.to_vec(), memory),
        Access::Read(cell, value) => {
            let own = own_value(known, cell);
            if let Some(own) = own {
                if own == value {
                    push(known.to_vec(), memory);
                }
                return;
            }
            let message = Message { cell, value, own: false };
            let looked_at = known.first();
            if looked_at == Some(&message) {
                push(known.to_vec(), memory);
                return;
            }
            let mut longer = known.to_vec();
            longer.insert(0, message);
            push(longer, memory);
        }
        Access::Write(cell, value) => {
            before_write(element, thread, (cell, value), queue, push, threads);
        }
        Access::Block(ref block) => {
            if !known.is_empty() {
                return;
            }
            let Some(memory) = before_block(block, &memory) else { return };
            if block.all {
                let mut next = Element { threads: element.threads.clone(), memory };
                next.threads[thread] = Some((step.from, Vec::new()));
                out.extend(with_empty_queues(&next, threads));
            } else {
                push(known.to_vec(), memory);
            }
        }
    }
}

/// Memory before something was done to it at once; None if that cannot have led here.
fn before_block(block: &Block, memory: &[Option<u64>]) -> Option<Vec<Option<u64>>> {
    let mut memory = memory.to_vec();
    for &(cell, value) in &block.writes {
        if memory[cell.index()].is_some_and(|known| known != value) {
            return None;
        }
        memory[cell.index()] = None;
    }
    for &(cell, value) in &block.reads {
        if memory[cell.index()].is_some_and(|known| known != value) {
            return None;
        }
        memory[cell.index()] = Some(value);
    }
    Some(memory)
}

/// Whether a value is written that is asked for.
fn changes_asked(block: &Block, memory: &[Option<u64>]) -> bool {
    block.writes.iter().any(|&(cell, _)| memory[cell.index()].is_some())
}

/// The states before a write: those in whose queue the write's own message is the newest, and, if the state leaves
/// the queue of the thread open, all of them.
fn before_write(
    element: &Element,
    thread: usize,
    (cell, value): (CellId, u64),
    queue: Option<&[Message]>,
    mut push: impl FnMut(Vec<Message>, Vec<Option<u64>>),
    threads: &[LocalAutomaton],
) {
    let mut memory = element.memory.clone();
    if memory[cell.index()].is_some_and(|known| known != value) {
        return;
    }
    memory[cell.index()] = None;
    let Some(queue) = queue else { return push(Vec::new(), memory) };
    let Some((&newest, rest)) = queue.split_last() else { return };
    if newest != (Message { cell, value, own: true }) {
        return;
    }
    push(rest.to_vec(), memory.clone());
    // The queue may have held an older own message of the cell, which no longer counts.
    for &(_, older) in threads[thread].stores.iter().filter(|store| store.0 == cell) {
        for place in 0..=rest.len() {
            let mut longer = rest.to_vec();
            longer.insert(place, Message { cell, value: older, own: true });
            push(longer, memory.clone());
        }
    }
}

/// The states in which every queue is empty; a thread of which the state says nothing may be at any point.
fn with_empty_queues(element: &Element, threads: &[LocalAutomaton]) -> Vec<Element> {
    let mut found = vec![element.clone()];
    for (other, flat) in threads.iter().enumerate() {
        match &element.threads[other] {
            Some((_, queue)) if queue.is_empty() => {}
            Some(_) => return Vec::new(),
            None => {
                found = found
                    .iter()
                    .flat_map(|element| {
                        (0..flat.into.len()).map(|number| {
                            let mut next = element.clone();
                            let local = LocalId(narrow(number));
                            next.threads[other] = Some((local, Vec::new()));
                            next
                        })
                    })
                    .collect();
            }
        }
    }
    found
}
